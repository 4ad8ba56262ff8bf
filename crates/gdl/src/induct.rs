//! Proving that groups are exclusive, by induction over the moves.
//!
//! All groups are assumed to hold in a state and shown to hold after every joint move that can be legal
//! there. What fails is weakened or dropped and everything is tried again, until nothing fails: then the
//! groups that are left hold in every reachable state, because they hold at the start.

use crate::compile::Compiler;
use crate::constants::Constants;
use crate::explore::Exploration;
use crate::formula::{Assumption, FALSE, FormulaId, TRUE};
use crate::ground::Ground;
use crate::groups::candidates;
use crate::joint::joint_actions;
use crate::limits::{Exceeded, Meter};
use crate::prove::{Claim, Group, Theory, consequences, refute_each};
use crate::terms::Terms;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// One action per role that can be legal together, with what they change.
#[derive(Clone)]
pub(crate) struct JointMove {
    pub actions: Vec<usize>,
    pub guard: FormulaId,
    /// Fluents that may change, with what makes them hold next.
    pub effects: Vec<(u32, FormulaId)>,
}

/// The groups that hold in every reachable state, and the joint moves that can be legal there.
pub(crate) struct Invariants {
    pub theory: Theory,
    pub moves: Vec<JointMove>,
}

/// After checking this many moves no further attempt is begun.
const ENOUGH: usize = 6000;
/// Steps of one proof.
const BUDGET: usize = 2000;
/// Rounds in which groups lose single members before they are given up.
const REPAIRS: usize = 3;

pub(crate) struct Inductor<'a, 'g> {
    pub ground: &'g Ground,
    pub compiler: &'a mut Compiler<'g>,
    pub constants: &'a Constants,
    pub terms: &'a Terms,
    pub exploration: &'a Exploration,
    pub legal: Vec<FormulaId>,
    pub terminal: FormulaId,
    stirred: Vec<u32>,
    effects: FxHashMap<Vec<usize>, Vec<(u32, FormulaId)>>,
    /// Moves checked so far.
    checked: usize,
}

enum Failure {
    /// This fluent may hold together with another one of the group.
    Clash(usize, u32),
    /// No fluent of the group may hold.
    Empty(usize),
}

impl Failure {
    fn group(&self) -> usize {
        match self {
            Failure::Clash(g, _) | Failure::Empty(g) => *g,
        }
    }
}

impl<'a, 'g> Inductor<'a, 'g> {
    pub fn new(
        ground: &'g Ground,
        compiler: &'a mut Compiler<'g>,
        constants: &'a Constants,
        terms: &'a Terms,
        exploration: &'a Exploration,
    ) -> Self {
        let legal = ground.legal.iter().map(|a| compiler.formula(*a)).collect();
        let terminal = ground.terminal.map_or(FALSE, |t| compiler.formula(t));
        let stirred = compiler.stirred();
        Inductor {
            ground,
            compiler,
            constants,
            terms,
            exploration,
            legal,
            terminal,
            stirred,
            effects: FxHashMap::default(),
            checked: 0,
        }
    }

    /// Finds and proves groups, several times: what one attempt leaves over, the next groups differently.
    pub fn invariants(mut self, meter: &Meter) -> Result<Invariants, Exceeded> {
        let mut proved: Vec<Group> = Vec::new();
        let mut moves = Vec::new();
        let deadline = meter.limits.time / 2;
        for attempt in 0..4 {
            let taken: FxHashSet<u32> = proved.iter().flat_map(|g| g.fluents.iter().copied()).collect();
            let free: Vec<u32> = (0..self.ground.fluents.len() as u32)
                .filter(|f| self.constants.value(*f).is_none() && !taken.contains(f))
                .collect();
            let seen = self.exploration;
            let mut guesses =
                candidates(&self.ground.fluents, &free, self.terms, &seen.states, seen.complete);
            if attempt == 0 && !seen.complete {
                // Turns and step counters come first: they are easy, and they tell which moves go together.
                guesses.retain(|g| g.fluents.iter().all(|f| self.is_clock(*f)));
            }
            if guesses.is_empty() && attempt > 1 {
                break;
            }
            let known = proved.len();
            proved.extend(guesses);
            moves = self.induct(&mut proved, known, meter, deadline)?;
            // Further attempts are for what little is left; a large game is not kept waiting for them.
            if attempt > 0 && (proved.len() == known || self.checked > ENOUGH) {
                break;
            }
        }
        Ok(Invariants { theory: Theory::new(proved), moves })
    }

