//! A file of our own for what does not fit into memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A file that is read and written at any place. It has no name, so that nothing is left of it whatever ends the process.
pub struct Scratch {
    file: Mutex<File>,
}

impl Scratch {
    /// A new file of n zero bytes. Nothing is begun that the disk cannot hold: it would be filled for hours, also for everybody
    /// else.
    pub fn new(path: &Path, len: u64) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        std::fs::remove_file(path)?;
        let disk = rustix::fs::fstatvfs(&file)?;
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        if len > free {
            let (needed, free) = (len.div_ceil(1 << 30), free >> 30);
            let message = format!("values of {needed} GiB do not fit on a disk with {free} GiB free");
            return Err(io::Error::new(io::ErrorKind::StorageFull, message));
        }
        file.set_len(len)?;
        Ok(Scratch { file: Mutex::new(file) })
    }

    /// Reads n bytes from a place on.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_no_name_and_is_not_begun_if_it_cannot_be_held() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("values");
        let scratch = Scratch::new(&path, 16).unwrap();
        assert!(!path.exists());
        scratch.write(4, &[1, 2, 3]).unwrap();
        assert_eq!(scratch.read(3, 5).unwrap(), [0, 1, 2, 3, 0]);
        let error = Scratch::new(&path, u64::MAX).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(!path.exists());
    }
}
