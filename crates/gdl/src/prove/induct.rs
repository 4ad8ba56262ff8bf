//! Proving that groups are exclusive, by induction over the moves.
//!
//! All groups are assumed to hold in a state and shown to hold after every joint move that can be legal
//! there. What fails is weakened or dropped and everything is tried again, until nothing fails: then the
//! groups that are left hold in every reachable state, because they hold at the start.

use crate::convert::compile::Compiler;
use crate::convert::joint::{Allowed, Pairs, Values, joint_actions};
use crate::convert::overlay::Effects;
use crate::convert::simplify::Simplifier;
use crate::ground::constants::Constants;
use crate::ground::explore::Exploration;
use crate::ground::instances::Ground;
use crate::ground::terms::Terms;
use crate::limits::{Exceeded, Meter};
use crate::prove::formula::{FALSE, FormulaId, TRUE};
use crate::prove::groups::candidates;
use crate::prove::refute::{Claim, Group, Theory, refute_each};
use rustc_hash::{FxHashMap, FxHashSet};

/// One action per role that can be legal together, with what they change.
#[derive(Clone)]
pub(crate) struct JointMove {
    pub actions: Vec<usize>,
    pub guard: FormulaId,
    pub effects: Effects,
}

/// The groups that hold in every reachable state, and the joint moves that can be legal there.
pub(crate) struct Invariants {
    pub theory: Theory,
    pub moves: Vec<JointMove>,
    pub simplifier: Simplifier,
    /// The facts of groups that agree with every state seen, and that could not be proved.
    pub unproved: usize,
}

