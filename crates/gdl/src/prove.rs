//! A small refutation procedure for formulas over fluents of which some exclude each other.
//!
//! It splits cases only a little and gives up early: "not refuted" is always a correct answer.

use crate::formula::{Formula, FormulaId, Formulas};
use rustc_hash::FxHashMap;

/// A set of fluents of which at most one, or exactly one, holds.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub fluents: Vec<u32>,
    /// Exactly one holds.
    pub exact: bool,
}

/// Groups that may be used in a proof.
pub(crate) struct Theory {
    pub groups: Vec<Group>,
    of: FxHashMap<u32, Vec<u32>>,
}

impl Theory {
    pub fn new(groups: Vec<Group>) -> Self {
        let mut of: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (g, group) in groups.iter().enumerate() {
            for fluent in &group.fluents {
                of.entry(*fluent).or_default().push(g as u32);
            }
        }
        Theory { groups, of }
    }

    pub fn of(&self, fluent: u32) -> &[u32] {
        self.of.get(&fluent).map_or(&[], Vec::as_slice)
    }
}

/// Formulas nested deeper than this count as unknown.
const DEEPEST: u32 = 40;
/// Case splits within case splits.
const SPLITS: u32 = 6;

/// A formula and whether it is to hold.
pub(crate) type Claim = (FormulaId, bool);

/// Whether the claims are shown to contradict each other.
pub(crate) fn refute(formulas: &Formulas, theory: &Theory, claims: &[Claim], budget: usize) -> bool {
    refute_each(formulas, theory, claims, &[Vec::new()], budget)[0]
}

/// For each list of claims, whether it contradicts what is given. The given claims are worked out once.
pub(crate) fn refute_each(
    formulas: &Formulas,
    theory: &Theory,
    given: &[Claim],
    lists: &[Vec<Claim>],
    budget: usize,
) -> Vec<bool> {
    let mut prover = Prover::new(formulas, theory, budget);
    let mut open = Vec::new();
    if prover.assume(given.to_vec(), &mut open).is_err() {
        return vec![true; lists.len()];
    }
    let mut answer = |claims: &Vec<Claim>| {
        prover.budget = budget;
        let marks = prover.marks();
        // The claims come first: what is given is long, and only some of it matters.
        let mut inner = Vec::new();
        let closed = match prover.assume(claims.clone(), &mut inner) {
            Err(Contradiction) => true,
            Ok(()) => {
                inner.extend(&open);
                prover.search(inner, SPLITS)
            }
        };
        prover.undo(marks);
        closed
    };
    lists.iter().map(&mut answer).collect()
}

/// The fluents whose value follows from the claims, or nothing if the claims contradict each other.
pub(crate) fn consequences(
    formulas: &Formulas,
    theory: &Theory,
    claims: &[Claim],
) -> Option<Vec<(u32, bool)>> {
    let mut prover = Prover::new(formulas, theory, 2000);
    let mut open = Vec::new();
    prover.assume(claims.to_vec(), &mut open).ok()?;
    prover.budget = 300;
    prover.propagate(&mut open).ok()?;
    let mut list: Vec<(u32, bool)> = prover.fluents.into_iter().collect();
    list.sort_unstable();
    Some(list)
}

struct Contradiction;

struct Prover<'a> {
    formulas: &'a Formulas,
    theory: &'a Theory,
    fluents: FxHashMap<u32, bool>,
    /// Members of recursive systems, taken as unknowns.
    opaque: FxHashMap<FormulaId, bool>,
    fluent_trail: Vec<u32>,
    opaque_trail: Vec<FormulaId>,
    budget: usize,
}

impl<'a> Prover<'a> {
    fn new(formulas: &'a Formulas, theory: &'a Theory, budget: usize) -> Self {
        Prover {
            formulas,
            theory,
            fluents: FxHashMap::default(),
            opaque: FxHashMap::default(),
            fluent_trail: Vec::new(),
            opaque_trail: Vec::new(),
            budget,
        }
    }

    fn marks(&self) -> (usize, usize) {
        (self.fluent_trail.len(), self.opaque_trail.len())
    }

    /// Forgets everything that was set since the marks.
    fn undo(&mut self, marks: (usize, usize)) {
        for f in self.fluent_trail.drain(marks.0..) {
            self.fluents.remove(&f);
        }
        for id in self.opaque_trail.drain(marks.1..) {
            self.opaque.remove(&id);
        }
    }

    fn spend(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(1);
        self.budget > 0
    }

