//! Decoded chunks, kept while there is room.

use crate::diagram::Nodes;
use crate::error::StoreError;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use winset_index::Level;

/// A chunk in the form in which it is looked into.
#[derive(Debug)]
pub enum Chunk {
    /// Nodes of an index.
    Set(Level),
    /// Nodes of a diagram of values.
    Diagram(Nodes),
    /// Bit planes.
    Words(Vec<u64>),
}

impl Chunk {
    fn bytes(&self) -> usize {
        match self {
            Chunk::Set(level) => level.start.len() * 4 + level.digit.len() * 14,
            Chunk::Diagram(nodes) => nodes.bytes(),
            Chunk::Words(words) => words.len() * 8,
        }
    }
}

/// Which chunk: file and number.
pub type Key = (u64, u64);

const SHARDS: usize = 16;

/// The least recently used chunks go first when the rest would take too much memory.
#[derive(Debug)]
pub struct Cache {
    shards: [Mutex<Shard>; SHARDS],
    budget: usize,
    loads: AtomicU64,
}

#[derive(Debug, Default)]
struct Shard {
    chunks: FxHashMap<Key, (Arc<Chunk>, u64)>,
    bytes: usize,
    clock: u64,
}

impl Cache {
    /// A cache for about this many bytes.
    pub fn new(bytes: usize) -> Self {
        Cache { shards: Default::default(), budget: bytes / SHARDS, loads: AtomicU64::new(0) }
    }

    /// The number of chunks that had to be read so far.
    pub fn loads(&self) -> u64 {
        self.loads.load(Ordering::Relaxed)
    }

    /// The chunk, read by `load` if it is not here.
    pub fn get(
        &self,
        key: Key,
        load: impl FnOnce() -> Result<Chunk, StoreError>,
    ) -> Result<Arc<Chunk>, StoreError> {
        let mixed = (key.0.wrapping_mul(0x9e37_79b9) ^ key.1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let shard = &self.shards[(mixed >> 60) as usize % SHARDS];
        if let Some(found) = shard.lock().unwrap_or_else(PoisonError::into_inner).find(&key) {
            return Ok(found);
        }
        // Not under the lock: another thread may read the same chunk, which is harmless.
        let chunk = Arc::new(load()?);
        self.loads.fetch_add(1, Ordering::Relaxed);
        shard.lock().unwrap_or_else(PoisonError::into_inner).keep(key, chunk.clone(), self.budget);
        Ok(chunk)
    }
}

impl Shard {
    fn find(&mut self, key: &Key) -> Option<Arc<Chunk>> {
        self.clock += 1;
        let (chunk, used) = self.chunks.get_mut(key)?;
        *used = self.clock;
        Some(chunk.clone())
    }

    fn keep(&mut self, key: Key, chunk: Arc<Chunk>, budget: usize) {
        self.bytes += chunk.bytes();
        if let Some((old, _)) = self.chunks.insert(key, (chunk, self.clock)) {
            self.bytes -= old.bytes();
        }
        while self.bytes > budget && self.chunks.len() > 1 {
            let oldest = self.chunks.iter().filter(|entry| *entry.0 != key).min_by_key(|entry| entry.1.1);
            let Some((&oldest, _)) = oldest else { return };
            if let Some((gone, _)) = self.chunks.remove(&oldest) {
                self.bytes -= gone.bytes();
            }
        }
    }
}
