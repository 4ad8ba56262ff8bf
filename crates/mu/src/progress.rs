//! How far the work is, for whoever looks from another thread.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Numbers that the checker writes and others may read.
#[derive(Debug, Default)]
pub struct Progress {
    property: AtomicUsize,
    iterations: AtomicUsize,
    nodes: AtomicUsize,
}

impl Progress {
    /// The number of properties that were begun; 0 while the states are looked for.
    pub fn begun(&self) -> usize {
        self.property.load(Ordering::Relaxed)
    }

    /// Steps of fixed points so far.
    pub fn iterations(&self) -> usize {
        self.iterations.load(Ordering::Relaxed)
    }

    /// Nodes in memory after the last step.
    pub fn nodes(&self) -> usize {
        self.nodes.load(Ordering::Relaxed)
    }

    pub(crate) fn begin(&self, number: usize) {
        self.property.store(number + 1, Ordering::Relaxed);
    }

    pub(crate) fn step(&self, nodes: usize) {
        self.iterations.fetch_add(1, Ordering::Relaxed);
        self.nodes.store(nodes, Ordering::Relaxed);
    }
}
