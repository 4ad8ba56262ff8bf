//! What people do with a stored solution: ask it, count it, play against it, take positions out of it.
//!
//! A command-line program stays thin on top of this. It opens a [`winset_store::Store`] and calls
//!
//! | command | call |
//! |---|---|
//! | `query DIR [POSITION]` | [`query::position`] or [`query::after_moves`], then [`query::answer`]; print with [`query::write_text`] or as JSON by `serde` |
//! | `query DIR --line` | [`Solution::line`], [`query::write_line`] |
//! | `query DIR -` | [`query::answer_many`] on standard input and output |
//! | `stats DIR` | [`stats::stats`], then [`stats::write_table`], [`stats::write_csv`], [`figures::figure`] or JSON by `serde` |
//! | `play DIR` | [`play::Play::new`], then [`play::run_plain`] on a pipe or [`screen::run`] on a terminal |
//! | `query FILE`, `play FILE` | the same with [`strategy::Strategy::open`] in place of a store |
//! | `export DIR` | [`export::write_csv`], [`export::write_json_lines`], [`export::write_dot`] |
//!
//! ```
//! # let directory = winset_reference::scratch();
//! # let game = winset_reference::build("tictactoe", "3x3");
//! # winset_reference::write(directory.path(), &winset_reference::solve(&game, winset_reference::Cut::Stones, true));
//! use winset_explore::{Session, query};
//! let store = winset_reference::open(directory.path()).unwrap();
//! let mut session = Session::new(&store);
//! let state = query::after_moves(store.game(), "a1 a2 b1 b2").unwrap();
//! let answer = query::answer(&mut session, &state).unwrap();
//! assert_eq!(answer.sentence, "X wins in 1 ply");
//! assert_eq!(answer.moves[0].name, "c1");
//! ```

pub mod census;
mod error;
pub mod export;
pub mod figures;
pub mod layout;
pub mod picture;
pub mod play;
pub mod query;
#[cfg(feature = "screen")]
pub mod screen;
mod sentence;
mod session;
mod solution;
pub mod stats;
pub mod strategy;
mod typed;
pub mod why;

pub use error::ExploreError;
pub use sentence::does;
pub use session::{Lookup, MoveValue, Position, Session};
pub use solution::Solution;
