//! An order in which what occurs together stands together: every variable is drawn to the middle of the conditions that
//! speak of it, again and again (FORCE: Aloul, Markov, Sakallah 2003).

use rustc_hash::{FxHashMap, FxHashSet};
use winset_model::{Expr, ExprId, Exprs, System, VarId};

/// How often all variables are drawn at most.
const ROUNDS: usize = 60;
/// The order that was there is kept unless the conditions stretch over so much less, in percent.
const WORTH_IT: u64 = 60;
/// A condition over more variables says little about which belong together; what it is made of says more.
const MANY: usize = 32;
/// That is, its parts over no more variables than these.
const FEW: usize = 6;
/// Conditions of more systems than this are too many to look at.
const MOST: usize = 2_000_000;

/// A better order than the given one, if there is one that is much better.
pub fn by_force(system: &System, order: &[VarId]) -> Option<Vec<VarId>> {
    let edges = conditions(system)?;
    let mut best = (stretch(&edges, order), None);
    let worth_it = best.0 * WORTH_IT / 100;
    let mut order = order.to_vec();
    for _ in 0..ROUNDS {
        let place = places(&order);
        let mut drawn = vec![(0f64, 0usize); order.len()];
        for edge in &edges {
            let middle = edge.iter().map(|var| place[var.index()] as f64).sum::<f64>() / edge.len() as f64;
            for var in edge {
                let (sum, times) = &mut drawn[var.index()];
                (*sum, *times) = (*sum + middle, *times + 1);
            }
        }
        let to = |var: &VarId| match drawn[var.index()] {
            (_, 0) => place[var.index()] as f64,
            (sum, times) => sum / times as f64,
        };
        let mut next = order.clone();
        next.sort_by(|a, b| to(a).total_cmp(&to(b)).then(place[a.index()].cmp(&place[b.index()])));
        if next == order {
            break;
        }
        order = next;
        let now = stretch(&edges, &order);
        if now < best.0 {
            best = (now, Some(order.clone()));
        }
    }
    best.1.filter(|_| best.0 <= worth_it)
}

/// The variables of every conjunct of the relations and of the initial condition, current and next alike; none if these
/// are very many.
fn conditions(system: &System) -> Option<Vec<Vec<VarId>>> {
    let exprs = &system.exprs;
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut open: Vec<ExprId> = system.relations.iter().map(|relation| relation.formula).collect();
    open.push(system.initial);
    let mut conjuncts = vec![];
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            match exprs.get(id) {
                Expr::And(list) => open.extend(list.iter().copied()),
                _ => conjuncts.push(id),
            }
        }
    }
    let (mut edges, mut parts, mut work) = (vec![], FxHashSet::default(), 0);
    // In order of age, so that the same system has the same order always.
    conjuncts.sort_unstable();
    for id in conjuncts {
        let (mut vars, mut below, mut stack) = (vec![], FxHashSet::default(), vec![id]);
        while let Some(id) = stack.pop() {
            if !below.insert(id) {
                continue;
            }
            match exprs.get(id) {
                Expr::Is(var, _) | Expr::Next(var, _) => vars.push(*var),
                _ => stack.extend_from_slice(exprs.operands(id)),
            }
        }
        work += below.len();
        if work > MOST {
            return None;
        }
        vars.sort_unstable();
        vars.dedup();
        if vars.len() > MANY {
            parts.extend(below);
        }
        if vars.len() > 1 {
            edges.push(vars);
        }
    }
    edges.extend(small_parts(exprs, parts));
    Some(edges)
}

/// The variables of the largest expressions over a few variables each, in the order of their age.
fn small_parts(exprs: &Exprs, parts: FxHashSet<ExprId>) -> Vec<Vec<VarId>> {
    let mut ids: Vec<ExprId> = parts.into_iter().collect();
    // Operands are older than their users.
    ids.sort_unstable();
    let mut few: FxHashMap<ExprId, Vec<VarId>> = FxHashMap::default();
    let mut within: FxHashSet<ExprId> = FxHashSet::default();
    for &id in &ids {
        let vars = match exprs.get(id) {
            Expr::Is(var, _) | Expr::Next(var, _) => Some(vec![*var]),
            _ => {
                let below = exprs.operands(id).iter().map(|operand| few.get(operand));
                let vars: Option<Vec<VarId>> = below.collect::<Option<Vec<_>>>().map(|all| {
                    let mut vars: Vec<VarId> = all.into_iter().flatten().copied().collect();
                    vars.sort_unstable();
                    vars.dedup();
                    vars
                });
                vars.filter(|vars| vars.len() <= FEW)
            }
        };
        if let Some(vars) = vars {
            within.extend(exprs.operands(id));
            few.insert(id, vars);
        }
    }
    let largest = ids.iter().filter(|id| !within.contains(id)).filter_map(|id| few.remove(id));
    largest.filter(|vars| vars.len() > 1).collect()
}

fn places(order: &[VarId]) -> Vec<usize> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(i, var)| place[var.index()] = i);
    place
}

/// From the first to the last variable of each condition, added up.
fn stretch(edges: &[Vec<VarId>], order: &[VarId]) -> u64 {
    let place = places(order);
    let span = |edge: &Vec<VarId>| {
        let at = || edge.iter().map(|var| place[var.index()]);
        (at().max().unwrap_or(0) - at().min().unwrap_or(0)) as u64
    };
    edges.iter().map(span).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use winset_model::{Relation, Variable};

    /// Bits of two words that are equal, one word after the other: pairs of bits belong together.
    #[test]
    fn bits_that_are_compared_stand_together() {
        let mut exprs = Exprs::new();
        let bits = 16;
        let equal: Vec<ExprId> = (0..bits)
            .map(|i| {
                let (a, b) = (exprs.is(VarId(i), 1), exprs.next(VarId(bits + i), 1));
                let not = exprs.not(b);
                exprs.ite(a, b, not)
            })
            .collect();
        let formula = exprs.and(equal);
        let writes = (0..2 * bits).map(VarId).collect();
        let values = vec!["no".to_owned(), "yes".to_owned()];
        let variables = (0..2 * bits).map(|i| Variable { name: format!("v{i}"), values: values.clone() });
        let system = System {
            variables: variables.collect(),
            initial: Exprs::TRUE,
            relations: vec![Relation { name: "step".to_owned(), formula, writes, unless: vec![] }],
            stops: vec![],
            sets: vec![],
            hidden: vec![],
            exprs,
        };
        let declared: Vec<VarId> = (0..2 * bits).map(VarId).collect();
        let place = places(&by_force(&system, &declared).expect("a better order"));
        assert!((0..bits as usize).all(|i| place[i].abs_diff(place[i + bits as usize]) <= 2), "{place:?}");
    }
}
