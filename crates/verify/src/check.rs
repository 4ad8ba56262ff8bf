//! The check itself: 64 neighbouring states at a time.

use crate::VerifyError;
use crate::batch::{bits, code_at, enter_runs};
use crate::cursor::Cursor;
use crate::ends::{Ends, Key, Keys};
use crate::fault::{Fault, Wrong};
use crate::layers::{Layer, Layers};
use crate::offers::{ENDLESS, Offers};
use crate::plan::{Change, NO_DIGIT, Plan, Touched};
use crate::settled::Settled;
use crate::tally::Tally;
use crate::waiting::Waiting;
use crate::walk::Walk;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use winset_index::Digit;
use winset_model::{Code, Explicit, Lanes, MOST_PLAYERS, MoveId};
use winset_store::Layering;

/// Faults kept in full; beyond that they are only counted.
pub const KEPT_FAULTS: usize = 100;

/// Faults found so far.
#[derive(Default)]
pub struct Faults {
    pub kept: Vec<Fault>,
    pub count: u64,
    /// How many of them are values that rest on themselves.
    pub cycles: u64,
    pub tally: Tally,
}

impl Faults {
    /// What a further pass over the same states adds: all else has been found before.
    pub fn only_cycles(mut self) -> Self {
        self.kept.retain(|fault| fault.what == Wrong::Cycle);
        Faults { count: self.cycles, tally: Tally::default(), ..self }
    }
}

/// What all threads that check a layer share.
#[derive(Clone, Copy)]
pub struct Shared<'a, 's> {
    pub plan: &'a Plan<'a>,
    pub layers: &'a Layers<'s>,
    pub keys: &'a Keys,
    pub ends: &'a Ends,
    pub settled: &'a Settled,
}

/// How a layer is gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// The states that moves were found to lead to since they were last looked for.
    Reached,
    /// Those whose values may rest on themselves.
    Unsettled,
    /// The same, and what is not settled now never will be.
    Last,
}

/// Terminal positions that are handed over together.
pub const ENDS: usize = 1 << 12;
/// What a thread remembers of conditional updates; a few megabytes.
const REMEMBERED: usize = 1 << 17;

/// Checks ranges of states. One per thread.
pub struct Checker<'a, 's> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) shared: Shared<'a, 's>,
    pub(super) state: Lanes,
    pub(super) end: Lanes,
    /// Lane by lane.
    digits: Vec<Digit>,
    levels: usize,
    /// The topmost level that differs from the lane before.
    changed: [u16; 64],
    measures: [i64; 64],
    cursors: Vec<Cursor>,
    trails: Vec<Trail>,
    /// New digits of conditional updates, by move and touched block.
    changes: Vec<Vec<FxHashMap<(Digit, u64), Change>>>,
    remembered: usize,
    pub(super) waiting: Waiting,
    pub(super) ends: Vec<(i64, Key, Code)>,
    pub(super) offers: Offers,
    pub(super) faults: Faults,
    pub(super) wins_only: bool,
    pub(super) pass: Pass,
}

/// What a move did in the lane where it was last legal.
#[derive(Clone, Copy, Default)]
struct Trail {
    lane: usize,
    /// The layer that it leads to, whether there is such a layer, and whether the digits exist.
    target: i64,
    stored: bool,
    known: bool,
    /// The layer has not been found yet.
    ahead: bool,
    /// The same of all blocks that it changes but the last: by how much the measure grows, whether the digits exist.
    but_one: (i64, bool),
}

impl<'a, 's> Checker<'a, 's> {
    pub fn new(shared: Shared<'a, 's>, pass: Pass) -> Self {
        let plan = shared.plan;
        let (game, levels) = (plan.game, plan.blocks.len());
        let changes = plan.moves.iter().map(|m| vec![FxHashMap::default(); m.touched.len()]).collect();
        Checker {
            plan,
            shared,
            state: Lanes::new(game.exprs(), game.variables(), plan.state_roots()),
            end: Lanes::new(game.exprs(), game.variables(), plan.end_roots()),
            digits: vec![0; 64 * levels],
            levels,
            changed: [0; 64],
            measures: [0; 64],
            cursors: plan.moves.iter().map(|_| Cursor::default()).collect(),
            trails: vec![Trail::default(); plan.moves.len()],
            changes,
            remembered: 0,
            waiting: Waiting::default(),
            ends: vec![],
            offers: Offers::new(plan.header.codes.len()),
            faults: Faults::default(),
            wins_only: plan.header.is_win_draw_loss(),
            pass,
        }
    }

