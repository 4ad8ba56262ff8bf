//! Mu-calculus model checking over [`winset_symbolic`].
//!
//! A [`Checker`] evaluates the cores of formulas on a compiled system, over all states or over the
//! reachable ones. Least fixed points grow by what is new: only states with a successor among the latest
//! ones are looked at again, which on the formulas of a game is retrograde analysis. Nested fixed points
//! start from their last value wherever their surroundings have only moved in their own direction.
//!
//! ```
//! use winset_mu::{Checker, Universe};
//! use winset_symbolic::{Bcdd, Options, Symbolic};
//! let game = winset_games::build("tictactoe", None, &Default::default()).unwrap();
//! let mut system = game.system();
//! let text = "mu X. reward:x:100 & terminal | turn:x & EX X | turn:o & !terminal & AX X";
//! let formula = winset_formula::parse(text, &mut system).unwrap();
//! let core = formula.core(&mut system.exprs).unwrap();
//! let symbolic = Symbolic::<Bcdd>::from_game(&game, &Options::default()).unwrap();
//! let mut checker = Checker::new(&symbolic, &system.exprs, Universe::Reachable).unwrap();
//! let won = checker.evaluate(&core).unwrap();
//! assert_eq!(symbolic.space.count(&won), Ok(2936));
//! ```

mod certify;
mod check;
mod checker;
mod distance;
mod evaluate;
mod force;
mod linear;
mod neighbours;
mod order;
mod path;
mod prepare;
mod progress;
mod promise;
mod promised;
mod recheck;
mod strategy;
mod trace;
mod whole;

pub use check::{Checked, Paths, Query, Report, Verdict, answer, check, check_and_spell_out};
pub use checker::{Checker, FixedPoint, Scope, Universe, Work, reachable, reachable_within};
pub use distance::Distance;
pub use order::{default_order, system_order};
pub use progress::Progress;
pub use promise::{Choice, Promise, Promises};
pub use strategy::Strategy;
pub use trace::{Step, Trace};
pub use whole::Whole;
