//! A layer made ready to be followed by cursors.

use crate::layer::Layer;
use crate::outcomes::Code;
use crate::set::{EMPTY, Node};
use winset_index::Digit;

/// One level: for every node and every 64 digits, which digits there are and where their edges begin.
struct Level {
    words: usize,
    bitmap: Vec<(u64, u32)>,
    child: Vec<Node>,
    before: Vec<u64>,
}

/// The diagram of a layer with the number of states before every edge.
pub struct Target {
    levels: Vec<Level>,
    /// The topmost node of the states that have a place; `EMPTY` if there are none.
    pub root: Node,
    /// The outcome of reached states without a place.
    pub default: Option<Code>,
}

impl Target {
    /// Makes a layer ready; `counts` as by [`Layer::counts`], `digits` the number of digits of each block.
    pub fn new(layer: &Layer, counts: &[Vec<u64>], digits: &[usize]) -> Self {
        let level = |k: usize| {
            let from = &layer.levels[k];
            let words = digits[k].div_ceil(64).max(1);
            let mut bitmap = vec![(0u64, 0u32); from.nodes() * words];
            let mut before = Vec::with_capacity(from.child.len());
            for node in 0..from.nodes() {
                let row = &mut bitmap[node * words..(node + 1) * words];
                let mut sum = 0;
                let edges = from.edges(node as Node);
                let mut next = edges.start as u32;
                for at in edges {
                    let digit = from.digit[at] as usize;
                    row[digit / 64].0 |= 1 << (digit % 64);
                    before.push(sum);
                    sum += counts[k + 1][from.child[at] as usize];
                }
                for (bits, first) in row {
                    *first = next;
                    next += bits.count_ones();
                }
            }
            Level { words, bitmap, child: from.child.clone(), before }
        };
        let levels = (0..layer.levels.len()).map(level).collect();
        Target { levels, root: layer.root.unwrap_or(EMPTY), default: layer.default }
    }

    /// The child of a node at a digit and the number of states before it; `EMPTY` if there is none.
    #[inline]
    pub fn step(&self, level: usize, node: Node, digit: Digit) -> (Node, u64) {
        let level = &self.levels[level];
        let (bits, first) = level.bitmap[node as usize * level.words + digit as usize / 64];
        let place = digit % 64;
        if bits >> place & 1 == 0 {
            return (EMPTY, 0);
        }
        let at = first as usize + (bits & ((1 << place) - 1)).count_ones() as usize;
        (level.child[at], level.before[at])
    }

    /// Which digits a node has, 64 at a time.
    #[inline]
    pub fn digits(&self, level: usize, node: Node) -> &[(u64, u32)] {
        let level = &self.levels[level];
        &level.bitmap[node as usize * level.words..(node as usize + 1) * level.words]
    }

    /// As [`Target::step`]; below the empty set there is nothing.
    #[inline]
    pub fn step_if(&self, level: usize, node: Node, digit: Digit) -> (Node, u64) {
        if node == EMPTY { (EMPTY, 0) } else { self.step(level, node, digit) }
    }

    /// The number of states below a node.
    pub fn count(&self, mut level: usize, mut node: Node) -> u64 {
        let mut sum = 0;
        if node == EMPTY {
            return 0;
        }
        // Those before the last edge, again and again.
        while let Some(here) = self.levels.get(level) {
            let (bits, first) = here.bitmap[(node as usize + 1) * here.words - 1];
            let end = first as usize + bits.count_ones() as usize;
            if end == here.bitmap[node as usize * here.words].1 as usize {
                return 0;
            }
            sum += here.before[end - 1];
            (node, level) = (here.child[end - 1], level + 1);
        }
        sum + 1
    }

    /// The position of a string, if it has a place.
    pub fn rank(&self, digits: &[Digit]) -> Option<u64> {
        let (mut node, mut rank) = (self.root, 0);
        for (level, &digit) in digits.iter().enumerate() {
            if node == EMPTY {
                return None;
            }
            let (child, before) = self.step(level, node, digit);
            (node, rank) = (child, rank + before);
        }
        (node != EMPTY).then_some(rank)
    }

    /// The string at a position of the layer that this was made of.
    pub fn unrank(&self, layer: &Layer, mut rank: u64) -> Vec<Digit> {
        let mut node = self.root;
        let mut digits = vec![];
        for (level, here) in self.levels.iter().zip(&layer.levels) {
            let edges = here.edges(node);
            let at = edges.start + level.before[edges].partition_point(|&before| before <= rank) - 1;
            (node, rank) = (here.child[at], rank - level.before[at]);
            digits.push(here.digit[at]);
        }
        digits
    }

    /// The memory that the diagram takes.
    pub fn bytes(&self) -> u64 {
        self.levels.iter().map(|l| (l.bitmap.len() * 16 + l.child.len() * 12) as u64).sum()
    }
}
