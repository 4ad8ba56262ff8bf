//! The check itself: 64 neighbouring states at a time.

use crate::batch::{bits, code_at, enter_runs};
use crate::cursor::Cursor;
use crate::fault::{Fault, Wrong};
use crate::layers::{Layer, Layers};
use crate::offers::{ENDLESS, Offers};
use crate::plan::{Change, NO_DIGIT, Plan, Touched};
use crate::settled::Settled;
use crate::waiting::Waiting;
use crate::walk::Walk;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use winset_index::Digit;
use winset_model::{Code, Explicit, Lanes, MOST_PLAYERS, MoveId, Player, Remoteness, Rewards, Standing};
use winset_store::{Layering, StoreError};

/// Faults kept in full; beyond that they are only counted.
pub const KEPT_FAULTS: usize = 100;

/// Faults found so far.
#[derive(Default)]
pub struct Faults {
    pub kept: Vec<Fault>,
    pub count: u64,
    /// How many of them are values that rest on themselves.
    pub cycles: u64,
    /// The number of positions of each stored code, terminal ones left out.
    pub by_code: Vec<u64>,
}

impl Faults {
    /// What a further pass over the same states adds: all else has been found before.
    pub fn only_cycles(mut self) -> Self {
        self.kept.retain(|fault| fault.what == Wrong::Cycle);
        Faults { count: self.cycles, by_code: vec![], ..self }
    }
}

/// Checks ranges of states. One per thread.
pub struct Checker<'a, 's> {
    plan: &'a Plan<'a>,
    layers: &'a Layers<'s>,
    state: Lanes,
    end: Lanes,
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
    waiting: Waiting,
    offers: Offers,
    faults: Faults,
    settled: &'a Settled,
    wins_only: bool,
    /// What is not settled now never will be.
    last_try: bool,
}

/// What a move did in the lane where it was last legal.
#[derive(Clone, Copy, Default)]
struct Trail {
    lane: usize,
    /// The layer that it leads to, whether there is such a layer, and whether the digits exist.
    target: i64,
    stored: bool,
    known: bool,
}

impl<'a, 's> Checker<'a, 's> {
    pub fn new(plan: &'a Plan<'a>, layers: &'a Layers<'s>, settled: &'a Settled, last_try: bool) -> Self {
        let (game, levels) = (plan.game, plan.blocks.len());
        let changes = plan.moves.iter().map(|m| vec![FxHashMap::default(); m.touched.len()]).collect();
        Checker {
            plan,
            layers,
            state: Lanes::new(game.exprs(), game.variables(), plan.state_roots()),
            end: Lanes::new(game.exprs(), game.variables(), plan.end_roots()),
            digits: vec![0; 64 * levels],
            levels,
            changed: [0; 64],
            measures: [0; 64],
            cursors: plan.moves.iter().map(|_| Cursor::default()).collect(),
            trails: vec![Trail::default(); plan.moves.len()],
            changes,
            waiting: Waiting::default(),
            offers: Offers::new(plan.header.codes.len()),
            faults: Faults::default(),
            settled,
            wins_only: plan.header.is_win_draw_loss(),
            last_try,
        }
    }

