//! How results are shown: tables that line up, the same as CSV, plots as SVG or PNG, numbers as people read them.
//!
//! The only place that draws: the program, the statistics of a store and the reproduced tables look alike.
//!
//! ```
//! use winset_report::table::{Table, grouped};
//! let mut table = Table::new(["layer", "positions"]);
//! table.row(["0".to_owned(), grouped(1u64)]);
//! table.row(["1".to_owned(), grouped(69_763_700u64)]);
//! table.foot(["all".to_owned(), grouped(69_763_701u64)]);
//! assert_eq!(table.text().lines().last(), Some("  all  69,763,701"));
//! assert_eq!(table.csv(), "layer,positions\n0,1\n1,69763700\n");
//! ```

mod bitmap;
mod letters;
pub mod plot;
pub mod table;
