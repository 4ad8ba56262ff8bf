//! Linear time by brute force: a node for every state and every way in which the temporal subformulas may hold there,
//! an edge where they fit together, and a fair component in the graph of all of them.

use crate::graph::{Fair, Graph};
use crate::random::Model;
use winset_formula::Linear;
use winset_model::ExprId;

/// A formula of few operators; the numbers are its temporal subformulas.
#[derive(Clone, Debug, PartialEq)]
enum Simple {
    Set(ExprId),
    True,
    Not(Box<Simple>),
    And(Box<Simple>, Box<Simple>),
    Next(Box<Simple>),
    Until(Box<Simple>, Box<Simple>),
    Yesterday(Box<Simple>),
    Since(Box<Simple>, Box<Simple>),
}

use Simple::{And, Next, Not, Since, True, Until, Yesterday};

fn not(a: Simple) -> Simple {
    Not(a.into())
}

fn or(a: Simple, b: Simple) -> Simple {
    not(And(not(a).into(), not(b).into()))
}

/// The states that are one of n steps on, one by one.
fn steps(from: u32, to: u32, a: &Simple, step: fn(Box<Simple>) -> Simple) -> Simple {
    let far = |n: u32| (0..n).fold(a.clone(), |a, _| step(a.into()));
    (from..=to).map(far).reduce(or).unwrap_or(not(True))
}

fn simple(formula: &Linear) -> Simple {
    let of = |a: &Linear| simple(a);
    let until = |a: Simple, b: Simple| Until(a.into(), b.into());
    let since = |a: Simple, b: Simple| Since(a.into(), b.into());
    let far = |n: u32, a: Simple, step: fn(Box<Simple>) -> Simple| (0..n).fold(a, |a, _| step(a.into()));
    match formula {
        Linear::Set(set) => Simple::Set(*set),
        Linear::Not(a) => not(of(a)),
        Linear::And(a, b) => And(of(a).into(), of(b).into()),
        Linear::Or(a, b) => or(of(a), of(b)),
        Linear::Implies(a, b) => or(not(of(a)), of(b)),
        Linear::Iff(a, b) => or(And(of(a).into(), of(b).into()), And(not(of(a)).into(), not(of(b)).into())),
        Linear::Next(a) => Next(of(a).into()),
        Linear::Finally(a) => until(True, of(a)),
        Linear::Globally(a) => not(until(True, not(of(a)))),
        Linear::Until(a, b) => until(of(a), of(b)),
        Linear::Release(a, b) => not(until(not(of(a)), not(of(b)))),
        Linear::FinallyWithin(n, a) => match n.to {
            Some(to) => steps(n.from, to, &of(a), Next),
            None => far(n.from, until(True, of(a)), Next),
        },
        Linear::GloballyWithin(n, a) => {
            not(simple(&Linear::FinallyWithin(*n, Linear::Not(a.clone()).into())))
        }
        Linear::Yesterday(a) => Yesterday(of(a).into()),
        Linear::WeakYesterday(a) => not(Yesterday(not(of(a)).into())),
        Linear::Once(a) => since(True, of(a)),
        Linear::Historically(a) => not(since(True, not(of(a)))),
        Linear::Since(a, b) => since(of(a), of(b)),
        Linear::Triggered(a, b) => not(since(not(of(a)), not(of(b)))),
        Linear::OnceWithin(n, a) => match n.to {
            Some(to) => steps(n.from, to, &of(a), Yesterday),
            None => far(n.from, since(True, of(a)), Yesterday),
        },
        Linear::HistoricallyWithin(n, a) => {
            not(simple(&Linear::OnceWithin(*n, Linear::Not(a.clone()).into())))
        }
    }
}

fn temporal(formula: &Simple, found: &mut Vec<Simple>) {
    match formula {
        Simple::Set(_) | True => {}
        Not(a) => temporal(a, found),
        And(a, b) => [a, b].into_iter().for_each(|a| temporal(a, found)),
        Next(a) | Yesterday(a) => temporal(a, found),
        Until(a, b) | Since(a, b) => [a, b].into_iter().for_each(|a| temporal(a, found)),
    }
    let is_temporal = matches!(formula, Next(_) | Until(..) | Yesterday(_) | Since(..));
    if is_temporal && !found.contains(formula) {
        found.push(formula.clone());
    }
}

/// How many ways the temporal subformulas may hold there are, as a power of two.
pub fn width(formula: &Linear) -> usize {
    let mut found = vec![];
    temporal(&simple(formula), &mut found);
    found.len()
}

/// The initial states from which a fair path makes the formula false.
pub fn false_somewhere(model: &Model, formula: &Linear) -> Vec<bool> {
    let formula = not(simple(formula));
    let mut list = vec![];
    temporal(&formula, &mut list);
    let ways = 1usize << list.len();
    let holds = |a: &Simple, state: usize, way: usize| value(model, &list, a, state, way);
    let bit = |way: usize, i: usize| way >> i & 1 == 1;
    let nodes = model.graph.len() * ways;
    let mut graph = Graph { successors: vec![vec![]; nodes] };
    for state in 0..model.graph.len() {
        for way in 0..ways {
            for &to in &model.graph.successors[state] {
                for next in 0..ways {
                    let fits = list.iter().enumerate().all(|(i, a)| match a {
                        Next(a) => bit(way, i) == holds(a, to, next),
                        Until(a, b) => {
                            bit(way, i) == (holds(b, state, way) || holds(a, state, way) && bit(next, i))
                        }
                        Yesterday(a) => bit(next, i) == holds(a, state, way),
                        Since(a, b) => {
                            bit(next, i) == (holds(b, to, next) || holds(a, to, next) && bit(way, i))
                        }
                        _ => unreachable!("only these are temporal"),
                    });
                    if fits {
                        graph.successors[state * ways + way].push(to * ways + next);
                    }
                }
            }
        }
    }
    let lift = |set: &[bool]| -> Vec<bool> { (0..nodes).map(|n| set[n / ways]).collect() };
    let mut fair = Fair {
        justice: model.fair.justice.iter().map(|set| lift(set)).collect(),
        compassion: model.fair.compassion.iter().map(|(a, b)| (lift(a), lift(b))).collect(),
    };
    for (i, until) in list.iter().enumerate() {
        if let Until(_, b) = until {
            let kept = |n: usize| !bit(n % ways, i) || holds(b, n / ways, n % ways);
            fair.justice.push((0..nodes).map(kept).collect());
        }
    }
    let fair = graph.fair_inside(&vec![true; nodes], &fair);
    let starts = |state: usize, way: usize| {
        list.iter().enumerate().all(|(i, a)| match a {
            Yesterday(_) => !bit(way, i),
            Since(_, b) => bit(way, i) == holds(b, state, way),
            _ => true,
        })
    };
    let bad = |state: usize| {
        let wrong =
            |way: usize| fair[state * ways + way] && starts(state, way) && holds(&formula, state, way);
        model.initial[state] && (0..ways).any(wrong)
    };
    (0..model.graph.len()).map(bad).collect()
}

fn value(model: &Model, list: &[Simple], a: &Simple, state: usize, way: usize) -> bool {
    match a {
        Simple::Set(set) => model.holds(*set, state),
        True => true,
        Not(a) => !value(model, list, a, state, way),
        And(a, b) => value(model, list, a, state, way) && value(model, list, b, state, way),
        temporal => list.iter().position(|b| b == temporal).is_some_and(|i| way >> i & 1 == 1),
    }
}