    /// Checks the states of a layer from a rank on.
    pub fn check(&mut self, layer: &Layer, first: u64, count: u64) -> Result<Faults, VerifyError> {
        self.cursors.iter_mut().for_each(|cursor| cursor.enter(None));
        self.faults.tally.by_code = vec![0; self.plan.header.codes.len()];
        if self.pass == Pass::Reached && !layer.marks.is_left(first, count) {
            return Ok(std::mem::take(&mut self.faults));
        }
        let mut walk = Walk::new(&layer.index, first, count);
        let mut rank = first;
        loop {
            let lanes = self.load(&mut walk);
            if lanes == 0 {
                self.shared.ends.add(&mut self.ends)?;
                return Ok(std::mem::take(&mut self.faults));
            }
            let active = match self.pass {
                Pass::Reached => layer.marks.take(rank),
                _ => layer.marks.seen(rank) & !self.shared.settled.word(rank),
            };
            if active != 0 {
                self.check_batch(layer, rank, lanes, active)?;
            }
            rank += lanes as u64;
        }
    }

    /// Takes up to 64 states from the walk.
    fn load(&mut self, walk: &mut Walk<'_>) -> usize {
        let levels = self.levels;
        self.state.masks().fill(0);
        // At each level a run of equal digits is entered into the masks at once, when it ends.
        let mut begun = vec![0usize; levels];
        let mut measure = vec![0i64; levels + 1];
        let mut lanes = 0;
        while lanes < 64 {
            let Some((changed, digits)) = walk.step() else { break };
            if lanes > 0 {
                enter_runs(self.plan, self.state.masks(), &self.digits, &mut begun, changed, lanes);
            }
            self.digits[lanes * levels..(lanes + 1) * levels].copy_from_slice(digits);
            self.changed[lanes] = changed as u16;
            for (k, &digit) in digits.iter().enumerate().skip(if lanes == 0 { 0 } else { changed }) {
                measure[k + 1] = measure[k] + self.plan.weight(k, digit);
            }
            self.measures[lanes] = measure[levels];
            lanes += 1;
        }
        if lanes > 0 {
            enter_runs(self.plan, self.state.masks(), &self.digits, &mut begun, 0, lanes);
        }
        lanes
    }

    fn check_batch(
        &mut self,
        layer: &Layer,
        rank: u64,
        lanes: usize,
        active: u64,
    ) -> Result<(), VerifyError> {
        let plan = self.plan;
        self.state.evaluate(lanes);
        let used = self.state.used() & active;
        let ended = plan.game.terminal().iter().fold(0, |all, &t| all | self.state.word(t)) & used;
        if ended != 0 {
            self.check_ends(layer, rank, ended);
        }
        self.offers.clear();
        // No lane comes after this one, so nothing is taken over from the batch before.
        self.trails.iter_mut().for_each(|trail| trail.lane = 64);
        let (mut has_other, mut moved) = ([0u64; MOST_PLAYERS], 0);
        for fallback in [false, true] {
            for (id, m) in plan.moves.iter().enumerate() {
                if m.fallback != fallback {
                    continue;
                }
                let turn = self.state.word(plan.game.turn()[m.player.index()]);
                let earlier =
                    plan.game.turn()[..m.player.index()].iter().fold(0, |all, &t| all | self.state.word(t));
                let mut legal = self.state.word(m.guard) & turn & !earlier & used & !ended;
                if fallback {
                    legal &= !has_other[m.player.index()];
                } else {
                    has_other[m.player.index()] |= legal;
                }
                moved |= legal;
                for lane in bits(legal) {
                    self.follow(layer, rank, lane, MoveId::new(id))?;
                }
            }
        }
        self.end_waiting(layer, rank)?;
        self.shared.settled.insert(rank, ended);
        self.count(layer, rank, used & !ended, moved);
        if let Some(codes) = &layer.codes {
            self.conclude(layer, codes, rank, used & !ended);
        }
        Ok(())
    }

