//! The engines behind one interface.

mod auto;
mod bdd;
mod blocks;
mod layers;
mod reorder;

pub use auto::Auto;
pub use bdd::{Bdd, BddAlgorithm};
pub use blocks::parse_blocks;
pub use layers::{Layers, Lengths};
