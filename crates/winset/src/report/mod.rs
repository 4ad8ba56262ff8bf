//! What the program shows: tables, plots.

pub mod plot;
pub mod table;
