//! The successors of a set.

use crate::error::LayersError;
use crate::rules::conjunction::Conjunctions;
use crate::rules::relation::{IDENTITY, Rel, Relations};
use crate::rules::rules_of_game::Rules;
use crate::sets::copy::Copied;
use crate::sets::memo::{Memo, pair};
use crate::sets::set::{EMPTY, Level, Node, Sets};

/// Computes images from one arena into another, in one recursion: at each level either the move is still
/// to come, or it happens here and the rest of the set is taken as it is.
pub struct Image<'a> {
    rules: &'a mut Rules,
    conjs: &'a mut Conjunctions,
    relations: &'a mut Relations,
    from: &'a [Level],
    to: &'a mut Sets,
    copied: &'a mut Copied,
    memo: Vec<Memo>,
}

impl<'a> Image<'a> {
    /// Images from `from` to `to`; `copied` says where nodes of the one are already in the other.
    pub fn new(
        rules: &'a mut Rules,
        conjs: &'a mut Conjunctions,
        relations: &'a mut Relations,
        from: &'a [Level],
        to: &'a mut Sets,
        copied: &'a mut Copied,
    ) -> Self {
        let memo = from.iter().map(|_| Memo::default()).collect();
        Image { rules, conjs, relations, from, to, copied, memo }
    }

    /// The successors of a set under a relation, as a set of the other arena.
    pub fn image(&mut self, level: usize, node: Node, rel: Rel) -> Result<Node, LayersError> {
        if rel == IDENTITY {
            return Ok(self.copied.copy(self.from, self.to, level, node));
        }
        let key = pair(node, rel);
        if let Some(result) = self.memo[level].get(key) {
            return Ok(result as Node);
        }
        let base = self.to.stack.len();
        self.rules.conds.work.spend(self.from[level].edges(node).len() as u64)?;
        for at in self.from[level].edges(node) {
            let (digit, child) = (self.from[level].digit[at], self.from[level].child[at]);
            for step in self.relations.steps(self.rules, self.conjs, level, rel, digit)? {
                let (next, below) = self.relations.step(level, step);
                let image = self.image(level + 1, child, below)?;
                if image != EMPTY {
                    self.to.stack.push((next, image));
                }
            }
        }
        self.rules
            .conds
            .work
            .spend((self.to.stack.len() - base) as u64 + std::mem::take(&mut self.to.steps))?;
        let result = self.to.node_of_unsorted(level, base);
        self.memo[level].insert(key, u64::from(result));
        Ok(result)
    }
}
