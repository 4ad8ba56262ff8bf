//! Finished pieces in the shared directory.
//!
//! A file is written under a name of its process's own, synced, and renamed; then the directory is synced. So what has
//! its name is complete, whatever happens. Nothing here asks for locks or for the time.

use crate::error::ClusterError;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use winset_layers::Refusal;
use winset_layers::shared::{LayerRecord, PieceRecord, Source};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The directory inside of the store's where pieces are until the solution is finished.
pub const FOLDER: &str = "cluster";

/// The names of files.
pub struct Names;

impl Names {
    /// What the job is.
    pub const JOB: &str = "job.json";
    /// There are no more layers than n.
    pub const COMPLETE: &str = "complete";

    /// What all know of a layer.
    pub fn record(layer: usize) -> String {
        format!("layer-{layer:04}.record")
    }

    /// The states of a piece.
    pub fn states(layer: usize, piece: &PieceRecord) -> String {
        format!("layer-{layer:04}.{}-{}.states", piece.first, piece.last)
    }

    /// The values of a unit by rank; a unit is named by its first piece.
    pub fn values(layer: usize, unit: usize) -> String {
        format!("layer-{layer:04}.{unit}.values")
    }

    /// The same as leaves.
    pub fn leaves(layer: usize, unit: usize) -> String {
        format!("layer-{layer:04}.{unit}.leaves")
    }
}

/// The files of a job, as one process sees them.
pub struct Shelf {
    directory: PathBuf,
    rank: usize,
    /// Where the parts of files of leaves are.
    places: Mutex<HashMap<String, Arc<Places>>>,
    read: AtomicU64,
    written: AtomicU64,
    /// For tests: the process is gone when it has written n more files.
    pub lives: Option<AtomicU64>,
}

impl Shelf {
    /// The files below a store's directory.
    pub fn new(store: &Path, rank: usize) -> Self {
        let (read, written) = (AtomicU64::new(0), AtomicU64::new(0));
        let places = Mutex::default();
        Shelf { directory: store.join(FOLDER), rank, places, read, written, lives: None }
    }

    /// Where the files are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Bytes read and written.
    pub fn traffic(&self) -> (u64, u64) {
        (self.read.load(Relaxed), self.written.load(Relaxed))
    }

    fn failure(&self, what: &'static str, path: &Path, error: io::Error) -> ClusterError {
        ClusterError::Io { rank: self.rank, what, path: path.to_owned(), error }
    }

    /// Makes the directory.
    pub fn make(&self) -> Result<(), ClusterError> {
        fs::create_dir_all(&self.directory).map_err(|e| self.failure("making", &self.directory, e))?;
        if let Some(parent) = self.directory.parent() {
            sync(parent).map_err(|e| self.failure("syncing", parent, e))?;
        }
        Ok(())
    }

