//! "Can American Checkers be Solved by Means of Symbolic Model Checking?" (Baldamus, Schneider, Wenz,
//! Ziller): the paper's figures beside ours.
//!
//! [`by_formulas`] solves a board by the paper's two formulas with our evaluator. [`Symquest`] is the
//! paper's own procedure (its Figure 3 on plain diagrams, with its optimisations one by one), for the peaks
//! of its section 4.2. The functions of [`tables`] give rows to print.
//!
//! ```
//! use winset_papers::checkers::by_formulas;
//! use winset_symbolic::Options;
//! let options = Options { memory: 64 << 20, ..Options::default() };
//! let solved = by_formulas(3, &options).unwrap();
//! assert_eq!((solved.states, solved.black, solved.white, solved.start), (10, 0, 10, Some(winset_model::Player(1))));
//! ```

pub(crate) mod experiment;
mod formulas;
mod order;
mod symquest;
pub mod tables;

pub use formulas::{Solved, by_formulas, by_retrograde};
pub use order::{Searched, diagonal, horizontal, search_all};
pub use symquest::{Peak, Setup, Symquest};
