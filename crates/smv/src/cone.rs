//! The cone of influence: a system without the variables that what is asked does not depend on.
//!
//! A variable can be left out if nothing that is kept depends on it, and if it restricts nothing: whatever the others do, it
//! has an initial value and a next one. Then every state of the smaller system stands for states of the whole one with the
//! same steps (a bisimulation), and every formula about the variables that are kept means the same in both. So kept is what
//! the roots speak of, what any condition speaks of that is not the assignment of a single variable, and what the
//! assignments of these need.

use crate::satisfy::{Diagrams, restrict};
use rustc_hash::{FxHashMap, FxHashSet};
use winset_model::{Expr, ExprId, Exprs, System, Value, VarId};

/// Whether an assignment has a value in every state is given up beyond so many nodes.
const NODES: usize = 50_000;

/// A smaller system.
#[derive(Clone, Debug)]
pub struct Cone {
    /// The system, in which the variables that were left out have one value only.
    pub system: System,
    /// The variables that were left out.
    pub left_out: Vec<VarId>,
}

/// What is said of the next value of one variable.
struct Assignment {
    conjunct: ExprId,
    needs: Vec<VarId>,
}

/// The system without the variables that these sets do not depend on; none if all are needed, or the system is not a
/// single relation.
pub fn cone(system: &System, roots: impl IntoIterator<Item = ExprId>) -> Option<Cone> {
    let [relation] = system.relations.as_slice() else { return None };
    if !relation.unless.is_empty() || !system.stops.is_empty() {
        return None;
    }
    let mut system = system.clone();
    let steps = conjuncts(&system.exprs, relation.formula);
    let begins = conjuncts(&system.exprs, system.initial);
    let mut kept: FxHashSet<VarId> = FxHashSet::default();
    for root in roots {
        kept.extend(system.exprs.support(root));
    }
    // By variable: what is said of its next value, alone.
    let mut said: FxHashMap<VarId, Vec<Assignment>> = FxHashMap::default();
    for &conjunct in &steps {
        let (needs, next) = speaks_of(&system.exprs, conjunct);
        match next.as_slice() {
            &[var] => said.entry(var).or_default().push(Assignment { conjunct, needs }),
            _ => kept.extend(needs.into_iter().chain(next)),
        }
    }
    let mut first: FxHashMap<VarId, Vec<ExprId>> = FxHashMap::default();
    for &conjunct in &begins {
        match system.exprs.support(conjunct).as_slice() {
            &[var] => first.entry(var).or_default().push(conjunct),
            several => kept.extend(several),
        }
    }
    let mut diagrams = Diagrams::default();
    let all: Vec<VarId> = (0..system.variables.len() as u32).map(VarId).collect();
    for &var in &all {
        let assigned = said.get(&var).map_or(&[][..], Vec::as_slice);
        let free = match assigned {
            [] => true,
            [one] => is_total(&mut system, &mut diagrams, var, one.conjunct),
            _ => false,
        };
        let begins = first.get(&var).map_or(&[][..], Vec::as_slice);
        if !free || !has_value(&mut system, var, begins) {
            kept.insert(var);
            // What restricts others by having no value matters wherever it has none.
            kept.extend(assigned.iter().flat_map(|assignment| assignment.needs.iter().copied()));
        }
    }
    let mut open: Vec<VarId> = kept.iter().copied().collect();
    while let Some(var) = open.pop() {
        for need in said.get(&var).into_iter().flatten().flat_map(|assignment| &assignment.needs) {
            if kept.insert(*need) {
                open.push(*need);
            }
        }
    }
    let left_out: Vec<VarId> = all.into_iter().filter(|var| !kept.contains(var)).collect();
    if left_out.is_empty() {
        return None;
    }
    let speaks = |exprs: &Exprs, conjunct: ExprId| {
        let (now, next) = speaks_of(exprs, conjunct);
        now.iter().chain(&next).any(|var| !kept.contains(var))
    };
    let exprs = &mut system.exprs;
    let steps: Vec<ExprId> = steps.into_iter().filter(|&step| !speaks(exprs, step)).collect();
    let begins: Vec<ExprId> = begins.into_iter().filter(|&begin| !speaks(exprs, begin)).collect();
    system.relations[0].formula = exprs.and(steps);
    system.relations[0].writes.retain(|var| kept.contains(var));
    system.initial = exprs.and(begins);
    system.sets.retain(|&(_, set)| !speaks(&system.exprs, set));
    for var in &left_out {
        system.variables[var.index()].values.truncate(1);
    }
    Some(Cone { system, left_out })
}

/// What holds together in a formula.
fn conjuncts(exprs: &Exprs, formula: ExprId) -> Vec<ExprId> {
    let (mut open, mut all) = (vec![formula], vec![]);
    while let Some(at) = open.pop() {
        match exprs.get(at) {
            Expr::True => {}
            Expr::And(list) => open.extend(list.iter().copied()),
            _ => all.push(at),
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The variables that an expression speaks of now, and those of whose next values.
fn speaks_of(exprs: &Exprs, root: ExprId) -> (Vec<VarId>, Vec<VarId>) {
    let (mut now, mut next) = (vec![], vec![]);
    for id in exprs.cone([root]) {
        match exprs.get(id) {
            Expr::Is(var, _) => now.push(*var),
            Expr::Next(var, _) => next.push(*var),
            _ => {}
        }
    }
    for vars in [&mut now, &mut next] {
        vars.sort_unstable();
        vars.dedup();
    }
    (now, next)
}

/// The expression with a variable's value, or next value, put in.
fn with(exprs: &mut Exprs, root: ExprId, var: VarId, next: bool, value: Value) -> ExprId {
    let values = FxHashMap::from_iter([((var, next), value)]);
    restrict(exprs, root, &values, &mut FxHashMap::default())
}

/// In every state the variable has a next value.
fn is_total(system: &mut System, diagrams: &mut Diagrams, var: VarId, conjunct: ExprId) -> bool {
    let System { variables, exprs, .. } = system;
    let values = 0..variables[var.index()].size() as Value;
    let ways: Vec<ExprId> = values.map(|value| with(exprs, conjunct, var, true, value)).collect();
    let some = exprs.or(ways);
    let none = exprs.not(some);
    let sizes = |var: VarId| variables[var.index()].size();
    diagrams.satisfiable(exprs, none, &sizes, NODES) == Some(false)
}

/// The variable has an initial value, whatever the others have.
fn has_value(system: &mut System, var: VarId, conditions: &[ExprId]) -> bool {
    let System { variables, exprs, .. } = system;
    let all = exprs.and(conditions.iter().copied());
    let mut values = 0..variables[var.index()].size() as Value;
    values.any(|value| with(exprs, all, var, false, value) == Exprs::TRUE)
}
