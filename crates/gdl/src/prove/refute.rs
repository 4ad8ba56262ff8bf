//! A small refutation procedure for formulas over fluents of which some exclude each other.
//!
//! It splits cases only a little and gives up early: "not refuted" is always a correct answer.

use crate::prove::formula::{Formula, FormulaId, Formulas};
use rustc_hash::FxHashSet;
use std::cell::RefCell;

/// A set of fluents of which at most one, or exactly one, holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub fluents: Vec<u32>,
    /// Exactly one holds.
    pub exact: bool,
}

impl Group {
    /// Says nothing: a single fluent that may or may not hold, or none at all.
    pub fn is_void(&self) -> bool {
        self.fluents.len() < if self.exact { 1 } else { 2 }
    }
}

/// Groups that may be used in a proof.
pub(crate) struct Theory {
    pub groups: Vec<Group>,
    /// By fluent.
    of: Vec<Vec<u32>>,
    /// Fluents that always hold.
    always: Vec<u32>,
    /// Room for proofs, used again: they are short and many.
    room: RefCell<Room>,
}

/// What a proof knows; all open between proofs.
#[derive(Default)]
struct Room {
    /// For every fluent what is known.
    fluents: Vec<u8>,
    /// The same for conjunctions, disjunctions and members of recursive systems.
    nodes: Vec<u8>,
    fluent_trail: Vec<u32>,
    node_trail: Vec<FormulaId>,
}

impl Theory {
    pub fn new(groups: Vec<Group>) -> Self {
        let fluents = groups.iter().flat_map(|g| &g.fluents).max().map_or(0, |f| *f as usize + 1);
        let mut of = vec![Vec::new(); fluents];
        for (g, group) in groups.iter().enumerate() {
            for fluent in &group.fluents {
                of[*fluent as usize].push(g as u32);
            }
        }
        let alone = |g: &&Group| g.exact && g.fluents.len() == 1;
        let always = groups.iter().filter(alone).map(|g| g.fluents[0]).collect();
        Theory { groups, of, always, room: RefCell::default() }
    }

    pub fn of(&self, fluent: u32) -> &[u32] {
        self.of.get(fluent as usize).map_or(&[], Vec::as_slice)
    }
}

/// Formulas nested deeper than this count as unknown.
const DEEPEST: u32 = 40;
/// Case splits within case splits.
const SPLITS: u32 = 8;

/// Lists of claims that may fail before the others are not looked at.
const PATIENCE: usize = 16;

/// A formula and whether it is to hold.
pub(crate) type Claim = (FormulaId, bool);

/// Whether the claims are shown to contradict each other.
pub(crate) fn refute(formulas: &Formulas, theory: &Theory, claims: &[Claim], budget: usize) -> bool {
    refute_each(formulas, theory, claims, &[Vec::new()], &[], budget).closed[0] == Some(true)
}

/// What [`refute_each`] found.
pub(crate) struct Refutations {
    /// For each list of claims, whether it contradicts what is given; unknown for those after too many that
    /// do not.
    pub closed: Vec<Option<bool>>,
    /// The groups that anything was concluded from.
    pub used: FxHashSet<u32>,
    /// Steps taken.
    pub steps: usize,
}

/// For each list of claims, whether it contradicts what is given. The given claims are worked out once. Where
/// the lists have owners, an owner's further lists are not looked at after one that does not.
pub(crate) fn refute_each(
    formulas: &Formulas,
    theory: &Theory,
    given: &[Claim],
    lists: &[Vec<Claim>],
    owners: &[usize],
    budget: usize,
) -> Refutations {
    let mut prover = Prover::new(formulas, theory, budget);
    let mut open = Vec::new();
    let impossible = prover.assume(given.to_vec(), &mut open).is_err();
    let mut steps = budget - prover.budget;
    let mut failures = 0;
    let mut failed = None;
    let mut answer = |(i, claims): (usize, &Vec<Claim>)| {
        if impossible {
            return Some(true);
        }
        let owner = owners.get(i);
        if failures == PATIENCE || owner.is_some() && owner == failed {
            return None;
        }
        let marks = prover.marks();
        // What is given is long, and only some of it matters: first the claims alone, with the facts that
        // follow at once from what is given.
        let mut closed = false;
        for everything in [false, true] {
            if everything && open.is_empty() {
                break;
            }
            prover.budget = budget;
            let mut inner = Vec::new();
            closed = match prover.assume(claims.clone(), &mut inner) {
                Err(Contradiction) => true,
                Ok(()) => {
                    if everything {
                        inner.extend(&open);
                    }
                    prover.search(inner, u64::MAX, SPLITS)
                }
            };
            steps += budget - prover.budget;
            prover.undo(marks);
            if closed {
                break;
            }
        }
        if !closed {
            failures += 1;
            failed = owner;
        }
        Some(closed)
    };
    let closed = lists.iter().enumerate().map(&mut answer).collect();
    Refutations { closed, used: prover.finish(), steps }
}

