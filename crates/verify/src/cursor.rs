//! Ranking successors: neighbours differ little, so each ranking goes on where the last one was.

use std::sync::Arc;

use crate::layers::Layer;
use winset_index::Digit;

/// The way to the last digit string that was ranked in a layer.
#[derive(Default)]
pub struct Cursor {
    pub layer: Option<Arc<Layer>>,
    digits: Vec<Digit>,
    /// The node at each level on the way, and one more for what is below.
    nodes: Vec<u32>,
    ranks: Vec<u64>,
    /// The digit last looked for among a node's edges, and the edge where looking ended.
    seek: Vec<(Digit, usize)>,
    /// Digits and nodes are right down to this level.
    valid: usize,
}

impl Cursor {
    /// Goes to a layer; nothing is known of the way then.
    pub fn enter(&mut self, layer: Option<Arc<Layer>>) {
        self.valid = 0;
        let Some(entered) = &layer else {
            self.layer = None;
            return;
        };
        let levels = entered.index.levels();
        self.digits = vec![0; levels.len()];
        self.nodes = vec![0; levels.len() + 1];
        self.ranks = vec![0; levels.len() + 1];
        self.seek = vec![(0, 0); levels.len()];
        if let (Some(root), Some(top)) = (entered.index.root(), levels.first()) {
            self.nodes[0] = root;
            self.seek[0] = (0, top.edges(root).start);
        }
        self.layer = layer;
    }

    /// The rank of a digit string in the layer, if it is there.
    pub fn rank(&mut self, string: &[Digit]) -> Option<u64> {
        let layer = self.layer.as_ref()?;
        layer.index.root()?;
        let levels = layer.index.levels();
        let mut k = 0;
        while k < self.valid && self.digits[k] == string[k] {
            k += 1;
        }
        while let Some(level) = levels.get(k) {
            let (digit, node) = (string[k], self.nodes[k]);
            let edges = level.edges(node);
            let (last, at) = self.seek[k];
            let from = if digit >= last { at } else { edges.start };
            let e = lower_bound(&level.digit, from, edges.end, digit);
            self.seek[k] = (digit, e);
            if e == edges.end || level.digit[e] != digit {
                self.valid = k;
                return None;
            }
            self.digits[k] = digit;
            self.nodes[k + 1] = level.child[e];
            self.ranks[k + 1] = self.ranks[k] + level.before[e];
            if let Some(next) = levels.get(k + 1) {
                self.seek[k + 1] = (0, next.start[level.child[e] as usize] as usize);
            }
            k += 1;
        }
        self.valid = levels.len();
        Some(self.ranks[levels.len()])
    }
}

/// The first position from `from` on whose digit is not below. Mostly a step or two away.
fn lower_bound(digits: &[Digit], mut from: usize, end: usize, digit: Digit) -> usize {
    let near = end.min(from + 8);
    while from < near {
        if digits[from] >= digit {
            return from;
        }
        from += 1;
    }
    from + digits[from..end].partition_point(|&d| d < digit)
}
