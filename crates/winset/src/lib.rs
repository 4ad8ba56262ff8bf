//! winset strongly solves two-player games of perfect information: for every position that can arise it
//! computes who wins under perfect play.
//!
//! # Solve and ask
//!
//! ```
//! use winset::{Catalogue, Options};
//!
//! let rules = Catalogue::default().game("connect4", Some("4x4"), &Default::default())?;
//! let solved = winset::solve(rules, &Options::default())?;
//! let answer = solved.answer(&solved.after("2 2 3")?)?;
//! println!("{}: {}", answer.position, answer.sentence);
//! assert_eq!(answer.moves.len(), 4, "four columns are open, the best one first");
//! # Ok::<(), winset::Error>(())
//! ```
//!
//! # Keep it on disk
//!
//! What is finished stays finished: the same call goes on where a former one was stopped.
//!
//! ```
//! # let directory = winset_reference::scratch();
//! # let path = directory.path().join("ttt");
//! use winset::{Catalogue, Options};
//!
//! let rules = Catalogue::default().game("tictactoe", None, &Default::default())?;
//! winset::solve(rules, &Options { out: Some(path.clone()), distance: true, ..Options::default() })?;
//! let solved = winset::open(&path)?;
//! assert_eq!(solved.answer(solved.start())?.remoteness, Some(9));
//! assert_eq!(solved.line(solved.start())?.len(), 9);
//! # Ok::<(), winset::Error>(())
//! ```
//!
//! # Prove it
//!
//! The checker shares no code with any engine.
//!
//! ```
//! # use winset::{Catalogue, Options};
//! # let rules = Catalogue::default().game("tictactoe", None, &Default::default())?;
//! # let solved = winset::solve(rules, &Options::default())?;
//! assert!(solved.verify()?.is_proof());
//! # Ok::<(), winset::Error>(())
//! ```
//!
//! # Rules in GDL
//!
//! ```
//! use winset::{Catalogue, Options};
//! let rules = Catalogue::default().gdl("heap", "
//!     (role a) (role b)
//!     (init (heap 3)) (init (control a))
//!     (succ 0 1) (succ 1 2) (succ 2 3)
//!     (other a b) (other b a)
//!     (<= (legal ?p (take ?m)) (true (control ?p)) (true (heap ?n)) (succ ?m ?n))
//!     (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
//!     (<= (next (heap ?m)) (does ?p (take ?m)))
//!     (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
//!     (<= terminal (true (heap 0)))
//!     (<= (goal ?p 0) (true (control ?p)))
//!     (<= (goal ?q 100) (true (control ?p)) (other ?p ?q))
//! ")?;
//! let solved = winset::solve(rules, &Options::default())?;
//! assert_eq!(solved.answer(solved.start())?.position_value, Some("win"));
//! # Ok::<(), winset::Error>(())
//! ```
//!
//! # All positions
//!
//! ```
//! # use winset::{Catalogue, Options};
//! # let rules = Catalogue::default().game("tictactoe", None, &Default::default())?;
//! # let solved = winset::solve(rules, &Options::default())?;
//! let mut won = 0;
//! for position in solved.positions() {
//!     let (state, value) = position?;
//!     won += u32::from(value.rewards.leader() == Some(winset::Player(0)));
//!     assert_eq!(solved.position(&solved.game().print(&state))?, state);
//! }
//! assert!(won > 1000);
//! # Ok::<(), winset::Error>(())
//! ```
//!
//! A game of one's own is built with [`GameBuilder`] and solved as [`Rules::of`] (`examples/new_game.rs` builds Dodgem,
//! `examples/endgame_database.rs` asks in a game loop); a new way to solve games is an implementation of [`Engine`]. What is
//! wrong with rules, positions or moves that somebody typed comes as data and is drawn by [`diagnostic::render`].

mod cache;
mod catalogue;
mod checkpoint;
mod engine;
mod engines;
mod error;
mod estimate;
mod forecast;
mod memory;
mod report;
mod restart;
mod rules_text;
mod solve;
mod solved;

pub use cache::{Cache, CacheEntry, CacheOrigin, Cached, solve_uncached};
pub use catalogue::{Catalogue, CatalogueError, Rules, START};
pub use checkpoint::{
    Checkpoint, FoundLayer, Past, PastLayer, Plan, SolvedLayer, StoreCheckpoint, WholeLayer,
};
pub use engine::{Cause, Engine, EngineError, Finished, Job, Stage, Verdict, Watcher};
pub use engines::{
    Auto, Bdd, BddAlgorithm, DddmpSet, ExplicitSearch, Layers, Lengths, Rival, parse_blocks, read_dddmp,
};
/// What whoever runs the layer engine in a way of their own needs to give the same results.
pub mod layered {
    pub use crate::engines::layers::{Figures, by_code, planes, report, store_plan};
}
pub use error::Error;
pub use estimate::{Cost, Estimate, Expected, estimate, estimate_roughly, estimate_within, looks_large};
pub use forecast::{Forecast, Left};
pub use memory::{default_budget, total_memory};
pub use report::{Iteration, Layer, Partition, Report, RewardCount};
pub use rules_text::{Refusal, RulesText, Suspicion};
pub use solve::{Options, run, solve, solve_watched};
pub use solved::{Solved, open, open_as, open_cached};
pub use winset_diagnostic as diagnostic;
pub use winset_explore::query::{Answer, MoveAnswer};
pub use winset_explore::{Lookup, MoveValue, Session};
pub use winset_model::{
    Choices, Explicit, ExprId, Exprs, Family, Game, GameBuilder, ModelError, MoveId, Opponent, Origin,
    Outcome, Player, Remoteness, Rewards, State, TextCode, TextError, Update, Valuation, VarId,
};
