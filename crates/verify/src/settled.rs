//! Which states of a layer have values that do not rest on themselves.

use crate::VerifyError;
use crate::peers::{Peers, unite};
use std::sync::atomic::{AtomicU64, Ordering};

/// A bit per state, set when its value follows from later layers and from states that were settled before.
/// Where moves stay inside a layer, this is what makes the check well-founded without distances.
pub struct Settled {
    words: Vec<AtomicU64>,
}

impl Settled {
    pub fn new(len: u64) -> Self {
        Settled { words: (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect() }
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

    /// Those of a batch, which begins at a multiple of 64.
    pub fn word(&self, rank: u64) -> u64 {
        self.words[(rank / 64) as usize].load(Ordering::Relaxed)
    }

    /// What anybody has settled.
    pub fn unite(&self, peers: &dyn Peers) -> Result<(), VerifyError> {
        unite(peers, &self.words)
    }

    /// The bytes that n states take.
    pub fn bytes(len: u64) -> u64 {
        len.div_ceil(64).saturating_mul(8)
    }

    /// The number of states that are settled.
    pub fn count(&self) -> u64 {
        let settled = |word: &AtomicU64| u64::from(word.load(Ordering::Relaxed).count_ones());
        self.words.iter().map(settled).sum()
    }
}
