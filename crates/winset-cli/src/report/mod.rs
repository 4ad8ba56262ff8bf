//! What the program shows: tables, plots, solutions, comparisons with published figures.

pub mod comparison;
pub mod excerpt;
pub mod plot;
pub mod solution;
pub mod table;