    /// Takes claims as given; disjunctions are left in `open`.
    fn assume(&mut self, mut claims: Vec<Claim>, open: &mut Vec<Claim>) -> Result<(), Contradiction> {
        while let Some((id, value)) = claims.pop() {
            if !self.spend() {
                return Ok(());
            }
            match self.formulas.get(id) {
                Formula::True if value => {}
                Formula::False if !value => {}
                Formula::True | Formula::False => return Err(Contradiction),
                Formula::Fluent(f) => self.set(f, value)?,
                Formula::Not(a) => claims.push((a, !value)),
                Formula::And(list) if value => claims.extend(list.iter().map(|a| (*a, true))),
                Formula::Or(list) if !value => claims.extend(list.iter().map(|a| (*a, false))),
                Formula::And(_) | Formula::Or(_) => open.push((id, value)),
                Formula::Fix(..) => match self.opaque.insert(id, value) {
                    Some(old) if old != value => {
                        self.opaque.insert(id, old);
                        return Err(Contradiction);
                    }
                    Some(_) => {}
                    None => self.opaque_trail.push(id),
                },
            }
        }
        Ok(())
    }

    fn set(&mut self, fluent: u32, value: bool) -> Result<(), Contradiction> {
        let theory = self.theory;
        let mut todo = vec![(fluent, value)];
        while let Some((f, value)) = todo.pop() {
            match self.fluents.get(&f) {
                Some(old) if *old != value => return Err(Contradiction),
                Some(_) => continue,
                None => {}
            }
            self.fluents.insert(f, value);
            self.fluent_trail.push(f);
            for g in theory.of(f) {
                let group = &theory.groups[*g as usize];
                if value {
                    todo.extend(group.fluents.iter().filter(|m| **m != f).map(|m| (*m, false)));
                } else if group.exact {
                    let mut unknown = group.fluents.iter().filter(|m| self.fluents.get(m) != Some(&false));
                    match (unknown.next(), unknown.next()) {
                        (None, _) => return Err(Contradiction),
                        (Some(last), None) => todo.push((*last, true)),
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, id: FormulaId, depth: u32) -> Option<bool> {
        if depth == 0 || !self.spend() {
            return None;
        }
        let formulas = self.formulas;
        match formulas.get(id) {
            Formula::True => Some(true),
            Formula::False => Some(false),
            Formula::Fluent(f) => self.fluents.get(&f).copied(),
            Formula::Fix(..) => self.opaque.get(&id).copied(),
            Formula::Not(a) => self.value(a, depth - 1).map(|v| !v),
            Formula::And(list) => self.value_of_list(list, false, depth - 1),
            Formula::Or(list) => self.value_of_list(list, true, depth - 1),
        }
    }

    /// The value of a conjunction (decided by false) or disjunction (decided by true).
    fn value_of_list(&mut self, list: &[FormulaId], decider: bool, depth: u32) -> Option<bool> {
        let mut all = true;
        for a in list {
            match self.value(*a, depth) {
                Some(v) if v == decider => return Some(decider),
                Some(_) => {}
                None => all = false,
            }
        }
        all.then_some(!decider)
    }

    /// The alternatives of an open disjunction that are still possible; nothing if it holds already.
    fn alternatives(&mut self, (id, value): Claim) -> Option<Vec<FormulaId>> {
        let formulas = self.formulas;
        let (Formula::And(list) | Formula::Or(list)) = formulas.get(id) else { return None };
        let mut left = Vec::new();
        for a in list {
            match self.value(*a, DEEPEST) {
                Some(v) if v == value => return None,
                Some(_) => {}
                None => left.push(*a),
            }
        }
        Some(left)
    }

    /// Draws all conclusions from disjunctions with one alternative left.
    fn propagate(&mut self, open: &mut Vec<Claim>) -> Result<(), Contradiction> {
        loop {
            let mut progress = false;
            let mut i = 0;
            while i < open.len() {
                let claim = open[i];
                match self.alternatives(claim).as_deref() {
                    None => {
                        open.swap_remove(i);
                    }
                    Some([]) => return Err(Contradiction),
                    Some([only]) => {
                        open.swap_remove(i);
                        self.assume(vec![(*only, claim.1)], open)?;
                        progress = true;
                    }
                    Some(_) => i += 1,
                }
                if self.budget == 0 {
                    return Ok(());
                }
            }
            if !progress {
                return Ok(());
            }
        }
    }

    /// Whether no case is consistent.
    fn search(&mut self, mut open: Vec<Claim>, splits: u32) -> bool {
        if self.propagate(&mut open).is_err() {
            return true;
        }
        if splits == 0 || self.budget == 0 {
            return false;
        }
        let mut best: Option<(Claim, Vec<FormulaId>)> = None;
        for claim in &open {
            if let Some(list) = self.alternatives(*claim)
                && best.as_ref().is_none_or(|b| list.len() < b.1.len())
            {
                best = Some((*claim, list));
            }
        }
        let Some((claim, list)) = best else { return false };
        open.retain(|c| *c != claim);
        for alternative in list {
            let marks = self.marks();
            let mut inner = open.clone();
            let closed = match self.assume(vec![(alternative, claim.1)], &mut inner) {
                Err(Contradiction) => true,
                Ok(()) => self.search(inner, splits - 1),
            };
            self.undo(marks);
            if !closed || self.budget == 0 {
                return false;
            }
        }
        true
    }
}
