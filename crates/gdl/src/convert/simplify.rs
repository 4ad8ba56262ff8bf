//! Joint moves as they look where they are legal.

use crate::convert::compile::Compiler;
use crate::convert::overlay::Effects;
use crate::prove::formula::{Assumption, FALSE, FormulaId, Memo, TRUE};
use crate::prove::induct::JointMove;
use crate::prove::refute::{Theory, consequences_with};
use rustc_hash::{FxHashMap, FxHashSet};

/// A joint move as it looks where it is legal.
pub(crate) struct Simplified {
    pub known: Assumption,
    pub effects: Effects,
}

impl Simplified {
    /// What makes a fluent hold next, if it may change.
    pub fn effect(&self, fluent: u32) -> Option<FormulaId> {
        self.effects.binary_search_by_key(&fluent, |e| e.0).ok().map(|at| self.effects[at].1)
    }
}

/// What a guard says of the fluents, and the effects where that is so.
type Case = (Vec<(u32, bool)>, Effects);

/// Facts and effects that are remembered in all, so that large games do not fill the memory.
const MOST: usize = 16_000_000;

/// Simplifies joint moves. A theory that loses a group seldom changes what a guard says, so the last answer
/// for every move is remembered.
#[derive(Default)]
pub(crate) struct Simplifier {
    done: FxHashMap<Vec<usize>, Case>,
    size: usize,
    /// Everything in `done` was concluded from groups that are proved.
    pub settled: bool,
}

impl Simplifier {
    /// Uses what the guard says to simplify the effects, and drops those that change nothing. Nothing if the
    /// move is never legal. Also the groups that this was concluded from.
    pub fn simplify(
        &mut self,
        joint: &JointMove,
        theory: &Theory,
        compiler: &mut Compiler,
    ) -> (Option<Simplified>, FxHashSet<u32>) {
        if self.settled
            && let Some((list, effects)) = self.done.get(&joint.actions)
        {
            let mut known = Assumption::default();
            list.iter().for_each(|(f, value)| known.set(*f, *value));
            return (Some(Simplified { known, effects: effects.clone() }), FxHashSet::default());
        }
        let (list, used) = consequences_with(&compiler.formulas, theory, &[(joint.guard, true)]);
        let Some(list) = list else {
            self.forget(joint);
            return (None, used);
        };
        let mut known = Assumption::default();
        list.iter().for_each(|(f, value)| known.set(*f, *value));
        if let Some((_, effects)) = self.done.get(&joint.actions).filter(|case| case.0 == list) {
            return (Some(Simplified { known, effects: effects.clone() }), used);
        }
        let effects: Effects = restrict(joint, &known, compiler).into();
        self.forget(joint);
        let size = list.len() + effects.len();
        if self.size + size <= MOST {
            self.size += size;
            self.done.insert(joint.actions.clone(), (list, effects.clone()));
        }
        (Some(Simplified { known, effects }), used)
    }

    fn forget(&mut self, joint: &JointMove) {
        if let Some(old) = self.done.remove(&joint.actions) {
            self.size -= old.0.len() + old.1.len();
        }
    }
}

fn restrict(joint: &JointMove, known: &Assumption, compiler: &mut Compiler) -> Vec<(u32, FormulaId)> {
    let mut memo = Memo::new(joint.effects.len());
    let mut effects = Vec::new();
    for (f, effect) in joint.effects.iter() {
        let effect = compiler.formulas.restrict(*effect, known, &mut memo);
        let same = match known.value(*f) {
            Some(true) => effect == TRUE,
            Some(false) => effect == FALSE,
            None => effect == compiler.formulas.fluent(*f),
        };
        if !same {
            effects.push((*f, effect));
        }
    }
    effects
}
