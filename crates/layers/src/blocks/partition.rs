//! Cuts a set in two by a list of conditions, in one pass.

use crate::rules::conjunction::{ALWAYS, Conj, Conjunctions, NEVER};
use crate::rules::rules_of_game::Rules;
use crate::sets::memo::{Memo, pair};
use crate::sets::set::{EMPTY, Node, Sets};
use winset_index::Digit;

/// Which sides of a cut are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Only the states in which all conditions hold.
    Inside,
    /// Also the others.
    Both,
}

/// Cuts sets of an arena. The memo's key is a node and the conditions that are still open there, so that
/// many small conditions cost one pass.
pub struct Partition<'a> {
    rules: &'a Rules,
    conjs: &'a mut Conjunctions,
    sets: &'a mut Sets,
    sides: Sides,
    memo: Vec<Memo>,
    /// Edges of the outside while the inside's are on the arena's stack.
    outside: Vec<(Digit, Node)>,
}

impl<'a> Partition<'a> {
    /// Cuts sets of this arena.
    pub fn new(rules: &'a Rules, conjs: &'a mut Conjunctions, sets: &'a mut Sets, sides: Sides) -> Self {
        let memos = |sets: &Sets| sets.levels.iter().map(|_| Memo::default()).collect::<Vec<Memo>>();
        let memo = memos(sets);
        Partition { rules, conjs, sets, sides, memo, outside: vec![] }
    }

    /// The states in which all conditions hold, and the others (empty if not wanted).
    pub fn cut(&mut self, level: usize, node: Node, conj: Conj) -> (Node, Node) {
        if node == EMPTY {
            return (EMPTY, EMPTY);
        }
        if conj == ALWAYS {
            return (node, EMPTY);
        }
        if conj == NEVER {
            return (EMPTY, if self.sides == Sides::Both { node } else { EMPTY });
        }
        if let Some(result) = self.memo[level].get(pair(node, conj)) {
            return ((result >> 32) as Node, result as Node);
        }
        let (base, outside) = (self.sets.stack.len(), self.outside.len());
        for at in self.sets.levels[level].edges(node) {
            let (digit, child) = self.sets.edge(level, at);
            let rest = self.conjs.step(self.rules, level, conj, digit);
            let (yes, no) = self.cut(level + 1, child, rest);
            if yes != EMPTY {
                self.sets.stack.push((digit, yes));
            }
            if no != EMPTY {
                self.outside.push((digit, no));
            }
        }
        let yes = self.sets.node(level, base);
        self.sets.stack.extend(self.outside.drain(outside..));
        let no = self.sets.node(level, base);
        self.memo[level].insert(pair(node, conj), pair(yes, no));
        (yes, no)
    }
}