    /// Takes one successor of one state into account.
    fn follow(&mut self, layer: &Layer, rank: u64, lane: usize, id: MoveId) -> Result<(), VerifyError> {
        let plan = self.plan;
        let m = &plan.moves[id.index()];
        let digits = &self.digits[lane * self.levels..(lane + 1) * self.levels];
        // Neighbours' successors are neighbours: what the move changes is mostly as in the lane before.
        let (changed, trail) = (usize::from(self.changed[lane]), &mut self.trails[id.index()]);
        let steady = m.steady.filter(|_| trail.lane + 1 == lane);
        let cursor = &mut self.cursors[id.index()];
        trail.lane = lane;
        let from = match steady {
            Some(steady) if changed >= steady => {
                cursor.string[changed..].copy_from_slice(&digits[changed..]);
                changed
            }
            // Of what it changes, only the last block is another.
            Some(_) if changed >= m.steady_but_one => {
                cursor.string[changed..].copy_from_slice(&digits[changed..]);
                let but_one = trail.but_one;
                self.take_last_turn(layer, lane, id, but_one)?;
                changed
            }
            _ => {
                cursor.string.clear();
                cursor.string.extend_from_slice(digits);
                self.take_turn(layer, lane, id)?;
                0
            }
        };
        let (trail, cursor) = (self.trails[id.index()], &mut self.cursors[id.index()]);
        if trail.stored {
            if let Some(found) = cursor.rank(from) {
                self.offer(layer, rank, lane, id, found);
                return Ok(());
            }
        } else {
            cursor.forget(from);
        }
        if trail.ahead {
            return Ok(());
        }
        self.wait(layer, rank, lane, id)
    }

    /// A move leads to the stored state that its cursor points at.
    fn offer(&mut self, layer: &Layer, rank: u64, lane: usize, id: MoveId, found: u64) {
        let (plan, target) = (self.plan, self.trails[id.index()].target);
        let Some(next) = self.cursors[id.index()].layer.as_deref() else { return };
        if self.pass == Pass::Reached {
            next.marks.reach(found);
        }
        let by = || plan.game.move_at(id).name.clone();
        let mut wrong = (target < i64::from(layer.number)).then(|| Wrong::Back { by: by() });
        if let Some(codes) = &next.codes {
            let code = code_at(codes, found);
            let inside = target <= i64::from(layer.number);
            let sure = !inside
                || next.distances.is_some()
                || (target == i64::from(layer.number) && self.shared.settled.contains(found));
            self.offers.push(lane, code, sure);
            if let Some(distances) = &next.distances
                && let Some(&liking) = plan.liking[plan.moves[id.index()].player.index()].get(code as usize)
            {
                let distance = distances.get(found).checked_sub(1).unwrap_or(ENDLESS);
                self.offers.push_distance(lane, liking, distance);
            }
        } else if layer.codes.is_some() {
            wrong = wrong.or_else(|| Some(Wrong::Unsolved { by: by() }));
        }
        if let Some(wrong) = wrong {
            self.fault(layer, rank, lane, wrong);
        }
    }

    /// Makes a move: changes the digits of the move's string and finds the layer it leads to.
    fn take_turn(&mut self, layer: &Layer, lane: usize, id: MoveId) -> Result<(), VerifyError> {
        let plan = self.plan;
        let (mut growth, mut known) = (0, true);
        let Some((_, above)) = plan.moves[id.index()].touched.split_last() else {
            return self.lead(layer, lane, id, (0, true), (0, true));
        };
        for (t, touched) in above.iter().enumerate() {
            let change = self.turn(lane, id, t, touched);
            (growth, known) = (growth + change.growth, known & (change.to != NO_DIGIT));
        }
        self.take_last_turn(layer, lane, id, (growth, known))
    }

    /// The same where all blocks but the last are done with.
    fn take_last_turn(
        &mut self,
        layer: &Layer,
        lane: usize,
        id: MoveId,
        but_one: (i64, bool),
    ) -> Result<(), VerifyError> {
        let plan = self.plan;
        let Some((last, above)) = plan.moves[id.index()].touched.split_last() else { return Ok(()) };
        let change = self.turn(lane, id, above.len(), last);
        let all = (but_one.0 + change.growth, but_one.1 & (change.to != NO_DIGIT));
        self.lead(layer, lane, id, but_one, all)
    }

    /// Changes the digit of one block.
    fn turn(&mut self, lane: usize, id: MoveId, t: usize, touched: &Touched) -> Change {
        let from = self.cursors[id.index()].string[touched.block];
        let change = match &touched.fixed {
            Some(fixed) => fixed[usize::from(from)],
            None => self.change(id, t, touched, from, lane),
        };
        self.cursors[id.index()].string[touched.block] = change.to as Digit;
        change
    }

