//! The games that come with the crate.

pub mod catalogue;
pub mod generate;
