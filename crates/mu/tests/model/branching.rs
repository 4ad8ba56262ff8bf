//! Fair CTL on the graph.

use crate::random::Model;
use winset_formula::{Formula, Path};

pub fn evaluate(model: &Model, formula: &Formula, fair: &[bool]) -> Vec<bool> {
    let of = |a: &Formula| evaluate(model, a, fair);
    let zip = |a: Vec<bool>, b: Vec<bool>, join: &dyn Fn(bool, bool) -> bool| -> Vec<bool> {
        a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect()
    };
    let not = |a: Vec<bool>| -> Vec<bool> { a.into_iter().map(|a| !a).collect() };
    let graph = &model.graph;
    let some_next = |a: Vec<bool>| -> Vec<bool> {
        graph.successors.iter().map(|list| list.iter().any(|&to| a[to] && fair[to])).collect()
    };
    let some_until = |a: &[bool], b: &[bool]| -> Vec<bool> {
        let mut holds: Vec<bool> = (0..graph.len()).map(|i| b[i] && fair[i]).collect();
        while let Some(more) =
            (0..graph.len()).find(|&i| !holds[i] && a[i] && graph.successors[i].iter().any(|&to| holds[to]))
        {
            holds[more] = true;
        }
        holds
    };
    let some_always = |a: &[bool]| graph.fair_inside(a, &model.fair);
    let everywhere = vec![true; graph.len()];
    match formula {
        Formula::Set(set) => (0..graph.len()).map(|i| model.holds(*set, i)).collect(),
        Formula::Not(a) => not(of(a)),
        Formula::And(a, b) => zip(of(a), of(b), &|a, b| a && b),
        Formula::Or(a, b) => zip(of(a), of(b), &|a, b| a || b),
        Formula::Implies(a, b) => zip(of(a), of(b), &|a, b| !a || b),
        Formula::Iff(a, b) => zip(of(a), of(b), &|a, b| a == b),
        Formula::Next(Path::Some, a) => some_next(of(a)),
        Formula::Next(Path::All, a) => not(some_next(not(of(a)))),
        Formula::Finally(Path::Some, a) => some_until(&everywhere, &of(a)),
        Formula::Globally(Path::All, a) => not(some_until(&everywhere, &not(of(a)))),
        Formula::Globally(Path::Some, a) => some_always(&of(a)),
        Formula::Finally(Path::All, a) => not(some_always(&not(of(a)))),
        Formula::Until(Path::Some, a, b) => some_until(&of(a), &of(b)),
        Formula::Until(Path::All, a, b) => {
            let (not_a, not_b) = (not(of(a)), not(of(b)));
            let neither = zip(not_a, not_b.clone(), &|a, b| a && b);
            let never = some_always(&not_b);
            not(zip(some_until(&not_b, &neither), never, &|a, b| a || b))
        }
        Formula::Fix { .. } | Formula::Variable(..) => unreachable!("there are no fixed points"),
    }
}
