//! Why a game is not solved.

use crate::solve::Refusal;
use std::io::{self, ErrorKind};
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
    /// The budget does not do for a single tier, although others wait on disk.
    #[error(
        "{} bytes of memory do not hold the positions of one tier (besides {} of other tiers, which may wait on disk): give \
         more with --memory, or use --engine layers, which needs less where positions look alike",
        grouped(*budget), grouped(*positions)
    )]
    Tier {
        /// What there is.
        budget: u64,
        /// The positions of the tiers that were done before.
        positions: u64,
    },
    /// What does not fit into memory cannot be kept on disk either.
    #[error("cannot keep positions in {directory}: {error}{}", advice(error))]
    Disk {
        /// Where.
        directory: String,
        /// What the system said.
        error: io::Error,
    },
    /// What was found before is not there any more, or something else is.
    #[error("positions that were found before are missing: the store of an earlier run is damaged")]
    Damaged,
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
    /// A move without progress leads from one part of a tier to another.
    #[error("a move leaves its part of a tier without raising the progress measure")]
    NotAPart,
    /// Parts of tiers are too large, or too different, for their states to be numbered.
    #[error("its positions cannot be numbered part by part; without --checkpoint they are listed")]
    NoParts,
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
        /// About the steps that a position takes, since symmetries were found if there are any.
        each: u64,
    },
    /// The observer asked to stop.
    #[error("stopped on request")]
    Stopped,
    /// The observer could not do its part.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// What helps.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            "; make room there, set TMPDIR to a directory with more, or give more --memory"
        }
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof | ErrorKind::Other => {
            "; what was written there did not come back as it was"
        }
        _ => "; set TMPDIR to a directory where files can be written, or give more --memory",
    }
}
