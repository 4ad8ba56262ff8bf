//! The order of a system's variables.

use crate::force::by_force;
use crate::neighbours::by_neighbours;
use rustc_hash::FxHashSet;
use winset_model::{Expr, ExprId, Exprs, Relation, System, VarId};
use winset_symbolic::{Order, SymbolicError, order_by_names};

/// A protocol, a circuit or a program has so few relations; a game may have more.
const FEW: usize = 2048;

/// The variables from the root of the diagrams down. A system has no board, so that only lists, the order of
/// the declarations and the one found from the relations make sense.
pub fn system_order(system: &System, order: &Order) -> Result<Vec<VarId>, SymbolicError> {
    match order {
        Order::Auto => Ok(default_order(system)),
        Order::Model => Ok((0..system.variables.len() as u32).map(VarId).collect()),
        Order::List(names) => order_by_names(&system.variables, names),
        named => Err(SymbolicError::OrderNeedsBoard(format!("{named:?}").to_lowercase())),
    }
}

/// An order for a system that comes with none: variables that occur in one relation stand together.
/// Starting from the variable that is written most rarely, always the one that shares most relations with
/// those already placed follows.
/// Where there are few relations, these are large, and it is looked at what their conjuncts speak of instead.
/// Records of which relation a step was by are left out of that and stand above all others: every relation speaks of
/// each of them and says only what it is.
pub fn default_order(system: &System) -> Vec<VarId> {
    let marks = marks(system);
    if marks.is_empty() {
        return together(system);
    }
    let order = together(&without(system, &marks));
    let others = order.into_iter().filter(|var| !marks.contains(var));
    marks.iter().copied().chain(others).collect()
}

fn together(system: &System) -> Vec<VarId> {
    let order = by_neighbours(system);
    let better = if system.relations.len() <= FEW { by_force(system, &order) } else { None };
    better.unwrap_or(order)
}

/// The hidden variables to which every relation gives a value, the same in all of its steps.
fn marks(system: &System) -> Vec<VarId> {
    let given = |relation: &Relation| -> FxHashSet<VarId> {
        let next = |id: ExprId| if let Expr::Next(var, _) = system.exprs.get(id) { Some(*var) } else { None };
        conjuncts(&system.exprs, relation.formula).iter().filter_map(|&id| next(id)).collect()
    };
    // One relation alone is not told from others.
    if system.hidden.is_empty() || system.relations.len() < 2 {
        return vec![];
    }
    let mut marks = system.hidden.clone();
    for relation in &system.relations {
        let given = given(relation);
        marks.retain(|var| given.contains(var));
    }
    marks
}

/// The system as it is without what the relations say of some variables as a whole.
fn without(system: &System, marks: &[VarId]) -> System {
    let mut system = system.clone();
    let System { exprs, relations, .. } = &mut system;
    for relation in relations {
        let of_mark = |id: &ExprId| matches!(exprs.get(*id), Expr::Next(var, _) if marks.contains(var));
        let rest: Vec<ExprId> =
            conjuncts(exprs, relation.formula).iter().copied().filter(|id| !of_mark(id)).collect();
        relation.formula = exprs.and(rest);
        relation.writes.retain(|var| !marks.contains(var));
    }
    system
}

fn conjuncts(exprs: &Exprs, formula: ExprId) -> Vec<ExprId> {
    match exprs.get(formula) {
        Expr::And(list) => list.to_vec(),
        _ => vec![formula],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use winset_model::Variable;

    /// Four pairs of bits, one of each copied to the other by a process of its own; what ran last is recorded in a bit for each.
    #[test]
    fn who_ran_last_does_not_bring_everything_together() {
        let pairs = 4;
        let of_pair = |i: u32| [VarId(i), VarId(pairs + i)];
        let ran: Vec<VarId> = (0..pairs).map(|i| VarId(2 * pairs + i)).collect();
        let mut exprs = Exprs::new();
        let mut relations = vec![];
        for i in 0..pairs {
            let [a, b] = of_pair(i);
            let same = [0, 1].map(|value| {
                let both = [exprs.is(a, value), exprs.next(b, value)];
                exprs.and(both)
            });
            let copied = exprs.or(same);
            let records = (0..pairs).map(|j| exprs.next(ran[j as usize], u16::from(i == j)));
            let formula: Vec<ExprId> = records.collect::<Vec<_>>().into_iter().chain([copied]).collect();
            let formula = exprs.and(formula);
            let writes = [b].into_iter().chain(ran.iter().copied()).collect();
            relations.push(Relation { name: format!("p{i}"), formula, writes, unless: vec![] });
        }
        let values = ["no", "yes"].map(str::to_owned).to_vec();
        let variables = (0..3 * pairs).map(|i| Variable { name: format!("v{i}"), values: values.clone() });
        let (stops, sets, hidden) = (vec![], vec![], ran.clone());
        let variables = variables.collect();
        let system = System { variables, exprs, initial: Exprs::TRUE, relations, stops, sets, hidden };
        let order = default_order(&system);
        assert_eq!(order[..ran.len()], ran);
        let place = |var: VarId| order.iter().position(|other| *other == var).unwrap();
        for i in 0..pairs {
            let [a, b] = of_pair(i);
            assert_eq!(place(a).abs_diff(place(b)), 1, "{order:?}");
        }
    }
}
