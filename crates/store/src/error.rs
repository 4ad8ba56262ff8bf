//! Why a store cannot be written or read.

use std::path::{Path, PathBuf};
use thiserror::Error;
use winset_index::{BlocksError, IndexError};

/// Everything that can go wrong with a store. Whatever happens, no value is given that was not written.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The operating system refused something.
    #[error("{path}: {action} failed: {source}")]
    Io {
        /// What was attempted.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The disk is full. What was finished before is safe.
    #[error("{0}: the disk is full; what is finished is safe, run the same command again to go on")]
    DiskFull(PathBuf),
    /// A file is not what was written.
    #[error("{path}: damaged: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// What is to be kept would not be accepted when it is read.
    #[error("{path}: not written, because it could not be read again: {what}")]
    Unreadable {
        /// The manifest.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// There is no room in memory for what a file says.
    #[error("{path}: it takes more than the {} MiB of memory that are left for it", room >> 20)]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The bytes that it might take.
        room: u64,
    },
    /// The directory holds no solution.
    #[error("{0}: there is no solution here (no manifest.json)")]
    NoStore(PathBuf),
    /// The directory holds other things, which are not to be touched.
    #[error("{0}: the directory is not empty and holds no solution; choose another one")]
    NotEmpty(PathBuf),
    /// A format that this program does not know.
    #[error("{path}: format version {found}, this program reads version {known}")]
    Version {
        /// The manifest.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version known here.
        known: u32,
    },
    /// Another process is writing to the directory.
    #[error("{0}: another process is working in this directory")]
    Locked(PathBuf),
    /// The directory holds a solution of something else.
    #[error("{path}: holds another solution: {what} differs")]
    Mismatch {
        /// The manifest.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// The rules at hand are not those that were solved.
    #[error("{path}: solved under other rules ({stored}) than the game at hand has ({here})")]
    Rules {
        /// The manifest.
        path: PathBuf,
        /// The digest of the rules that were solved.
        stored: String,
        /// The digest of the rules at hand.
        here: String,
    },
    /// The game named in the manifest cannot be built.
    #[error("{path}: the game cannot be built: {reason}")]
    Game {
        /// The manifest.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A layer is asked for that is not there, or given twice, or does not fit.
    #[error("layer {layer}: {reason}")]
    Layer {
        /// The layer.
        layer: u32,
        /// What is wrong.
        reason: &'static str,
    },
    /// A state has the wrong number of variables or a value outside its domain.
    #[error("this is not a state of the game")]
    NotAState,
    /// The blocks do not fit the game.
    #[error(transparent)]
    Blocks(#[from] BlocksError),
    /// The levels do not form an index.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl StoreError {
    /// An I/O error with what was attempted; a full disk gets its own variant because the user can help.
    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                StoreError::DiskFull(path.to_owned())
            }
            _ => StoreError::Io { action, path: path.to_owned(), source },
        }
    }

    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        StoreError::Damaged { path: path.to_owned(), reason: reason.into() }
    }
}
