//! Joint moves: which actions of the roles can be legal together.

use crate::ground::instances::Ground;
use crate::limits::{Exceeded, Meter};
use crate::prove::formula::{FALSE, Formula, FormulaId, Formulas, TRUE};
use crate::prove::implied::shared;
use crate::prove::refute::{Group, Theory, consequences, refute};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A set of values of a group; the last bit stands for none of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Values(Vec<u64>);

impl Values {
    pub fn all(group: &Group) -> Self {
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

    /// The values in the set.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        let bits = |(w, word): (usize, &u64)| {
            let word = *word;
            (0..64).filter(move |b| word >> b & 1 == 1).map(move |b| w * 64 + b)
        };
        self.0.iter().enumerate().flat_map(bits)
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }

    pub fn meets(&self, other: &Values) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn combine(&mut self, other: &Values, op: impl Fn(u64, u64) -> u64) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a = op(*a, *b));
    }
}

/// Finds the values that a group can have where formulas hold; more than those if in doubt.
pub(crate) struct Allowed<'a> {
    formulas: &'a Formulas,
    members: &'a Group,
    everything: Values,
    mask: u64,
    memo: FxHashMap<(FormulaId, bool), Values>,
}

/// How deep [`Allowed`] looks.
const DEPTH: u32 = 12;

impl<'a> Allowed<'a> {
    pub fn new(formulas: &'a Formulas, members: &'a Group) -> Self {
        let mask = members.fluents.iter().fold(0, |m, f| m | 1 << (f % 64));
        Allowed { formulas, members, everything: Values::all(members), mask, memo: FxHashMap::default() }
    }

    /// The values where the formula holds.
    pub fn values(&mut self, id: FormulaId) -> Values {
        self.look(id, true, DEPTH)
    }

    fn nothing(&self) -> Values {
        Values(vec![0; self.everything.0.len()])
    }

    fn look(&mut self, id: FormulaId, value: bool, depth: u32) -> Values {
        let formulas = self.formulas;
        match formulas.get(id) {
            Formula::True if !value => return self.nothing(),
            Formula::False if value => return self.nothing(),
            _ if depth == 0 || formulas.mask(id) & self.mask == 0 => return self.everything.clone(),
            Formula::Fluent(f) => {
                let mut found = self.everything.clone();
                if let Some(at) = self.members.fluents.iter().position(|m| *m == f) {
                    let only = Values::only(at, self.members.fluents.len());
                    found.combine(&only, |a, b| if value { a & b } else { a & !b });
                }
                return found;
            }
            Formula::Not(a) => return self.look(a, !value, depth - 1),
            _ => {}
        }
        if let Some(known) = self.memo.get(&(id, value)) {
            return known.clone();
        }
        let (conjunction, list) = match formulas.get(id) {
            Formula::And(list) => (value, list),
            Formula::Or(list) => (!value, list),
            _ => return self.everything.clone(),
        };
        let mut result = if conjunction { self.everything.clone() } else { self.nothing() };
        let simple = |a: &FormulaId| match formulas.get(*a) {
            Formula::Fluent(_) => true,
            Formula::Not(b) => matches!(formulas.get(b), Formula::Fluent(_)),
            _ => false,
        };
        // What is asked for at once usually decides.
        for shallow in [true, false] {
            for a in list.iter().filter(|a| simple(a) == shallow) {
                if if conjunction { result.is_empty() } else { result == self.everything } {
                    break;
                }
                if formulas.mask(*a) & self.mask == 0 && *a != TRUE && *a != FALSE {
                    if !conjunction {
                        result = self.everything.clone();
                    }
                    continue;
                }
                let inner = self.look(*a, value, depth - 1);
                result.combine(&inner, |x, y| if conjunction { x & y } else { x | y });
            }
        }
        self.memo.insert((id, value), result.clone());
        result
    }
}

