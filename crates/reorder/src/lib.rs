//! Better variable orders for decision diagrams.
//!
//! A [`Bench`] holds copies of diagrams in a manager of its own, where the order can be changed without
//! disturbing anybody. Variables move in groups: all bits of a cell, current and next, stay together.
//! [`Bench::sift`] moves one group after the other to its best place; [`all_orders`] tries every order of
//! a few groups. The order found is then given to a new compilation.
//!
//! ```
//! use std::time::Duration;
//! use winset_reorder::{Bench, Limits};
//! use winset_symbolic::{Bdd, Options, Order, Symbolic};
//! let game = winset_games::build("checkers", Some("3"), &Default::default()).unwrap();
//! let options = Options { order: Order::Rows, memory: 64 << 20, ..Options::default() };
//! let symbolic = Symbolic::<Bdd>::from_game(&game, &options).unwrap();
//! let relation = winset_reorder::framed_relation(&symbolic).unwrap();
//! let mut bench = Bench::new(&symbolic.space, &[relation]).unwrap();
//! let sifted = bench.sift(&Limits { growth: 150, time: Duration::from_secs(5) });
//! assert!(sifted.after <= sifted.before);
//! ```

mod bench;
mod permute;
mod relation;
mod search;
mod sift;

pub use bench::{Bench, BenchError};
pub use permute::{Cost, Ranked, all_orders};
pub use relation::framed_relation;
pub use search::{Proposal, Subject, compile_within, search_order};
pub use sift::{Limits, Sifted};
