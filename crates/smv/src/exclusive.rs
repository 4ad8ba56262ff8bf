//! What is known of conditions because of where they come from: those of the values of one sum exclude each other, so that in
//! `x + y <= 1000 ? x + y : 0` the sums beyond 1000 never apply, and of the others the comparison says nothing new. Found out
//! from diagrams, that takes a large one for every sum.

use crate::compile::Compiler;
use crate::diagnostic::{Checked, Diagnostic};
use crate::value::{Constant, conjoin};
use rustc_hash::{FxHashMap, FxHashSet};
use winset_model::{Expr, ExprId};

/// Nodes of the diagrams that tell whether a condition is impossible.
const NODES: usize = 2_000_000;
/// Shorter lists are as soon compared by what they say.
const LONG: usize = 32;

/// Which conditions exclude each other: those with the same number.
#[derive(Default)]
pub(crate) struct Families {
    of: FxHashMap<ExprId, u32>,
    count: u32,
}

impl Families {
    /// The conditions of the values of one expression.
    pub fn add(&mut self, cases: &[(Constant, ExprId)]) {
        if cases.len() < LONG || cases.iter().all(|(_, when)| self.of.contains_key(when)) {
            return;
        }
        self.count += 1;
        for (_, when) in cases {
            self.of.entry(*when).or_insert(self.count);
        }
    }
}

/// A disjunction of many conditions, or its negation, as a part of a condition.
struct Among {
    part: ExprId,
    negated: bool,
    list: FxHashSet<ExprId>,
    /// All of the list exclude each other.
    family: Option<u32>,
}

impl Compiler<'_, '_> {
    /// The conditions of cases together with another one.
    pub fn under(&mut self, applies: ExprId, mut cases: Vec<(Constant, ExprId)>) -> Vec<(Constant, ExprId)> {
        let parts: Vec<ExprId> = match self.exprs.get(applies) {
            Expr::And(list) => list.to_vec(),
            _ => vec![applies],
        };
        let among: Vec<Among> = match cases.len() {
            0..LONG => vec![],
            _ => parts.iter().filter_map(|&part| self.among(part)).collect(),
        };
        let mut needed: Vec<ExprId> = vec![];
        cases.retain_mut(|(_, when)| {
            needed.clear();
            needed.extend_from_slice(&parts);
            let family = self.families.of.get(when).copied();
            for known in &among {
                let listed = known.list.contains(when);
                let apart = known.family.is_some() && known.family == family;
                match (listed, apart) {
                    // It is one of them, or it excludes them all.
                    _ if listed != known.negated && (listed || apart) => needed.retain(|p| *p != known.part),
                    (false, false) => {}
                    _ => return false,
                }
            }
            *when = conjoin(&mut self.exprs, needed.iter().copied().chain([*when]));
            true
        });
        cases
    }

    fn among(&self, part: ExprId) -> Option<Among> {
        let (negated, or) = match self.exprs.get(part) {
            Expr::Not(inner) => (true, *inner),
            _ => (false, part),
        };
        let Expr::Or(list) = self.exprs.get(or) else { return None };
        let family = |id: &ExprId| self.families.of.get(id).copied();
        let first = list.first().and_then(family);
        let family = first.filter(|_| list.iter().all(|id| family(id) == first));
        Some(Among { part, negated, list: list.iter().copied().collect(), family })
    }

    /// Whether a condition can hold, if that is not too hard to tell.
    pub fn possible(&mut self, when: ExprId) -> Option<bool> {
        let flat = self.flat;
        self.diagrams.satisfiable(&self.exprs, when, &|var| flat.size(var), NODES)
    }

    /// Reports the first of conditions that must never hold but can. Mostly none can, which is found out for all at once.
    pub fn all_impossible(&mut self, list: Vec<(ExprId, Diagnostic)>) -> Checked<()> {
        if list.len() > 1 {
            let any = self.exprs.or(list.iter().map(|(when, _)| *when));
            if self.possible(any) == Some(false) {
                return Ok(());
            }
        }
        list.into_iter().try_for_each(|(when, why)| self.impossible(when, why))
    }
}
