//! Numbers of states in sets of a growing arena.

use crate::crew::Crew;
use crate::error::LayersError;
use crate::sets::set::{EMPTY, Level, Node, Sets};
use std::ops::Range;
use winset_index::IndexError;

/// Counts, each node once.
pub struct Counter(Vec<Vec<u64>>);

impl Counter {
    /// Nothing counted yet, in an arena of n levels.
    pub fn new(levels: usize) -> Self {
        Counter(vec![vec![]; levels])
    }

    /// The number of strings in a set.
    pub fn count(&mut self, sets: &Sets, root: Node) -> Result<u64, LayersError> {
        self.below(sets, 0, root)
    }

    fn below(&mut self, sets: &Sets, level: usize, node: Node) -> Result<u64, LayersError> {
        if node == EMPTY {
            return Ok(0);
        }
        if level == sets.levels.len() {
            return Ok(1);
        }
        if self.0[level].len() < sets.levels[level].nodes() {
            self.0[level].resize(sets.levels[level].nodes(), 0);
        }
        let known = self.0[level][node as usize];
        if known != 0 {
            return Ok(known);
        }
        let mut sum = 0u64;
        for at in sets.levels[level].edges(node) {
            let more = self.below(sets, level + 1, sets.levels[level].child[at])?;
            sum = sum.checked_add(more).ok_or(IndexError::TooMany)?;
        }
        self.0[level][node as usize] = sum;
        Ok(sum)
    }
}

/// The number of strings in a set of a diagram all of whose nodes are in use.
pub fn count(levels: &[Level], root: Node) -> Result<u64, LayersError> {
    count_above(vec![1], levels, root, &Crew::default())
}

/// Another thread is worth its trouble only for n nodes.
const NODES: usize = 1 << 13;

/// The same above nodes with these numbers of strings.
pub fn count_above(
    mut below: Vec<u64>,
    levels: &[Level],
    root: Node,
    crew: &Crew,
) -> Result<u64, LayersError> {
    for level in levels.iter().rev() {
        let nodes = level.nodes();
        let threads = crew.threads().min(nodes / NODES).max(1);
        let runs = (0..threads).map(|i| nodes * i / threads..nodes * (i + 1) / threads).collect();
        let count = |_, run: Range<usize>| {
            let sum = |node: usize| {
                let mut counts = level.edges(node as Node).map(|at| below[level.child[at] as usize]);
                counts.try_fold(0u64, u64::checked_add)
            };
            run.map(sum).collect::<Option<Vec<u64>>>()
        };
        let mut counted = crew.map(runs, count).into_iter();
        let mut here = counted.next().flatten().ok_or(IndexError::TooMany)?;
        for more in counted {
            here.extend(more.ok_or(IndexError::TooMany)?);
        }
        below = here;
    }
    Ok(below[root as usize])
}
