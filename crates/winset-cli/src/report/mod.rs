//! What the program shows: tables, plots, solutions, comparisons with published figures.

pub mod comparison;
pub mod solution;

pub use winset_report::{plot, table};