    fn induct(
        &mut self,
        groups: &mut Vec<Group>,
        known: usize,
        meter: &Meter,
        deadline: Duration,
    ) -> Result<Vec<JointMove>, Exceeded> {
        for round in 0.. {
            let theory = Theory::new(groups.clone());
            let moves = self.moves(&theory, meter)?;
            // A complete exploration has checked the groups on every reachable state.
            if self.exploration.complete || groups.len() == known {
                return Ok(moves);
            }
            let mut failures = Vec::new();
            let mut broken = vec![0; groups.len()];
            for joint in &moves {
                self.checked += 1;
                self.check(joint, &theory, &mut broken, &mut failures);
                if meter.elapsed() > deadline {
                    groups.truncate(known);
                    break;
                }
            }
            // Groups proved before stay proved, whatever the prover finds too hard this time.
            failures.retain(|f| f.group() >= known);
            if groups.len() > known {
                if failures.is_empty() {
                    return Ok(moves);
                }
                weaken(groups, failures, round < REPAIRS);
            }
        }
        Ok(Vec::new())
    }

    /// The fluent goes its own way, whatever anybody does.
    fn is_clock(&self, fluent: u32) -> bool {
        self.ground.next[fluent as usize].is_none_or(|atom| !self.compiler.depends_on_moves(atom))
    }

    fn moves(&mut self, theory: &Theory, meter: &Meter) -> Result<Vec<JointMove>, Exceeded> {
        let joint = joint_actions(self.ground, &self.compiler.formulas, theory, &self.legal, meter)?;
        let mut moves = Vec::with_capacity(joint.len());
        for actions in joint {
            meter.check_time()?;
            let guard = self.compiler.formulas.and(actions.iter().map(|a| self.legal[*a]).collect());
            if !self.effects.contains_key(&actions) {
                let effects = self.compiler.effects(&actions, &self.stirred);
                self.effects.insert(actions.clone(), effects);
                if self.effects.len().is_multiple_of(0x1000) {
                    meter.check_memory(self.compiler.formulas.bytes())?;
                }
            }
            moves.push(JointMove { guard, effects: self.effects[&actions].clone(), actions });
        }
        Ok(moves)
    }

