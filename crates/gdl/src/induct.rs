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
use crate::prove::{Claim, Group, Theory, consequences, refute};
use crate::terms::Terms;
use rustc_hash::{FxHashMap, FxHashSet};

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

const BUDGET: usize = 4000;

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
            let guesses = candidates(&self.ground.fluents, &free, self.terms, &seen.states, seen.complete);
            if guesses.is_empty() && attempt > 0 {
                break;
            }
            let known = proved.len();
            proved.extend(guesses);
            moves = self.induct(&mut proved, known, meter, deadline)?;
            if proved.len() == known || meter.elapsed() > deadline {
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
        deadline: std::time::Duration,
    ) -> Result<Vec<JointMove>, Exceeded> {
        loop {
            let theory = Theory::new(groups.clone());
            let moves = self.moves(&theory, meter)?;
            // A complete exploration has checked the groups on every reachable state.
            if self.exploration.complete || groups.len() == known {
                return Ok(moves);
            }
            let mut failures = Vec::new();
            for joint in &moves {
                self.check(joint, &theory, &mut failures);
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
                weaken(groups, failures);
            }
        }
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
    fn check(&mut self, joint: &JointMove, theory: &Theory, failures: &mut Vec<Failure>) {
        let Some(simplified) = simplify(joint, theory, self.compiler) else { return };
        let changed: FxHashMap<u32, FormulaId> = simplified.effects.iter().copied().collect();
        let mut touched: Vec<u32> =
            simplified.effects.iter().flat_map(|(f, _)| theory.of(*f)).copied().collect();
        touched.sort_unstable();
        touched.dedup();
        for g in touched {
            let group = &theory.groups[g as usize];
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
                if !self.impossible(theory, &[(joint.guard, true), (next[*i], true), (others, true)]) {
                    failures.push(Failure::Clash(g as usize, fluent));
                }
            }
            if group.exact && !next.contains(&TRUE) {
                let some = self.compiler.formulas.or(next);
                let before: Vec<FormulaId> =
                    group.fluents.iter().map(|f| self.compiler.formulas.fluent(*f)).collect();
                let before = self.compiler.formulas.or(before);
                if !self.impossible(theory, &[(joint.guard, true), (some, false), (before, true)]) {
                    failures.push(Failure::Empty(g as usize));
                }
            }
        }
    }

    /// No move is made where the game has ended, which may be needed for the proof.
    fn impossible(&self, theory: &Theory, claims: &[Claim]) -> bool {
        let formulas = &self.compiler.formulas;
        refute(formulas, theory, claims, BUDGET) || {
            let mut more = claims.to_vec();
            more.push((self.terminal, false));
            refute(formulas, theory, &more, BUDGET)
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

fn weaken(groups: &mut Vec<Group>, failures: Vec<Failure>) {
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
            group.fluents.retain(|f| *f != worst);
            group.exact = false;
        }
    }
    groups.retain(|g| g.fluents.len() > 1);
}
