//! A set of digit strings, ranked.

use crate::blocks::Digit;
use rustc_hash::FxHashMap;
use thiserror::Error;

/// One level of the diagram: nodes one after the other, each a run of edges sorted by digit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// Node n has the edges `start[n]..start[n + 1]`.
    pub start: Vec<u32>,
    /// The digit of each edge.
    pub digit: Vec<Digit>,
    /// The node of the next level that each edge leads to; below the last level there is only node 0.
    pub child: Vec<u32>,
    /// The number of states below the same node with a smaller digit at this level.
    pub before: Vec<u64>,
}

impl Level {
    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// The edges of a node.
    pub fn edges(&self, node: u32) -> std::ops::Range<usize> {
        self.start[node as usize] as usize..self.start[node as usize + 1] as usize
    }
}

/// Why arrays are not an index.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum IndexError {
    /// The arrays of a level do not fit together, or digits are not ascending, or a child is missing.
    #[error("level {0} of the index is damaged")]
    Damaged(usize),
    /// There are more states than a rank can number.
    #[error("the set has more than 2^64 states")]
    TooMany,
    /// The numbers of states that came with a level are not those of its nodes.
    #[error("level {0} of the index counts its states wrongly")]
    Counts(usize),
    /// A node has no state below it, or no path leads to it.
    #[error("level {0} of the index has a node that belongs to no state")]
    Idle(usize),
}

/// A frozen set of digit strings of one length. Ranks are sums of `before` along a path.
///
/// ```
/// use winset_index::Index;
/// let index = Index::from_sorted(2, [[0, 1], [0, 3], [2, 1]].iter().map(|s| s.as_slice()));
/// assert_eq!(index.len(), 3);
/// assert_eq!(index.rank(&[2, 1]), Some(2));
/// assert_eq!(index.unrank(1), Some(vec![0, 3]));
/// assert_eq!(index.rank(&[2, 3]), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    levels: Vec<Level>,
    root: Option<u32>,
    len: u64,
}

impl Index {
    /// An index of levels whose `start`, `digit` and `child` are given; computes `before`. No root: the
    /// empty set.
    pub fn freeze(mut levels: Vec<Level>, root: Option<u32>) -> Result<Self, IndexError> {
        let mut below = vec![1u64];
        for (k, level) in levels.iter_mut().enumerate().rev() {
            (level.before, below) = counted(k, level, &below)?;
        }
        Self::of_counted(levels, root, &below)
    }

    /// An index of levels that come from elsewhere with `before` and, level by level, the number of states
    /// below each node (`totals`). Refused if one of these numbers is wrong or a node belongs to no state.
    ///
    /// ```
    /// use winset_index::{Index, IndexError, Level};
    /// let level = Level { start: vec![0, 2], digit: vec![3, 5], child: vec![0, 0], before: vec![0, 1] };
    /// let checked = |total| Index::checked(vec![level.clone()], &[vec![total]], Some(0));
    /// assert_eq!(checked(2).unwrap().len(), 2);
    /// assert_eq!(checked(3), Err(IndexError::Counts(0)));
    /// ```
    pub fn checked(levels: Vec<Level>, totals: &[Vec<u64>], root: Option<u32>) -> Result<Self, IndexError> {
        let mut below = vec![1u64];
        for (k, level) in levels.iter().enumerate().rev() {
            let (before, counts) = counted(k, level, &below)?;
            if before != level.before || totals.get(k) != Some(&counts) {
                return Err(IndexError::Counts(k));
            }
            if counts.contains(&0) {
                return Err(IndexError::Idle(k));
            }
            below = counts;
        }
        let mut used: Vec<bool> = levels.first().map_or(vec![], |level| vec![false; level.nodes()]);
        if let Some(used) = root.and_then(|root| used.get_mut(root as usize)) {
            *used = true;
        }
        for (k, level) in levels.iter().enumerate() {
            if used.contains(&false) {
                return Err(IndexError::Idle(k));
            }
            used = vec![false; levels.get(k + 1).map_or(1, Level::nodes)];
            level.child.iter().for_each(|&child| used[child as usize] = true);
        }
        Self::of_counted(levels, root, &below)
    }

    fn of_counted(levels: Vec<Level>, root: Option<u32>, top: &[u64]) -> Result<Self, IndexError> {
        let len = match root {
            None => 0,
            Some(root) => *top.get(root as usize).ok_or(IndexError::Damaged(0))?,
        };
        Ok(Index { levels, root, len })
    }

