//! What can go wrong.

use crate::options::Options;
use std::fmt;
use thiserror::Error;
use winset_index::{BlocksError, IndexError};
use winset_model::TooManyCodes;
use winset_work::Exhausted;

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
    /// The conditions do not fit into half of the memory.
    #[error(
        "the conditions of the rules do not fit into {}, the half of what may be used; other blocks may do, or twice \
         the memory",
        amount(*budget / 2)
    )]
    ConditionsDoNotFit {
        /// What is allowed.
        budget: u64,
    },
    /// It took more steps than it may.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// A layer does not fit into the numbers that address it.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A level of a layer's diagram has more edges than an address can number.
    #[error("a layer needs more than 2^32 edges on one level; another block order may do")]
    TooManyEdges,
    /// The budget is too small.
    #[error(
        "layer {layer} needs about {}, of the budget {} are left; give at least {} more{advice}",
        amount(*needed),
        amount(*budget),
        amount(needed.saturating_sub(*budget).max(budget / 2).max(1 << 20))
    )]
    Memory {
        /// The layer being worked on.
        layer: usize,
        /// What would be needed.
        needed: u64,
        /// What is allowed.
        budget: u64,
        /// What else would help.
        advice: Advice,
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
    /// Play can go round for ever, and players can want the same, so that there is no one value.
    #[error(
        "play can go round for ever, and players can want the same: several values would agree with themselves, so that \
         there is none"
    )]
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
    /// Another process of the same job has failed, or cannot be reached.
    #[error("{0}")]
    Peers(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The observer could not take a result.
    #[error("the result could not be kept: {0}")]
    Sink(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// What helps besides more memory, which depends on what is used already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// There are several threads, each of which takes memory.
    pub fewer_threads: bool,
    /// There is no directory where layers could wait.
    pub directory: bool,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.fewer_threads {
            f.write_str(", or fewer threads")?;
        }
        if self.directory {
            f.write_str(", or a directory with room for layers that wait")?;
        }
        Ok(())
    }
}

/// Bytes in words that a person reads.
fn amount(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20)];
    let (unit, size) = UNITS.into_iter().find(|&(_, size)| bytes >= size).unwrap_or(UNITS[2]);
    format!("{:.1} {unit}", bytes as f64 / size as f64)
}

impl LayersError {
    /// The same with the number of the layer being worked on, and advice that is true with these options.
    pub(crate) fn at_layer(self, number: usize, options: &Options) -> Self {
        match self {
            LayersError::Memory { needed, budget, .. } => {
                let advice =
                    Advice { fewer_threads: options.threads > 1, directory: options.directory.is_none() };
                LayersError::Memory { layer: number, needed, budget, advice }
            }
            other => other,
        }
    }

    /// More is needed than there is.
    pub(crate) fn memory(needed: u64, budget: u64) -> Self {
        LayersError::Memory { layer: 0, needed, budget, advice: Advice::default() }
    }

    /// What an exchange with other processes ended with: an error of ours, or one of theirs.
    pub(crate) fn of_peers(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        match error.downcast::<LayersError>() {
            Ok(ours) => *ours,
            Err(theirs) => LayersError::Peers(theirs),
        }
    }

    /// What reading what others have made ended with, if it was not the system itself that said so.
    pub(crate) fn of_source(self) -> Self {
        match self {
            LayersError::Io { error, .. } if error.get_ref().is_some() => {
                LayersError::Source(error.into_inner().unwrap_or_else(|| "it cannot be read".into()))
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
            Some(budget) if needed > budget => Err(LayersError::memory(needed, budget)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_is_not_told_to_use_fewer() {
        let text = |threads, directory: Option<&str>| {
            let directory = directory.map(Into::into);
            let options = Options { threads, directory, ..Options::default() };
            LayersError::memory(221 << 30, 1 << 30).at_layer(7, &options).to_string()
        };
        let needs =
            "layer 7 needs about 221.0 GiB, of the budget 1.0 GiB are left; give at least 220.0 GiB more";
        assert_eq!(text(1, Some("/tmp")), needs);
        assert_eq!(text(2, Some("/tmp")), format!("{needs}, or fewer threads"));
        assert_eq!(text(1, None), format!("{needs}, or a directory with room for layers that wait"));
    }
}
