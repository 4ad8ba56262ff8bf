//! Splitting off existential variables.
//!
//! `p(x) <- q(x, y), r(y, z)` has an instance for every triple; with `r'(y) <- r(y, z)` it is
//! `p(x) <- q(x, y), r'(y)`, which has one for every pair. Long bodies shrink a lot by this, and what is
//! split off is shared between rules that ask for the same.

use crate::ground::core::{CoreRule, Literal, Pattern, PredId};
use crate::ground::lower::Lowered;
use rustc_hash::FxHashMap;

/// The part of a body that is split off: its literals in canonical numbering, and which of its variables
/// stay visible.
#[derive(PartialEq, Eq, Hash, Clone)]
struct Part {
    positive: Vec<Literal>,
    negative: Vec<Literal>,
    distinct: Vec<(Pattern, Pattern)>,
    shared: u32,
}

/// Splits the rules as long as that lowers the number of variables of a rule.
pub(crate) fn condense(lowered: &mut Lowered) {
    let mut known: FxHashMap<Part, PredId> = FxHashMap::default();
    let mut at = 0;
    while at < lowered.rules.len() {
        while let Some(split) = best_split(&lowered.rules[at]) {
            apply(lowered, at, split, &mut known);
        }
        at += 1;
    }
}

struct Split {
    positive: Vec<usize>,
    negative: Vec<usize>,
    distinct: Vec<usize>,
    shared: Vec<u32>,
}

fn vars(visit: impl FnOnce(&mut dyn FnMut(u32))) -> Vec<u32> {
    let mut list = Vec::new();
    visit(&mut |v| {
        if !list.contains(&v) {
            list.push(v);
        }
    });
    list
}

fn literal_vars(literal: &Literal) -> Vec<u32> {
    vars(|f| literal.variables(&mut |v| f(v)))
}

/// Sets of existential variables to split around: each on its own, and all that hang together.
fn centres(existential: &[u32], lists: &[&[Vec<u32>]]) -> Vec<Vec<u32>> {
    let mut centres: Vec<Vec<u32>> = existential.iter().map(|v| vec![*v]).collect();
    let mut left: Vec<u32> = existential.to_vec();
    while let Some(first) = left.pop() {
        let mut together = vec![first];
        let mut at = 0;
        while at < together.len() {
            let v = together[at];
            for list in lists.iter().flat_map(|l| l.iter()).filter(|l| l.contains(&v)) {
                let (more, rest) = left.iter().partition::<Vec<u32>, _>(|w| list.contains(w));
                together.extend(more);
                left = rest;
            }
            at += 1;
        }
        if together.len() > 1 {
            centres.push(together);
        }
    }
    centres
}

/// The split around existential variables that leaves the fewest variables visible.
fn best_split(rule: &CoreRule) -> Option<Split> {
    // Longer bodies and wider rules are left to the join order; looking for splits is quadratic.
    if rule.positive.len() < 2 || rule.positive.len() > 200 {
        return None;
    }
    let head = literal_vars(&rule.head);
    let positive: Vec<Vec<u32>> = rule.positive.iter().map(literal_vars).collect();
    let negative: Vec<Vec<u32>> = rule.negative.iter().map(literal_vars).collect();
    let distinct: Vec<Vec<u32>> = rule
        .distinct
        .iter()
        .map(|(a, b)| {
            vars(|f| {
                a.variables(&mut |v| f(v));
                b.variables(&mut |v| f(v));
            })
        })
        .collect();
    let all = vars(|f| positive.iter().flatten().for_each(|v| f(*v)));
    let mut best: Option<Split> = None;
    let existential: Vec<u32> = all.iter().copied().filter(|v| !head.contains(v)).collect();
    for centre in centres(&existential, &[&positive, &negative, &distinct]) {
        let having = |lists: &[Vec<u32>]| -> Vec<usize> {
            (0..lists.len()).filter(|i| centre.iter().any(|z| lists[*i].contains(z))).collect()
        };
        let split = Split {
            positive: having(&positive),
            negative: having(&negative),
            distinct: having(&distinct),
            shared: Vec::new(),
        };
        if split.positive.len() == positive.len() {
            continue;
        }
        let bound = vars(|f| split.positive.iter().flat_map(|i| &positive[*i]).for_each(|v| f(*v)));
        let used = vars(|f| {
            split.negative.iter().flat_map(|i| &negative[*i]).for_each(|v| f(*v));
            split.distinct.iter().flat_map(|i| &distinct[*i]).for_each(|v| f(*v));
        });
        if used.iter().any(|v| !bound.contains(v)) || bound.len() == all.len() {
            continue;
        }
        // Only what the rest of the rule still mentions stays visible: several variables may go at once.
        let rest = |lists: &[Vec<u32>], out: &[usize], v: u32| {
            lists.iter().enumerate().any(|(i, list)| !out.contains(&i) && list.contains(&v))
        };
        let shared: Vec<u32> = bound
            .iter()
            .copied()
            .filter(|v| {
                head.contains(v)
                    || rest(&positive, &split.positive, *v)
                    || rest(&negative, &split.negative, *v)
                    || rest(&distinct, &split.distinct, *v)
            })
            .collect();
        // A split must not make a relation larger than those it is made of.
        let contained = split.positive.iter().any(|i| shared.iter().all(|v| positive[*i].contains(v)));
        if !contained && shared.len() > 2 {
            continue;
        }
        if best.as_ref().is_none_or(|b| shared.len() < b.shared.len()) {
            best = Some(Split { shared, ..split });
        }
    }
    best
}

fn apply(lowered: &mut Lowered, at: usize, split: Split, known: &mut FxHashMap<Part, PredId>) {
    let rule = &lowered.rules[at];
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    for v in &split.shared {
        let next = numbers.len() as u32;
        numbers.insert(*v, next);
    }
    let mut name = |v: u32| {
        let next = numbers.len() as u32;
        *numbers.entry(v).or_insert(next)
    };
    let part = Part {
        positive: split.positive.iter().map(|i| rule.positive[*i].rename(&mut name)).collect(),
        negative: split.negative.iter().map(|i| rule.negative[*i].rename(&mut name)).collect(),
        distinct: split
            .distinct
            .iter()
            .map(|i| (rule.distinct[*i].0.rename(&mut name), rule.distinct[*i].1.rename(&mut name)))
            .collect(),
        shared: split.shared.len() as u32,
    };
    let variables = numbers.len() as u32;
    let origin = rule.origin;
    let pred = match known.get(&part) {
        Some(pred) => *pred,
        None => {
            let pred = lowered.predicates.fresh(split.shared.len());
            known.insert(part.clone(), pred);
            lowered.rules.push(CoreRule {
                head: Literal { pred, args: (0..part.shared).map(Pattern::Var).collect() },
                positive: part.positive,
                negative: part.negative,
                distinct: part.distinct,
                variables,
                origin,
            });
            pred
        }
    };
    let rule = &mut lowered.rules[at];
    let remove = |count: usize, gone: &[usize]| (0..count).filter(|i| !gone.contains(i)).collect::<Vec<_>>();
    rule.positive =
        remove(rule.positive.len(), &split.positive).iter().map(|i| rule.positive[*i].clone()).collect();
    rule.negative =
        remove(rule.negative.len(), &split.negative).iter().map(|i| rule.negative[*i].clone()).collect();
    rule.distinct =
        remove(rule.distinct.len(), &split.distinct).iter().map(|i| rule.distinct[*i].clone()).collect();
    rule.positive.push(Literal { pred, args: split.shared.iter().map(|v| Pattern::Var(*v)).collect() });
}
