//! Values of a set's states as a reduced decision diagram over the digits.
//!
//! States outside of the set are don't-cares, and that is where the reduction comes from: a subtree whose
//! states all have one value is that value, a node whose existing edges all lead to the same place is
//! left out, and a node is a default with exceptions, so that nodes over different sets of digits can be
//! the same one.

use crate::blocks::Digit;
use crate::index::Index;
use crate::planes::Planes;
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeMap;
use std::hash::Hasher;

/// A node of a level, or a leaf: `level << 32 | number`. A leaf's level is the number of levels, its number
/// is the value.
pub type ValueRef = u64;

/// The memory of what is known about a node of a set together with one of a diagram, in tables that grow.
const PAIR_BYTES: u64 = 64;

/// About the bytes of a node in a file. As measured: an exception takes about a byte and a half, a node a byte more.
fn node_size(exceptions: u64) -> u64 {
    1 + 3 * exceptions / 2
}

/// The leaf of a value in a diagram of n levels.
pub fn leaf(levels: usize, value: u32) -> ValueRef {
    (levels as u64) << 32 | u64::from(value)
}

/// Nodes over one level. Exceptions `start[n]..start[n + 1]` belong to node n, ascending by digit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueNodes {
    /// Where each node's exceptions begin, and where the last one's end.
    pub start: Vec<u32>,
    /// Where a node leads for all other digits.
    pub default: Vec<ValueRef>,
    /// The digit of each exception.
    pub digit: Vec<Digit>,
    /// Where it leads.
    pub target: Vec<ValueRef>,
}

/// No nodes.
impl Default for ValueNodes {
    fn default() -> Self {
        ValueNodes { start: vec![0], default: vec![], digit: vec![], target: vec![] }
    }
}

impl ValueNodes {
    /// Where a node leads for a digit.
    pub fn step(&self, node: usize, digit: Digit) -> ValueRef {
        let edges = self.start[node] as usize..self.start[node + 1] as usize;
        match self.digit[edges.clone()].binary_search(&digit) {
            Ok(at) => self.target[edges.start + at],
            Err(_) => self.default[node],
        }
    }

    /// A node's exceptions.
    pub fn exceptions(&self, node: usize) -> impl Iterator<Item = (Digit, ValueRef)> + '_ {
        let edges = self.start[node] as usize..self.start[node + 1] as usize;
        self.digit[edges.clone()].iter().copied().zip(self.target[edges].iter().copied())
    }

    /// What makes a node the one that it is: its default, and digit and target of every exception.
    fn key(&self, node: u32) -> impl Iterator<Item = u64> + '_ {
        let exceptions = self.exceptions(node as usize);
        std::iter::once(self.default[node as usize])
            .chain(exceptions.flat_map(|(digit, target)| [digit.into(), target]))
    }

    /// The memory it takes.
    pub fn bytes(&self) -> usize {
        self.start.len() * 4 + self.default.len() * 8 + self.digit.len() * 10
    }
}

/// A diagram in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueDiagram {
    /// The nodes of each level, topmost first.
    pub levels: Vec<ValueNodes>,
    /// Where every walk begins.
    pub root: ValueRef,
}

impl ValueDiagram {
    /// What it says of a string of digits, which has a meaning for states of the set only.
    pub fn value(&self, digits: &[Digit]) -> u32 {
        let mut at = self.root;
        while let Some(nodes) = self.levels.get((at >> 32) as usize) {
            at = nodes.step(at as u32 as usize, digits[(at >> 32) as usize]);
        }
        at as u32
    }

    /// How many states of a set have each value, without looking at them one by one.
    ///
    /// ```
    /// use winset_index::{Index, ValueDiagramBuilder, leaf};
    /// let index = Index::from_sorted(2, [[0, 1], [0, 3], [2, 1]].iter().map(|s| s.as_slice()));
    /// let mut builder = ValueDiagramBuilder::new(2);
    /// let root = builder.node(0, &[(0, leaf(2, 5)), (2, leaf(2, 7))]);
    /// let diagram = builder.finish(root);
    /// assert_eq!((diagram.value(&[0, 3]), diagram.value(&[2, 1])), (5, 7));
    /// let counts = diagram.counts(&index, 1000).unwrap();
    /// assert_eq!(counts.into_iter().collect::<Vec<_>>(), [(5, 2), (7, 1)]);
    /// ```
    ///
    /// None if that takes more than `room` bytes of memory: whoever made the diagram may have made any.
    pub fn counts(&self, index: &Index, room: u64) -> Option<BTreeMap<u32, u64>> {
        let most = (room / PAIR_BYTES) as usize;
        let mut sums: BTreeMap<u32, u64> = BTreeMap::new();
        // The number of ways to come to a node of the index with a place in the diagram, level by level.
        let mut ways: FxHashMap<(u32, ValueRef), u64> = FxHashMap::default();
        let levels = index.levels();
        ways.extend(index.root().map(|root| ((root, self.root), 1)));
        let below = index.states_below();
        for (k, level) in levels.iter().enumerate() {
            let mut next: FxHashMap<(u32, ValueRef), u64> = FxHashMap::default();
            for ((node, at), n) in ways {
                if (at >> 32) as usize == levels.len() {
                    *sums.entry(at as u32).or_default() += n * below[k][node as usize];
                    continue;
                }
                let here = (at >> 32) as usize == k;
                for e in level.edges(node) {
                    let to = if here { self.levels[k].step(at as u32 as usize, level.digit[e]) } else { at };
                    *next.entry((level.child[e], to)).or_default() += n;
                }
                if next.len() > most {
                    return None;
                }
            }
            ways = next;
        }
        for ((_, at), n) in ways {
            *sums.entry(at as u32).or_default() += n;
        }
        Some(sums)
    }

