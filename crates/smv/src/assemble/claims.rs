//! What the model is claimed to satisfy, which paths count, and the sets that formulas can name.

use super::{Assembly, Spec};
use crate::compile::Place;
use crate::diagnostic::{Checked, Code, Diagnostic};
use crate::syntax::{Expr as Syntax, Item, Name, SpecKind};
use crate::value::Value;
use winset_formula::{Fairness, Property};
use winset_model::ExprId;

impl Assembly<'_, '_> {
    pub(super) fn specs(&mut self) -> Vec<Spec> {
        let mut specs = vec![];
        for &(scope, item) in &self.flat.items {
            let (name, span, within) = match item {
                Item::Spec { name, body, within, .. } => (name, body.span, within),
                Item::Compute { name, from, to, within, .. } => (name, from.span.to(to.span), within),
                _ => continue,
            };
            let checked = self.inside(scope, within).and_then(|scope| self.property(scope, item));
            let Some(property) = self.report(checked) else { continue };
            let text = self.compiler.text[span.start..span.end].to_owned();
            let name = name.as_ref().map(|name| name.text.clone());
            specs.push(Spec { name, text, span, property });
        }
        specs
    }

    /// Where the names of a specification are looked up: in the instance that it gives, or where it stands.
    fn inside(&self, scope: usize, within: &Option<Name>) -> Checked<usize> {
        let Some(path) = within else { return Ok(scope) };
        let found = self.flat.instance_at(scope, &path.text, self.compiler.limits.nesting);
        let message = || format!("there is no instance `{}` here", path.text);
        found.ok_or_else(|| Diagnostic::error(Code::UnknownName, path.span, message()))
    }

    fn property(&mut self, scope: usize, item: &Item) -> Checked<Property> {
        let compiler = &mut self.compiler;
        Ok(match item {
            Item::Compute { longest, from, to, .. } => Property::Distance {
                longest: *longest,
                from: compiler.stated(from, Place::state(scope))?,
                to: compiler.stated(to, Place::state(scope))?,
            },
            Item::Spec { kind: SpecKind::Invariant, body, .. } => {
                let condition = compiler.stated(body, Place::transition(scope))?;
                Property::Invariant(match compiler.speaks(condition) {
                    0 => condition,
                    _ => compiler.observe(condition, true, compiler.text_of(body)),
                })
            }
            Item::Spec { kind: SpecKind::Linear, body, .. } => {
                Property::Linear(compiler.linear(body, scope)?)
            }
            Item::Spec { body, .. } => Property::Branching(compiler.formula(body, scope)?),
            _ => unreachable!("only specifications are asked for"),
        })
    }

    pub(super) fn fairness(&mut self) -> Fairness {
        let mut fairness = Fairness::default();
        for &(scope, item) in &self.flat.items {
            let Item::Fair { first, second } = item else { continue };
            let first = self.fair(scope, first);
            match second {
                None => fairness.justice.extend(first),
                Some(second) => fairness.compassion.extend(first.zip(self.fair(scope, second))),
            }
        }
        fairness
    }

    fn fair(&mut self, scope: usize, condition: &Syntax) -> Option<ExprId> {
        let compiler = &mut self.compiler;
        let checked =
            compiler.stated(condition, Place::transition(scope)).map(|set| match compiler.speaks(set) {
                0 => set,
                _ => compiler.observe(set, false, compiler.text_of(condition)),
            });
        self.report(checked)
    }

    /// The Boolean definitions that speak of states only.
    pub(super) fn named_sets(&mut self) -> Vec<(String, ExprId)> {
        let mut sets = vec![];
        for (i, definition) in self.flat.defines.iter().enumerate() {
            let place = Place::state(definition.scope);
            if let Ok(Value::Boolean(set)) = self.compiler.define(i, place, definition.body.span) {
                sets.push((definition.name.clone(), set));
            }
        }
        sets
    }
}
