//! The engines behind `solve` and `count`: flags in, a report out.

pub mod bdd;
pub mod keep;
pub mod layers;
