//! Sets of states: levelled diagrams over blocks, a layer of them, layers that wait.

pub mod build;
pub mod by_parts;
pub mod copy;
pub mod count;
pub mod layer;
pub mod make;
pub mod memo;
pub mod set;
pub mod shelf;
pub mod strings;
pub mod table;
pub mod up;
