//! What every action of a role needs: conditions that legal actions share, such as having the turn, and
//! which of them exclude each other. It tells who decides where no single fluent does.

use crate::ground::instances::Ground;
use crate::prove::formula::{FALSE, Formula, FormulaId, Formulas};
use crate::prove::refute::{Claim, Theory, refute};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How deep conditions are looked for, and how many are kept of one formula.
const DEPTH: u32 = 8;
const MOST: usize = 64;
/// Conditions per role that are compared with those of the other role.
const SHARED: usize = 12;
/// Steps to show that two conditions exclude each other.
const BUDGET: usize = 20_000;

/// The conditions that many actions of a role need, and which of them exclude each other.
pub(crate) struct Shared {
    /// The conditions of each role.
    pub conditions: [Vec<Claim>; 2],
    /// For every condition of the first role the set of those of the second that it excludes.
    excludes: Vec<u64>,
    /// For every action the set of its role's conditions that it needs.
    pub needs: Vec<u64>,
}

impl Shared {
    /// Whether an action of the first role and one of the second need conditions that exclude each other.
    pub fn apart(&self, first: usize, second: usize) -> bool {
        let mut left = self.needs[first];
        while left != 0 {
            if self.excludes[left.trailing_zeros() as usize] & self.needs[second] != 0 {
                return true;
            }
            left &= left - 1;
        }
        false
    }

    /// Pairs of conditions of the two roles that exclude each other.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let of = |(p, set): (usize, &u64)| {
            let set = *set;
            (0..SHARED).filter(move |q| set >> q & 1 == 1).map(move |q| (p, q))
        };
        self.excludes.iter().enumerate().flat_map(of)
    }
}

/// Finds the conditions that many actions share, and compares those of the two roles.
pub(crate) fn shared(ground: &Ground, formulas: &Formulas, theory: &Theory, legal: &[FormulaId]) -> Shared {
    let mut finder = Finder { formulas, memo: FxHashMap::default() };
    let mut conditions: [Vec<Claim>; 2] = Default::default();
    let mut needs = vec![0u64; legal.len()];
    for (role, kept) in conditions.iter_mut().enumerate() {
        let own: Vec<usize> =
            (0..legal.len()).filter(|a| ground.actions[*a].0 == role && legal[*a] != FALSE).collect();
        let sets: Vec<Rc<Vec<Claim>>> = own.iter().map(|a| finder.find((legal[*a], true), DEPTH)).collect();
        let mut count: FxHashMap<Claim, usize> = FxHashMap::default();
        sets.iter().flat_map(|s| s.iter()).for_each(|c| *count.entry(*c).or_default() += 1);
        let mut list: Vec<(usize, Claim)> =
            count.into_iter().map(|(c, n)| (n, c)).filter(|(n, _)| n * 10 >= own.len()).collect();
        list.sort_unstable_by_key(|(n, c)| (std::cmp::Reverse(*n), *c));
        list.truncate(SHARED);
        for (action, set) in own.iter().zip(sets) {
            for (i, (_, condition)) in list.iter().enumerate() {
                needs[*action] |= u64::from(set.contains(condition)) << i;
            }
        }
        *kept = list.into_iter().map(|(_, c)| c).collect();
    }
    let excludes = conditions[0]
        .iter()
        .map(|p| {
            let apart = |q: &Claim| refute(formulas, theory, &[*p, *q], BUDGET);
            conditions[1].iter().enumerate().fold(0, |set, (i, q)| set | u64::from(apart(q)) << i)
        })
        .collect();
    Shared { conditions, excludes, needs }
}

struct Finder<'a> {
    formulas: &'a Formulas,
    memo: FxHashMap<Claim, Rc<Vec<Claim>>>,
}

impl Finder<'_> {
    /// Claims that follow from one, sorted, itself among them.
    fn find(&mut self, claim: Claim, depth: u32) -> Rc<Vec<Claim>> {
        if let Some(known) = self.memo.get(&claim) {
            return known.clone();
        }
        let formulas = self.formulas;
        let (id, value) = claim;
        let mut found = match formulas.get(id) {
            Formula::Not(a) => return self.find((a, !value), depth),
            _ if depth == 0 => Vec::new(),
            Formula::And(list) if value => self.any(list, value, depth),
            Formula::Or(list) if !value => self.any(list, value, depth),
            Formula::And(list) | Formula::Or(list) => self.all(list, value, depth),
            _ => Vec::new(),
        };
        found.truncate(MOST);
        found.push(claim);
        found.sort_unstable();
        found.dedup();
        let found = Rc::new(found);
        self.memo.insert(claim, found.clone());
        found
    }

    fn any(&mut self, list: &[FormulaId], value: bool, depth: u32) -> Vec<Claim> {
        // What is asked for directly says more than what lies deep inside.
        let mut found: Vec<Claim> = list.iter().take(MOST / 2).map(|a| (*a, value)).collect();
        for a in list.iter().take(MOST / 2) {
            found.extend(self.find((*a, value), depth - 1).iter().copied());
        }
        found
    }

    fn all(&mut self, list: &[FormulaId], value: bool, depth: u32) -> Vec<Claim> {
        let mut common: Option<Vec<Claim>> = None;
        for a in list {
            let inner = self.find((*a, value), depth - 1);
            match &mut common {
                None => common = Some(inner.to_vec()),
                Some(c) => c.retain(|x| inner.binary_search(x).is_ok()),
            }
            if common.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        common.unwrap_or_default()
    }
}
