//! Layers that wait for the backward pass: in memory, or on disk when they are too many.

use crate::error::LayersError;
use crate::sets::layer::Layer;
use crate::sets::set::Level;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

enum Waiting {
    Here(Arc<Layer>),
    /// Everything but the diagrams, which begin at this place of the file.
    Away(Layer, u64),
    /// Known from an earlier run.
    Past,
}

/// A layer taken from the shelf.
pub enum Taken {
    /// The layer itself.
    Layer(Arc<Layer>),
    /// An earlier run has left it.
    Past,
}

/// Waiting layers, the first at the bottom.
pub struct Shelf {
    layers: Vec<Waiting>,
    /// Where layers may wait: a directory of our own, made when it is first needed.
    directory: Option<PathBuf>,
    own: Option<PathBuf>,
    /// Layers on disk, one after the other: the last one that went is the first to come back. The file has no name, so that
    /// nothing is left of it whatever ends the process.
    file: Option<File>,
    budget: u64,
    used: u64,
    /// The first layer that is not on disk.
    first_here: usize,
}

impl Shelf {
    /// An empty shelf that keeps about `budget` bytes in memory and the rest in the directory, if any.
    pub fn new(directory: Option<PathBuf>, budget: u64) -> Self {
        Shelf { layers: vec![], directory, own: None, file: None, budget, used: 0, first_here: 0 }
    }

    /// The memory that waiting layers take.
    pub fn bytes(&self) -> u64 {
        self.used
    }

    /// Puts a layer on top.
    pub fn push(&mut self, layer: Arc<Layer>) -> Result<(), LayersError> {
        self.used += layer.bytes();
        self.layers.push(Waiting::Here(layer));
        while self.directory.is_some() && self.used > self.budget && self.first_here < self.layers.len() {
            self.send_away(self.first_here)?;
            self.first_here += 1;
        }
        Ok(())
    }

    /// Puts a layer on top that an earlier run has left.
    pub fn push_past(&mut self) {
        self.layers.push(Waiting::Past);
    }

    /// Takes the topmost layer.
    pub fn pop(&mut self) -> Result<Option<Taken>, LayersError> {
        let layer = match self.layers.pop() {
            None => return Ok(None),
            Some(Waiting::Past) => return Ok(Some(Taken::Past)),
            Some(Waiting::Here(layer)) => {
                self.used -= layer.bytes();
                layer
            }
            Some(Waiting::Away(mut layer, at)) => {
                layer.levels = self.read(at).map_err(|error| LayersError::io(&self.own, error))?;
                Arc::new(layer)
            }
        };
        self.first_here = self.first_here.min(self.layers.len());
        Ok(Some(Taken::Layer(layer)))
    }

    /// The number of layers.
    pub fn len(&self) -> usize {
        self.layers.len()
    }

    fn send_away(&mut self, at: usize) -> Result<(), LayersError> {
        let Waiting::Here(layer) = &self.layers[at] else { return Ok(()) };
        let layer = layer.clone();
        let Some(own) = self.directory() else { return Ok(()) };
        let begin = self.write(&own, &layer.levels).map_err(|error| LayersError::io(&self.own, error))?;
        self.used -= layer.bytes();
        self.layers[at] = Waiting::Away(layer.without_levels(), begin);
        Ok(())
    }

    /// Writes diagrams to the end of the file, and tells where they begin.
    fn write(&mut self, own: &Path, levels: &[Level]) -> io::Result<u64> {
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                fs::create_dir_all(own)?;
                let path = own.join("layers");
                let file = File::options().read(true).write(true).create_new(true).open(&path)?;
                fs::remove_file(&path)?;
                none.insert(file)
            }
        };
        let begin = file.seek(SeekFrom::End(0))?;
        write(file, levels)?;
        Ok(begin)
    }

    /// Reads the last diagrams of the file, which it then has no more.
    fn read(&mut self, begin: u64) -> io::Result<Vec<Level>> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(begin))?;
        let levels = read(file)?;
        file.set_len(begin)?;
        Ok(levels)
    }

    /// The name of a directory of our own, if there may be one. It need not be there yet, and will not be
    /// there any more when the shelf is gone.
    pub fn directory(&mut self) -> Option<PathBuf> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let directory = self.directory.as_ref()?;
        let name = || {
            let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Relaxed));
            // Where others may write too, nobody can put something under a name that cannot be guessed.
            let secret = RandomState::new().hash_one(number);
            directory.join(format!("winset-layers-{process}-{number}-{secret:016x}"))
        };
        Some(self.own.get_or_insert_with(name).clone())
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        if let Some(own) = &self.own {
            // Only left-overs of our own; nothing depends on their being gone.
            let _ = fs::remove_dir_all(own);
        }
    }
}

fn write(file: &File, levels: &[Level]) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, file);
    out.write_all(&(levels.len() as u64).to_le_bytes())?;
    for level in levels {
        out.write_all(&(level.start.len() as u64).to_le_bytes())?;
        out.write_all(&(level.digit.len() as u64).to_le_bytes())?;
        for start in &level.start {
            out.write_all(&start.to_le_bytes())?;
        }
        for digit in &level.digit {
            out.write_all(&digit.to_le_bytes())?;
        }
        for child in &level.child {
            out.write_all(&child.to_le_bytes())?;
        }
    }
    out.flush()
}

fn read(file: &File) -> io::Result<Vec<Level>> {
    let mut input = BufReader::with_capacity(1 << 20, file);
    let mut eight = [0; 8];
    input.read_exact(&mut eight)?;
    let count = u64::from_le_bytes(eight);
    let mut levels = vec![];
    for _ in 0..count {
        input.read_exact(&mut eight)?;
        let nodes = u64::from_le_bytes(eight) as usize;
        input.read_exact(&mut eight)?;
        let edges = u64::from_le_bytes(eight) as usize;
        let start = words(&mut input, nodes)?;
        let mut bytes = vec![0; edges * 2];
        input.read_exact(&mut bytes)?;
        let digit = bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
        let child = words(&mut input, edges)?;
        levels.push(Level { start, digit, child });
    }
    Ok(levels)
}

fn words(input: &mut impl Read, len: usize) -> io::Result<Vec<u32>> {
    let mut bytes = vec![0; len * 4];
    input.read_exact(&mut bytes)?;
    Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}
