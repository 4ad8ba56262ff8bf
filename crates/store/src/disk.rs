//! What a store asks of the file system: so that tests can make every single step fail, so that a store can be
//! kept in memory ([`RamDisk`]), and so that files are opened with suspicion in one place.
//!
//! A directory can come from anywhere. So nothing is written or read through a link, and nothing but regular
//! files is opened: a link could lead to a file elsewhere, a named pipe would wait for ever.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The operations on a directory. The store is written and read through these only; reading is the real file
/// system's if nothing else is said.
pub trait Disk: Debug + Send + Sync {
    /// Creates a new file; what has its name is removed before.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>>;
    /// Gives a file another name, replacing what had it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Makes the names in a directory survive a power failure.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Opens a file for reading.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Contents>> {
        Ok(Box::new(open_regular(path)?))
    }

    /// Makes a directory, if it is not there, with those above it.
    fn make_directory(&self, path: &Path) -> io::Result<()> {
        std::fs::create_dir_all(path)
    }

    /// The names in a directory, those left out that are not UTF-8.
    fn names(&self, directory: &Path) -> io::Result<Vec<String>> {
        let mut names = vec![];
        for entry in std::fs::read_dir(directory)? {
            names.extend(entry?.file_name().into_string().ok());
        }
        Ok(names)
    }

    /// The file whose lock keeps other processes out of a directory; none where no other process can come.
    fn lock_file(&self, path: &Path) -> io::Result<Option<File>> {
        open_or_create(path).map(Some)
    }
}

/// A file that can be read at any place.
pub trait Contents: Debug + Send + Sync {
    /// The number of bytes.
    fn length(&self) -> io::Result<u64>;
    /// Fills the buffer with what stands from `offset` on.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

impl Contents for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.read_exact_at(buffer, offset)
    }
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

/// Looks before opening, because opening a device may do something; and after it, because only then it is certain
/// what was opened. What is put in its place in between is not followed if it is a link, and not waited for if it is
/// a named pipe. A solver at work may replace a file in between, so there are some tries.
fn open_as(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
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

/// Files in memory, for solutions that are not to be kept. A clone is the same disk.
///
/// ```
/// use std::path::Path;
/// use winset_store::{Disk, RamDisk};
/// let disk = RamDisk::default();
/// disk.create(Path::new("a")).unwrap().append(b"text").unwrap();
/// disk.rename(Path::new("a"), Path::new("b")).unwrap();
/// assert_eq!(disk.open(Path::new("b")).unwrap().length().unwrap(), 4);
/// assert_eq!(disk.bytes(), 4);
/// ```
#[derive(Clone, Debug, Default)]
pub struct RamDisk(Arc<Mutex<BTreeMap<PathBuf, RamFile>>>);

impl RamDisk {
    /// The length of all files.
    pub fn bytes(&self) -> u64 {
        self.files().values().map(|file| file.read().len() as u64).sum()
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<PathBuf, RamFile>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn missing() -> io::Error {
        io::Error::new(ErrorKind::NotFound, "there is no such file in memory")
    }
}

/// Read while it has its name, written before.
#[derive(Clone, Debug, Default)]
struct RamFile(Arc<Mutex<Vec<u8>>>);

impl RamFile {
    fn read(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Disk for RamDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        let file = RamFile::default();
        self.files().insert(path.to_owned(), file.clone());
        Ok(Box::new(file))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut files = self.files();
        let file = files.remove(from).ok_or_else(Self::missing)?;
        file.read().shrink_to_fit();
        files.insert(to.to_owned(), file);
        Ok(())
    }

    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.files().remove(path).map(|_| ()).ok_or_else(Self::missing)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Contents>> {
        let file = self.files().get(path).cloned();
        Ok(Box::new(file.ok_or_else(Self::missing)?))
    }

    fn make_directory(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn names(&self, directory: &Path) -> io::Result<Vec<String>> {
        let name = |path: &PathBuf| Some(path.strip_prefix(directory).ok()?.to_str()?.to_owned());
        Ok(self.files().keys().filter_map(name).collect())
    }

    fn lock_file(&self, _: &Path) -> io::Result<Option<File>> {
        Ok(None)
    }
}

impl Sink for RamFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.read();
        // Memory that is not there is an error like a full disk, and not the end of the process.
        file.try_reserve(bytes.len()).map_err(|_| io::Error::from(ErrorKind::OutOfMemory))?;
        file.extend_from_slice(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Contents for RamFile {
    fn length(&self) -> io::Result<u64> {
        Ok(self.read().len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let file = self.read();
        let from = usize::try_from(offset).ok().and_then(|offset| file.get(offset..)?.get(..buffer.len()));
        buffer.copy_from_slice(from.ok_or_else(|| io::Error::from(ErrorKind::UnexpectedEof))?);
        Ok(())
    }
}
