//! Restricting relations to what their users ask for.
//!
//! `between(l, m, r)` may hold for every three pieces, while every rule that uses it says that `l` is a king
//! and `r` a rook of the other side. What such rules demand by conditions that never change is a relation of
//! its own, known before anything that changes is derived, and is added to the rules of the relation.

use crate::ground::components::components;
use crate::ground::core::{CoreRule, Literal, Pattern, PredId};
use crate::ground::evaluate::Evaluation;
use crate::ground::join::{Window, plan, run};
use crate::ground::relation::Relation;
use crate::limits::{Exceeded, Meter};
use rustc_hash::FxHashSet;

/// More tuples than this are not worth demanding: the relation itself is hardly larger.
const MOST_TUPLES: usize = 50_000;
/// Matches of one rule that are looked at before its demand counts as everything.
const MOST_MATCHES: usize = 200_000;

/// A place where a relation is used.
#[derive(Clone, Copy)]
struct Use {
    rule: usize,
    literal: usize,
    negative: bool,
}

/// Adds to the rules of every relation that changes what its users demand of it.
pub(crate) fn restrict(evaluation: &mut Evaluation, meter: &mut Meter) -> Result<(), Exceeded> {
    let k = evaluation.keywords;
    let count = evaluation.relations.len();
    let given = [k.role, k.init, k.truth, k.does, k.next, k.legal, k.goal, k.terminal];
    let mut uses: Vec<Vec<Use>> = vec![Vec::new(); count];
    let mut below: Vec<FxHashSet<PredId>> = vec![FxHashSet::default(); count];
    for (rule, r) in evaluation.rules.iter().enumerate() {
        if evaluation.fixed[r.head.pred as usize] {
            continue;
        }
        for (negative, list) in [(false, &r.positive), (true, &r.negative)] {
            for (literal, l) in list.iter().enumerate() {
                uses[l.pred as usize].push(Use { rule, literal, negative });
                below[r.head.pred as usize].insert(l.pred);
            }
        }
    }
    // Users come first, so that what is demanded of them is passed on.
    let component = components(count, |p, out| out.extend(&below[p]));
    let mut order: Vec<PredId> = (0..count as PredId).collect();
    order.sort_by_key(|p| std::cmp::Reverse(component[*p as usize]));
    for pred in order {
        if evaluation.fixed[pred as usize] || given.contains(&pred) || uses[pred as usize].is_empty() {
            continue;
        }
        if let Some((positions, tuples)) = demand(evaluation, &uses[pred as usize], meter)? {
            let literal = evaluation.relations.len() as PredId;
            evaluation.relations.push(tuples);
            evaluation.fixed.push(true);
            for rule in evaluation.rules.iter_mut().filter(|r| r.head.pred == pred) {
                let args = positions.iter().map(|p| rule.head.args[*p].clone()).collect();
                rule.positive.push(Literal { pred: literal, args });
            }
        }
    }
    Ok(())
}

/// The conditions of a rule that never change.
fn fixed_part(rule: &CoreRule, fixed: &[bool]) -> CoreRule {
    let positive: Vec<Literal> = rule.positive.iter().filter(|l| fixed[l.pred as usize]).cloned().collect();
    let mut bound = vec![false; rule.variables as usize];
    positive.iter().for_each(|l| l.variables(&mut |v| bound[v as usize] = true));
    let is_bound = |p: &Pattern| {
        let mut all = true;
        p.variables(&mut |v| all &= bound[v as usize]);
        all
    };
    let negative = rule.negative.iter().filter(|l| fixed[l.pred as usize] && l.args.iter().all(is_bound));
    let distinct = rule.distinct.iter().filter(|(a, b)| is_bound(a) && is_bound(b));
    CoreRule {
        head: rule.head.clone(),
        negative: negative.cloned().collect(),
        distinct: distinct.cloned().collect(),
        positive,
        variables: rule.variables,
        origin: rule.origin,
    }
}

/// The positions that every user binds by conditions that never change, with the values that they can have
/// there; nothing if some user asks for anything, or for too much.
fn demand(
    evaluation: &mut Evaluation,
    uses: &[Use],
    meter: &mut Meter,
) -> Result<Option<(Vec<usize>, Relation)>, Exceeded> {
    let mut positions: Option<Vec<usize>> = None;
    let mut queries: Vec<(CoreRule, Box<[Pattern]>)> = Vec::new();
    for u in uses {
        let rule = &evaluation.rules[u.rule];
        let literal = if u.negative { &rule.negative[u.literal] } else { &rule.positive[u.literal] };
        let args = literal.args.clone();
        let query = fixed_part(rule, &evaluation.fixed);
        let mut bound = vec![false; query.variables as usize];
        query.positive.iter().for_each(|l| l.variables(&mut |v| bound[v as usize] = true));
        let mut here: Vec<usize> = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let mut all = true;
            arg.variables(&mut |v| all &= bound[v as usize]);
            if all && positions.as_ref().is_none_or(|p| p.contains(&i)) {
                here.push(i);
            }
        }
        if here.is_empty() {
            return Ok(None);
        }
        positions = Some(here);
        queries.push((query, args));
    }
    let Some(positions) = positions else { return Ok(None) };
    let mut tuples = Relation::new(positions.len());
    for (mut query, args) in queries {
        query.head.args = positions.iter().map(|p| args[*p].clone()).collect();
        connected(&mut query);
        let windows: Vec<Window> = query
            .positive
            .iter()
            .map(|l| Window { from: 0, to: evaluation.relations[l.pred as usize].len() })
            .collect();
        let test = vec![true; query.negative.len()];
        let plan = plan(&query, &windows, None, &test, &mut evaluation.relations, &evaluation.terms);
        meter.rule = query.origin;
        let (mut tuple, mut matches, mut many) = (Vec::new(), 0, false);
        let relations = &evaluation.relations;
        let walk = run(&query, &plan, relations, &mut evaluation.terms, meter, &mut |m, terms, _| {
            tuple.clear();
            tuple.extend(query.head.args.iter().map(|a| a.instantiate(m.bindings, terms)));
            tuples.insert(&tuple);
            matches += 1;
            many = matches > MOST_MATCHES || tuples.len() > MOST_TUPLES;
            // Nothing is exceeded: this only ends the walk.
            if many { Err(Exceeded(String::new())) } else { Ok(()) }
        });
        if many {
            return Ok(None);
        }
        walk?;
    }
    Ok(Some((positions, tuples)))
}

/// Leaves only the conditions that have to do with the head, through any number of others.
pub(crate) fn connected(query: &mut CoreRule) {
    let mut seen = vec![false; query.variables as usize];
    query.head.variables(&mut |v| seen[v as usize] = true);
    loop {
        let before = seen.iter().filter(|s| **s).count();
        for literal in &query.positive {
            let mut meets = false;
            literal.variables(&mut |v| meets |= seen[v as usize]);
            if meets {
                literal.variables(&mut |v| seen[v as usize] = true);
            }
        }
        if seen.iter().filter(|s| **s).count() == before {
            break;
        }
    }
    let meets = |args: &[Pattern]| {
        let mut meets = false;
        args.iter().for_each(|a| a.variables(&mut |v| meets |= seen[v as usize]));
        meets
    };
    query.positive.retain(|l| meets(&l.args));
    query.negative.retain(|l| meets(&l.args));
    query.distinct.retain(|(a, b)| meets(std::slice::from_ref(a)) || meets(std::slice::from_ref(b)));
}
