//! A set with a number for each of its positions.

use crate::board::{Digit, height};
use crate::set::{EMPTY, Node, Set};

/// The set, frozen: positions are numbered in the order of a walk.
pub struct Index {
    pub levels: Vec<Level>,
    pub root: Node,
    /// The number of positions.
    pub len: u64,
}

/// The nodes of a level, with what their numbers need.
pub struct Level {
    pub start: Vec<u32>,
    pub digit: Vec<Digit>,
    pub child: Vec<Node>,
    /// The positions below earlier edges of the same node.
    before: Vec<u64>,
    /// The positions below each node.
    pub count: Vec<u64>,
    /// The digits of each node, a bit for each.
    digits: Vec<u128>,
    /// On the last level, where all columns of a node have the same height: that height ...
    pub height: Vec<u8>,
    /// ... and the colours of the stones that occur, a bit for each pattern.
    pub patterns: Vec<u64>,
}

/// A place in the walk through an index: the node, and the positions before it.
#[derive(Clone, Copy, Default)]
pub struct Cursor {
    pub node: Node,
    pub rank: u64,
}

impl Index {
    pub fn new(set: &Set, root: Node) -> Self {
        let mut levels = Vec::new();
        let mut below = vec![1];
        for (depth, level) in set.levels.iter().enumerate().rev() {
            let last = depth + 1 == set.levels.len();
            let level = Level::new(level, &below, last);
            below.clone_from(&level.count);
            levels.push(level);
        }
        levels.reverse();
        let len = if root == EMPTY { 0 } else { levels[0].count[root as usize] };
        Index { levels, root, len }
    }

    /// The place below a digit; none if no position has it.
    #[inline(always)]
    pub fn step(&self, level: usize, from: Cursor, digit: Digit) -> Option<Cursor> {
        let level = &self.levels[level];
        let digits = level.digits[from.node as usize];
        if digits >> digit & 1 == 0 {
            return None;
        }
        let smaller = (digits & ((1 << digit) - 1)).count_ones();
        let edge = (level.start[from.node as usize] + smaller) as usize;
        Some(Cursor { node: level.child[edge], rank: from.rank + level.before[edge] })
    }
}

impl Level {
    fn new(level: &crate::set::Level, below: &[u64], last: bool) -> Self {
        let nodes = level.len();
        let mut frozen = Level {
            start: level.start.clone(),
            digit: level.digit.clone(),
            child: level.child.clone(),
            before: vec![0; level.digit.len()],
            count: vec![0; nodes],
            digits: vec![0; nodes],
            height: vec![0; nodes],
            patterns: vec![0; nodes],
        };
        for node in 0..nodes {
            for edge in level.start[node] as usize..level.start[node + 1] as usize {
                let digit = level.digit[edge];
                frozen.before[edge] = frozen.count[node];
                frozen.count[node] += below[level.child[edge] as usize];
                frozen.digits[node] |= 1 << digit;
                if last {
                    let height = height(digit);
                    frozen.height[node] = height as u8;
                    frozen.patterns[node] |= 1 << (digit - (1 << height));
                }
            }
        }
        frozen
    }
}
