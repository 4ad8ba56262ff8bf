//! Sets of digit strings: levelled diagrams, every node once.

use crate::error::LayersError;
use crate::sets::memo::{Memo, pair};
use winset_index::Digit;

/// A node of some level. Below the last level there is only node 0.
pub type Node = u32;

/// The empty set, at every level.
pub const EMPTY: Node = u32::MAX;

/// The nodes of one level, each a run of edges sorted by digit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// Node n has the edges `start[n]..start[n + 1]`.
    pub start: Vec<u32>,
    /// The digit of each edge.
    pub digit: Vec<Digit>,
    /// The node of the next level below each edge.
    pub child: Vec<Node>,
}

impl Default for Level {
    fn default() -> Self {
        Level { start: vec![0], digit: vec![], child: vec![] }
    }
}

impl Level {
    /// The memory that the nodes take.
    pub fn bytes(&self) -> u64 {
        (self.start.len() * 4 + self.digit.len() * 6) as u64
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.start.len() - 1
    }

    /// The edges of a node.
    #[inline]
    pub fn edges(&self, node: Node) -> std::ops::Range<usize> {
        self.start[node as usize] as usize..self.start[node as usize + 1] as usize
    }
}

/// Nodes of sets over the same blocks. Nothing is ever removed: an arena is dropped as a whole.
pub struct Sets {
    pub levels: Vec<Level>,
    /// Open addressing for each level; `EMPTY` marks a free slot.
    slots: Vec<Vec<Node>>,
    /// Edges of nodes that are being made, in use as a stack.
    pub stack: Vec<(Digit, Node)>,
    union_memo: Vec<Memo>,
    overflow: bool,
    /// About how many steps have been made that nobody has counted yet.
    pub steps: u64,
}

impl Sets {
    /// No nodes; as many levels as blocks.
    pub fn new(levels: usize) -> Self {
        Sets {
            levels: vec![Level::default(); levels],
            slots: vec![vec![]; levels],
            stack: vec![],
            union_memo: (0..levels).map(|_| Memo::default()).collect(),
            overflow: false,
            steps: 0,
        }
    }

    /// The sets of a diagram in which every node is there once.
    pub fn of(levels: Vec<Level>) -> Self {
        let mut sets = Sets::new(levels.len());
        for (slots, level) in sets.slots.iter_mut().zip(&levels) {
            *slots = rehashed(level, (level.nodes() * 2 + 2).next_power_of_two().max(64));
        }
        sets.levels = levels;
        sets
    }

    /// The edges of a node as pairs.
    #[inline]
    pub fn edge(&self, level: usize, at: usize) -> (Digit, Node) {
        (self.levels[level].digit[at], self.levels[level].child[at])
    }

    /// The set with one string.
    pub fn single(&mut self, digits: &[Digit]) -> Node {
        let mut below = 0;
        for (level, &digit) in digits.iter().enumerate().rev() {
            self.stack.push((digit, below));
            below = self.node(level, self.stack.len() - 1);
        }
        below
    }

    /// The node with the edges on the stack from `base` on, sorted and without empty children. Takes them
    /// off the stack.
    pub fn node(&mut self, level: usize, base: usize) -> Node {
        if self.stack.len() == base {
            return EMPTY;
        }
        let edges = &self.stack[base..];
        self.steps += 1 + edges.len() as u64;
        let (here, slots) = (&mut self.levels[level], &mut self.slots[level]);
        if slots.len() < (here.start.len() + 1) * 2 {
            *slots = rehashed(here, (slots.len() * 2).max(64));
        }
        let mask = slots.len() - 1;
        let mut at = hash(edges.iter().copied()) as usize & mask;
        let node = loop {
            let found = slots[at];
            if found == EMPTY {
                let node = here.nodes() as Node;
                slots[at] = node;
                here.digit.extend(edges.iter().map(|edge| edge.0));
                here.child.extend(edges.iter().map(|edge| edge.1));
                here.start.push(here.digit.len() as u32);
                self.overflow |= here.digit.len() > u32::MAX as usize / 2;
                break node;
            }
            let range = here.edges(found);
            if range.len() == edges.len()
                && here.digit[range.clone()].iter().zip(edges).all(|(d, edge)| *d == edge.0)
                && here.child[range].iter().zip(edges).all(|(c, edge)| *c == edge.1)
            {
                break found;
            }
            at = (at + 1) & mask;
        };
        self.stack.truncate(base);
        node
    }

