//! How states are cut: into blocks of variables, and into layers.

pub mod choose;
pub mod divide;
pub mod frame;
pub mod layering;
pub mod partition;
