//! The engines behind `solve` and `count`: flags in, a report out.

pub mod bdd;
mod blocks;
pub mod keep;
pub mod layers;
mod reorder;