/// The fluents whose value follows from the claims, or nothing if the claims contradict each other.
pub(crate) fn consequences(
    formulas: &Formulas,
    theory: &Theory,
    claims: &[Claim],
) -> Option<Vec<(u32, bool)>> {
    consequences_with(formulas, theory, claims).0
}

/// The consequences, and the groups they were concluded from.
pub(crate) fn consequences_with(
    formulas: &Formulas,
    theory: &Theory,
    claims: &[Claim],
) -> (Option<Vec<(u32, bool)>>, FxHashSet<u32>) {
    let mut prover = Prover::new(formulas, theory, 2000);
    let mut open = Vec::new();
    let mut good = prover.assume(claims.to_vec(), &mut open).is_ok();
    if good {
        prover.budget = 300;
        good = prover.propagate(&mut open, u64::MAX).is_ok();
    }
    if !good {
        return (None, prover.finish());
    }
    let room = &prover.room;
    let mut list: Vec<(u32, bool)> =
        room.fluent_trail.iter().map(|f| (*f, room.fluents[*f as usize] == YES)).collect();
    list.sort_unstable();
    (Some(list), prover.finish())
}

struct Contradiction;

const OPEN: u8 = 0;
const YES: u8 = 1;
const NO: u8 = 2;

struct Prover<'a> {
    formulas: &'a Formulas,
    theory: &'a Theory,
    room: Room,
    /// The residue classes of fluents that something was learnt about since disjunctions were looked at.
    news: u64,
    used: FxHashSet<u32>,
    budget: usize,
}

impl<'a> Prover<'a> {
    fn new(formulas: &'a Formulas, theory: &'a Theory, budget: usize) -> Self {
        let mut room = theory.room.take();
        room.fluents.resize(formulas.fluents().max(theory.of.len()).max(room.fluents.len()), OPEN);
        room.nodes.resize(formulas.len().max(room.nodes.len()), OPEN);
        let mut prover = Prover { formulas, theory, room, news: 0, used: FxHashSet::default(), budget };
        for fluent in &theory.always {
            // Nothing else is known yet, so this cannot fail.
            let _ = prover.set(*fluent, true);
        }
        prover
    }

    /// Gives the room back, empty; the groups that anything was concluded from.
    fn finish(mut self) -> FxHashSet<u32> {
        self.undo((0, 0));
        self.theory.room.replace(self.room);
        self.used
    }

    fn marks(&self) -> (usize, usize) {
        (self.room.fluent_trail.len(), self.room.node_trail.len())
    }

    /// Forgets everything that was set since the marks.
    fn undo(&mut self, marks: (usize, usize)) {
        let Room { fluents, nodes, fluent_trail, node_trail } = &mut self.room;
        fluent_trail.drain(marks.0..).for_each(|f| fluents[f as usize] = OPEN);
        node_trail.drain(marks.1..).for_each(|id| nodes[id as usize] = OPEN);
    }

    fn spend(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(1);
        self.budget > 0
    }

