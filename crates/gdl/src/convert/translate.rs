//! From formulas over fluents to the model's expressions over variables.

use crate::prove::formula::{Formula, FormulaId, Formulas};
use rustc_hash::{FxHashMap, FxHashSet};
use winset_model::{ExprId, Exprs, SystemId, Value, VarId};

/// No expression: half as large as an option, and there are millions.
const NONE: ExprId = ExprId(u32::MAX);

/// Translates formulas on demand and remembers them.
pub(crate) struct Translator<'a> {
    pub formulas: &'a Formulas,
    /// Variable and value of every fluent that is not constant.
    pub places: &'a FxHashMap<u32, (VarId, Value)>,
    /// Fluents that always hold.
    always: FxHashSet<u32>,
    /// By formula, [`NONE`] where it has not been translated.
    map: Vec<ExprId>,
    systems: FxHashMap<u32, SystemId>,
}

impl<'a> Translator<'a> {
    pub fn new(
        formulas: &'a Formulas,
        places: &'a FxHashMap<u32, (VarId, Value)>,
        always: FxHashSet<u32>,
    ) -> Self {
        let map = vec![NONE; formulas.len()];
        Translator { formulas, places, always, map, systems: FxHashMap::default() }
    }

    /// The expression of a formula.
    pub fn expr(&mut self, exprs: &mut Exprs, root: FormulaId) -> ExprId {
        if self.map[root as usize] != NONE {
            return self.map[root as usize];
        }
        let mut bodies: Vec<u32> = Vec::new();
        self.walk(exprs, root, &mut bodies);
        while let Some(system) = bodies.pop() {
            let definitions = self.formulas.bodies(system).to_vec();
            for (member, body) in definitions.into_iter().enumerate() {
                self.walk(exprs, body, &mut bodies);
                exprs.define(self.systems[&system], member as u32, self.done(body));
            }
        }
        self.done(root)
    }

    /// The expression of a formula that has been translated.
    fn done(&self, id: FormulaId) -> ExprId {
        let done = self.map[id as usize];
        if done == NONE { Exprs::FALSE } else { done }
    }

    /// Translates everything below a formula; systems met for the first time are left in `bodies`.
    fn walk(&mut self, exprs: &mut Exprs, root: FormulaId, bodies: &mut Vec<u32>) {
        let mut stack = vec![root];
        while let Some(id) = stack.last().copied() {
            if self.map[id as usize] != NONE {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let missing = |a: &FormulaId| self.map[*a as usize] == NONE;
            let expr = match self.formulas.get(id) {
                Formula::False => Exprs::FALSE,
                Formula::True => Exprs::TRUE,
                Formula::Fluent(f) => match self.places.get(&f) {
                    Some(_) if self.always.contains(&f) => Exprs::TRUE,
                    Some((var, value)) => exprs.is(*var, *value),
                    None => Exprs::FALSE,
                },
                Formula::Not(a) => {
                    if missing(&a) {
                        stack.push(a);
                        continue;
                    }
                    exprs.not(self.done(a))
                }
                Formula::And(list) | Formula::Or(list) => {
                    stack.extend(list.iter().filter(|a| missing(a)));
                    if stack.len() > before {
                        continue;
                    }
                    let parts = list.iter().map(|a| self.done(*a));
                    match self.formulas.get(id) {
                        Formula::And(_) => exprs.and(parts),
                        _ => exprs.or(parts),
                    }
                }
                Formula::Fix(system, member) => {
                    let members = self.formulas.bodies(system).len();
                    let declared = *self.systems.entry(system).or_insert_with(|| {
                        bodies.push(system);
                        exprs.declare_system(members)
                    });
                    exprs.member(declared, member)
                }
            };
            self.map[id as usize] = expr;
            stack.pop();
        }
    }
}
