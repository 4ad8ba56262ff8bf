//! What the program shows: tables, plots, solutions.

pub mod solution;

pub use winset_report::{plot, table};
