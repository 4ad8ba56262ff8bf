//! Which variables occur together. Most pairs never do, so that only those that do are kept: models may have tens of
//! thousands of variables.

use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};
use winset_model::{System, VarId};

/// How many of those placed last pull others behind them.
const PULLING: usize = 8;
/// A relation over more variables says nothing about which belong together.
const MOST_TOGETHER: usize = 64;

/// The variables, each followed by the one that shares most relations with those just placed; of equal ones the first.
pub fn by_neighbours(system: &System) -> Vec<VarId> {
    let count = system.variables.len();
    let mut near: Vec<FxHashMap<usize, usize>> = vec![FxHashMap::default(); count];
    for relation in &system.relations {
        let vars = system.exprs.support(relation.formula);
        if relation.writes.len() == count || vars.len() > MOST_TOGETHER {
            continue;
        }
        for a in &vars {
            for b in &vars {
                *near[a.index()].entry(b.index()).or_default() += 1;
            }
        }
    }
    let mut open: BTreeSet<usize> = (0..count).collect();
    // How strongly each is pulled; who is not mentioned is not pulled.
    let (mut pulled, mut pulling) = (FxHashMap::<usize, usize>::default(), VecDeque::new());
    let mut order = vec![];
    while let Some(&first) = open.first() {
        let strongest = pulled.iter().filter(|&(i, &pull)| pull > 0 && open.contains(i));
        let strongest = strongest.max_by_key(|&(&i, &pull)| (pull, std::cmp::Reverse(i)));
        let next = strongest.map_or(first, |(&i, _)| i);
        open.remove(&next);
        order.push(VarId(next as u32));
        pulling.push_back(next);
        for (&i, &times) in &near[next] {
            *pulled.entry(i).or_default() += times;
        }
        if pulling.len() > PULLING
            && let Some(old) = pulling.pop_front()
        {
            for (i, &times) in &near[old] {
                if let Some(pull) = pulled.get_mut(i) {
                    *pull -= times;
                }
            }
            pulled.retain(|_, pull| *pull > 0);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same by a table of all pairs.
    fn by_all_pairs(system: &System) -> Vec<VarId> {
        let count = system.variables.len();
        let mut near = vec![vec![0usize; count]; count];
        for relation in &system.relations {
            let vars = system.exprs.support(relation.formula);
            if relation.writes.len() < count && vars.len() <= MOST_TOGETHER {
                vars.iter().for_each(|a| vars.iter().for_each(|b| near[a.index()][b.index()] += 1));
            }
        }
        let mut order: Vec<usize> = vec![];
        while order.len() < count {
            let pull = |i: usize| order.iter().rev().take(PULLING).map(|&p| near[i][p]).sum::<usize>();
            let open = (0..count).filter(|i| !order.contains(i));
            order.push(open.max_by_key(|&i| (pull(i), std::cmp::Reverse(i))).unwrap());
        }
        order.into_iter().map(|i| VarId(i as u32)).collect()
    }

    #[test]
    fn the_same_order_as_by_all_pairs() {
        for (name, size) in
            [("tictactoe", "3x3"), ("connect4", "4x4"), ("breakthrough", "4x4"), ("othello", "4x4")]
        {
            let mut system = winset_games::build(name, Some(size), &Default::default()).unwrap().system();
            assert_eq!(by_neighbours(&system), by_all_pairs(&system), "{name}");
            // With every other relation there are other neighbours.
            for step in 2..6 {
                let relations = std::mem::take(&mut system.relations);
                system.relations = relations.iter().step_by(step).cloned().collect();
                assert_eq!(by_neighbours(&system), by_all_pairs(&system), "{name}, each {step}th");
                system.relations = relations;
            }
        }
    }
}
