//! Where that which does not fit into memory waits.

use crate::error::ExplicitError;
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A directory for files that nobody else sees; none: nothing may be written.
#[derive(Clone, Debug)]
pub struct Scratch(Option<Arc<Place>>);

#[derive(Debug)]
struct Place {
    directory: PathBuf,
    bytes: AtomicU64,
    states: AtomicU64,
}

impl Scratch {
    /// Files in this directory.
    pub fn new(directory: Option<PathBuf>) -> Self {
        let place = |directory| Place { directory, bytes: AtomicU64::new(0), states: AtomicU64::new(0) };
        Scratch(directory.map(|directory| Arc::new(place(directory))))
    }

    /// There may be files.
    pub fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// A new file. It has no name any more when it is given out, so that nothing is left of it whatever ends the process.
    pub fn file(&self) -> Result<File, ExplicitError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let make = || {
            let directory = &self.0.as_ref().ok_or(io::ErrorKind::Unsupported)?.directory;
            let number = NUMBER.fetch_add(1, Relaxed);
            // Where others may write too, nobody can put something under a name that cannot be guessed.
            let secret = RandomState::new().hash_one(number);
            let path =
                directory.join(format!("winset-explicit-{}-{number}-{secret:016x}", std::process::id()));
            let file = File::options().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
            std::fs::remove_file(&path)?;
            Ok(file)
        };
        make().map_err(|error| self.failed(error))
    }

    /// A file of n states has been written.
    pub fn written(&self, states: u64, bytes: u64) {
        if let Some(place) = &self.0 {
            place.states.fetch_add(states, Relaxed);
            place.bytes.fetch_add(bytes, Relaxed);
        }
    }

    /// The states that have been written in all, and the bytes.
    pub fn all_written(&self) -> (u64, u64) {
        self.0.as_ref().map_or((0, 0), |place| (place.states.load(Relaxed), place.bytes.load(Relaxed)))
    }

    /// What the system said about a file.
    pub fn failed(&self, error: io::Error) -> ExplicitError {
        let directory =
            self.0.as_ref().map_or_else(String::new, |place| place.directory.display().to_string());
        ExplicitError::Disk { directory, error }
    }
}
