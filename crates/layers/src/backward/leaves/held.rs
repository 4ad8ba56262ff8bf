//! Parts of a layer's values: in memory while there is room, else in a file.

use crate::backward::leaves::diagram::Part;
use crate::backward::stream::scratch::Scratch;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Compressing must keep up with solving.
const LEVEL: i32 = 1;

/// A part, wherever it is.
#[derive(Clone)]
pub enum Held {
    /// In memory.
    Here(Arc<Part>),
    /// In the layer's file.
    Away {
        /// Where it begins, and its bytes there.
        at: u64,
        stored: usize,
        /// Its bytes in memory.
        len: usize,
    },
}

impl Held {
    /// The memory that the part takes where it is.
    pub fn bytes_here(&self) -> u64 {
        match self {
            Held::Here(part) => part.bytes(),
            Held::Away { .. } => 0,
        }
    }

    /// The memory that the part takes when it is there.
    pub fn bytes(&self) -> u64 {
        match self {
            Held::Here(part) => part.bytes(),
            &Held::Away { len, .. } => len as u64,
        }
    }
}

/// Where the parts of a layer go.
pub struct Drawer {
    /// How many bytes may be in memory, and how many are.
    keep: u64,
    kept: AtomicU64,
    /// The name of the file, the file if it was needed, and its end.
    path: Option<PathBuf>,
    file: OnceLock<Scratch>,
    end: AtomicU64,
}

impl Drawer {
    /// Keeps so many bytes in memory, and the rest in a new file with this name, if there is one.
    pub fn new(keep: u64, path: Option<PathBuf>) -> Self {
        let zero = || AtomicU64::new(0);
        Drawer { keep, kept: zero(), path, file: OnceLock::new(), end: zero() }
    }

    /// Takes a part; none if it does not fit.
    pub fn put(&self, part: Part) -> io::Result<Option<Held>> {
        let bytes = part.bytes();
        if self.kept.fetch_add(bytes, Relaxed).saturating_add(bytes) <= self.keep {
            return Ok(Some(Held::Here(Arc::new(part))));
        }
        self.kept.fetch_sub(bytes, Relaxed);
        let Some(path) = &self.path else { return Ok(None) };
        if self.file.get().is_none() {
            if let Some(directory) = path.parent() {
                std::fs::create_dir_all(directory)?;
            }
            // Of two that come at once one is dropped, which must not remove the other's file.
            let unique = path.with_extension(format!("parts{}", self.end.fetch_add(1 << 20, Relaxed)));
            let _ = self.file.set(Scratch::new(&unique, 0)?);
        }
        let Some(file) = self.file.get() else { return Ok(None) };
        let bytes = part.to_bytes();
        drop(part);
        let written = zstd::bulk::compress(&bytes, LEVEL)?;
        let (len, stored) = (bytes.len(), written.len());
        drop(bytes);
        let at = self.end.fetch_add(stored as u64, Relaxed);
        file.write(at, &written)?;
        Ok(Some(Held::Away { at, stored, len }))
    }

    /// A part that was put here.
    pub fn get(&self, held: &Held) -> io::Result<Arc<Part>> {
        match held {
            Held::Here(part) => Ok(part.clone()),
            &Held::Away { at, stored, len, .. } => {
                let file = self.file.get().ok_or(io::ErrorKind::NotFound)?;
                let bytes = zstd::bulk::decompress(&file.read(at, stored)?, len)?;
                Part::from_bytes(&bytes).map(Arc::new)
            }
        }
    }
}