    /// About the number of bytes that its nodes take in a file, and their number.
    pub fn size(&self) -> (u64, usize) {
        let of_level = |nodes: &ValueNodes| {
            nodes.start.windows(2).map(|pair| node_size((pair[1] - pair[0]).into())).sum::<u64>()
        };
        (self.levels.iter().map(of_level).sum(), self.levels.iter().map(|nodes| nodes.default.len()).sum())
    }

    /// Its values of a set's states, in rank order, in planes that are all 0: some for the lowest bits, some for those above.
    pub fn expand(&self, index: &Index, values: &mut [&mut Planes]) {
        if let Some(top) = index.root() {
            self.fill(index, values, (0, top, self.root), (0, index.len()));
        }
    }

    fn fill(
        &self,
        index: &Index,
        values: &mut [&mut Planes],
        (k, node, at): (usize, u32, ValueRef),
        (rank, count): (u64, u64),
    ) {
        if (at >> 32) as usize == self.levels.len() {
            set_run(values, rank, count, at as u32);
            return;
        }
        let level = &index.levels()[k];
        let edges = level.edges(node);
        for e in edges.clone() {
            let first = rank + level.before[e];
            let end = if e + 1 < edges.end { rank + level.before[e + 1] } else { rank + count };
            let next = if (at >> 32) as usize == k {
                self.levels[k].step(at as u32 as usize, level.digit[e])
            } else {
                at
            };
            self.fill(index, values, (k + 1, level.child[e], next), (first, end - first));
        }
    }
}

fn set_run(values: &mut [&mut Planes], rank: u64, count: u64, value: u32) {
    let mut b = 0;
    for planes in values {
        for plane in &mut planes.planes {
            if value >> b & 1 == 1 {
                let (mut at, end) = (rank, rank + count);
                while at < end {
                    let some = (end - at).min(64 - at % 64);
                    let mask = if some == 64 { !0 } else { (1 << some) - 1 };
                    plane[(at / 64) as usize] |= mask << (at % 64);
                    at += some;
                }
            }
            b += 1;
        }
    }
}

/// Makes a diagram from below. Whoever makes the same nodes in the same order gets the same diagram.
#[derive(Clone, Debug)]
pub struct ValueDiagramBuilder {
    levels: Vec<ValueNodes>,
    /// The numbers of a level's nodes, found by what the nodes are.
    unique: Vec<HashTable<u32>>,
    key: Vec<u64>,
    /// About the number of bytes that the nodes take in a file.
    pub size: u64,
    /// The nodes made.
    pub nodes: usize,
}

impl ValueDiagramBuilder {
    /// No nodes yet, in n levels.
    pub fn new(levels: usize) -> Self {
        ValueDiagramBuilder {
            levels: vec![ValueNodes::default(); levels],
            unique: vec![HashTable::new(); levels],
            key: vec![],
            size: 0,
            nodes: 0,
        }
    }

    /// The node of level k with these children by digit, ascending, at least one: the most frequent is the default. Where
    /// there is only one to go to, it is that.
    pub fn node(&mut self, k: usize, children: &[(Digit, ValueRef)]) -> ValueRef {
        let default = most_frequent(children);
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.push(default);
        let exceptions = children.iter().filter(|child| child.1 != default);
        key.extend(exceptions.flat_map(|&(digit, target)| [digit.into(), target]));
        let made = if key.len() == 1 { default } else { self.intern(k, &key) };
        self.key = key;
        made
    }

    fn intern(&mut self, k: usize, key: &[u64]) -> ValueRef {
        let (nodes, unique) = (&mut self.levels[k], &mut self.unique[k]);
        let hash = hash(key.iter().copied());
        if let Some(&id) = unique.find(hash, |&id| nodes.key(id).eq(key.iter().copied())) {
            return (k as u64) << 32 | u64::from(id);
        }
        let id = nodes.default.len() as u32;
        nodes.default.push(key[0]);
        for pair in key[1..].chunks_exact(2) {
            nodes.digit.push(pair[0] as Digit);
            nodes.target.push(pair[1]);
        }
        nodes.start.push(nodes.digit.len() as u32);
        self.nodes += 1;
        self.size += node_size(key.len() as u64 / 2);
        unique.insert_unique(hash, id, |&id| self::hash(nodes.key(id)));
        (k as u64) << 32 | u64::from(id)
    }

    /// The diagram below a root.
    pub fn finish(self, root: ValueRef) -> ValueDiagram {
        ValueDiagram { levels: self.levels, root }
    }
}

fn hash(key: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = FxHasher::default();
    key.for_each(|word| hasher.write_u64(word));
    hasher.finish()
}

fn most_frequent(children: &[(Digit, ValueRef)]) -> ValueRef {
    // Few children: counting them pairwise is faster than sorting. Many: sort.
    if children.len() <= 16 {
        let count = |target: ValueRef| children.iter().filter(|child| child.1 == target).count();
        let mut best = (0, 0);
        for &(_, target) in children {
            let found = count(target);
            if found > best.0 || (found == best.0 && target < best.1) {
                best = (found, target);
            }
        }
        return best.1;
    }
    let mut targets: Vec<ValueRef> = children.iter().map(|child| child.1).collect();
    targets.sort_unstable();
    let runs = targets.chunk_by(|a, b| a == b);
    runs.fold(&targets[..0], |best, run| if run.len() > best.len() { run } else { best })[0]
}
