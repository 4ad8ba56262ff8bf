//! Which states of a layer have values that do not rest on themselves.

use std::sync::atomic::{AtomicU64, Ordering};

/// A bit per state, set when its value follows from later layers and from states that were settled before.
/// Where moves stay inside a layer, this is what makes the check well-founded without distances.
pub struct Settled {
    words: Vec<AtomicU64>,
    len: u64,
}

impl Settled {
    pub fn new(len: u64) -> Self {
        Settled { words: (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(), len }
    }

    pub fn contains(&self, rank: u64) -> bool {
        self.words[(rank / 64) as usize].load(Ordering::Relaxed) >> (rank % 64) & 1 == 1
    }

    /// Settles lanes of a batch, which begins at a multiple of 64.
    pub fn insert(&self, rank: u64, lanes: u64) {
        if lanes != 0 {
            self.words[(rank / 64) as usize].fetch_or(lanes, Ordering::Relaxed);
        }
    }

    /// All of a batch, which begins at a multiple of 64.
    pub fn all(&self, rank: u64, lanes: usize) -> bool {
        self.words[(rank / 64) as usize].load(Ordering::Relaxed).count_ones() as usize == lanes
    }

    /// The number of states that are not settled.
    pub fn left(&self) -> u64 {
        let settled = |word: &AtomicU64| u64::from(word.load(Ordering::Relaxed).count_ones());
        self.len - self.words.iter().map(settled).sum::<u64>()
    }
}
