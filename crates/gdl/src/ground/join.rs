//! Joins: the order in which a body's literals are looked up, and the walk through the matches.

use crate::ground::core::{CoreRule, Literal, Pattern};
use crate::ground::relation::{Relation, UNBOUND, known, matches};
use crate::ground::terms::{TermId, Terms};
use crate::limits::{Exceeded, Meter};

/// Which tuples of a positive literal's relation take part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub from: usize,
    pub to: usize,
}

enum Step {
    /// Look up a positive literal through an index, with these patterns as the key.
    Index {
        literal: usize,
        index: usize,
        key: Vec<Pattern>,
        window: Window,
    },
    /// Try all tuples of a positive literal.
    Scan {
        literal: usize,
        window: Window,
    },
    /// A positive literal whose variables are all bound.
    Test {
        literal: usize,
        window: Window,
    },
    /// A negative literal of a relation that is already complete.
    Absent {
        literal: usize,
    },
    Distinct {
        pair: usize,
    },
}

/// A body in the order of its evaluation.
pub(crate) struct Plan {
    steps: Vec<Step>,
}

/// Orders a body: what only tests comes as early as it can, then always the literal that is expected to
/// match least. `first` is the literal to start with, if there is one.
pub(crate) fn plan(
    rule: &CoreRule,
    windows: &[Window],
    first: Option<usize>,
    test_negative: &[bool],
    relations: &mut [Relation],
    terms: &Terms,
) -> Plan {
    let mut bound = vec![false; rule.variables as usize];
    let mut steps = Vec::new();
    let mut positive: Vec<usize> = (0..rule.positive.len()).collect();
    let mut negative: Vec<usize> = (0..rule.negative.len()).filter(|i| test_negative[*i]).collect();
    let mut distinct: Vec<usize> = (0..rule.distinct.len()).collect();
    let mut next = first;
    loop {
        let all_bound = |args: &[Pattern], bound: &[bool]| {
            let mut all = true;
            args.iter().for_each(|a| a.variables(&mut |v| all &= bound[v as usize]));
            all
        };
        distinct.retain(|pair| {
            let (a, b) = &rule.distinct[*pair];
            let ready =
                all_bound(std::slice::from_ref(a), &bound) && all_bound(std::slice::from_ref(b), &bound);
            if ready {
                steps.push(Step::Distinct { pair: *pair });
            }
            !ready
        });
        negative.retain(|literal| {
            let ready = all_bound(&rule.negative[*literal].args, &bound);
            if ready {
                steps.push(Step::Absent { literal: *literal });
            }
            !ready
        });
        let chosen = next.take().or_else(|| {
            let cost = |i: &usize| {
                let literal = &rule.positive[*i];
                let relation = &relations[literal.pred as usize];
                if all_bound(&literal.args, &bound) {
                    return 0.0;
                }
                relation.estimate(&known(&literal.args, &bound).0, terms)
            };
            positive.iter().map(|i| (cost(i), *i)).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, i)| i)
        });
        let Some(chosen) = chosen else { break };
        positive.retain(|i| *i != chosen);
        let literal = &rule.positive[chosen];
        let window = windows[chosen];
        let (what, key) = known(&literal.args, &bound);
        if all_bound(&literal.args, &bound) {
            steps.push(Step::Test { literal: chosen, window });
        } else if (what.functors.is_empty() && what.values.is_empty())
            || first == Some(chosen) && window.from > 0
        {
            steps.push(Step::Scan { literal: chosen, window });
        } else {
            let index = relations[literal.pred as usize].index(&what, terms);
            steps.push(Step::Index { literal: chosen, index, key, window });
        }
        literal.variables(&mut |v| bound[v as usize] = true);
    }
    Plan { steps }
}

#[derive(Clone, Copy)]
struct Cursor<'r> {
    list: Option<&'r [u32]>,
    at: usize,
    end: usize,
}

/// A match of a whole body.
pub(crate) struct Match<'a> {
    pub bindings: &'a [TermId],
    /// For every positive literal the number of its tuple.
    pub tuples: &'a [u32],
}

