//! Which stored states can be reached from the start.

use crate::VerifyError;
use crate::peers::{Peers, unite};
use std::sync::atomic::{AtomicU64, Ordering};

/// Two bits for each state of a layer: a move leads to it, and it has been looked at. A set has what can be
/// reached and nothing else: more would make every count wrong.
#[derive(Debug)]
pub struct Marks {
    reached: Vec<AtomicU64>,
    seen: Vec<AtomicU64>,
    len: u64,
}

impl Marks {
    /// The bytes of the marks of n states.
    pub fn bytes(len: u64) -> u64 {
        len.div_ceil(64).saturating_mul(16)
    }

    pub fn new(len: u64) -> Self {
        let words = || (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Marks { reached: words(), seen: words(), len }
    }

    /// A move leads to the state.
    pub fn reach(&self, rank: u64) {
        let (word, bit) = (&self.reached[(rank / 64) as usize], 1 << (rank % 64));
        // Mostly it is set already, and writing is what makes threads wait for each other.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// The states of a batch, which begins at a multiple of 64, that are reached and have not been looked at; now
    /// they have. Only one thread at a time may ask for a batch.
    pub fn take(&self, rank: u64) -> u64 {
        let at = (rank / 64) as usize;
        let reached = self.reached[at].load(Ordering::Relaxed);
        reached & !self.seen[at].fetch_or(reached, Ordering::Relaxed)
    }

    /// The states of a batch that have been looked at.
    pub fn seen(&self, rank: u64) -> u64 {
        self.seen[(rank / 64) as usize].load(Ordering::Relaxed)
    }

    /// Some state from a rank on, which is a multiple of 64, is reached and has not been looked at.
    pub fn is_left(&self, first: u64, count: u64) -> bool {
        let words = (first / 64) as usize..(first.saturating_add(count).min(self.len)).div_ceil(64) as usize;
        words
            .into_iter()
            .any(|at| self.reached[at].load(Ordering::Relaxed) & !self.seen[at].load(Ordering::Relaxed) != 0)
    }

    /// What anybody has reached and looked at.
    pub fn unite(&self, peers: &dyn Peers) -> Result<(), VerifyError> {
        unite(peers, &self.reached)?;
        unite(peers, &self.seen)
    }

    /// The states that nothing leads to.
    pub fn unreached(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.len).filter(|&rank| self.seen(rank) >> (rank % 64) & 1 == 0)
    }

    /// How many have been looked at.
    pub fn count(&self) -> u64 {
        self.seen.iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum()
    }
}
