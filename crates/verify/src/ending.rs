//! The check of positions where the game has ended: they must be right where they are stored, and must be terminal
//! where they are not.

use crate::VerifyError;
use crate::batch::bits;
use crate::check::{Checker, ENDS, Pass};
use crate::fault::Wrong;
use crate::layers::Layer;
use rustc_hash::FxHashMap;
use winset_model::{MOST_PLAYERS, MoveId, Remoteness, Rewards, State};

impl Checker<'_, '_> {
    /// Looks at the successors that must be terminal.
    pub(super) fn end_waiting(&mut self, layer: &Layer, rank: u64) -> Result<(), VerifyError> {
        if self.waiting.moves.is_empty() {
            return Ok(());
        }
        let plan = self.plan;
        let waiting = std::mem::take(&mut self.waiting);
        self.end.masks().fill(0);
        waiting.enter(plan, self.end.masks());
        // States with a digit that has no meaning, by number, with their layers.
        let mut others = FxHashMap::default();
        for i in waiting.unknown() {
            let (lane, id, target) = waiting.moves[i];
            let state = self.enter_successor(lane, id, 1 << i);
            let target = plan.header.layering.layer(&state).unwrap_or(target);
            others.insert(i, (state, target));
        }
        self.end.evaluate(waiting.moves.len());
        let used = self.end.used();
        let ended = plan.game.terminal().iter().fold(0, |all, &t| all | self.end.word(t)) & used;
        let rewards = self.rewards(ended);
        for (i, &(lane, id, target)) in waiting.moves.iter().enumerate() {
            let target = others.get(&i).map_or(target, |other| other.1);
            if plan.is_ahead(target) {
                continue;
            }
            let by = || plan.game.move_at(id).name.clone();
            if target < i64::from(layer.number) {
                self.fault(layer, rank, lane, Wrong::Back { by: by() });
            }
            if ended >> i & 1 == 0 {
                let to = self.successor_text(lane, id);
                self.fault(layer, rank, lane, Wrong::Open { by: by(), to });
                continue;
            }
            let Some(code) = plan.code(rewards[i]) else {
                self.fault(layer, rank, lane, Wrong::Rewards { by: by(), rewards: rewards[i] });
                continue;
            };
            self.offers.push(lane, code.into(), true);
            let liking = plan.liking[plan.moves[id.index()].player.index()][usize::from(code)];
            self.offers.push_distance(lane, liking, 0);
            if self.pass == Pass::Reached {
                let keys = self.shared.keys;
                let key = match others.get(&i) {
                    Some((state, _)) => keys.of(state),
                    None => keys.of_digits(plan.blocks, waiting.digits(i, plan.blocks.len())),
                };
                self.ends.push((target, key, code));
            }
        }
        self.waiting = waiting;
        self.waiting.clear();
        if self.ends.len() >= ENDS { self.shared.ends.add(&mut self.ends) } else { Ok(()) }
    }

    /// Enters the values after a move into the masks of ends, where the new digits have no meaning.
    fn enter_successor(&mut self, lane: usize, id: MoveId, bit: u64) -> State {
        let plan = self.plan;
        let mut values = plan.blocks.state(self.lane_digits(lane));
        for touched in &plan.moves[id.index()].touched {
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
        values
    }

    /// Terminal positions may be stored too, but only with what the rules give.
    pub(super) fn check_ends(&mut self, layer: &Layer, rank: u64, ended: u64) {
        let plan = self.plan;
        self.end.masks().copy_from_slice(self.state.masks());
        self.end.evaluate(64);
        let rewards = self.rewards(ended);
        for lane in bits(ended) {
            let (code, expected) = (plan.code(rewards[lane]), rewards[lane]);
            let stored = layer.codes.as_ref().map(|codes| codes.get(rank + lane as u64));
            if code.is_none() || stored.is_some_and(|stored| code.map(u32::from) != Some(stored)) {
                self.fault(layer, rank, lane, Wrong::Terminal { expected });
            }
            if let Some(code) = code {
                let (ended, code) = (&mut self.faults.tally.ended, usize::from(code));
                ended.resize(ended.len().max(code + 1), 0);
                ended[code] += 1;
            }
            if let Some(expected) = plan.header.layering.layer(&plan.blocks.state(self.lane_digits(lane)))
                && expected != i64::from(layer.number)
            {
                self.fault(layer, rank, lane, Wrong::Layer { expected });
            }
            // Stored numbers are plies plus one.
            let distance = layer.distances.as_ref().map_or(1, |all| all.get(rank + lane as u64));
            self.faults.tally.longest = self.faults.tally.longest.max(distance);
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
}
