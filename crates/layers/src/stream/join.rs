//! How the states below a node find their successors below a target's node, in words of 64.

use crate::relation::{IDENTITY, Rel};
use crate::set::{EMPTY, Node};
use crate::stream::pass::Pass;
use rustc_hash::FxHashMap;

/// Up to 64 states whose successors lie in the same order within 64 ranks: those of `put` have theirs at
/// the places of `take`.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// Which 64 of the states.
    pub word: u32,
    /// The first rank below the target's node.
    pub offset: u32,
    /// Places from that rank on.
    pub take: u64,
    /// Places among the states.
    pub put: u64,
}

/// All states below a node whose moves go one way.
#[derive(Clone, Copy, Debug)]
pub struct Join {
    ops: (u32, u32),
    defaults: (u32, u32),
}

type Key = (Node, Rel, u32, Node);

/// The joins that have been needed. One per worker, so that nothing is shared.
pub struct Joins {
    known: FxHashMap<Key, Join>,
    ops: Vec<Op>,
    /// Words of states whose successors are reached but have no place.
    defaults: Vec<(u32, u64)>,
    /// For the ops being made, the last pair of each.
    last: Vec<(u64, u64)>,
    default_words: Vec<u64>,
}

/// What joins may take before they are forgotten.
const LIMIT: usize = 16 << 20;

impl Joins {
    /// None yet.
    pub fn new() -> Self {
        Joins {
            known: FxHashMap::default(),
            ops: vec![],
            defaults: vec![],
            last: vec![],
            default_words: vec![],
        }
    }

    /// The join of the states below `node` under a relation with the target below `to`.
    pub fn find(&mut self, pass: &Pass, node: Node, rel: Rel, target: u32, to: Node) -> Join {
        let key = (node, rel, target, to);
        if let Some(&join) = self.known.get(&key) {
            return join;
        }
        if self.ops.len() > LIMIT {
            self.known.clear();
            self.ops.clear();
            self.defaults.clear();
        }
        let (ops, defaults) = (self.ops.len() as u32, self.defaults.len() as u32);
        self.last.clear();
        let words = pass.counts[pass.bottom][node as usize].div_ceil(64) as usize;
        self.default_words.clear();
        self.default_words.resize(words, 0);
        self.follow(pass, pass.bottom, (node, 0), rel, target, (to, 0), ops as usize);
        for (word, &bits) in self.default_words.iter().enumerate() {
            if bits != 0 {
                self.defaults.push((word as u32, bits));
            }
        }
        let join =
            Join { ops: (ops, self.ops.len() as u32), defaults: (defaults, self.defaults.len() as u32) };
        self.known.insert(key, join);
        join
    }

    /// The parts of a join that lead to places.
    #[inline]
    pub fn ops(&self, join: Join) -> &[Op] {
        &self.ops[join.ops.0 as usize..join.ops.1 as usize]
    }

    /// The words of states whose successors have no place.
    #[inline]
    pub fn defaults(&self, join: Join) -> &[(u32, u64)] {
        &self.defaults[join.defaults.0 as usize..join.defaults.1 as usize]
    }

    fn follow(
        &mut self,
        pass: &Pass,
        level: usize,
        (node, at): (Node, u64),
        rel: Rel,
        target: u32,
        (to, rank): (Node, u64),
        base: usize,
    ) {
        if rel == IDENTITY && to == EMPTY {
            return self.add_default(at, pass.counts[level][node as usize]);
        }
        let Some(here) = pass.source.levels.get(level) else { return self.add(at, rank, base) };
        let mut at = at;
        for edge in here.edges(node) {
            let (digit, child) = (here.digit[edge], here.child[edge]);
            let mut go = |this: &mut Self, digit, rel| {
                let below = match to {
                    EMPTY => (EMPTY, 0),
                    _ => pass.targets[target as usize].diagram.step(level, to, digit),
                };
                let below = (below.0, rank + below.1);
                this.follow(pass, level + 1, (child, at), rel, target, below, base);
            };
            if rel == IDENTITY {
                go(self, digit, IDENTITY);
            } else {
                for &(next, rel) in pass.steps(level, rel, digit) {
                    go(self, next, rel);
                }
            }
            at += pass.counts[level + 1][child as usize];
        }
    }

    fn add_default(&mut self, at: u64, len: u64) {
        for state in at..at + len {
            self.default_words[(state / 64) as usize] |= 1 << (state % 64);
        }
    }

    fn add(&mut self, at: u64, rank: u64, base: usize) {
        let word = (at / 64) as u32;
        let put = 1 << (at % 64);
        let recent = base.max(self.ops.len().saturating_sub(16));
        for i in (recent..self.ops.len()).rev() {
            let (last_at, last_rank) = self.last[i - base];
            let op = &mut self.ops[i];
            let inside = rank - u64::from(op.offset).min(rank) < 64;
            if op.word == word && at > last_at && rank > last_rank && inside {
                op.take |= 1 << (rank - u64::from(op.offset));
                op.put |= put;
                self.last[i - base] = (at, rank);
                return;
            }
        }
        self.ops.push(Op { word, offset: rank as u32, take: 1, put });
        self.last.push((at, rank));
    }
}
