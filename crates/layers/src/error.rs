//! What can go wrong.

use thiserror::Error;
use winset_index::{BlocksError, IndexError};
use winset_model::TooManyCodes;

/// Why a game could not be solved or counted.
#[derive(Debug, Error)]
pub enum LayersError {
    /// The states cannot be cut into blocks.
    #[error(transparent)]
    Blocks(#[from] BlocksError),
    /// A block has too many local states.
    #[error(
        "block {block} ({variables}) takes on more than {limit} combinations of values; \
         give smaller blocks"
    )]
    BlockTooLarge {
        /// The block, from 0.
        block: usize,
        /// The variables in it.
        variables: String,
        /// The number of local states that are possible.
        limit: usize,
    },
    /// A condition of the rules is too large as a diagram and is no list of smaller ones.
    #[error("a condition of the rules is too large as a diagram; other blocks may do")]
    ConditionTooLarge,
    /// A layer does not fit into the numbers that address it.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A level of a layer's diagram has more edges than an address can number.
    #[error("a layer needs more than 2^32 edges on one level; another block order may do")]
    TooManyEdges,
    /// The budget is too small.
    #[error(
        "layer {layer} needs about {} MiB, of the budget {} MiB are left; \
         give {} MiB more or so, or fewer threads, or a directory with room for layers that wait",
        mebibytes(*needed),
        mebibytes(*budget),
        mebibytes(needed.saturating_sub(*budget).max(budget / 2).max(1 << 20))
    )]
    Memory {
        /// The layer being worked on.
        layer: usize,
        /// What would be needed.
        needed: u64,
        /// What is allowed.
        budget: u64,
    },
    /// The system gives no more threads.
    #[error("{threads} threads cannot be started: {error}; give fewer")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system says.
        error: rayon::ThreadPoolBuildError,
    },
    /// A state in which the game has not ended but nobody has a move.
    #[error("the rules allow no move although the game has not ended: {0}")]
    Stuck(String),
    /// A state in which the game has not ended but it is nobody's turn.
    #[error("the rules give nobody the turn although the game has not ended: {0}")]
    NobodysTurn(String),
    /// A reachable state fulfils a condition that the game forbids.
    #[error("{why}: {state}")]
    Forbidden {
        /// What is wrong with the game.
        why: String,
        /// Where it shows.
        state: String,
    },
    /// The weights are not a progress measure.
    #[error("move {0:?} lowers the progress measure in a state that is reached")]
    NotAMeasure(String),
    /// Breadth-first layers repeat.
    #[error("layer {0} has all states of an earlier layer: the game has cycles; solve it as one tier")]
    Cycle(usize),
    /// Play can go on for ever and the rewards are not opposed, so that it has no well-defined value.
    #[error("play can go on for ever and the players' preferences are not opposed; its value is not defined")]
    NoValue,
    /// The number of different results is too large.
    #[error(transparent)]
    TooManyCodes(#[from] TooManyCodes),
    /// The observer asked to stop.
    #[error("stopped on request")]
    Stopped,
    /// A waiting layer could not be written or read back.
    #[error("cannot keep layers in {directory}: {error}")]
    Io {
        /// Where waiting layers are kept.
        directory: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// What an earlier run has left does not belong to this one.
    #[error("what an earlier run has left does not fit: {0}")]
    Past(&'static str),
    /// The observer could not give back what an earlier run has left.
    #[error("cannot go on from what an earlier run has left: {0}")]
    Source(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The observer could not take a result.
    #[error("the result could not be kept: {0}")]
    Sink(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Bytes in words that a person reads.
fn mebibytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 20))
}

impl LayersError {
    /// The same with the number of the layer being worked on.
    pub(crate) fn at_layer(self, number: usize) -> Self {
        match self {
            LayersError::Memory { needed, budget, .. } => {
                LayersError::Memory { layer: number, needed, budget }
            }
            other => other,
        }
    }

    /// What the system said about files in a directory.
    pub(crate) fn io(directory: &Option<std::path::PathBuf>, error: std::io::Error) -> Self {
        let directory = directory.as_ref().map_or_else(String::new, |path| path.display().to_string());
        LayersError::Io { directory, error }
    }

    /// Fails if more is needed than allowed.
    pub(crate) fn check_memory(needed: u64, budget: Option<u64>) -> Result<(), Self> {
        match budget {
            Some(budget) if needed > budget => Err(LayersError::Memory { layer: 0, needed, budget }),
            _ => Ok(()),
        }
    }
}
