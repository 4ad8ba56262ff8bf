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

/// Whether an assignment has a value in every state is given up beyond n nodes.
const NODES: usize = 50_000;

/// Models whose conditions have more expressions are left as they are.
const MOST: usize = 2_000_000;

/// A smaller system.
#[derive(Clone, Debug)]
pub struct Cone {
    /// The system, in which the variables that were left out have any value and keep it. They are hidden, so that states
    /// that differ in them alone count once.
    pub system: System,
    /// The variables that were left out.
    pub left_out: Vec<VarId>,
}

/// What is said of the next value of one variable by one of the relations.
struct Assignment {
    relation: usize,
    conjunct: ExprId,
    needs: Vec<VarId>,
}

/// What is kept so far, and what is needed by what is kept.
struct Kept {
    vars: FxHashSet<VarId>,
    /// By variable: what is said of its next value, alone.
    said: FxHashMap<VarId, Vec<Assignment>>,
}

impl Kept {
    /// Keeps variables, and what their assignments need.
    fn keep(&mut self, vars: impl IntoIterator<Item = VarId>) {
        let mut open: Vec<VarId> = vars.into_iter().collect();
        while let Some(var) = open.pop() {
            if self.vars.insert(var) {
                let needs = self.said.get(&var).into_iter().flatten().flat_map(|said| said.needs.iter());
                open.extend(needs);
            }
        }
    }
}

/// The system without the variables that these sets do not depend on; none if all are needed, or where it is a game's, with
/// moves that stop or give way to others.
pub fn cone(system: &System, roots: impl IntoIterator<Item = ExprId>) -> Option<Cone> {
    if !system.stops.is_empty() || system.relations.iter().any(|relation| !relation.unless.is_empty()) {
        return None;
    }
    let exprs = &system.exprs;
    let steps: Vec<Vec<ExprId>> =
        system.relations.iter().map(|relation| conjuncts(exprs, relation.formula)).collect();
    let begins = conjuncts(exprs, system.initial);
    let mut restricting: Vec<VarId> = roots.into_iter().flat_map(|root| exprs.support(root)).collect();
    let mut said: FxHashMap<VarId, Vec<Assignment>> = FxHashMap::default();
    let mut work = 0;
    for (relation, steps) in steps.iter().enumerate() {
        for &conjunct in steps {
            if work > MOST {
                return None;
            }
            let (needs, next) = speaks_of(exprs, conjunct, &mut work);
            match next.as_slice() {
                &[var] => said.entry(var).or_default().push(Assignment { relation, conjunct, needs }),
                _ => restricting.extend(needs.into_iter().chain(next)),
            }
        }
    }
    let mut first: FxHashMap<VarId, Vec<ExprId>> = FxHashMap::default();
    for &conjunct in &begins {
        if work > MOST {
            return None;
        }
        match speaks_of(exprs, conjunct, &mut work).0.as_slice() {
            &[var] => first.entry(var).or_default().push(conjunct),
            several => restricting.extend(several),
        }
    }
    let mut kept = Kept { vars: FxHashSet::default(), said };
    kept.keep(restricting);
    let all = (0..system.variables.len() as u32).map(VarId);
    let open: Vec<VarId> = all.filter(|var| !kept.vars.contains(var)).collect();
    if open.is_empty() {
        return None;
    }
    // What may restrict others by having no value matters wherever it has none.
    let (mut system, mut diagrams) = (system.clone(), Diagrams::default());
    for &var in &open {
        let begins = first.get(&var).map_or(&[][..], Vec::as_slice);
        let assigned = kept.said.get(&var).map_or(&[][..], Vec::as_slice);
        let once = assigned.windows(2).all(|two| two[0].relation != two[1].relation);
        let free = once
            && has_value(&mut system, var, begins)
            && assigned.iter().all(|said| is_total(&mut system, &mut diagrams, var, said.conjunct));
        if !free {
            kept.keep([var]);
        }
    }
    let kept = kept.vars;
    let left_out: Vec<VarId> = open.into_iter().filter(|var| !kept.contains(var)).collect();
    if left_out.is_empty() {
        return None;
    }
    let speaks = |exprs: &Exprs, conjunct: ExprId| {
        let (now, next) = speaks_of(exprs, conjunct, &mut 0);
        now.iter().chain(&next).any(|var| !kept.contains(var))
    };
    let exprs = &mut system.exprs;
    for (relation, steps) in system.relations.iter_mut().zip(steps) {
        let steps: Vec<ExprId> = steps.into_iter().filter(|&step| !speaks(exprs, step)).collect();
        relation.formula = exprs.and(steps);
        relation.writes.retain(|var| kept.contains(var));
    }
    let begins: Vec<ExprId> = begins.into_iter().filter(|&begin| !speaks(exprs, begin)).collect();
    system.initial = exprs.and(begins);
    system.sets.retain(|&(_, set)| !speaks(&system.exprs, set));
    system
        .hidden
        .extend(left_out.iter().filter(|var| !system.hidden.contains(var)).copied().collect::<Vec<_>>());
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

/// The variables that an expression speaks of now, and those of whose next values. Models have no recursive definitions.
fn speaks_of(exprs: &Exprs, root: ExprId, work: &mut usize) -> (Vec<VarId>, Vec<VarId>) {
    let (mut now, mut next) = (vec![], vec![]);
    let (mut seen, mut open) = (FxHashSet::default(), vec![root]);
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match exprs.get(id) {
            Expr::Is(var, _) => now.push(*var),
            Expr::Next(var, _) => next.push(*var),
            _ => open.extend_from_slice(exprs.operands(id)),
        }
    }
    *work += seen.len();
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
