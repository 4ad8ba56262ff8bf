//! Why a game is not solved.

use crate::solve::Refusal;
use thiserror::Error;
use winset_model::{TooManyCodes, grouped};

/// Why a game is not solved.
#[derive(Debug, Error)]
pub enum ExplicitError {
    /// A state does not fit into a key.
    #[error("a state takes {bits} bits; {} are possible, so use --engine layers or bdd", crate::WIDEST)]
    TooWide {
        /// What it takes.
        bits: u32,
    },
    /// The budget does not do.
    #[error(
        "{} bytes of memory do not hold all positions, of which {} are known: give more with --memory, or use \
         --engine layers, which needs less where positions look alike",
        grouped(*budget), grouped(*positions)
    )]
    Memory {
        /// What there is.
        budget: u64,
        /// The positions that fitted.
        positions: u64,
    },
    /// More states in one tier, or moves inside of it, than can be numbered.
    #[error("a tier has more than 2^32 positions or moves between them: use --engine layers")]
    TooManyStates,
    /// A state that goes on has no move.
    #[error("the game has not ended and nobody can move: {0}")]
    Stuck(String),
    /// What must hold nowhere holds.
    #[error("{why}: {state}")]
    Forbidden {
        /// What is wrong with the game.
        why: String,
        /// Where.
        state: String,
    },
    /// A move leads to an earlier tier.
    #[error("a move lowers the progress measure")]
    NotAMeasure,
    /// Too many different results.
    #[error(transparent)]
    Codes(#[from] TooManyCodes),
    /// Play can go round for ever, and players can want the same, so that there is no one value.
    #[error(
        "play can go round for ever where players can want the same, so that positions have no single value: {0}"
    )]
    NoValue(String),
    /// All steps that may be made have been made.
    #[error("this takes more steps than it may")]
    Exhausted {
        /// The states that have been looked at.
        seen: u64,
    },
    /// The observer asked to stop.
    #[error("stopped on request")]
    Stopped,
    /// The observer could not do its part.
    #[error(transparent)]
    Refused(#[from] Refusal),
}
