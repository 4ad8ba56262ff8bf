//! A layer made ready to be followed by cursors.

use crate::crew::Crew;
use crate::sets::layer::Layer;
use crate::sets::set::{self, EMPTY, Node};
use winset_index::Digit;
use winset_model::Code;

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

/// Fills in the bitmaps of some nodes and the number of states before each of their edges.
fn prepare(
    from: &set::Level,
    nodes: std::ops::Range<usize>,
    below: &[u64],
    bitmap: &mut [(u64, u32)],
    before: &mut [u64],
) {
    let words = bitmap.len() / nodes.len();
    let mut sums = before.iter_mut();
    for (node, row) in nodes.zip(bitmap.chunks_mut(words)) {
        let mut sum = 0;
        let edges = from.edges(node as Node);
        let mut next = edges.start as u32;
        for (at, before) in edges.zip(&mut sums) {
            let digit = from.digit[at] as usize;
            row[digit / 64].0 |= 1 << (digit % 64);
            *before = sum;
            sum += below[from.child[at] as usize];
        }
        for (bits, first) in row {
            *first = next;
            next += bits.count_ones();
        }
    }
}

impl Target {
    /// Makes a layer ready; `counts` as by [`Layer::counts`], `digits` the number of digits of each block.
    pub fn new(layer: &Layer, counts: &[Vec<u64>], digits: &[usize], crew: &Crew) -> Self {
        let mut levels = vec![];
        for (from, digits) in layer.levels.iter().zip(digits) {
            let words = digits.div_ceil(64).max(1);
            let bitmap = vec![(0, 0); from.nodes() * words];
            levels.push(Level {
                words,
                bitmap,
                child: from.child.clone(),
                before: vec![0; from.child.len()],
            });
        }
        // A piece of every level for each thread.
        let mut pieces: Vec<Vec<_>> = (0..crew.threads()).map(|_| vec![]).collect();
        for (k, level) in levels.iter_mut().enumerate() {
            let (mut bitmap, mut before) = (&mut level.bitmap[..], &mut level.before[..]);
            let per_piece = layer.levels[k].nodes().div_ceil(crew.threads()).max(1);
            for (thread, first) in (0..layer.levels[k].nodes()).step_by(per_piece).enumerate() {
                let nodes = first..layer.levels[k].nodes().min(first + per_piece);
                let edges = layer.levels[k].edges(nodes.end as Node - 1).end
                    - layer.levels[k].edges(first as Node).start;
                let (rows, more_rows) = bitmap.split_at_mut(nodes.len() * level.words);
                let (sums, more_sums) = before.split_at_mut(edges);
                (bitmap, before) = (more_rows, more_sums);
                pieces[thread].push((k, nodes, rows, sums));
            }
        }
        crew.map(pieces, |_, pieces| {
            for (k, nodes, rows, sums) in pieces {
                prepare(&layer.levels[k], nodes, &counts[k + 1], rows, sums);
            }
        });
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