/// After this many steps of proofs groups that fail are not repaired any more, after twice as many no further
/// attempt is begun, and after the most a running one is given up. Steps are counted instead of time, so that
/// the variables of a game are the same on every machine.
const ENOUGH: usize = 1_500_000;
const MOST: usize = 6_000_000;
/// Steps of one proof.
const BUDGET: usize = 2000;
/// Failures of a group in one round that are looked at.
const SAMPLES: u32 = 8;
/// Groups with more members are first looked at without the guards of the moves.
const LARGE: usize = 10;
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
    effects: FxHashMap<Vec<usize>, Effects>,
    simplifier: Simplifier,
    pairs: Pairs,
    /// Steps of proofs so far, and how many are enough and the most.
    steps: usize,
    enough: usize,
    most: usize,
    /// A group that fails is given up at once: repairing is worth little where proofs are expensive.
    hasty: bool,
    /// What [`Self::is_safe`] has found with the present theory, with the groups it was concluded from.
    safe: FxHashMap<(u32, Vec<FormulaId>), Option<FxHashSet<u32>>>,
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
        Inductor {
            ground,
            compiler,
            constants,
            terms,
            exploration,
            legal,
            terminal,
            effects: FxHashMap::default(),
            simplifier: Simplifier::default(),
            pairs: Pairs::default(),
            steps: 0,
            enough: ENOUGH,
            most: MOST,
            hasty: false,
            safe: FxHashMap::default(),
        }
    }

    /// Finds and proves groups, several times: what one attempt leaves over, the next groups differently.
    pub fn invariants(mut self, meter: &Meter) -> Result<Invariants, Exceeded> {
        let steps = usize::try_from(meter.limits.steps).unwrap_or(usize::MAX);
        (self.enough, self.most) = (ENOUGH.min(steps / 8), MOST.min(steps / 2));
        let seen = self.exploration;
        let mut proved: Vec<Group> = Vec::new();
        let mut failed: FxHashSet<Vec<u32>> = FxHashSet::default();
        let mut moves = Vec::new();
        let mut guessed: FxHashSet<u32> = FxHashSet::default();
        if !seen.complete {
            // Turns and step counters come first: they are easy, and they tell which moves go together.
            let mut guesses = self.guess(&proved, &failed, meter)?;
            guesses.retain(|g| g.fluents.iter().all(|f| self.is_clock(*f)));
            proved = self.clocks(guesses, meter)?;
        }
        for attempt in 0..3 {
            let guesses = self.guess(&proved, &failed, meter)?;
            if guesses.is_empty() && attempt > 0 {
                break;
            }
            let known = proved.len();
            proved.extend(guesses.iter().cloned());
            guessed.extend(guesses.iter().flat_map(|g| g.fluents.iter().copied()));
            moves = self.induct(&mut proved, known, meter)?;
            // Further attempts are for what little is left; a large game is not kept waiting for them.
            if self.steps > 2 * self.enough {
                break;
            }
            let good: FxHashSet<&Vec<u32>> = proved.iter().map(|g| &g.fluents).collect();
            failed.extend(guesses.into_iter().map(|g| g.fluents).filter(|f| !good.contains(f)));
        }
        let grouped: FxHashSet<u32> = proved.iter().flat_map(|g| g.fluents.iter().copied()).collect();
        let unproved = guessed.difference(&grouped).count();
        Ok(Invariants { theory: Theory::new(proved), moves, simplifier: self.simplifier, unproved })
    }

    /// Candidates among the fluents that are in no group yet.
    fn guess(
        &self,
        proved: &[Group],
        failed: &FxHashSet<Vec<u32>>,
        meter: &Meter,
    ) -> Result<Vec<Group>, Exceeded> {
        let taken: FxHashSet<u32> = proved.iter().flat_map(|g| g.fluents.iter().copied()).collect();
        let free: Vec<u32> = (0..self.ground.fluents.len() as u32)
            .filter(|f| self.constants.value(*f).is_none() && !taken.contains(f))
            .collect();
        let seen = self.exploration;
        candidates(&self.ground.fluents, &free, self.terms, &seen.states, seen.complete, failed, meter)
    }

    /// Proves groups that do not depend on the moves: one proof for each instead of one for every move.
    fn clocks(&mut self, mut groups: Vec<Group>, meter: &Meter) -> Result<Vec<Group>, Exceeded> {
        loop {
            meter.check_time()?;
            let theory = Theory::new(groups.clone());
            let (mut kept, mut changed) = (Vec::new(), false);
            for (g, group) in groups.into_iter().enumerate() {
                let next: Vec<FormulaId> = group.fluents.iter().map(|f| self.unmoved(*f)).collect();
                let (mut lists, mut meanings) = (Vec::new(), Vec::new());
                self.claims(g, &group, &next, |_| true, &mut lists, &mut meanings);
                let (failures, _) = self.failures(None, &theory, lists, meanings, &mut FxHashSet::default());
                if failures.iter().any(|f| matches!(f, Failure::Clash(..))) {
                    changed = true;
                    continue;
                }
                changed |= !failures.is_empty();
                kept.push(Group { exact: group.exact && failures.is_empty(), ..group });
            }
            groups = kept;
            if !changed {
                return Ok(groups);
            }
        }
    }

    /// What makes a fluent hold next that does not depend on the moves.
    fn unmoved(&self, fluent: u32) -> FormulaId {
        self.ground.next[fluent as usize].map_or(FALSE, |atom| self.compiler.formula(atom))
    }

    fn induct(
        &mut self,
        groups: &mut Vec<Group>,
        known: usize,
        meter: &Meter,
    ) -> Result<Vec<JointMove>, Exceeded> {
        self.pairs.possible.clear();
        // Moves that break no group, with the groups that this was concluded from.
        let mut sound: FxHashMap<Vec<usize>, FxHashSet<u32>> = FxHashMap::default();
        let mut suspects: FxHashSet<usize> = FxHashSet::default();
        for round in 0.. {
            let theory = Theory::new(groups.clone());
            self.safe.clear();
            self.simplifier.settled = false;
            let moves = self.moves(&theory, meter)?;
            // A complete exploration has checked the groups on every reachable state.
            if self.exploration.complete || groups.len() == known {
                groups.retain(|g| !g.is_void());
                return Ok(moves);
            }
            let mut failures = Vec::new();
            let mut broken = vec![0; groups.len()];
            self.hasty = round >= REPAIRS || self.steps > self.enough;
            for joint in moves.iter().filter(|m| !sound.contains_key(&m.actions)).collect::<Vec<_>>() {
                meter.check_time()?;
                if let Some(used) = self.check(joint, &theory, known, &mut broken, &mut failures) {
                    sound.insert(joint.actions.clone(), used);
                }
                if self.steps > self.most {
                    break;
                }
                self.hasty |= self.steps > self.enough;
            }
            suspects.extend(failures.iter().map(Failure::group));
            if self.steps > self.most && suspects.is_empty() {
                groups.truncate(known);
            } else if self.steps > self.most {
                // The groups that never failed get a second chance without the others.
                suspects.drain().for_each(|g| groups[g].fluents.clear());
                self.steps -= self.most / 2;
                sound.clear();
            } else if failures.is_empty() {
                // Whatever was concluded from groups that failed has been concluded anew.
                self.simplifier.settled = true;
                groups.retain(|g| !g.is_void());
                return Ok(moves);
            } else {
                let weakened = weaken(groups, failures, !self.hasty);
                sound.retain(|_, used| weakened.iter().all(|g| !used.contains(g)));
                if groups[known..].iter().all(|g| g.fluents.is_empty()) {
                    groups.truncate(known);
                }
            }
        }
        Ok(Vec::new())
    }

    /// The fluent goes its own way, whatever anybody does.
    fn is_clock(&self, fluent: u32) -> bool {
        self.ground.next[fluent as usize].is_none_or(|atom| !self.compiler.depends_on_moves(atom))
    }

    fn moves(&mut self, theory: &Theory, meter: &Meter) -> Result<Vec<JointMove>, Exceeded> {
        let formulas = &self.compiler.formulas;
        let joint = joint_actions(self.ground, formulas, theory, &self.legal, &mut self.pairs, meter)?;
        let new: Vec<Vec<usize>> = joint.iter().filter(|a| !self.effects.contains_key(*a)).cloned().collect();
        let effects = self.compiler.effects(&new, meter)?;
        self.effects.extend(new.into_iter().zip(effects));
        let mut moves = Vec::with_capacity(joint.len());
        for actions in joint {
            let guard = self.compiler.formulas.and(actions.iter().map(|a| self.legal[*a]).collect());
            moves.push(JointMove { guard, effects: self.effects[&actions].clone(), actions });
        }
        Ok(moves)
    }

    /// Looks for groups that a move may break; if there are none, the groups that this was concluded from.
    fn check(
        &mut self,
        joint: &JointMove,
        theory: &Theory,
        known: usize,
        broken: &mut [u32],
        failures: &mut Vec<Failure>,
    ) -> Option<FxHashSet<u32>> {
        let (simplified, mut used) = self.simplifier.simplify(joint, theory, self.compiler);
        let Some(simplified) = simplified else { return Some(used) };
        let mut touched: Vec<u32> =
            simplified.effects.iter().flat_map(|(f, _)| theory.of(*f)).copied().collect();
        touched.retain(|g| *g as usize >= known);
        touched.sort_unstable();
        touched.dedup();
        let mut lists: Vec<Vec<Claim>> = Vec::new();
        let mut meanings: Vec<Failure> = Vec::new();
        let all = touched.len();
        let samples = if self.hasty { 1 } else { SAMPLES };
        touched.retain(|g| broken[*g as usize] < samples);
        let skipped = touched.len() < all;
        for g in touched {
            let group = &theory.groups[g as usize];
            let next: Vec<FormulaId> = group
                .fluents
                .iter()
                .map(|f| match (simplified.effect(*f), simplified.known.value(*f)) {
                    (Some(e), _) => e,
                    (None, Some(true)) => TRUE,
                    (None, Some(false)) => FALSE,
                    (None, None) => self.compiler.formulas.fluent(*f),
                })
                .collect();
            if group.fluents.len() > LARGE && self.is_safe(g, &next, theory, &mut used) {
                continue;
            }
            self.claims(
                g as usize,
                group,
                &next,
                |f| simplified.effect(f).is_some(),
                &mut lists,
                &mut meanings,
            );
        }
        let (mut found, complete) = self.failures(Some(joint.guard), theory, lists, meanings, &mut used);
        found.iter().for_each(|f| broken[f.group()] += 1);
        let sound = found.is_empty() && complete && !skipped;
        failures.append(&mut found);
        sound.then_some(used)
    }

    /// Whether a large group such as a counter holds next whatever the guard says. Many moves change a
    /// counter in the same way, so the answer is remembered.
    fn is_safe(&mut self, g: u32, next: &[FormulaId], theory: &Theory, used: &mut FxHashSet<u32>) -> bool {
        let key = (g, next.to_vec());
        if let Some(known) = self.safe.get(&key) {
            used.extend(known.iter().flatten());
            return known.is_some();
        }
        let (mut lists, mut meanings) = (Vec::new(), Vec::new());
        let group = &theory.groups[g as usize];
        self.claims(g as usize, group, next, |_| true, &mut lists, &mut meanings);
        let mut reasons = FxHashSet::default();
        let (failures, complete) = self.failures(None, theory, lists, meanings, &mut reasons);
        let safe = failures.is_empty() && complete;
        used.extend(&reasons);
        self.safe.insert(key, safe.then_some(reasons));
        safe
    }

    /// What must be impossible for a group to hold next, with what it means if it is not.
    fn claims(
        &mut self,
        g: usize,
        group: &Group,
        next: &[FormulaId],
        changes: impl Fn(u32) -> bool,
        lists: &mut Vec<Vec<Claim>>,
        meanings: &mut Vec<Failure>,
    ) {
        if group.fluents.len() > LARGE && self.claims_by_value(g, group, next, &changes, lists, meanings) {
            return;
        }
        let open: Vec<usize> = (0..next.len()).filter(|i| next[*i] != FALSE).collect();
        for i in &open {
            let fluent = group.fluents[*i];
            let others: Vec<FormulaId> = open.iter().filter(|j| *j != i).map(|j| next[*j]).collect();
            if others.is_empty() || !changes(fluent) {
                continue;
            }
            let others = self.compiler.formulas.or(others);
            lists.push(vec![(next[*i], true), (others, true)]);
            meanings.push(Failure::Clash(g, fluent));
        }
        if group.exact && !next.contains(&TRUE) {
            let some = self.compiler.formulas.or(next.to_vec());
            let before: Vec<FormulaId> =
                group.fluents.iter().map(|f| self.compiler.formulas.fluent(*f)).collect();
            let before = self.compiler.formulas.or(before);
            lists.push(vec![(some, false), (before, true)]);
            meanings.push(Failure::Empty(g));
        }
    }

    /// The same for every present value of the group on its own. A counter can only go to one or two values
    /// from each, so these are few and easy. Whether it was done.
    fn claims_by_value(
        &mut self,
        g: usize,
        group: &Group,
        next: &[FormulaId],
        changes: &impl Fn(u32) -> bool,
        lists: &mut Vec<Vec<Claim>>,
        meanings: &mut Vec<Failure>,
    ) -> bool {
        let fluents: Vec<FormulaId> =
            group.fluents.iter().map(|f| self.compiler.formulas.fluent(*f)).collect();
        let mut allowed = Allowed::new(&self.compiler.formulas, group);
        let sets: Vec<Values> = next.iter().map(|f| allowed.values(*f)).collect();
        let count = group.fluents.len();
        let mut reached: Vec<Vec<usize>> = vec![Vec::new(); count + usize::from(!group.exact)];
        let mut pairs = 0;
        for i in (0..count).filter(|i| next[*i] != FALSE) {
            for value in sets[i].iter() {
                pairs += reached[value].len();
                reached[value].push(i);
            }
            if pairs > 4 * count {
                return false;
            }
        }
        for (value, list) in reached.iter().enumerate() {
            let at: Vec<Claim> = match fluents.get(value) {
                Some(f) => vec![(*f, true)],
                None => fluents.iter().map(|f| (*f, false)).collect(),
            };
            let claim = |more: &[Claim]| at.iter().chain(more).copied().collect::<Vec<_>>();
            for (n, i) in list.iter().enumerate() {
                for j in &list[..n] {
                    let changed = if changes(group.fluents[*i]) { *i } else { *j };
                    if changes(group.fluents[changed]) {
                        lists.push(claim(&[(next[*i], true), (next[*j], true)]));
                        meanings.push(Failure::Clash(g, group.fluents[changed]));
                    }
                }
            }
            if group.exact {
                let none: Vec<Claim> = list.iter().map(|i| (next[*i], false)).collect();
                lists.push(claim(&none));
                meanings.push(Failure::Empty(g));
            }
        }
        true
    }

    /// The meanings of the claims that cannot be refuted where the guard holds, and whether all were tried.
    fn failures(
        &mut self,
        guard: Option<FormulaId>,
        theory: &Theory,
        mut lists: Vec<Vec<Claim>>,
        mut meanings: Vec<Failure>,
        used: &mut FxHashSet<u32>,
    ) -> (Vec<Failure>, bool) {
        let mut given: Vec<Claim> = guard.iter().map(|g| (*g, true)).collect();
        let mut complete = true;
        // No move is made where the game has ended, which may be needed for the proof.
        for claim in [None, Some((self.terminal, false))] {
            if lists.is_empty() {
                break;
            }
            given.extend(claim);
            let owners: Vec<usize> =
                if self.hasty { meanings.iter().map(Failure::group).collect() } else { Vec::new() };
            let answer = refute_each(&self.compiler.formulas, theory, &given, &lists, &owners, BUDGET);
            self.steps += answer.steps;
            used.extend(answer.used);
            complete = answer.closed.iter().all(Option::is_some);
            // What was not tried because too much failed is tried again only if the second round helps.
            let open = |c: &Option<bool>| if claim.is_some() { *c == Some(false) } else { *c != Some(true) };
            let mut left = answer.closed.iter().map(open);
            lists.retain(|_| left.next().unwrap_or(true));
            let mut left = answer.closed.iter().map(open);
            meanings.retain(|_| left.next().unwrap_or(true));
        }
        (meanings, complete)
    }
}

/// Takes members out of groups that failed, or gives the groups up: those are left without members, so that
/// the others keep their places. The groups that are not what they were.
fn weaken(groups: &mut [Group], failures: Vec<Failure>, repair: bool) -> Vec<u32> {
    let mut clashes: Vec<FxHashMap<u32, usize>> = vec![FxHashMap::default(); groups.len()];
    let mut weakened: Vec<u32> = failures.iter().map(|f| f.group() as u32).collect();
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
        if group.is_void() {
            group.fluents.clear();
        }
    }
    weakened.sort_unstable();
    weakened.dedup();
    weakened
}