    /// Writes a file that is there as a whole or not at all.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), ClusterError> {
        self.write_by(name, &mut |file| {
            file.write_all(bytes)?;
            file.write_all(&sum(bytes, name, 0))?;
            Ok(bytes.len() as u64)
        })
    }

    /// Writes a file of parts, which are made one by one and can be read so, and what is said of them.
    pub fn write_parts(
        &self,
        name: &str,
        head: &[u8],
        parts: usize,
        part: &dyn Fn(usize) -> io::Result<Vec<u8>>,
    ) -> Result<(), ClusterError> {
        self.write_by(name, &mut |file| {
            let mut end = (parts as u64).to_le_bytes().to_vec();
            let mut all = 0;
            for number in 0..parts {
                let bytes = part(number)?;
                file.write_all(&bytes)?;
                file.write_all(&sum(&bytes, name, number as u64 + 1))?;
                all += bytes.len() as u64;
                end.extend((bytes.len() as u64).to_le_bytes());
            }
            end.extend(head);
            file.write_all(&end)?;
            file.write_all(&sum(&end, name, 0))?;
            file.write_all(&(end.len() as u64).to_le_bytes())?;
            Ok(all + end.len() as u64)
        })
    }

    fn write_by(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut File) -> io::Result<u64>,
    ) -> Result<(), ClusterError> {
        if let Some(lives) = &self.lives
            && lives.fetch_update(Relaxed, Relaxed, |lives| lives.checked_sub(1)).is_err()
        {
            return Err(ClusterError::Peer);
        }
        let path = self.directory.join(name);
        let own = self.directory.join(format!("{name}.tmp-{}", self.rank));
        let mut write = || {
            let mut file = File::create(&own)?;
            let bytes = write(&mut file)?;
            file.sync_data()?;
            drop(file);
            fs::rename(&own, &path)?;
            sync(&self.directory)?;
            Ok(bytes)
        };
        let written = write();
        if written.is_err() {
            // What is left of it has no meaning, and takes room that there may not be.
            let _ = fs::remove_file(&own);
        }
        let bytes = written.map_err(|e| self.failure("writing", &path, e))?;
        self.written.fetch_add(bytes, Relaxed);
        Ok(())
    }

    /// What is said of the parts of a file, and where they are; none if the file is not there.
    fn places(&self, name: &str) -> Result<Option<Arc<Places>>, ClusterError> {
        let known = self.places.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        if known.is_some() {
            return Ok(known);
        }
        let path = self.directory.join(name);
        let damaged = || ClusterError::Damaged(path.clone());
        let failure = |e| self.failure("reading", &path, e);
        let mut file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(failure)?,
        };
        let size = file.metadata().map_err(failure)?.len();
        let at = size.checked_sub(8).ok_or_else(damaged)?;
        let end = u64_at(&read_at(&mut file, at, 8).map_err(failure)?, 0).unwrap_or(u64::MAX);
        let at = end.checked_add(8).and_then(|length| at.checked_sub(length)).ok_or_else(damaged)?;
        let bytes = read_at(&mut file, at, end + 8).map_err(failure)?;
        let bytes = checked(bytes, name, 0).ok_or_else(damaged)?;
        let places = Places::new(&bytes, at).ok_or_else(damaged)?;
        self.read.fetch_add(end, Relaxed);
        let places = Arc::new(places);
        // Files are written once, so that this stays true.
        let mut all = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(name.to_owned(), places.clone());
        Ok(Some(places))
    }

    /// A part of a file of parts.
    fn read_part(&self, name: &str, number: usize) -> Result<Vec<u8>, ClusterError> {
        let path = self.directory.join(name);
        let places = self.places(name)?.ok_or_else(|| self.missing(&path))?;
        let &(at, length) = places.parts.get(number).ok_or_else(|| ClusterError::Damaged(path.clone()))?;
        let read = || read_at(&mut File::open(&path)?, at, length + 8);
        let bytes = read().map_err(|e| self.failure("reading", &path, e))?;
        self.read.fetch_add(length, Relaxed);
        checked(bytes, name, number as u64 + 1).ok_or(ClusterError::Damaged(path))
    }

    fn missing(&self, path: &Path) -> ClusterError {
        self.failure("reading", path, io::Error::new(io::ErrorKind::NotFound, "it should be there"))
    }

    /// Reads a file; none if it is not there.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, ClusterError> {
        let path = self.directory.join(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failure("reading", &path, error)),
        };
        let bytes = checked(bytes, name, 0).ok_or(ClusterError::Damaged(path))?;
        self.read.fetch_add(bytes.len() as u64, Relaxed);
        Ok(Some(bytes))
    }

    /// Whether a file is there.
    pub fn has(&self, name: &str) -> bool {
        self.directory.join(name).exists()
    }

    /// Says that there are no more layers than n, and whether values are kept as leaves.
    pub fn complete(&self, layers: usize, by_leaves: bool) -> Result<(), ClusterError> {
        let mut bytes = (layers as u64).to_le_bytes().to_vec();
        bytes.push(by_leaves.into());
        self.write(Names::COMPLETE, &bytes)
    }

    /// The layers that have been found, from the first on; and if there are no others, whether values are kept as leaves.
    pub fn find_records(&self) -> Result<(Vec<LayerRecord>, Option<bool>), ClusterError> {
        let mut records = vec![];
        while let Some(bytes) = self.read(&Names::record(records.len()))? {
            let damaged = |_| ClusterError::Damaged(self.directory.join(Names::record(records.len())));
            records.push(LayerRecord::from_bytes(&bytes).map_err(damaged)?);
        }
        let complete = self.read(Names::COMPLETE)?;
        Ok((records, complete.map(|bytes| bytes.get(8) == Some(&1))))
    }

    /// Removes what no record names: left by processes that ended in the middle of a layer.
    pub fn remove_leftovers(&self, records: &[LayerRecord]) -> Result<(), ClusterError> {
        let mut named = vec![Names::JOB.to_owned(), Names::COMPLETE.to_owned()];
        for (layer, record) in records.iter().enumerate() {
            named.push(Names::record(layer));
            named.extend(record.pieces.iter().map(|piece| Names::states(layer, piece)));
            named.extend((0..record.pieces.len()).map(|unit| Names::values(layer, unit)));
            named.extend((0..record.pieces.len()).map(|unit| Names::leaves(layer, unit)));
        }
        named.sort_unstable();
        let failure = |e| self.failure("listing", &self.directory, e);
        for entry in fs::read_dir(&self.directory).map_err(failure)? {
            let path = entry.map_err(failure)?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let ours = name.starts_with("layer-") || name.contains(".tmp-");
            if ours && named.binary_search_by(|known| known.as_str().cmp(name)).is_err() {
                fs::remove_file(&path).map_err(|e| self.failure("removing", &path, e))?;
            }
        }
        Ok(())
    }

    /// The solution is finished: pieces are not needed any more.
    pub fn remove(&self) -> Result<(), ClusterError> {
        let failure = |e| self.failure("removing", &self.directory, e);
        match fs::remove_dir_all(&self.directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failure(error)),
            _ => Ok(()),
        }
    }

    fn piece(&self, name: &str) -> Result<Vec<u8>, Refusal> {
        let path = self.directory.join(name);
        self.read(name)?.ok_or_else(|| self.missing(&path).into())
    }
}

