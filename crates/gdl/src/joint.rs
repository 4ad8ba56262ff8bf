//! Joint moves: which actions of the roles can be legal together.

use crate::formula::{Formula, FormulaId, Formulas};
use crate::ground::Ground;
use crate::limits::{Exceeded, Meter};
use crate::prove::{Theory, consequences};
use rustc_hash::FxHashMap;

/// A set of values of a group; the last bit stands for none of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Values(Vec<u64>);

impl Values {
    pub fn all(group: &crate::prove::Group) -> Self {
        let count = group.fluents.len() + usize::from(!group.exact);
        let mut words = vec![0u64; group.fluents.len() / 64 + 1];
        (0..count).for_each(|v| words[v / 64] |= 1 << (v % 64));
        Values(words)
    }

    fn only(value: usize, size: usize) -> Self {
        let mut words = vec![0u64; size / 64 + 1];
        words[value / 64] |= 1 << (value % 64);
        Values(words)
    }

    pub fn contains(&self, value: usize) -> bool {
        self.0[value / 64] >> (value % 64) & 1 == 1
    }

    pub fn meets(&self, other: &Values) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn combine(&mut self, other: &Values, op: impl Fn(u64, u64) -> u64) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a = op(*a, *b));
    }
}

/// The values that a group can have where the formula has the given value; more than those if in doubt.
pub(crate) fn allowed(
    formulas: &Formulas,
    theory: &Theory,
    group: usize,
    id: FormulaId,
    value: bool,
    depth: u32,
) -> Values {
    let members = &theory.groups[group];
    let everything = Values::all(members);
    if depth == 0 {
        return everything;
    }
    match formulas.get(id) {
        Formula::True if !value => Values(vec![0; everything.0.len()]),
        Formula::False if value => Values(vec![0; everything.0.len()]),
        Formula::Fluent(f) => match members.fluents.iter().position(|m| *m == f) {
            None => everything,
            Some(at) if value => Values::only(at, members.fluents.len()),
            Some(at) => {
                let mut rest = everything;
                rest.combine(&Values::only(at, members.fluents.len()), |a, b| a & !b);
                rest
            }
        },
        Formula::Not(a) => allowed(formulas, theory, group, a, !value, depth - 1),
        Formula::And(list) | Formula::Or(list) => {
            let conjunction = matches!(formulas.get(id), Formula::And(_)) == value;
            let mut result = if conjunction { everything } else { Values(vec![0; everything.0.len()]) };
            for a in list {
                let inner = allowed(formulas, theory, group, *a, value, depth - 1);
                result.combine(&inner, |x, y| if conjunction { x & y } else { x | y });
            }
            result
        }
        _ => everything,
    }
}

/// How deep [`allowed`] looks.
pub(crate) const DEPTH: u32 = 12;

/// The groups that say most about which actions are legal, best first.
pub(crate) fn pivots(formulas: &Formulas, theory: &Theory, legal: &[FormulaId]) -> Vec<usize> {
    let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
    let step = (legal.len() / 200).max(1);
    for id in legal.iter().step_by(step) {
        let mut groups: Vec<u32> = Vec::new();
        let mut stack = vec![(*id, 6u32)];
        let mut steps = 0;
        while let Some((id, depth)) = stack.pop() {
            steps += 1;
            if depth == 0 || steps > 400 {
                continue;
            }
            match formulas.get(id) {
                Formula::Fluent(f) => groups.extend(theory.of(f)),
                Formula::Not(a) => stack.push((a, depth - 1)),
                Formula::And(list) | Formula::Or(list) => stack.extend(list.iter().map(|a| (*a, depth - 1))),
                _ => {}
            }
        }
        groups.sort_unstable();
        groups.dedup();
        groups.into_iter().for_each(|g| *counts.entry(g).or_default() += 1);
    }
    let mut list: Vec<(usize, usize)> = counts.into_iter().map(|(g, n)| (n, g as usize)).collect();
    list.sort_by_key(|(n, g)| (std::cmp::Reverse(*n), theory.groups[*g].fluents.len(), *g));
    list.into_iter().map(|(_, g)| g).take(8).collect()
}

/// All combinations of one action per role that can be legal together where the theory holds.
pub(crate) fn joint_actions(
    ground: &Ground,
    formulas: &Formulas,
    theory: &Theory,
    legal: &[FormulaId],
    meter: &Meter,
) -> Result<Vec<Vec<usize>>, Exceeded> {
    let possible = |role: usize| {
        (0..ground.actions.len())
            .filter(move |a| ground.actions[*a].0 == role && legal[*a] != crate::formula::FALSE)
    };
    if ground.roles.len() == 1 {
        return Ok(possible(0).map(|a| vec![a]).collect());
    }
    let (first, second): (Vec<usize>, Vec<usize>) = (possible(0).collect(), possible(1).collect());
    let mut classes: Option<(u64, Vec<(Values, Vec<usize>)>, Vec<(Values, Vec<usize>)>)> = None;
    for group in pivots(formulas, theory, legal) {
        let classify = |actions: &[usize]| {
            let mut map: FxHashMap<Values, Vec<usize>> = FxHashMap::default();
            for a in actions {
                map.entry(allowed(formulas, theory, group, legal[*a], true, DEPTH)).or_default().push(*a);
            }
            map.into_iter().collect::<Vec<_>>()
        };
        let (a, b) = (classify(&first), classify(&second));
        let mut pairs = 0u64;
        for (x, list) in &a {
            pairs +=
                b.iter().filter(|(y, _)| x.meets(y)).map(|(_, l)| (l.len() * list.len()) as u64).sum::<u64>();
        }
        if classes.as_ref().is_none_or(|c| pairs < c.0) {
            classes = Some((pairs, a, b));
        }
    }
    let (a, b) = match classes {
        Some((_, a, b)) => (a, b),
        None => {
            let any = Values(vec![u64::MAX]);
            (vec![(any.clone(), first)], vec![(any, second)])
        }
    };
    let mut joint = Vec::new();
    for (x, list) in &a {
        for (y, others) in b.iter().filter(|(y, _)| x.meets(y)) {
            let _ = y;
            for p in list {
                meter.check_time()?;
                for q in others {
                    if consequences(formulas, theory, &[(legal[*p], true), (legal[*q], true)]).is_some() {
                        joint.push(vec![*p, *q]);
                    }
                    if joint.len() > meter.limits.moves {
                        return Err(Exceeded(format!(
                            "there are more than {} joint moves",
                            meter.limits.moves
                        )));
                    }
                }
            }
        }
    }
    joint.sort_unstable();
    Ok(joint)
}
