//! Parts of a layer's values: in memory while there is room, else in a file, or with other processes.

use crate::backward::leaves::diagram::Part;
use crate::backward::stream::scratch::Scratch;
use rustc_hash::FxHashMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

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
    /// With several processes: it was kept for all of them.
    Elsewhere {
        /// Which one it is.
        name: Name,
        /// Its bytes in memory.
        len: usize,
    },
}

/// A unit of a layer that processes share, and which of its parts.
pub type Name = (u32, u32);

/// What other processes have made of a layer.
pub trait Elsewhere: Send + Sync {
    /// A part, as [`pack`] made it.
    fn part(&self, name: Name) -> io::Result<Vec<u8>>;
}

/// A part in few bytes, after the number of bytes that it has otherwise.
pub fn pack(part: &Part) -> io::Result<Vec<u8>> {
    let bytes = part.to_bytes();
    let mut out = (bytes.len() as u64).to_le_bytes().to_vec();
    out.extend(zstd::bulk::compress(&bytes, LEVEL)?);
    Ok(out)
}

fn unpack(bytes: &[u8], len: usize) -> io::Result<Arc<Part>> {
    Part::from_bytes(&zstd::bulk::decompress(bytes, len)?).map(Arc::new)
}

impl Held {
    /// The memory that the part takes where it is.
    pub fn bytes_here(&self) -> u64 {
        match self {
            Held::Here(part) => part.bytes(),
            Held::Away { .. } | Held::Elsewhere { .. } => 0,
        }
    }

    /// The memory that the part takes when it is there.
    pub fn bytes(&self) -> u64 {
        match self {
            Held::Here(part) => part.bytes(),
            &Held::Away { len, .. } | &Held::Elsewhere { len, .. } => len as u64,
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
    /// What other processes have made, and what has been read of it and is kept.
    elsewhere: Option<Arc<dyn Elsewhere>>,
    read: Mutex<FxHashMap<Name, Arc<Part>>>,
}

impl Drawer {
    /// Keeps n bytes in memory, and the rest in a new file with this name, if there is one.
    pub fn new(keep: u64, path: Option<PathBuf>) -> Self {
        let zero = || AtomicU64::new(0);
        let (file, end, read) = (OnceLock::new(), zero(), Mutex::default());
        Drawer { keep, kept: zero(), path, file, end, elsewhere: None, read }
    }

    /// Parts that others have made, of which n bytes stay in memory once they are read.
    pub fn of_others(keep: u64, elsewhere: Arc<dyn Elsewhere>) -> Self {
        Drawer { elsewhere: Some(elsewhere), ..Drawer::new(keep, None) }
    }

    fn read(&self) -> MutexGuard<'_, FxHashMap<Name, Arc<Part>>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a part that others have too, if there is room.
    pub fn remember(&self, name: Name, part: Arc<Part>) {
        let bytes = part.bytes();
        if self.kept.fetch_add(bytes, Relaxed).saturating_add(bytes) > self.keep
            || self.read().insert(name, part).is_some()
        {
            self.kept.fetch_sub(bytes, Relaxed);
        }
    }

    /// The memory that getting a part takes.
    pub fn fetched(&self, held: &Held) -> u64 {
        match held {
            Held::Elsewhere { name, .. } if self.read().contains_key(name) => 0,
            _ => held.bytes() - held.bytes_here(),
        }
    }

    /// The memory that is taken by what others have made, or will be.
    pub fn taken(&self) -> u64 {
        match (&self.elsewhere, self.keep) {
            (None, _) => 0,
            (Some(_), u64::MAX) => self.kept.load(Relaxed),
            (Some(_), keep) => keep,
        }
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
                unpack(&file.read(at, stored)?, len)
            }
            &Held::Elsewhere { name, len } => {
                let known = self.read().get(&name).cloned();
                if let Some(part) = known {
                    return Ok(part);
                }
                let elsewhere = self.elsewhere.as_ref().ok_or(io::ErrorKind::NotFound)?;
                let bytes = elsewhere.part(name)?;
                let (size, packed) = bytes.split_at_checked(8).ok_or(io::ErrorKind::UnexpectedEof)?;
                let size = u64::from_le_bytes(size.try_into().unwrap_or_default());
                // A few numbers more than in memory.
                if size > len as u64 + (1 << 16) {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                let part = unpack(packed, size as usize)?;
                self.remember(name, part.clone());
                Ok(part)
            }
        }
    }
}