    /// Sorts the edges on the stack from `base` on, makes one of those with the same digit, and makes
    /// the node.
    pub fn node_of_unsorted(&mut self, level: usize, base: usize) -> Node {
        let edges = &mut self.stack[base..];
        if !edges.is_sorted_by(|a, b| a.0 < b.0) {
            edges.sort_unstable();
            let end = self.stack.len();
            let mut kept = base;
            for at in base + 1..end {
                let (digit, child) = self.stack[at];
                if self.stack[kept].0 == digit {
                    let both = self.union(level + 1, self.stack[kept].1, child);
                    self.stack[kept].1 = both;
                } else {
                    kept += 1;
                    self.stack[kept] = (digit, child);
                }
            }
            self.stack.truncate(kept + 1);
        }
        self.node(level, base)
    }

    /// The union of two sets.
    pub fn union(&mut self, level: usize, a: Node, b: Node) -> Node {
        if a == EMPTY || a == b {
            return b;
        }
        if b == EMPTY {
            return a;
        }
        let key = pair(a.min(b), a.max(b));
        if let Some(result) = self.union_memo[level].get(key) {
            return result as Node;
        }
        let base = self.stack.len();
        let (mut i, mut j) = (self.levels[level].edges(a), self.levels[level].edges(b));
        while !i.is_empty() && !j.is_empty() {
            let (x, y) = (self.edge(level, i.start), self.edge(level, j.start));
            match x.0.cmp(&y.0) {
                std::cmp::Ordering::Less => {
                    self.stack.push(x);
                    i.start += 1;
                }
                std::cmp::Ordering::Greater => {
                    self.stack.push(y);
                    j.start += 1;
                }
                std::cmp::Ordering::Equal => {
                    let both = self.union(level + 1, x.1, y.1);
                    self.stack.push((x.0, both));
                    i.start += 1;
                    j.start += 1;
                }
            }
        }
        for at in i.chain(j) {
            let edge = self.edge(level, at);
            self.stack.push(edge);
        }
        let result = self.node(level, base);
        self.union_memo[level].insert(key, u64::from(result));
        result
    }

    /// The strings of the first set that are not in the second.
    pub fn difference(&mut self, a: Node, b: Node) -> Node {
        let mut memo: Vec<Memo> = self.levels.iter().map(|_| Memo::default()).collect();
        self.difference_below(&mut memo, 0, a, b)
    }

    fn difference_below(&mut self, memo: &mut [Memo], level: usize, a: Node, b: Node) -> Node {
        if a == EMPTY || a == b {
            return EMPTY;
        }
        if b == EMPTY {
            return a;
        }
        if let Some(result) = memo[level].get(pair(a, b)) {
            return result as Node;
        }
        let base = self.stack.len();
        let mut j = self.levels[level].edges(b);
        for at in self.levels[level].edges(a) {
            let (digit, child) = self.edge(level, at);
            while j.start < j.end && self.levels[level].digit[j.start] < digit {
                j.start += 1;
            }
            let other = if j.start < j.end && self.levels[level].digit[j.start] == digit {
                self.levels[level].child[j.start]
            } else {
                EMPTY
            };
            let rest = self.difference_below(memo, level + 1, child, other);
            if rest != EMPTY {
                self.stack.push((digit, rest));
            }
        }
        let result = self.node(level, base);
        memo[level].insert(pair(a, b), u64::from(result));
        result
    }

    /// One string of the set.
    pub fn first(&self, root: Node) -> Vec<Digit> {
        let mut node = root;
        let step = |level: &Level| {
            let at = level.start[node as usize] as usize;
            node = level.child[at];
            level.digit[at]
        };
        self.levels.iter().map(step).collect()
    }

    /// The memory that the arena takes.
    pub fn bytes(&self) -> u64 {
        let level = |l: &Level| l.start.capacity() * 4 + l.digit.capacity() * 6;
        let nodes: usize = self.levels.iter().map(level).sum();
        let slots: usize = self.slots.iter().map(|slots| slots.len() * 4).sum();
        (nodes + slots) as u64 + self.union_memo.iter().map(Memo::bytes).sum::<u64>()
    }

    /// Fails if a level has outgrown its addresses.
    pub fn check(&self) -> Result<(), LayersError> {
        if self.overflow { Err(LayersError::TooManyEdges) } else { Ok(()) }
    }
}

/// A table of all nodes of a level.
fn rehashed(level: &Level, size: usize) -> Vec<Node> {
    let mut slots = vec![EMPTY; size];
    for node in 0..level.nodes() as Node {
        let edges = level.edges(node).map(|at| (level.digit[at], level.child[at]));
        let mut at = hash(edges) as usize & (size - 1);
        while slots[at] != EMPTY {
            at = (at + 1) & (size - 1);
        }
        slots[at] = node;
    }
    slots
}

#[inline]
fn hash(edges: impl Iterator<Item = (Digit, Node)>) -> u64 {
    let mut h = 0u64;
    for (digit, child) in edges {
        let word = u64::from(digit) << 32 | u64::from(child);
        h = (h.rotate_left(5) ^ word).wrapping_mul(0x517C_C1B7_2722_0A95);
    }
    h ^ h >> 32
}
