//! Finished pieces in the shared directory.
//!
//! A file is written under a name of its process's own, synced, and renamed; then the directory is synced. So what has
//! its name is complete, whatever happens. Nothing here asks for locks or for the time.

use crate::error::ClusterError;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
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
    /// There are no more layers than so many.
    pub const COMPLETE: &str = "complete";

    /// What all know of a layer.
    pub fn record(layer: usize) -> String {
        format!("layer-{layer:04}.record")
    }

    /// The states of a piece.
    pub fn states(layer: usize, piece: &PieceRecord) -> String {
        format!("layer-{layer:04}.{}-{}.states", piece.first, piece.last)
    }

    /// The values of a unit.
    pub fn values(layer: usize, unit: usize) -> String {
        format!("layer-{layer:04}.{unit}.values")
    }
}

/// The files of a job, as one process sees them.
pub struct Shelf {
    directory: PathBuf,
    rank: usize,
    /// What all know of the layers, from the first on.
    pub records: Vec<LayerRecord>,
    read: AtomicU64,
    written: AtomicU64,
    /// For tests: the process is gone when it has written so many more files.
    pub lives: Option<AtomicU64>,
}

impl Shelf {
    /// The files below a store's directory.
    pub fn new(store: &Path, rank: usize) -> Self {
        let (read, written) = (AtomicU64::new(0), AtomicU64::new(0));
        Shelf { directory: store.join(FOLDER), rank, records: vec![], read, written, lives: None }
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
        if let Some(lives) = &self.lives
            && lives.fetch_update(Relaxed, Relaxed, |lives| lives.checked_sub(1)).is_err()
        {
            return Err(ClusterError::Peer);
        }
        let path = self.directory.join(name);
        let own = self.directory.join(format!("{name}.tmp-{}", self.rank));
        let write = || {
            let mut file = File::create(&own)?;
            file.write_all(bytes)?;
            file.write_all(&xxh3_64_with_seed(bytes, seed(name)).to_le_bytes())?;
            file.sync_data()?;
            drop(file);
            fs::rename(&own, &path)?;
            sync(&self.directory)
        };
        let written = write();
        if written.is_err() {
            // What is left of it has no meaning, and takes room that there may not be.
            let _ = fs::remove_file(&own);
        }
        written.map_err(|e| self.failure("writing", &path, e))?;
        self.written.fetch_add(bytes.len() as u64, Relaxed);
        Ok(())
    }

    /// Reads a file; none if it is not there.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, ClusterError> {
        let path = self.directory.join(name);
        let mut bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failure("reading", &path, error)),
        };
        let sum = bytes.len().checked_sub(8).map(|at| bytes.split_off(at));
        let wanted = xxh3_64_with_seed(&bytes, seed(name)).to_le_bytes();
        if sum.is_none_or(|sum| sum != wanted) {
            return Err(ClusterError::Damaged(path));
        }
        self.read.fetch_add(bytes.len() as u64, Relaxed);
        Ok(Some(bytes))
    }

    /// Whether a file is there.
    pub fn has(&self, name: &str) -> bool {
        self.directory.join(name).exists()
    }

    /// The layers that have been found, from the first on, and whether there are no others.
    pub fn find_records(&self) -> Result<(Vec<LayerRecord>, bool), ClusterError> {
        let mut records = vec![];
        while let Some(bytes) = self.read(&Names::record(records.len()))? {
            let damaged = |_| ClusterError::Damaged(self.directory.join(Names::record(records.len())));
            records.push(LayerRecord::from_bytes(&bytes).map_err(damaged)?);
        }
        Ok((records, self.has(Names::COMPLETE)))
    }

    /// Removes what no record names: left by processes that ended in the middle of a layer.
    pub fn remove_leftovers(&self, records: &[LayerRecord]) -> Result<(), ClusterError> {
        let mut named = vec![Names::JOB.to_owned(), Names::COMPLETE.to_owned()];
        for (layer, record) in records.iter().enumerate() {
            named.push(Names::record(layer));
            named.extend(record.pieces.iter().map(|piece| Names::states(layer, piece)));
            named.extend((0..record.units()).map(|unit| Names::values(layer, unit)));
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
        let missing = || io::Error::new(io::ErrorKind::NotFound, "it should be there");
        let path = self.directory.join(name);
        self.read(name)?.ok_or_else(|| self.failure("reading", &path, missing()).into())
    }
}

impl Source for Shelf {
    fn states(&mut self, layer: usize, piece: usize) -> Result<Vec<u8>, Refusal> {
        let name = Names::states(layer, &self.records[layer].pieces[piece]);
        self.piece(&name)
    }

    fn values(&mut self, layer: usize, unit: usize) -> Result<Vec<u8>, Refusal> {
        self.piece(&Names::values(layer, unit))
    }
}

/// A checksum that also depends on which file it is.
fn seed(name: &str) -> u64 {
    xxh3_64_with_seed(name.as_bytes(), 0)
}

/// Makes names in a directory survive a power failure.
fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
