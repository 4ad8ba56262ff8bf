//! The same set in another arena.

use crate::sets::set::{EMPTY, Level, Node, Sets};

/// Where nodes of one diagram are in another arena.
pub struct Copied(Vec<Vec<Node>>);

impl Copied {
    /// Nothing copied yet from this diagram.
    pub fn new(from: &[Level]) -> Self {
        // A copy is never the empty set, so that this can stand for "not yet".
        Copied(from.iter().map(|level| vec![EMPTY; level.nodes()]).collect())
    }

    /// The set below a node, in the other arena.
    pub fn copy(&mut self, from: &[Level], to: &mut Sets, level: usize, node: Node) -> Node {
        if node == EMPTY || level == from.len() {
            return node;
        }
        let known = self.0[level][node as usize];
        if known != EMPTY {
            return known;
        }
        let base = to.stack.len();
        for at in from[level].edges(node) {
            let (digit, child) = (from[level].digit[at], from[level].child[at]);
            let child = self.copy(from, to, level + 1, child);
            to.stack.push((digit, child));
        }
        let result = to.node(level, base);
        self.0[level][node as usize] = result;
        result
    }
}
