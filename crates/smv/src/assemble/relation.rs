//! The transition relation in its last form, and whether it makes sense.

use super::Assembly;
use crate::compile::Compiler;
use crate::diagnostic::{Code, Diagnostic};
use crate::inputs::Part;
use crate::instance::INPUTS;
use crate::syntax::{Constraint, Item, When};
use rustc_hash::{FxHashMap, FxHashSet};
use winset_diagnostic::Span;
use winset_model::{Expr, ExprId, Relation, VarId};

impl Assembly<'_, '_> {
    /// Takes out what says that a variable keeps its value.
    pub(super) fn relation(&mut self, part: Part) -> Relation {
        let exprs = &mut self.compiler.exprs;
        let records = self.compiler.records.iter().map(|record| (record.var, record.variable.size()));
        let states = self.flat.variables.iter().filter(|d| d.var.0 < INPUTS).map(|d| (d.var, d.values.len()));
        let states: Vec<(VarId, usize)> = states.chain(records).collect();
        let frames: FxHashMap<ExprId, VarId> =
            states.iter().map(|&(var, size)| (exprs.unchanged(var, size), var)).collect();
        let operands = match exprs.get(part.formula) {
            Expr::And(list) => list.to_vec(),
            _ => vec![part.formula],
        };
        let rest = operands.iter().copied().filter(|id| !frames.contains_key(id));
        let written: FxHashSet<VarId> = exprs
            .cone(rest)
            .into_iter()
            .filter_map(|id| if let Expr::Next(var, _) = exprs.get(id) { Some(*var) } else { None })
            .collect();
        let mut kept: FxHashSet<VarId> = FxHashSet::default();
        let mut formula = vec![];
        for id in operands {
            match frames.get(&id) {
                Some(var) if !written.contains(var) => {
                    kept.insert(*var);
                }
                _ => formula.push(id),
            }
        }
        let mut writes: Vec<VarId> =
            states.into_iter().map(|(var, _)| var).filter(|var| !kept.contains(var)).collect();
        writes.sort_unstable();
        Relation { name: part.name, formula: exprs.and(formula), writes, unless: vec![] }
    }

    /// A model without initial states, or without any transition, says nothing.
    pub(super) fn check_sense(&mut self, initial: ExprId, relations: &[Relation]) {
        const NODES: usize = 50_000;
        let flat = self.flat;
        let sizes = |var: VarId| flat.size(var);
        let Compiler { exprs, diagrams, .. } = &mut self.compiler;
        let mut never = |id: ExprId| diagrams.satisfiable(exprs, id, &sizes, NODES) == Some(false);
        let (no_initial, no_step) = (never(initial), relations.iter().all(|r| never(r.formula)));
        if no_initial {
            let span = self.place_of(|item| {
                matches!(
                    item,
                    Item::Constraint { kind: Constraint::Init | Constraint::Invar, .. }
                        | Item::Assign { when: When::Init | When::Always, .. }
                )
            });
            let message = "no state satisfies all initial conditions";
            self.compiler.found.add(Diagnostic::warning(Code::EmptyInitial, span, message));
        }
        if no_step {
            let span = self.place_of(|item| {
                matches!(
                    item,
                    Item::Constraint { kind: Constraint::Trans | Constraint::Invar, .. }
                        | Item::Assign { when: When::Next | When::Always, .. }
                )
            });
            let message = "the transition relation is empty: no state has a successor";
            self.compiler.found.add(Diagnostic::warning(Code::NoSuccessor, span, message));
        }
    }

    /// The last of the items that a finding is about.
    fn place_of(&self, about: impl Fn(&Item) -> bool) -> Span {
        let found = self.flat.items.iter().rev().find(|(_, item)| about(item));
        match found {
            Some((_, Item::Constraint { body, .. })) => body.span,
            Some((_, Item::Assign { target, value, .. })) => target.span.to(value.span),
            _ => Span::new(0, 0),
        }
    }
}
