//! What a writer asks of the file system, so that tests can make every single step fail; and opening files
//! that somebody else may have put there.
//!
//! A directory can come from anywhere. So nothing is written or read through a link, and nothing but regular
//! files is opened: a link could lead to a file elsewhere, a named pipe would wait for ever.

use std::fmt::Debug;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The operations that change a directory. The store is written through these only.
pub trait Disk: Debug + Send + Sync {
    /// Creates a new file; what has its name is removed before.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>>;
    /// Gives a file another name, replacing what had it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Makes the names in a directory survive a power failure.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// A file being written.
pub trait Sink: Send {
    /// Appends all of the bytes.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Makes the contents survive a power failure.
    fn sync(&mut self) -> io::Result<()>;
}

/// The real file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsDisk;

impl Disk for OsDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        let create = || File::options().write(true).create_new(true).open(path);
        let file = match create() {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                // A leftover, or a link: removing a link leaves alone what it leads to.
                std::fs::remove_file(path)?;
                create()?
            }
            other => other?,
        };
        Ok(Box::new(file))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }
}

/// How often a file may be replaced while it is being opened.
const TRIES: u32 = 100;

/// Opens a regular file for reading, without following a link.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_as(path, File::options().read(true))
}

/// Opens an empty file that stays, making it if it is not there, without following a link.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    match File::options().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => open_as(path, File::options().write(true)),
        other => other,
    }
}

/// Looks before opening, because opening a named pipe would wait; and after it, because only then it is certain
/// what was opened. A solver at work may replace a file in between, so there are some tries.
fn open_as(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let regular = |found: &Metadata| match found.is_file() {
        true => Ok((found.dev(), found.ino())),
        false => Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file")),
    };
    for _ in 0..TRIES {
        let named = regular(&std::fs::symlink_metadata(path)?)?;
        let file = options.open(path)?;
        if regular(&file.metadata()?)? == named {
            return Ok(file);
        }
    }
    Err(io::Error::other("it was replaced whenever it was opened"))
}

impl Sink for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        // Contents and length; when it was changed does not matter.
        self.sync_data()
    }
}
