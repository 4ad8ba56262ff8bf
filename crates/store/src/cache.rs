//! Decoded chunks, kept while there is room.

use crate::diagram::Nodes;
use crate::error::StoreError;
use lru::LruCache;
use rustc_hash::FxBuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use winset_index::{LeafNodes, Leaves, Level};

/// A chunk in the form in which it is looked into.
#[derive(Debug)]
pub enum Chunk {
    /// Nodes of an index.
    Set(Level),
    /// Nodes of a diagram of values.
    Diagram(Nodes),
    /// Bit planes.
    Words(Vec<u64>),
    /// Nodes above leaves of bits.
    Nodes(LeafNodes),
    /// Leaves of bits.
    Leaves(Leaves),
}

impl Chunk {
    fn bytes(&self) -> usize {
        match self {
            Chunk::Set(level) => level.start.len() * 4 + level.digit.len() * 14,
            Chunk::Diagram(nodes) => nodes.bytes(),
            Chunk::Words(words) => words.len() * 8,
            Chunk::Nodes(nodes) => nodes.bytes(),
            Chunk::Leaves(leaves) => leaves.bytes(),
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

/// A part of the cache with a lock of its own.
#[derive(Debug)]
struct Shard {
    chunks: LruCache<Key, Arc<Chunk>, FxBuildHasher>,
    bytes: usize,
}

impl Default for Shard {
    fn default() -> Self {
        // Bytes are bounded, not chunks.
        Shard { chunks: LruCache::unbounded_with_hasher(FxBuildHasher), bytes: 0 }
    }
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
        self.chunks.get(key).cloned()
    }

    /// Keeps a chunk, and drops others until all fit; the newest stays, however large it is.
    fn keep(&mut self, key: Key, chunk: Arc<Chunk>, budget: usize) {
        self.bytes += chunk.bytes();
        if let Some(old) = self.chunks.put(key, chunk) {
            self.bytes -= old.bytes();
        }
        while self.bytes > budget && self.chunks.len() > 1 {
            let Some((_, oldest)) = self.chunks.pop_lru() else { return };
            self.bytes -= oldest.bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chunk of a hundred words whose first word tells it from others.
    fn chunk(n: u64) -> Result<Chunk, StoreError> {
        Ok(Chunk::Words([n].into_iter().chain([0; 99]).collect()))
    }

    #[test]
    fn what_was_asked_for_last_stays() {
        let mut shard = Shard::default();
        for n in 0..4 {
            shard.keep((0, n), Arc::new(chunk(n).unwrap()), 4 * 800);
        }
        assert!(shard.find(&(0, 0)).is_some());
        shard.keep((0, 4), Arc::new(chunk(4).unwrap()), 4 * 800);
        let here: Vec<u64> = (0..5).filter(|n| shard.find(&(0, *n)).is_some()).collect();
        assert_eq!(here, [0, 2, 3, 4]);
        assert_eq!(shard.bytes, 4 * 800);
        // Again under the same key: counted once. Too large for all: alone.
        shard.keep((0, 4), Arc::new(chunk(4).unwrap()), 4 * 800);
        assert_eq!(shard.bytes, 4 * 800);
        shard.keep((0, 5), Arc::new(chunk(5).unwrap()), 1);
        assert_eq!((shard.chunks.len(), shard.bytes), (1, 800));
    }

    #[test]
    fn a_chunk_is_read_again_only_when_it_had_to_go() {
        let cache = Cache::new(SHARDS * 800);
        for _ in 0..2 {
            cache.get((7, 7), || chunk(7)).unwrap();
        }
        assert_eq!(cache.loads(), 1);
    }
}
