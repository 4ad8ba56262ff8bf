//! Property-directed reachability for games: can a player be prevented from winning?
//!
//! The procedure of Morgenstern, Gesell and Schneider ("Solving Games Using Incremental Induction"), which the Othello
//! thesis names as future work. Frame i is a set of clauses that holds in every state from which the attacker can force
//! the goal within i moves. A state in a frame is either shown to be won, or a reason why it is not (a part of the state
//! that suffices) is taken out of the frame. When two neighbouring frames agree, the attacker can be prevented.
//!
//! An experiment, and no engine that a user can pick: few states are looked at, but the reasons found are nearly whole
//! states, and from Connect Four 4x4 on the fixed point with diagrams is done long before (RESULTS.md, "Property-directed
//! reachability").
//!
//! ```
//! use winset_pdr::{Answer, Limits, can_force};
//! use winset_model::Player;
//! let game = winset_games::build("tictactoe", Some("2x2x2"), &Default::default()).unwrap();
//! let (answer, _) = can_force(&game, Player(0), &Limits::default()).unwrap();
//! assert_eq!(answer, Answer::Wins { moves: 3 });
//! ```

mod encode;
mod frames;

pub use frames::{Answer, Limits, Work, can_force, can_force_from};

/// Why the question cannot be asked of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PdrError {
    /// Definitions by recursion through the state.
    #[error("the rules of {0} use recursive definitions, which are not written as clauses")]
    Recursive(String),
    /// It is about two players.
    #[error("{0} is not a game of two players")]
    Players(String),
}
