//! The engines behind `solve` and `count`: flags in, a report out.

pub mod bdd;
pub mod layers;