    /// Notes the value of a formula; whether that is new.
    fn note(&mut self, id: FormulaId, value: bool) -> Result<bool, Contradiction> {
        let known = if value { YES } else { NO };
        match self.room.nodes[id as usize] {
            OPEN => {
                self.room.nodes[id as usize] = known;
                self.room.node_trail.push(id);
                self.news |= self.formulas.mask(id);
                Ok(true)
            }
            old if old == known => Ok(false),
            _ => Err(Contradiction),
        }
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
                Formula::And(list) if value => {
                    self.note(id, value)?;
                    claims.extend(list.iter().map(|a| (*a, true)));
                }
                Formula::Or(list) if !value => {
                    self.note(id, value)?;
                    claims.extend(list.iter().map(|a| (*a, false)));
                }
                Formula::And(_) | Formula::Or(_) => {
                    self.note(id, value)?;
                    open.push((id, value));
                }
                Formula::Fix(system, member) => {
                    // It is what it is defined to be, where that may lead to itself again.
                    if self.note(id, value)? {
                        claims.push((self.formulas.bodies(system)[member as usize], value));
                    }
                }
            }
        }
        Ok(())
    }

    fn set(&mut self, fluent: u32, value: bool) -> Result<(), Contradiction> {
        let theory = self.theory;
        let mut todo = vec![(fluent, value)];
        while let Some((f, value)) = todo.pop() {
            let known = if value { YES } else { NO };
            match self.room.fluents[f as usize] {
                OPEN => {}
                old if old == known => continue,
                _ => return Err(Contradiction),
            }
            self.room.fluents[f as usize] = known;
            self.room.fluent_trail.push(f);
            self.news |= 1 << (f % 64);
            for g in theory.of(f) {
                let group = &theory.groups[*g as usize];
                if value {
                    self.used.insert(*g);
                    todo.extend(
                        group
                            .fluents
                            .iter()
                            .filter(|m| **m != f && self.room.fluents[**m as usize] != NO)
                            .map(|m| (*m, false)),
                    );
                } else if group.exact {
                    let mut unknown = group.fluents.iter().filter(|m| self.room.fluents[**m as usize] != NO);
                    match (unknown.next(), unknown.next()) {
                        (None, _) => {
                            self.used.insert(*g);
                            return Err(Contradiction);
                        }
                        (Some(last), None) => {
                            self.used.insert(*g);
                            todo.push((*last, true));
                        }
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, id: FormulaId, depth: u32) -> Option<bool> {
        let formulas = self.formulas;
        match formulas.get(id) {
            Formula::True => return Some(true),
            Formula::False => return Some(false),
            Formula::Fluent(f) => {
                return match self.room.fluents[f as usize] {
                    OPEN => None,
                    known => Some(known == YES),
                };
            }
            Formula::Not(a) => return self.value(a, depth).map(|v| !v),
            _ => {}
        }
        match self.room.nodes[id as usize] {
            OPEN => {}
            known => return Some(known == YES),
        }
        if depth == 0 || !self.spend() {
            return None;
        }
        let value = match formulas.get(id) {
            Formula::And(list) => self.value_of_list(list, false, depth - 1),
            Formula::Or(list) => self.value_of_list(list, true, depth - 1),
            _ => None,
        };
        if let Some(value) = value {
            self.room.nodes[id as usize] = if value { YES } else { NO };
            self.room.node_trail.push(id);
        }
        value
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

    /// The alternatives of an open disjunction that are still possible, up to a number of them; nothing if
    /// it is found to hold already.
    fn alternatives(&mut self, (id, value): Claim, most: usize) -> Option<Vec<FormulaId>> {
        let formulas = self.formulas;
        let (Formula::And(list) | Formula::Or(list)) = formulas.get(id) else { return None };
        self.spend();
        let mut left = Vec::new();
        for a in list {
            match self.value(*a, DEEPEST) {
                Some(v) if v == value => return None,
                Some(_) => {}
                None => left.push(*a),
            }
            if left.len() >= most {
                break;
            }
        }
        Some(left)
    }

    /// Draws all conclusions from disjunctions with one alternative left. Only those that have to do with
    /// the news are looked at.
    fn propagate(&mut self, open: &mut Vec<Claim>, mut news: u64) -> Result<(), Contradiction> {
        loop {
            self.news = 0;
            let mut i = 0;
            while i < open.len() {
                let claim = open[i];
                if self.formulas.mask(claim.0) & (news | self.news) == 0 {
                    i += 1;
                    continue;
                }
                match self.alternatives(claim, 2).as_deref() {
                    None => {
                        open.swap_remove(i);
                    }
                    Some([]) => return Err(Contradiction),
                    Some([only]) => {
                        open.swap_remove(i);
                        self.assume(vec![(*only, claim.1)], open)?;
                    }
                    Some(_) => i += 1,
                }
                if self.budget == 0 {
                    return Ok(());
                }
            }
            if self.news == 0 {
                return Ok(());
            }
            news = self.news;
        }
    }

    /// Whether no case is consistent.
    fn search(&mut self, mut open: Vec<Claim>, news: u64, splits: u32) -> bool {
        if self.propagate(&mut open, news).is_err() {
            return true;
        }
        if splits == 0 || self.budget == 0 {
            return false;
        }
        let mut best: Option<(Claim, Vec<FormulaId>)> = None;
        for claim in &open {
            if let Some(list) = self.alternatives(*claim, usize::MAX)
                && best.as_ref().is_none_or(|b| list.len() < b.1.len())
            {
                let two = list.len() <= 2;
                best = Some((*claim, list));
                if two {
                    break;
                }
            }
        }
        let Some((claim, list)) = best else { return false };
        open.retain(|c| *c != claim);
        for alternative in list {
            let marks = self.marks();
            let mut inner = open.clone();
            self.news = 0;
            let closed = match self.assume(vec![(alternative, claim.1)], &mut inner) {
                Err(Contradiction) => true,
                Ok(()) => self.search(inner, self.news, splits - 1),
            };
            self.undo(marks);
            if !closed || self.budget == 0 {
                return false;
            }
        }
        true
    }
}
