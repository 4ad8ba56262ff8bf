//! Ranking successors: neighbours differ little, so each ranking goes on where the last one was.

use crate::layers::Layer;
use std::sync::Arc;
use winset_index::Digit;

/// The way to the last digit string that was ranked in a layer.
#[derive(Default)]
pub struct Cursor {
    pub layer: Option<Arc<Layer>>,
    /// The string to be ranked, which stays from one ranking to the next as far as it does not change.
    pub string: Vec<Digit>,
    steps: Vec<Step>,
    /// The steps are those of the string down to this level.
    valid: usize,
    /// At that level there was no edge for the string.
    missed: bool,
}

/// What is known at one level on the way.
#[derive(Clone, Copy, Default)]
struct Step {
    node: u32,
    digit: Digit,
    /// The digit last looked for among the node's edges, and the edge where looking ended.
    sought: Digit,
    edge: u32,
    rank: u64,
}

impl Cursor {
    /// Goes to a layer; nothing is known of the way then.
    pub fn enter(&mut self, layer: Option<Arc<Layer>>) {
        (self.valid, self.missed) = (0, false);
        if let Some(entered) = &layer {
            let levels = entered.index.levels();
            self.steps.clear();
            self.steps.resize(levels.len() + 1, Step::default());
            if let (Some(root), Some(top)) = (entered.index.root(), levels.first()) {
                self.steps[0].node = root;
                self.steps[0].edge = top.start[root as usize];
            }
        }
        self.layer = layer;
    }

    /// From this level on the string has changed, and may change again before it is ranked.
    pub fn forget(&mut self, from: usize) {
        if from <= self.valid {
            (self.valid, self.missed) = (from, false);
        }
    }

    /// The rank of the string in the layer, if it is there. No digit above level `same` has changed since
    /// the last ranking.
    pub fn rank(&mut self, same: usize) -> Option<u64> {
        if self.missed && same > self.valid {
            // What was missed is above all that has changed.
            return None;
        }
        let layer = self.layer.as_deref()?;
        layer.index.root()?;
        let levels = layer.index.levels();
        let mut k = same.min(self.valid);
        while k < self.valid && self.steps[k].digit == self.string[k] {
            k += 1;
        }
        if k == levels.len() {
            return Some(self.steps[k].rank);
        }
        let last = levels.len() - 1;
        let mut step = self.steps[k];
        loop {
            let (level, digit) = (&levels[k], self.string[k]);
            let (start, end) = (level.start[step.node as usize], level.start[step.node as usize + 1]);
            let from = if digit >= step.sought { step.edge } else { start };
            let e = lower_bound(&level.digit[..end as usize], from as usize, digit);
            (step.sought, step.edge) = (digit, e as u32);
            if e == end as usize || level.digit[e] != digit {
                self.steps[k] = step;
                (self.valid, self.missed) = (k, true);
                return None;
            }
            step.digit = digit;
            self.steps[k] = step;
            if k == last {
                // Below each edge there is one state, so that `before` need not be read.
                let rank = step.rank + e as u64 - u64::from(start);
                self.steps[k + 1].rank = rank;
                (self.valid, self.missed) = (k + 1, false);
                return Some(rank);
            }
            let node = level.child[e];
            let edge = levels[k + 1].start[node as usize];
            step = Step { node, edge, rank: step.rank + level.before[e], ..Step::default() };
            k += 1;
        }
    }
}

/// The first position from `from` on whose digit is not below. Mostly a step or two away.
fn lower_bound(digits: &[Digit], from: usize, digit: Digit) -> usize {
    let rest = &digits[from.min(digits.len())..];
    for (steps, &d) in rest[..rest.len().min(8)].iter().enumerate() {
        if d >= digit {
            return from + steps;
        }
    }
    from + rest.partition_point(|&d| d < digit)
}