    /// The index of strings given in ascending order, each `length` digits long. Simple, for small sets.
    pub fn from_sorted<'a>(length: usize, strings: impl IntoIterator<Item = &'a [Digit]>) -> Self {
        let mut builder = IndexBuilder::new(length);
        strings.into_iter().for_each(|string| builder.push(string));
        builder.finish()
    }

    /// The number of states.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// The empty set.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The levels, topmost first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The number of states below every node of every level, and of the single node below the last.
    pub fn states_below(&self) -> Vec<Vec<u64>> {
        let mut below = vec![vec![1u64]];
        for level in self.levels.iter().rev() {
            let children = below.last().expect("never empty");
            let count = |node: u32| match level.edges(node).last() {
                Some(e) => level.before[e] + children[level.child[e] as usize],
                None => 0,
            };
            let counts = (0..level.nodes() as u32).map(count).collect();
            below.push(counts);
        }
        below.reverse();
        below
    }

    /// The topmost node; none in the empty set.
    pub fn root(&self) -> Option<u32> {
        self.root
    }

    /// The position of a string in the set's order, if it is in the set.
    pub fn rank(&self, digits: &[Digit]) -> Option<u64> {
        let (mut node, mut rank) = (self.root?, 0);
        for (level, digit) in self.levels.iter().zip(digits) {
            let edges = level.edges(node);
            let e = edges.start + level.digit[edges].binary_search(digit).ok()?;
            (node, rank) = (level.child[e], rank + level.before[e]);
        }
        Some(rank)
    }

    /// The string at a position of the set's order.
    pub fn unrank(&self, mut rank: u64) -> Option<Vec<Digit>> {
        let mut node = self.root?;
        if rank >= self.len {
            return None;
        }
        let step = |level: &Level| {
            let edges = level.edges(node);
            let e = edges.start + level.before[edges].partition_point(|&before| before <= rank) - 1;
            (node, rank) = (level.child[e], rank - level.before[e]);
            level.digit[e]
        };
        Some(self.levels.iter().map(step).collect())
    }
}

/// What `before` should be for the edges of level k, and the number of states below each of its nodes, given
/// that number for the nodes of the next level.
fn counted(k: usize, level: &Level, below: &[u64]) -> Result<(Vec<u64>, Vec<u64>), IndexError> {
    let damaged = || IndexError::Damaged(k);
    let edges = level.digit.len();
    let ordered = level.start.windows(2).all(|pair| pair[0] <= pair[1]);
    let fits = level.start.first() == Some(&0) && level.start.last() == Some(&(edges as u32));
    if !ordered || !fits || level.child.len() != edges {
        return Err(damaged());
    }
    let mut before = Vec::with_capacity(edges);
    let mut counts = Vec::with_capacity(level.nodes());
    for node in 0..level.nodes() as u32 {
        let range = level.edges(node);
        if !level.digit[range.clone()].is_sorted_by(|a, b| a < b) {
            return Err(damaged());
        }
        let mut sum = 0u64;
        for &child in &level.child[range] {
            before.push(sum);
            let more = below.get(child as usize).ok_or_else(damaged)?;
            sum = sum.checked_add(*more).ok_or(IndexError::TooMany)?;
        }
        counts.push(sum);
    }
    Ok((before, counts))
}

/// Builds an index from ascending strings, one after the other, sharing equal subtrees.
///
/// ```
/// use winset_index::IndexBuilder;
/// let mut builder = IndexBuilder::new(2);
/// builder.push(&[0, 2]);
/// builder.push(&[1, 0]);
/// assert_eq!(builder.finish().rank(&[1, 0]), Some(1));
/// ```
pub struct IndexBuilder {
    levels: Vec<Level>,
    unique: Vec<FxHashMap<Vec<(Digit, u32)>, u32>>,
    /// The edges of the unfinished node at each level.
    open: Vec<Vec<(Digit, u32)>>,
    last: Option<Vec<Digit>>,
}

impl IndexBuilder {
    /// Strings of this many digits; none yet.
    pub fn new(length: usize) -> Self {
        let level = || Level { start: vec![0], ..Default::default() };
        IndexBuilder {
            levels: (0..length).map(|_| level()).collect(),
            unique: vec![FxHashMap::default(); length],
            open: vec![vec![]; length],
            last: None,
        }
    }

    /// Adds a string; panics if it does not come after the one before.
    pub fn push(&mut self, string: &[Digit]) {
        if let Some(mut last) = self.last.take() {
            let common = string.iter().zip(&last).take_while(|(a, b)| a == b).count();
            assert!(common < string.len() && string[common] > last[common], "strings must ascend");
            self.close(common, &last);
            last.copy_from_slice(string);
            self.last = Some(last);
            return;
        }
        self.last = Some(string.to_vec());
    }

    /// Finishes the nodes below level `depth` on the path of `last` and hangs them into their parents.
    fn close(&mut self, depth: usize, last: &[Digit]) {
        let mut child = 0;
        for k in (depth..self.levels.len()).rev() {
            self.open[k].push((last[k], child));
            if k > depth {
                child = self.node(k);
            }
        }
    }

    fn node(&mut self, k: usize) -> u32 {
        let edges = std::mem::take(&mut self.open[k]);
        if let Some(&node) = self.unique[k].get(&edges) {
            return node;
        }
        let level = &mut self.levels[k];
        let node = level.nodes() as u32;
        level.digit.extend(edges.iter().map(|edge| edge.0));
        level.child.extend(edges.iter().map(|edge| edge.1));
        level.start.push(level.digit.len() as u32);
        self.unique[k].insert(edges, node);
        node
    }

    /// The index of all strings.
    pub fn finish(mut self) -> Index {
        let root = self.last.take().map(|last| {
            self.close(0, &last);
            if self.levels.is_empty() { 0 } else { self.node(0) }
        });
        Index::freeze(self.levels, root).expect("built in order")
    }
}