/// Where the parts of a file are, and what is said of them.
struct Places {
    parts: Vec<(u64, u64)>,
    head: Vec<u8>,
}

impl Places {
    /// From the last bytes of a file, which begin there.
    fn new(bytes: &[u8], end: u64) -> Option<Self> {
        let count = usize::try_from(u64_at(bytes, 0)?).ok()?;
        let (mut parts, mut at) = (vec![], 0u64);
        for number in 0..count {
            let length = u64_at(bytes, number + 1)?;
            parts.push((at, length));
            at = at.checked_add(length)?.checked_add(8)?;
        }
        (at == end).then_some(Places { parts, head: bytes[8 * (count + 1)..].to_vec() })
    }
}

/// The n-th number.
fn u64_at(bytes: &[u8], n: usize) -> Option<u64> {
    let at = n.checked_mul(8)?;
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

fn read_at(file: &mut File, at: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length as usize];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Bytes before their checksum; none if it is another.
fn checked(mut bytes: Vec<u8>, name: &str, part: u64) -> Option<Vec<u8>> {
    let found = bytes.split_off(bytes.len().checked_sub(8)?);
    (found == sum(&bytes, name, part)).then_some(bytes)
}

impl Source for Shelf {
    fn states(&self, layer: usize, piece: &PieceRecord) -> Result<Vec<u8>, Refusal> {
        self.piece(&Names::states(layer, piece))
    }

    fn values(&self, layer: usize, unit: usize) -> Result<Vec<u8>, Refusal> {
        self.piece(&Names::values(layer, unit))
    }

    fn head(&self, layer: usize, unit: usize) -> Result<Vec<u8>, Refusal> {
        let name = Names::leaves(layer, unit);
        let places = self.places(&name)?.ok_or_else(|| self.missing(&self.directory.join(&name)))?;
        Ok(places.head.clone())
    }

    fn part(&self, layer: usize, unit: usize, part: usize) -> Result<Vec<u8>, Refusal> {
        Ok(self.read_part(&Names::leaves(layer, unit), part)?)
    }
}

/// A checksum that also depends on which file it is, and which part of it.
fn sum(bytes: &[u8], name: &str, part: u64) -> [u8; 8] {
    xxh3_64_with_seed(bytes, xxh3_64_with_seed(name.as_bytes(), part)).to_le_bytes()
}

/// Makes names in a directory survive a power failure.
fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
