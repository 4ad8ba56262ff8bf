//! Deriving only what is asked for: the magic sets of Beeri and Ramakrishnan.
//!
//! `(count ?x ?seen ?all)` that counts along a board holds, taken by itself, for every number that could have been seen
//! before `?x`, times every number that could come out. Those who use it begin with none seen. What they ask for is a
//! relation of its own, derived together with everything that changes, and a condition of the rules that are asked. The
//! relaxed game ignores the negation of what changes, so that asking more widely than needed never loses anything.
//!
//! Most games are smaller without: this is for those that would be too large.

use crate::ground::core::{CoreRule, Literal, Pattern, PredId};
use crate::ground::demand::connected;
use crate::ground::evaluate::Evaluation;
use crate::ground::relation::Relation;

/// For every relation the positions at which whoever uses it knows the value; none where nothing is asked.
type Asked = Vec<Option<Vec<usize>>>;

/// Adds what is asked for to the rules of what changes. Gives the rules that derive it and their relations, or nothing
/// if whoever uses a relation never knows anything of it.
pub(crate) fn ask(evaluation: &mut Evaluation) -> Option<(Vec<CoreRule>, Vec<PredId>)> {
    let asked = positions(evaluation);
    let mut names: Vec<Option<PredId>> = vec![None; evaluation.relations.len()];
    let mut made = Vec::new();
    for (pred, positions) in asked.iter().enumerate() {
        if let Some(positions) = positions {
            let name = evaluation.relations.len() as PredId;
            evaluation.relations.push(Relation::new(positions.len()));
            evaluation.fixed.push(false);
            names[pred] = Some(name);
            made.push(name);
        }
    }
    if made.is_empty() {
        return None;
    }
    let question = |literal: &Literal| {
        let (name, positions) = (names[literal.pred as usize]?, asked[literal.pred as usize].as_ref()?);
        Some(Literal { pred: name, args: positions.iter().map(|p| literal.args[*p].clone()).collect() })
    };
    let fixed = evaluation.fixed.clone();
    let mut rules = Vec::new();
    for rule in evaluation.rules.iter_mut().filter(|r| !fixed[r.head.pred as usize]) {
        let given = question(&rule.head);
        let order = order(rule, &asked);
        let mut ask = |literal: &Literal, before: &[usize]| {
            let Some(head) = question(literal) else { return };
            let known = before.iter().map(|i| rule.positive[*i].clone());
            let made = CoreRule { positive: given.iter().cloned().chain(known).collect(), ..rule.clone() };
            let made = checkable(CoreRule { head, ..made }, &fixed);
            if !made.positive.contains(&made.head) {
                rules.push(made);
            }
        };
        for (at, literal) in order.iter().enumerate() {
            ask(&rule.positive[*literal], &order[..at]);
        }
        rule.negative.iter().for_each(|literal| ask(literal, &order));
        if let Some(given) = given {
            rule.positive.insert(0, given);
        }
    }
    Some((rules, made))
}

/// Leaves out what cannot be tested with what is known, and what has nothing to do with the head.
fn checkable(mut rule: CoreRule, fixed: &[bool]) -> CoreRule {
    let mut bound = vec![false; rule.variables as usize];
    rule.positive.iter().for_each(|l| l.variables(&mut |v| bound[v as usize] = true));
    let is_bound = |p: &Pattern| unknown(std::slice::from_ref(p), &bound) == 0;
    rule.negative.retain(|l| fixed[l.pred as usize] && l.args.iter().all(is_bound));
    rule.distinct.retain(|(a, b)| is_bound(a) && is_bound(b));
    connected(&mut rule);
    rule
}

/// The positions that are known wherever a relation is used. They become fewer until every use knows them.
fn positions(evaluation: &Evaluation) -> Asked {
    let k = evaluation.keywords;
    let given = [k.role, k.init, k.truth, k.does, k.next, k.legal, k.goal, k.terminal];
    let mut asked: Asked = vec![None; evaluation.relations.len()];
    let rules: Vec<&CoreRule> =
        evaluation.rules.iter().filter(|r| !evaluation.fixed[r.head.pred as usize]).collect();
    for rule in &rules {
        let pred = rule.head.pred;
        if !given.contains(&pred) && !rule.head.args.is_empty() {
            asked[pred as usize] = Some((0..rule.head.args.len()).collect());
        }
    }
    loop {
        let mut changed = false;
        for rule in &rules {
            let mut bound = vec![false; rule.variables as usize];
            bind_head(rule, &asked, &mut bound);
            for literal in order(rule, &asked).into_iter().map(|i| &rule.positive[i]) {
                if let Some(positions) = &mut asked[literal.pred as usize] {
                    let before = positions.len();
                    positions.retain(|p| unknown(&literal.args[*p..=*p], &bound) == 0);
                    changed |= positions.len() < before;
                    if positions.is_empty() {
                        asked[literal.pred as usize] = None;
                    }
                }
                literal.variables(&mut |v| bound[v as usize] = true);
            }
        }
        if !changed {
            return asked;
        }
    }
}

fn bind_head(rule: &CoreRule, asked: &Asked, bound: &mut [bool]) {
    for position in asked[rule.head.pred as usize].iter().flatten() {
        rule.head.args[*position].variables(&mut |v| bound[v as usize] = true);
    }
}

/// How many variables are not known, counted as often as they occur.
fn unknown(args: &[Pattern], bound: &[bool]) -> usize {
    let mut count = 0;
    args.iter().for_each(|a| a.variables(&mut |v| count += usize::from(!bound[v as usize])));
    count
}

/// The order in which the conditions pass on what they know: first those of which something is known, and of these
/// what is known anyway before what would have to be asked for.
fn order(rule: &CoreRule, asked: &Asked) -> Vec<usize> {
    let mut bound = vec![false; rule.variables as usize];
    bind_head(rule, asked, &mut bound);
    let mut left: Vec<usize> = (0..rule.positive.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    let rank = |i: usize, bound: &[bool]| {
        let literal = &rule.positive[i];
        let unknown_here = unknown(&literal.args, bound);
        let none = !literal.args.iter().any(|a| unknown(std::slice::from_ref(a), bound) == 0);
        (unknown_here > 0, none, asked[literal.pred as usize].is_some(), unknown_here, i)
    };
    while let Some(next) = left.iter().copied().min_by_key(|i| rank(*i, &bound)) {
        left.retain(|i| *i != next);
        rule.positive[next].variables(&mut |v| bound[v as usize] = true);
        order.push(next);
    }
    order
}