    /// Finds the layer to which a move leads that makes the measure grow so much.
    fn lead(
        &mut self,
        layer: &Layer,
        lane: usize,
        id: MoveId,
        but_one: (i64, bool),
        (growth, known): (i64, bool),
    ) -> Result<(), VerifyError> {
        let target = match self.plan.header.layering {
            Layering::Measure { .. } => i64::from(layer.number) + growth,
            Layering::Bfs => i64::from(layer.number) + 1,
            Layering::Single => 0,
        };
        // Only where all digits are known is the layer the right one; where not, it is looked for when the values are.
        let ahead = known && self.plan.is_ahead(target);
        let stored = known && !ahead && self.enter(id, target)?;
        self.trails[id.index()] = Trail { lane, target, stored, known, ahead, but_one };
        Ok(())
    }

    /// Makes a move's cursor point into a layer; false if there is no such layer.
    fn enter(&mut self, id: MoveId, target: i64) -> Result<bool, VerifyError> {
        let Ok(target) = u32::try_from(target) else { return Ok(false) };
        let cursor = &mut self.cursors[id.index()];
        if cursor.layer.as_ref().is_some_and(|layer| layer.number == target) {
            return Ok(true);
        }
        let layer: Option<Arc<Layer>> = self.shared.layers.get(target)?;
        cursor.enter(layer);
        Ok(cursor.layer.is_some())
    }

    /// The new digit of a block when the updates depend on the state.
    fn change(&mut self, id: MoveId, t: usize, touched: &Touched, from: Digit, lane: usize) -> Change {
        let case = |u: usize| touched.updates[u].1.iter().position(|&(when, _)| self.state.holds(when, lane));
        // Which case of each update applies, as one number, unless there are too many of them.
        let pattern = touched.updates.iter().enumerate().try_fold(0u64, |number, (u, (_, cases))| {
            let which = case(u).map_or(0, |at| at as u64 + 1);
            number.checked_mul(cases.len() as u64 + 1)?.checked_add(which)
        });
        if let Some(&to) = pattern.and_then(|pattern| self.changes[id.index()][t].get(&(from, pattern))) {
            return to;
        }
        let values = self.plan.updated(touched, from, case);
        let to = self.plan.change(touched.block, from, &values);
        if let Some(pattern) = pattern
            && self.remembered < REMEMBERED
        {
            self.remembered += 1;
            self.changes[id.index()][t].insert((from, pattern), to);
        }
        to
    }

    /// A successor is not stored, so it must be terminal; that is found out for 64 of them together.
    fn wait(&mut self, layer: &Layer, rank: u64, lane: usize, id: MoveId) -> Result<(), VerifyError> {
        let Trail { known, target, .. } = self.trails[id.index()];
        self.waiting.push((lane, id, target), &self.cursors[id.index()].string, known);
        if self.waiting.is_full() { self.end_waiting(layer, rank) } else { Ok(()) }
    }

    /// Counts the lanes where play goes on, which need a move and belong into this layer.
    fn count(&mut self, layer: &Layer, rank: u64, playing: u64, moved: u64) {
        let plan = self.plan;
        for lane in bits(playing) {
            if let Some(expected) = plan.layer(self.measures[lane])
                && expected != i64::from(layer.number)
            {
                self.fault(layer, rank, lane, Wrong::Layer { expected });
            }
        }
        for lane in bits(playing & !moved) {
            self.fault(layer, rank, lane, Wrong::Stuck);
        }
        let mut left = playing;
        for (player, &turn) in plan.game.turn().iter().enumerate() {
            let moving = left & self.state.word(turn);
            left &= !moving;
            self.faults.tally.moving[player] += u64::from(moving.count_ones());
        }
    }

    pub(super) fn fault(&mut self, layer: &Layer, rank: u64, lane: usize, what: Wrong) {
        self.faults.count += 1;
        self.faults.cycles += u64::from(what == Wrong::Cycle);
        if self.faults.kept.len() < KEPT_FAULTS {
            let state = self.plan.blocks.state(self.lane_digits(lane));
            let position = self.plan.game.print(&state);
            let fault = Fault { layer: layer.number, rank: Some(rank + lane as u64), position, what };
            self.faults.kept.push(fault);
        }
    }

    pub(super) fn successor_text(&self, lane: usize, id: MoveId) -> String {
        let state = self.plan.blocks.state(self.lane_digits(lane));
        self.plan.game.print(&Explicit::new(self.plan.game).at(&state).apply(id))
    }

    pub(super) fn lane_digits(&self, lane: usize) -> &[Digit] {
        let levels = self.levels;
        &self.digits[lane * levels..(lane + 1) * levels]
    }
}
