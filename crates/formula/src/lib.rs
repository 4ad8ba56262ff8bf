//! Mu-calculus and CTL formulas over the states of a [`winset_model::System`].
//!
//! A [`Formula`] is what people write: Boolean connectives, `EX`, `AX`, the CTL operators, `mu X.` and
//! `nu X.`, over sets of states. [`Formula::core`] checks that every bound variable occurs positively and
//! translates the formula into a [`Core`]: positive normal form, with fixed points and next-state
//! operators only. Engines evaluate cores; [`Kripke`] evaluates them state by state for comparison.
//!
//! Without a successor, `AX` holds and `EX` does not. The CTL operators are the fixed points of the
//! textbook, so `EG` and the until operators speak of infinite paths where it matters: `AF p` and `AX p`
//! hold, and `EG p` fails, in a state without successors.
//!
//! ```
//! use winset_formula::{Kripke, parse};
//! # use winset_model::*;
//! # let mut game = GameBuilder::new("flip", ["only"]);
//! # let light = game.add_variable("light", ["off", "on"]);
//! # game.add_move("switch", Player(0), Exprs::TRUE, [Update::set(light, 1)]);
//! # let on = game.exprs.is(light, 1);
//! # game.terminal.push(on);
//! # game.initial = game.state([0]);
//! # let game = game.build().unwrap();
//! let mut system = game.system();
//! let formula = parse("mu X. terminal | AX X", &mut system).unwrap();
//! let core = formula.core(&mut system.exprs).unwrap();
//! let kripke = Kripke::explore(&system, 1 << 10).unwrap();
//! assert_eq!(kripke.evaluate(&system, &core), [true, true]);
//! ```

mod atom;
mod core;
mod deterministic;
mod error;
mod explicit;
mod fair;
mod formula;
mod lasso;
mod lex;
mod parse;
mod property;
mod tableau;
mod translate;

pub use crate::core::{Core, FixId, Node, NodeId};
pub use atom::set_named;
pub use error::FormulaError;
pub use explicit::{Kripke, Pairs, TooLarge, states_where};
pub use formula::{Formula, Path};
pub use lasso::{Lasso, Truth};
pub use parse::parse;
pub use property::{Bounds, Fairness, Linear, Property};
pub use tableau::Tableau;
pub use winset_diagnostic::Span;