    /// Looks for groups that a move may break.
    fn check(&mut self, joint: &JointMove, theory: &Theory, broken: &mut [u32], failures: &mut Vec<Failure>) {
        let relevant = joint.effects.iter().filter(|(f, _)| !theory.of(*f).is_empty()).copied().collect();
        let part = JointMove { actions: joint.actions.clone(), guard: joint.guard, effects: relevant };
        let Some(simplified) = simplify(&part, theory, self.compiler) else { return };
        let changed: FxHashMap<u32, FormulaId> = simplified.effects.iter().copied().collect();
        let mut touched: Vec<u32> =
            simplified.effects.iter().flat_map(|(f, _)| theory.of(*f)).copied().collect();
        touched.sort_unstable();
        touched.dedup();
        let mut lists: Vec<Vec<Claim>> = Vec::new();
        let mut meanings: Vec<Failure> = Vec::new();
        for g in touched {
            let group = &theory.groups[g as usize];
            if broken[g as usize] > 20 {
                continue;
            }
            let next: Vec<FormulaId> = group
                .fluents
                .iter()
                .map(|f| match (changed.get(f), simplified.known.value(*f)) {
                    (Some(e), _) => *e,
                    (None, Some(true)) => TRUE,
                    (None, Some(false)) => FALSE,
                    (None, None) => self.compiler.formulas.fluent(*f),
                })
                .collect();
            let open: Vec<usize> = (0..next.len()).filter(|i| next[*i] != FALSE).collect();
            for i in &open {
                let fluent = group.fluents[*i];
                let others: Vec<FormulaId> = open.iter().filter(|j| *j != i).map(|j| next[*j]).collect();
                if others.is_empty() || !changed.contains_key(&fluent) {
                    continue;
                }
                let others = self.compiler.formulas.or(others);
                lists.push(vec![(next[*i], true), (others, true)]);
                meanings.push(Failure::Clash(g as usize, fluent));
            }
            if group.exact && !next.contains(&TRUE) {
                let some = self.compiler.formulas.or(next);
                let before: Vec<FormulaId> =
                    group.fluents.iter().map(|f| self.compiler.formulas.fluent(*f)).collect();
                let before = self.compiler.formulas.or(before);
                lists.push(vec![(some, false), (before, true)]);
                meanings.push(Failure::Empty(g as usize));
            }
        }
        if lists.is_empty() {
            return;
        }
        let formulas = &self.compiler.formulas;
        let closed = refute_each(formulas, theory, &[(joint.guard, true)], &lists, BUDGET);
        // No move is made where the game has ended, which may be needed for the proof.
        let left: Vec<usize> = (0..lists.len()).filter(|i| !closed[*i]).collect();
        let lists: Vec<Vec<Claim>> = left.iter().map(|i| lists[*i].clone()).collect();
        let again =
            refute_each(formulas, theory, &[(joint.guard, true), (self.terminal, false)], &lists, BUDGET);
        let mut meanings: Vec<Option<Failure>> = meanings.into_iter().map(Some).collect();
        for (i, closed) in left.into_iter().zip(again) {
            if !closed && let Some(failure) = meanings[i].take() {
                broken[failure.group()] += 1;
                failures.push(failure);
            }
        }
    }
}

/// A joint move as it looks where it is legal.
pub(crate) struct Simplified {
    pub known: Assumption,
    pub effects: Vec<(u32, FormulaId)>,
}

/// Uses what the guard says to simplify the effects, and drops those that change nothing. Nothing if the
/// move is never legal.
pub(crate) fn simplify(joint: &JointMove, theory: &Theory, compiler: &mut Compiler) -> Option<Simplified> {
    let mut known = Assumption::default();
    for (f, value) in consequences(&compiler.formulas, theory, &[(joint.guard, true)])? {
        known.set(f, value);
    }
    let mut memo = FxHashMap::default();
    let mut effects = Vec::new();
    for (f, effect) in &joint.effects {
        let effect = compiler.formulas.restrict(*effect, &known, &mut memo);
        let same = match known.value(*f) {
            Some(true) => effect == TRUE,
            Some(false) => effect == FALSE,
            None => effect == compiler.formulas.fluent(*f),
        };
        if !same {
            effects.push((*f, effect));
        }
    }
    Some(Simplified { known, effects })
}

fn weaken(groups: &mut Vec<Group>, failures: Vec<Failure>, repair: bool) {
    let mut clashes: Vec<FxHashMap<u32, usize>> = vec![FxHashMap::default(); groups.len()];
    for failure in failures {
        match failure {
            Failure::Empty(g) => groups[g].exact = false,
            Failure::Clash(g, fluent) => *clashes[g].entry(fluent).or_default() += 1,
        }
    }
    for (group, clashes) in groups.iter_mut().zip(clashes) {
        // The fluent that most moves let in beside another one is the odd one out.
        if let Some((worst, _)) = clashes.into_iter().max_by_key(|(f, n)| (*n, *f)) {
            group.fluents.retain(|f| repair && *f != worst);
            group.exact = false;
        }
    }
    groups.retain(|g| g.fluents.len() > 1);
}