/// The groups that say most about which actions are legal, best first.
pub(crate) fn pivots(formulas: &Formulas, theory: &Theory, legal: &[FormulaId]) -> Vec<usize> {
    let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
    let step = (legal.len() / 200).max(1);
    for id in legal.iter().step_by(step) {
        let mut groups: Vec<u32> = Vec::new();
        // Breadth first: what a rule asks at once says more than what it asks deep inside.
        let mut queue = std::collections::VecDeque::from([(*id, 6u32)]);
        let mut steps = 0;
        while let Some((id, depth)) = queue.pop_front() {
            steps += 1;
            if depth == 0 || steps > 100 {
                continue;
            }
            match formulas.get(id) {
                Formula::Fluent(f) => groups.extend(theory.of(f)),
                Formula::Not(a) => queue.push_back((a, depth - 1)),
                Formula::And(list) | Formula::Or(list) => queue.extend(list.iter().map(|a| (*a, depth - 1))),
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

/// Actions by the values that a group must have for them to be legal.
type Classes = Vec<(Values, Vec<usize>)>;

/// Pairs of actions between one look and the next.
#[derive(Default)]
pub(crate) struct Pairs {
    /// Pairs found possible under a stronger theory: they need not be looked at again.
    pub possible: FxHashSet<(usize, usize)>,
    /// The same for the actions of more than two roles.
    together: FxHashSet<Vec<usize>>,
    /// The classes by a group that leaves no more pairs than there are actions: as good as any.
    best: Option<(Group, Rc<(Classes, Classes)>)>,
}

/// Steps to show that two actions exclude each other, where there are not many pairs.
const BUDGET: usize = 4000;

/// All combinations of one action per role that can be legal together where the theory holds.
pub(crate) fn joint_actions(
    ground: &Ground,
    formulas: &Formulas,
    theory: &Theory,
    legal: &[FormulaId],
    known: &mut Pairs,
    meter: &Meter,
) -> Result<Vec<Vec<usize>>, Exceeded> {
    let of = |role: usize| {
        (0..ground.actions.len()).filter(move |a| ground.actions[*a].0 == role && legal[*a] != FALSE)
    };
    match ground.roles.len() {
        1 => return Ok(of(0).map(|a| vec![a]).collect()),
        2 => {}
        roles => {
            let by_role: Vec<Vec<usize>> = (0..roles).map(|role| of(role).collect()).collect();
            return joint_of_many(&by_role, formulas, theory, legal, known, meter);
        }
    }
    let (first, second): (Vec<usize>, Vec<usize>) = (of(0).collect(), of(1).collect());
    let few = 2 * (first.len() + second.len()) as u64;
    let again = known.best.as_ref().filter(|(g, _)| {
        let at = g.fluents.first().map_or(&[][..], |f| theory.of(*f));
        at.iter().any(|i| theory.groups[*i as usize] == *g)
    });
    let (pairs, classes) = match again {
        Some((_, classes)) => (0, classes.clone()),
        None => {
            let actions = (first.len() + second.len()) as u64;
            let (pairs, group, classes) = classes(formulas, theory, legal, first, second);
            let classes = Rc::new(classes);
            known.best = group.filter(|_| pairs <= actions).map(|g| (g, classes.clone()));
            (pairs, classes)
        }
    };
    let (a, b) = &*classes;
    let possible = &mut known.possible;
    // Where no group tells whose turn it is, a shared condition of many actions may.
    let shared = (pairs > few).then(|| shared(ground, formulas, theory, legal));
    let mut joint = Vec::new();
    for (x, list) in a {
        for (_, others) in b.iter().filter(|(y, _)| x.meets(y)) {
            for p in list {
                meter.check_time()?;
                for q in others {
                    if shared.as_ref().is_some_and(|s| s.apart(*p, *q)) {
                        continue;
                    }
                    let claims = [(legal[*p], true), (legal[*q], true)];
                    if possible.contains(&(*p, *q))
                        || consequences(formulas, theory, &claims).is_some()
                            && !(shared.is_some()
                                && joint.len() as u64 <= few
                                && refute(formulas, theory, &claims, BUDGET))
                    {
                        possible.insert((*p, *q));
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

/// Combinations of the actions of more than two roles, one role after the other: what cannot be legal together with a
/// few actions cannot be with more.
fn joint_of_many(
    by_role: &[Vec<usize>],
    formulas: &Formulas,
    theory: &Theory,
    legal: &[FormulaId],
    known: &mut Pairs,
    meter: &Meter,
) -> Result<Vec<Vec<usize>>, Exceeded> {
    // Which values of a few telling groups each action allows: most combinations are seen to be impossible by them.
    let mut tables: Vec<Vec<Values>> = Vec::new();
    for group in pivots(formulas, theory, legal).into_iter().take(4) {
        let mut allowed = Allowed::new(formulas, &theory.groups[group]);
        tables.push(legal.iter().map(|f| allowed.values(*f)).collect());
    }
    let mut joint: Vec<(Vec<usize>, Vec<Values>)> = Vec::new();
    for (role, actions) in by_role.iter().enumerate() {
        let mut longer = Vec::new();
        for action in actions {
            meter.check_time()?;
            let own: Vec<Values> = tables.iter().map(|table| table[*action].clone()).collect();
            if role == 0 {
                longer.push((vec![*action], own));
                continue;
            }
            for (before, values) in &joint {
                if values.iter().zip(&own).any(|(a, b)| !a.meets(b)) {
                    continue;
                }
                let mut together = before.clone();
                together.push(*action);
                let claims: Vec<_> = together.iter().map(|a| (legal[*a], true)).collect();
                if !known.together.contains(&together) && consequences(formulas, theory, &claims).is_none() {
                    continue;
                }
                let mut values = values.clone();
                values.iter_mut().zip(&own).for_each(|(a, b)| a.combine(b, |x, y| x & y));
                known.together.insert(together.clone());
                longer.push((together, values));
                if longer.len() > meter.limits.moves {
                    return Err(Exceeded(format!("there are more than {} joint moves", meter.limits.moves)));
                }
            }
        }
        joint = longer;
    }
    let mut joint: Vec<Vec<usize>> = joint.into_iter().map(|(actions, _)| actions).collect();
    joint.sort_unstable();
    Ok(joint)
}

/// Both roles' actions by the values of the group that leaves the fewest pairs, with the number of pairs and
/// the group.
fn classes(
    formulas: &Formulas,
    theory: &Theory,
    legal: &[FormulaId],
    first: Vec<usize>,
    second: Vec<usize>,
) -> (u64, Option<Group>, (Classes, Classes)) {
    let mut best: Option<(u64, Option<Group>, (Classes, Classes))> = None;
    for group in pivots(formulas, theory, legal) {
        let mut allowed = Allowed::new(formulas, &theory.groups[group]);
        let mut classify = |actions: &[usize]| {
            let mut map: FxHashMap<Values, Vec<usize>> = FxHashMap::default();
            for a in actions {
                map.entry(allowed.values(legal[*a])).or_default().push(*a);
            }
            let mut list = map.into_iter().collect::<Vec<_>>();
            list.sort_by(|a, b| a.1.cmp(&b.1));
            list
        };
        let (a, b) = (classify(&first), classify(&second));
        let mut pairs = 0u64;
        for (x, list) in &a {
            pairs +=
                b.iter().filter(|(y, _)| x.meets(y)).map(|(_, l)| (l.len() * list.len()) as u64).sum::<u64>();
        }
        if best.as_ref().is_none_or(|c| pairs < c.0) {
            best = Some((pairs, Some(theory.groups[group].clone()), (a, b)));
        }
        if pairs <= (first.len() + second.len()) as u64 {
            break;
        }
    }
    best.unwrap_or_else(|| {
        let any = Values(vec![u64::MAX]);
        let pairs = (first.len() * second.len()) as u64;
        (pairs, None, (vec![(any.clone(), first)], vec![(any, second)]))
    })
}