/// Calls `emit` for every match of the body. The walk keeps its own stack, so long bodies are no danger.
pub(crate) fn run(
    rule: &CoreRule,
    plan: &Plan,
    relations: &[Relation],
    terms: &mut Terms,
    meter: &mut Meter,
    emit: &mut impl FnMut(&Match, &mut Terms, &mut Meter) -> Result<(), Exceeded>,
) -> Result<(), Exceeded> {
    let steps = &plan.steps;
    let mut walk = Walk {
        bindings: vec![UNBOUND; rule.variables as usize],
        tuples: vec![u32::MAX; rule.positive.len()],
    };
    let mut cursors = vec![Cursor { list: None, at: 0, end: 0 }; steps.len()];
    let mut trails: Vec<Vec<u32>> = vec![Vec::new(); steps.len()];
    let mut key: Vec<TermId> = Vec::new();
    let mut depth = 0;
    let mut entering = true;
    loop {
        if depth == steps.len() {
            emit(&Match { bindings: &walk.bindings, tuples: &walk.tuples }, terms, meter)?;
            if depth == 0 {
                return Ok(());
            }
            depth -= 1;
            entering = false;
        }
        let advanced = match &steps[depth] {
            Step::Index { literal, index, key: patterns, window } => {
                let relation = &relations[rule.positive[*literal].pred as usize];
                if entering {
                    key.clear();
                    for pattern in patterns {
                        key.push(pattern.instantiate(&walk.bindings, terms));
                    }
                    let list = relation.lookup(*index, &key);
                    let at = if window.from == 0 {
                        0
                    } else {
                        list.partition_point(|i| (*i as usize) < window.from)
                    };
                    let end = list.partition_point(|i| (*i as usize) < window.to);
                    cursors[depth] = Cursor { list: Some(list), at, end };
                }
                walk.step(
                    &rule.positive[*literal],
                    *literal,
                    relation,
                    (&mut cursors[depth], &mut trails[depth]),
                    terms,
                    meter,
                )?
            }
            Step::Scan { literal, window } => {
                let relation = &relations[rule.positive[*literal].pred as usize];
                if entering {
                    cursors[depth] = Cursor { list: None, at: window.from, end: window.to };
                }
                walk.step(
                    &rule.positive[*literal],
                    *literal,
                    relation,
                    (&mut cursors[depth], &mut trails[depth]),
                    terms,
                    meter,
                )?
            }
            Step::Test { literal, window } => {
                entering && {
                    meter.tick()?;
                    let pattern = &rule.positive[*literal];
                    key.clear();
                    key.extend(pattern.args.iter().map(|a| a.instantiate(&walk.bindings, terms)));
                    let found = relations[pattern.pred as usize].find(&key);
                    walk.tuples[*literal] = found.unwrap_or(u32::MAX);
                    found.is_some_and(|i| (window.from..window.to).contains(&(i as usize)))
                }
            }
            Step::Absent { literal } => {
                entering && {
                    let pattern = &rule.negative[*literal];
                    key.clear();
                    key.extend(pattern.args.iter().map(|a| a.instantiate(&walk.bindings, terms)));
                    relations[pattern.pred as usize].find(&key).is_none()
                }
            }
            Step::Distinct { pair } => {
                entering && {
                    let (a, b) = &rule.distinct[*pair];
                    a.instantiate(&walk.bindings, terms) != b.instantiate(&walk.bindings, terms)
                }
            }
        };
        if advanced {
            depth += 1;
            entering = true;
        } else if depth == 0 {
            return Ok(());
        } else {
            depth -= 1;
            entering = false;
        }
    }
}

/// Where a walk stands.
struct Walk {
    bindings: Vec<TermId>,
    tuples: Vec<u32>,
}

impl Walk {
    /// Goes to the next tuple of the literal that matches, undoing what the one before has bound.
    fn step(
        &mut self,
        pattern: &Literal,
        literal: usize,
        relation: &Relation,
        (cursor, trail): (&mut Cursor, &mut Vec<u32>),
        terms: &Terms,
        meter: &mut Meter,
    ) -> Result<bool, Exceeded> {
        loop {
            for v in trail.drain(..) {
                self.bindings[v as usize] = UNBOUND;
            }
            if cursor.at >= cursor.end {
                return Ok(false);
            }
            let i = cursor.list.map_or(cursor.at, |list| list[cursor.at] as usize);
            cursor.at += 1;
            meter.tick()?;
            let tuple = relation.tuple(i);
            if pattern.args.iter().zip(tuple).all(|(p, t)| matches(p, *t, &mut self.bindings, trail, terms)) {
                self.tuples[literal] = i as u32;
                return Ok(true);
            }
        }
    }
}
