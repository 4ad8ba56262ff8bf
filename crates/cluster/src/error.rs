//! What can go wrong.

use std::path::PathBuf;
use thiserror::Error;

/// Why a job was not done.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// Another process has failed, and says why.
    #[error("another process of the job has failed")]
    Peer,
    /// The processes are not alike.
    #[error("the processes of the job are not alike: {0}")]
    Unlike(String),
    /// A process does not see the directory.
    #[error(
        "process {rank} ({host}) does not see what process 0 has written into {directory}: all of them need the same \
         directory, on a file system that they share"
    )]
    Unseen {
        /// The process.
        rank: usize,
        /// The machine that it runs on.
        host: String,
        /// The directory.
        directory: PathBuf,
    },
    /// A file could not be written or read.
    #[error("process {rank}: {what} {path}: {error}")]
    Io {
        /// The process.
        rank: usize,
        /// What was done.
        what: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A file has been damaged.
    #[error("{0} is damaged; remove it, and the same command makes it again")]
    Damaged(PathBuf),
    /// The directory belongs to another job.
    #[error("{directory} was begun by another job: {what}; give another directory, or remove this one")]
    Other {
        /// The directory.
        directory: PathBuf,
        /// What is different.
        what: String,
    },
    /// Somebody asked to stop.
    #[error("stopped; every finished piece is safe, and the same command goes on")]
    Stopped,
    /// The engine could not do it.
    #[error("{0}")]
    Engine(#[source] winset_layers::LayersError),
    /// The store could not be written.
    #[error("{0}")]
    Store(#[source] winset::Cause),
    /// A solution could not be checked.
    #[error("{0}")]
    Check(#[source] winset_verify::VerifyError),
    /// What MPI says.
    #[error("MPI: {0}")]
    Mpi(String),
}

impl From<winset_layers::LayersError> for ClusterError {
    fn from(error: winset_layers::LayersError) -> Self {
        use winset_layers::LayersError::{Peers, Sink, Source};
        match error {
            Peers(cause) | Sink(cause) | Source(cause) => ClusterError::of_store(cause),
            other => ClusterError::Engine(other),
        }
    }
}

impl ClusterError {
    /// What whoever writes or sends for us says: an error of ours, or one of theirs.
    pub(crate) fn of_store(cause: winset::Cause) -> Self {
        match cause.downcast::<ClusterError>() {
            Ok(ours) => *ours,
            Err(cause) => match cause.downcast::<winset_layers::LayersError>() {
                Ok(error) => (*error).into(),
                Err(cause) => ClusterError::Store(cause),
            },
        }
    }
}
