//! Sets of positions: a reduced diagram with a level per column, none left out.

use crate::board::{Digit, EMPTY_COLUMN};
use rustc_hash::FxHashMap;

/// A node, by its number on its level.
pub type Node = u32;

/// The node of the empty set, on every level.
pub const EMPTY: Node = u32::MAX;

/// What leads down from a node: digits, ascending, and the nodes below.
pub type Edges = Vec<(Digit, Node)>;

/// The nodes of all levels, each once.
pub struct Set {
    pub levels: Vec<Level>,
}

/// The nodes of a level: the edges of all in a row.
#[derive(Default)]
pub struct Level {
    /// Where each node's edges begin, and the end of all.
    pub start: Vec<u32>,
    pub digit: Vec<Digit>,
    pub child: Vec<Node>,
    known: FxHashMap<Edges, Node>,
}

impl Level {
    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }
}

impl Set {
    /// Without any nodes.
    pub fn new(columns: usize) -> Self {
        Set { levels: (0..columns).map(|_| Level { start: vec![0], ..Level::default() }).collect() }
    }

    /// The empty board alone, and the root.
    pub fn start(columns: usize) -> (Self, Node) {
        let mut set = Set::new(columns);
        let root = (0..columns).rev().fold(0, |below, level| set.node(level, vec![(EMPTY_COLUMN, below)]));
        (set, root)
    }

    /// The node with these edges.
    pub fn node(&mut self, level: usize, edges: Edges) -> Node {
        if edges.is_empty() {
            return EMPTY;
        }
        let level = &mut self.levels[level];
        if let Some(&known) = level.known.get(&edges) {
            return known;
        }
        let new = level.len() as Node;
        level.digit.extend(edges.iter().map(|edge| edge.0));
        level.child.extend(edges.iter().map(|edge| edge.1));
        level.start.push(level.digit.len() as u32);
        level.known.insert(edges, new);
        new
    }

    /// The edges of a node.
    pub fn edges(&self, level: usize, node: Node) -> Edges {
        let level = &self.levels[level];
        let range = level.start[node as usize] as usize..level.start[node as usize + 1] as usize;
        level.digit[range.clone()].iter().copied().zip(level.child[range].iter().copied()).collect()
    }
}
