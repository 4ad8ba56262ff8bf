//! Constraints (`INIT`, `INVAR`, `TRANS`), and a relation that is a choice cut into its alternatives.

use super::Assembly;
use crate::compile::{OF_NEXT, Place};
use crate::diagnostic::Checked;
use crate::inputs::Part;
use crate::syntax::{Constraint, Expr as Syntax, ExprKind};
use rustc_hash::FxHashSet;
use winset_model::{Expr, ExprId};

impl<'f> Assembly<'f, '_> {
    pub(super) fn constraint(&mut self, scope: usize, kind: Constraint, body: &'f Syntax) -> Checked<()> {
        match kind {
            Constraint::Init => {
                let condition = self.compiler.stated(body, Place::state(scope))?;
                self.initial.push(condition);
            }
            Constraint::Invar => {
                let place = Place::state(scope);
                let now = self.compiler.stated(body, place)?;
                let later = self.compiler.condition(body, Place { shifted: true, ..place });
                self.compiler.failures.clear();
                let later = later?;
                self.invariants.push(now);
                self.trans.extend([now, later]);
            }
            Constraint::Trans => match &body.kind {
                ExprKind::Or(list) if self.parts.is_empty() => {
                    // What fails in one of them matters only where the others do not hold.
                    self.compiler.stated(body, Place::transition(scope))?;
                    for disjunct in list {
                        let formula = self.compiler.condition(disjunct, Place::transition(scope));
                        self.compiler.failures.clear();
                        let formula = formula?;
                        let name = match &disjunct.kind {
                            ExprKind::Name(name) => name.clone(),
                            _ => format!("step {}", self.parts.len() + 1),
                        };
                        self.parts.push(Part { name, formula });
                    }
                }
                _ => {
                    let condition = self.compiler.stated(body, Place::transition(scope))?;
                    match self.alternatives(condition) {
                        Some(list) => self.parts = list,
                        None => self.trans.push(condition),
                    }
                }
            },
        }
        self.compiler.within_limits(body.span)
    }

    /// The disjuncts of a relation of which each is a list of conditions on the step, as tools write it, with such
    /// disjunctions inside multiplied out; none if it looks otherwise, or another one has been cut.
    fn alternatives(&mut self, condition: ExprId) -> Option<Vec<Part>> {
        const MOST: usize = 512;
        if !self.parts.is_empty() {
            return None;
        }
        let (mut done, mut open) = (vec![], vec![self.conjuncts(condition)]);
        while let Some(conjuncts) = open.pop() {
            let room = MOST.saturating_sub(done.len() + open.len());
            let found = (0..conjuncts.len()).find_map(|i| Some((i, self.disjuncts(conjuncts[i], room)?)));
            let Some((i, disjuncts)) = found else {
                done.push(conjuncts);
                continue;
            };
            for disjunct in disjuncts.into_iter().rev() {
                let mut part = conjuncts.clone();
                part.splice(i..=i, self.conjuncts(disjunct));
                open.push(part);
            }
        }
        if done.len() < 2 {
            return None;
        }
        let exprs = &mut self.compiler.exprs;
        let part = |(i, conjuncts): (usize, Vec<ExprId>)| Part {
            name: format!("step {}", i + 1),
            formula: exprs.and(conjuncts),
        };
        Some(done.into_iter().enumerate().map(part).collect())
    }

    /// The conjuncts of a condition, none of which is a conjunction.
    fn conjuncts(&self, condition: ExprId) -> Vec<ExprId> {
        let (mut open, mut all) = (vec![condition], vec![]);
        while let Some(id) = open.pop() {
            match self.compiler.exprs.get(id) {
                Expr::And(list) => open.extend(list.iter().copied()),
                _ => all.push(id),
            }
        }
        all
    }

    /// The disjuncts of a condition, if there are a few and each says more than one thing of the next state.
    fn disjuncts(&mut self, condition: ExprId, most: usize) -> Option<Vec<ExprId>> {
        let (mut open, mut all, mut seen) = (vec![condition], vec![], FxHashSet::default());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Expr::Or(list) = self.compiler.exprs.get(id) {
                open.extend(list.iter().rev().copied());
            } else if all.len() < most && self.says_of_next(id) > 1 {
                all.push(id);
            } else {
                return None;
            }
        }
        (all.len() > 1).then_some(all)
    }

    /// How many conjuncts of a condition speak of the next state.
    fn says_of_next(&mut self, condition: ExprId) -> usize {
        let conjuncts = self.conjuncts(condition);
        conjuncts.into_iter().filter(|&id| self.compiler.speaks(id) & OF_NEXT != 0).count()
    }
}
