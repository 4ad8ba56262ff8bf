//! A file of our own for what does not fit into memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A file that is read and written at any place, and removed with this.
pub struct Scratch {
    file: Mutex<File>,
    path: PathBuf,
}

impl Scratch {
    /// A new file of n zero bytes.
    pub fn new(path: &Path, len: u64) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        file.set_len(len)?;
        Ok(Scratch { file: Mutex::new(file), path: path.to_owned() })
    }

    /// So many bytes from a place on.
    pub fn read(&self, at: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Puts bytes at a place.
    pub fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Only our own; nothing depends on its being gone.
        let _ = std::fs::remove_file(&self.path);
    }
}
