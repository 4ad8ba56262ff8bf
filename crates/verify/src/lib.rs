//! An independent check of a stored solution against the rules.
//!
//! The checker shares no code with any solver. It goes from the start along all moves and re-derives everything
//! that a solution says: the sets have what can be reached and nothing else, terminal positions have the rules'
//! rewards, every other value is the best that the mover's moves offer, and every number of the manifest is
//! counted again. Where moves can stay in a layer, values must follow from the game's end step by step; stored
//! distances, which fall with every move, show that at once. A full check of a finished solution is a proof; a
//! sample is an estimate that says what it bounds. The files are read by the same reader as for queries.
//!
//! ```
//! # let directory = winset_reference::scratch();
//! # let game = winset_reference::build("tictactoe", "3x3");
//! # winset_reference::write(directory.path(), &winset_reference::solve(&game, winset_reference::Cut::Stones, false));
//! let store = winset_reference::open(directory.path()).unwrap();
//! let report = winset_verify::verify_full(&store, winset_verify::MEMORY, &|_, _| ()).unwrap();
//! assert!(report.holds() && report.is_proof());
//! ```

mod batch;
mod check;
mod conclude;
mod cursor;
mod diagrams;
mod ending;
mod ends;
mod fault;
mod full;
mod keyset;
mod layers;
mod marks;
mod message;
mod offers;
mod peers;
mod plan;
mod report;
mod room;
mod sample;
mod settled;
mod tally;
mod threads;
mod waiting;
mod walk;

pub use diagrams::{suits_diagrams, verify_by_diagrams};
pub use fault::{Fault, Wrong};
pub use full::{MEMORY, verify_full, verify_full_together};
pub use peers::{Alone, Cause, Peers, Piece, Take};
pub use report::Report;
pub use sample::{verify_sample, verify_sample_together};

use thiserror::Error;
use winset_store::StoreError;

/// Hears of the progress: positions checked so far, and in all.
pub type Watch<'a> = dyn Fn(u64, u64) + Sync + 'a;

/// Why a check could not be made. A fault of the solution is no error but part of the [`Report`].
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The values of a layer rest on each other, which a check by diagrams cannot follow.
    #[error(
        "moves go in circles inside of a layer, and there are no distances: a check by diagrams cannot follow that"
    )]
    Circles,
    /// A layer has more positions than a store can number.
    #[error("a layer has 2^64 positions or more")]
    TooMany,
    /// There is not enough memory for it.
    #[error("the check takes more than the {} MiB of memory that it may take", room >> 20)]
    Memory {
        /// The bytes that there were for it.
        room: u64,
    },
    /// The system gives less than the check may take.
    #[error("the system does not give {} MiB more; allow the check less memory, or raise the limit", bytes >> 20)]
    Refused {
        /// The bytes that were asked for.
        bytes: u64,
    },
    /// Another process of the check cannot be reached, or has failed.
    #[error("{0}")]
    Peers(#[source] Cause),
}

impl VerifyError {
    /// What an exchange has ended with: an error of this process's own, or one of the others'.
    fn of_peers(cause: Cause) -> Self {
        cause.downcast::<VerifyError>().map_or_else(VerifyError::Peers, |own| *own)
    }
}
