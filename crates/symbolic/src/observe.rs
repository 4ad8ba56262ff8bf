//! What a search tells while it runs.

use std::time::Duration;

/// The part of the work that a report is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Successors from the initial states.
    Forward,
    /// Predecessors from the terminal states.
    Backward,
}

/// One iteration or layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// The part of the work.
    pub phase: Phase,
    /// The iteration's number from 0, or the layer's.
    pub index: i64,
    /// The exact number of states in the set that the iteration computes.
    pub states: u128,
    /// The nodes of its diagram, the terminal node included.
    pub nodes: usize,
    /// The most nodes of one diagram among the intermediate results.
    pub peak: usize,
    /// Wall-clock time of the iteration.
    pub time: Duration,
}

/// Follows a search. Every method may be left out.
pub trait Observer {
    /// An iteration has been done.
    fn iteration(&mut self, _iteration: &Iteration) {}

    /// Whether the search is to stop; asked between steps.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Follows nothing.
impl Observer for () {}

/// Keeps everything.
impl Observer for Vec<Iteration> {
    fn iteration(&mut self, iteration: &Iteration) {
        self.push(iteration.clone());
    }
}