    /// Checks the states of a layer from a rank on.
    pub fn check(&mut self, layer: &Layer, first: u64, count: u64) -> Result<Faults, StoreError> {
        self.cursors.iter_mut().for_each(|cursor| cursor.enter(None));
        self.faults.by_code = vec![0; self.plan.header.codes.len()];
        let mut walk = Walk::new(&layer.index, first, count);
        let mut rank = first;
        loop {
            let lanes = self.load(&mut walk);
            if lanes == 0 {
                return Ok(std::mem::take(&mut self.faults));
            }
            if !self.settled.all(rank, lanes) {
                self.check_batch(layer, rank, lanes)?;
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

    fn check_batch(&mut self, layer: &Layer, rank: u64, lanes: usize) -> Result<(), StoreError> {
        let plan = self.plan;
        self.state.evaluate(lanes);
        let used = self.state.used();
        let ended = plan.game.terminal().iter().fold(0, |all, &t| all | self.state.word(t)) & used;
        if ended != 0 {
            self.check_ends(layer, rank, ended);
        }
        self.offers.clear();
        // No lane comes after this one, so nothing is taken over from the batch before.
        self.trails.iter_mut().for_each(|trail| trail.lane = 64);
        let mut has_other = [0u64; MOST_PLAYERS];
        for fallback in [false, true] {
            for (id, m) in plan.moves.iter().enumerate() {
                if m.fallback != fallback {
                    continue;
                }
                let turn = self.state.word(plan.game.turn()[m.player]);
                let earlier = plan.game.turn()[..m.player].iter().fold(0, |all, &t| all | self.state.word(t));
                let mut legal = self.state.word(m.guard) & turn & !earlier & used & !ended;
                if fallback {
                    legal &= !has_other[m.player];
                } else {
                    has_other[m.player] |= legal;
                }
                for lane in bits(legal) {
                    self.follow(layer, rank, lane, id)?;
                }
            }
        }
        self.end_waiting(layer, rank);
        self.settled.insert(rank, ended);
        self.conclude(layer, rank, used & !ended);
        Ok(())
    }

    /// Takes one successor of one state into account.
    fn follow(&mut self, layer: &Layer, rank: u64, lane: usize, id: MoveId) -> Result<(), StoreError> {
        let plan = self.plan;
        let m = &plan.moves[id];
        let digits = &self.digits[lane * self.levels..(lane + 1) * self.levels];
        // Neighbours' successors are neighbours: what the move changes is mostly as in the lane before.
        let (changed, trail) = (usize::from(self.changed[lane]), &mut self.trails[id]);
        let same = trail.lane + 1 == lane && m.steady.is_some_and(|steady| changed >= steady);
        trail.lane = lane;
        let from = if same {
            self.cursors[id].string[changed..].copy_from_slice(&digits[changed..]);
            changed
        } else {
            self.cursors[id].string.clear();
            self.cursors[id].string.extend_from_slice(digits);
            self.take_turn(layer, lane, id)?;
            0
        };
        let trail = self.trails[id];
        if trail.stored {
            let cursor = &mut self.cursors[id];
            if let (Some(found), Some(next)) = (cursor.rank(from), cursor.layer.as_deref()) {
                let code = code_at(&next.codes, found);
                let inside = trail.target <= i64::from(layer.number);
                let sure = !inside
                    || next.distances.is_some()
                    || (trail.target == i64::from(layer.number) && self.settled.contains(found));
                self.offers.push(lane, code, sure);
                if let Some(distances) = &next.distances
                    && let Some(&liking) = plan.liking[m.player].get(code as usize)
                {
                    let distance = distances.get(found).checked_sub(1).unwrap_or(ENDLESS);
                    self.offers.push_distance(lane, liking, distance);
                }
                if trail.target < i64::from(layer.number) {
                    let by = plan.game.moves()[id].name.clone();
                    self.fault(layer, rank, lane, Wrong::Back { by });
                }
                return Ok(());
            }
        }
        self.wait(layer, rank, lane, id);
        Ok(())
    }

    /// Makes a move: changes the digits of the move's string and finds the layer it leads to.
    fn take_turn(&mut self, layer: &Layer, lane: usize, id: MoveId) -> Result<(), StoreError> {
        let plan = self.plan;
        let (mut growth, mut known) = (0, true);
        for (t, touched) in plan.moves[id].touched.iter().enumerate() {
            let from = self.cursors[id].string[touched.block];
            let change = match &touched.fixed {
                Some(fixed) => fixed[usize::from(from)],
                None => self.change(id, t, touched, from, lane),
            };
            known &= change.to != NO_DIGIT;
            growth += change.growth;
            self.cursors[id].string[touched.block] = change.to as Digit;
        }
        let target = match plan.header.layering {
            Layering::Measure { .. } => i64::from(layer.number) + growth,
            Layering::Bfs => i64::from(layer.number) + 1,
            Layering::Single => 0,
        };
        let stored = known && self.enter(id, target)?;
        self.trails[id] = Trail { lane, target, stored, known };
        Ok(())
    }

    /// Makes a move's cursor point into a layer; false if there is no such layer.
    fn enter(&mut self, id: MoveId, target: i64) -> Result<bool, StoreError> {
        let Ok(target) = u32::try_from(target) else { return Ok(false) };
        let cursor = &mut self.cursors[id];
        if cursor.layer.as_ref().is_some_and(|layer| layer.number == target) {
            return Ok(true);
        }
        let layer: Option<Arc<Layer>> = self.layers.get(target)?;
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
        if let Some(&to) = pattern.and_then(|pattern| self.changes[id][t].get(&(from, pattern))) {
            return to;
        }
        let values = self.plan.updated(touched, from, case);
        let to = self.plan.change(touched.block, from, &values);
        if let Some(pattern) = pattern {
            self.changes[id][t].insert((from, pattern), to);
        }
        to
    }

    /// A successor is not stored, so it must be terminal; that is found out for 64 of them together.
    fn wait(&mut self, layer: &Layer, rank: u64, lane: usize, id: MoveId) {
        self.waiting.push(lane, id, &self.cursors[id].string, self.trails[id].known);
        if self.waiting.is_full() {
            self.end_waiting(layer, rank);
        }
    }

    /// Looks at the successors that must be terminal.
    fn end_waiting(&mut self, layer: &Layer, rank: u64) {
        if self.waiting.moves.is_empty() {
            return;
        }
        let plan = self.plan;
        let waiting = std::mem::take(&mut self.waiting);
        self.end.masks().fill(0);
        waiting.enter(plan, self.end.masks());
        for i in waiting.unknown() {
            let (lane, id) = waiting.moves[i];
            self.enter_successor(lane, id, 1 << i);
        }
        self.end.evaluate(waiting.moves.len());
        let used = self.end.used();
        let ended = plan.game.terminal().iter().fold(0, |all, &t| all | self.end.word(t)) & used;
        let rewards = self.rewards(ended);
        for (i, &(lane, id)) in waiting.moves.iter().enumerate() {
            let by = || plan.game.moves()[id].name.clone();
            if ended >> i & 1 == 0 {
                let to = self.successor_text(lane, id);
                self.fault(layer, rank, lane, Wrong::Open { by: by(), to });
            } else if let Some(code) = plan.code(rewards[i]) {
                self.offers.push(lane, code.into(), true);
                let liking = plan.liking[plan.moves[id].player][usize::from(code)];
                self.offers.push_distance(lane, liking, 0);
            } else {
                self.fault(layer, rank, lane, Wrong::Rewards { by: by(), rewards: rewards[i] });
            }
        }
        self.waiting = waiting;
        self.waiting.clear();
    }

    /// Enters the values after a move into the masks of ends, where the new digits have no meaning.
    fn enter_successor(&mut self, lane: usize, id: MoveId, bit: u64) {
        let plan = self.plan;
        let mut values = plan.blocks.state(self.lane_digits(lane));
        for touched in &plan.moves[id].touched {
            let from = self.lane_digits(lane)[touched.block];
            let case = |u: usize| touched.updates[u].1.iter().position(|c| self.state.holds(c.0, lane));
            let after = plan.updated(touched, from, case);
            for (var, value) in plan.blocks.blocks[touched.block].vars.iter().zip(after) {
                values.0[var.index()] = value;
            }
        }
        let masks = self.end.masks();
        for (&row, &value) in plan.rows.iter().zip(&values.0) {
            masks[row + usize::from(value)] |= bit;
        }
    }

    /// Terminal positions may be stored too, but only with what the rules give.
    fn check_ends(&mut self, layer: &Layer, rank: u64, ended: u64) {
        let plan = self.plan;
        self.end.masks().copy_from_slice(self.state.masks());
        self.end.evaluate(64);
        let rewards = self.rewards(ended);
        for lane in bits(ended) {
            let stored = layer.codes.get(rank + lane as u64);
            if plan.code(rewards[lane]).map(u32::from) != Some(stored) {
                self.fault(layer, rank, lane, Wrong::Terminal { expected: rewards[lane] });
            }
            // Stored numbers are plies plus one.
            let distance = layer.distances.as_ref().map_or(1, |all| all.get(rank + lane as u64));
            if distance != 1 {
                let stored = distance.checked_sub(1).map_or(Remoteness::Endless, Remoteness::Plies);
                self.fault(layer, rank, lane, Wrong::Distance { stored, expected: Remoteness::Plies(0) });
            }
        }
    }

    /// What the players get in these terminal states.
    fn rewards(&self, ended: u64) -> [Rewards; 64] {
        let mut rewards = [[0u8; 64]; MOST_PLAYERS];
        for (player, list) in self.plan.game.rewards().iter().enumerate() {
            let mut left = ended;
            for &(reward, when) in list {
                for i in bits(self.end.word(when) & left) {
                    rewards[player][i] = reward;
                }
                left &= !self.end.word(when);
            }
        }
        let players = self.plan.game.players().len();
        std::array::from_fn(|i| (0..players).map(|player| rewards[player][i]).collect())
    }

    /// Compares what is stored with what the moves lead to, in the lanes where play goes on.
    fn conclude(&mut self, layer: &Layer, rank: u64, playing: u64) {
        let plan = self.plan;
        for lane in bits(playing) {
            if let Some(expected) = plan.layer(self.measures[lane])
                && expected != i64::from(layer.number)
            {
                self.fault(layer, rank, lane, Wrong::Layer { expected });
            }
        }
        // A batch begins at a multiple of 64.
        let word = (rank / 64) as usize;
        for code in 0..plan.header.codes.len() {
            let stored = layer.codes.lanes_with(word, code as u32) & playing;
            self.faults.by_code[code] += u64::from(stored.count_ones());
        }
        let (mut unseen, mut stuck) = (playing, playing);
        for (player, &turn) in plan.game.turn().iter().enumerate() {
            let mut moving = unseen & self.state.word(turn);
            unseen &= !moving;
            for &code in plan.liked[player].iter().rev() {
                let best = moving & self.offers.of(code);
                if best != 0 {
                    moving &= !best;
                    stuck &= !best;
                    self.conclude_code(layer, rank, (player, code), best);
                }
            }
        }
        for lane in bits(stuck) {
            self.fault(layer, rank, lane, Wrong::Stuck);
        }
    }

    /// Compares where a code is the best that a player can reach.
    fn conclude_code(&mut self, layer: &Layer, rank: u64, (player, code): (Player, Code), best: u64) {
        let plan = self.plan;
        let expected = plan.header.codes[usize::from(code)];
        let standing = expected.standing(player);
        // A win is settled by one move that is; a draw by there being no win; all else by all moves.
        let by_one = if standing == Some(Standing::Ahead) { self.offers.sure_of(code) } else { !0 };
        let no_loss = standing >= Some(Standing::Level);
        let settled = best & (!self.offers.open | if self.wins_only && no_loss { by_one } else { 0 });
        self.settled.insert(rank, settled);
        if self.last_try {
            for lane in bits(best & !settled) {
                self.fault(layer, rank, lane, Wrong::Cycle);
            }
        }
        let right = layer.codes.lanes_with((rank / 64) as usize, u32::from(code)) & best;
        for lane in bits(best & !right) {
            let stored = layer.codes.get(rank + lane as u64) as usize;
            let stored = plan.header.codes.get(stored).copied().unwrap_or([u8::MAX; MOST_PLAYERS].into());
            self.fault(layer, rank, lane, Wrong::Value { stored, expected });
        }
        let Some(distances) = &layer.distances else { return };
        let hurries = plan.header.opponent.hurries(player, expected);
        let can_be_endless = expected == Rewards::endless(expected.len());
        for lane in bits(right) {
            let (stored, span) = (distances.get(rank + lane as u64), self.offers.span(lane));
            let after = if hurries { span.least } else { span.greatest };
            // Stored numbers are plies plus one, so that a terminal position differs from endless play.
            let follows = if after == ENDLESS { 0 } else { after + 2 };
            let plies = |n: u32| if n == 0 { Remoteness::Endless } else { Remoteness::Plies(n - 1) };
            if stored != follows {
                let wrong = Wrong::Distance { stored: plies(stored), expected: plies(follows) };
                self.fault(layer, rank, lane, wrong);
            } else if !can_be_endless && follows == 0 {
                let wrong = Wrong::Distance { stored: plies(0), expected: plies(2) };
                self.fault(layer, rank, lane, wrong);
            }
        }
    }

    fn fault(&mut self, layer: &Layer, rank: u64, lane: usize, what: Wrong) {
        self.faults.count += 1;
        self.faults.cycles += u64::from(what == Wrong::Cycle);
        if self.faults.kept.len() < KEPT_FAULTS {
            let state = self.plan.blocks.state(self.lane_digits(lane));
            let position = self.plan.game.print(&state);
            let fault = Fault { layer: layer.number, rank: Some(rank + lane as u64), position, what };
            self.faults.kept.push(fault);
        }
    }

    fn successor_text(&self, lane: usize, id: MoveId) -> String {
        let state = self.plan.blocks.state(self.lane_digits(lane));
        self.plan.game.print(&Explicit::new(self.plan.game).at(&state).apply(id))
    }

    fn lane_digits(&self, lane: usize) -> &[Digit] {
        let levels = self.levels;
        &self.digits[lane * levels..(lane + 1) * levels]
    }
}
