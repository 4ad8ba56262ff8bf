//! Games in the Game Description Language (GDL, KIF notation): reader, validity rules, grounder, and the way
//! to a [`winset_model::Game`].
//!
//! ```
//! let source = "(role you) (init (n 0)) (succ 0 1) (succ 1 2)
//!               (<= (legal you up) (true (n ?x)) (succ ?x ?y))
//!               (<= (legal you stop) (true (n ?x)) (distinct ?x 0))
//!               (<= (next (n ?y)) (does you up) (true (n ?x)) (succ ?x ?y))
//!               (<= (next stopped) (does you stop))
//!               (<= (next (n ?x)) (does you stop) (true (n ?x)))
//!               (<= terminal (true (n 2))) (<= terminal (true stopped))
//!               (<= (goal you 100) (true (n 2))) (<= (goal you 50) (not (true (n 2))))";
//! let compiled = winset_gdl::compile("up", source.as_bytes(), &Default::default()).unwrap();
//! assert_eq!(compiled.game.moves().len(), 2);
//! assert_eq!(compiled.game.print(compiled.game.initial()), "(n 0)");
//! ```
//!
//! `winset ground FILE` prints [`GdlGame::summary`], with `--full` the [`GdlGame`] itself, both by
//! `Display`; a [`Rejection`] holds [`Diagnostic`]s with their places in the file.

mod convert;
mod diagnostic;
mod ground;
mod library;
mod limits;
mod pipeline;
mod prove;
mod simulation;
mod syntax;

pub use convert::game::Checks;
pub use diagnostic::{Code, Diagnostic, Severity, Span, position};
pub use ground::summary::Summary;
pub use library::catalogue::{LIBRARY, LibraryGame, Rules, built_in, game, games, library_game, rules};
pub use library::generate::{breakthrough, clobber, connect_four, cubi_cup};
pub use limits::Limits;
pub use pipeline::{GdlGame, Options, Rejection, check, compile};
pub use simulation::{Action, Facts, Playing, Simulation, simulate};
