//! The engines behind one interface.

mod auto;
mod bdd;
mod blocks;
mod dddmp;
mod explicit;
mod hybrid;
pub mod layers;
mod reorder;

pub use auto::Auto;
pub use bdd::{Bdd, BddAlgorithm};
pub use blocks::parse_blocks;
pub use dddmp::{DddmpSet, read_dddmp};
pub use explicit::ExplicitSearch;
pub use layers::{Layers, Lengths, Rival};
