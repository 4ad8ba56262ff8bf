//! What is stored of one layer against what the rules and the layers behind it say.

use super::arena::Id;
use super::check::{Check, Playing};
use super::read::{ByValue, Stored};
use super::sets::{EMPTY, Sets};
use crate::VerifyError;
use crate::fault::Wrong;
use crate::report::Report;
use crate::tally::Tally;
use std::collections::BTreeMap;
use winset_model::{MOST_PLAYERS, Player, Remoteness, Rewards};

/// States that moves can lead to, by value.
#[derive(Default)]
pub struct Targets {
    /// In later layers.
    later: BTreeMap<u32, Id>,
    /// In the layer itself.
    own: BTreeMap<u32, Id>,
    /// Moves stay in the layer.
    pub here: bool,
    /// There is a layer behind without values.
    pub is_unsolved: bool,
}

impl Targets {
    pub fn add(&mut self, sets: &mut Sets, here: bool, value: u32, set: Id) -> Result<(), VerifyError> {
        let at = if here { &mut self.own } else { &mut self.later }.entry(value).or_insert(EMPTY);
        *at = sets.union(*at, set)?;
        Ok(())
    }
}

impl Check<'_> {
    /// Counts who is to move, which somebody must be able to.
    pub fn count_movers(
        &mut self,
        playing: &Playing,
        number: u32,
        tally: &mut Tally,
        report: &mut Report,
    ) -> Result<(), VerifyError> {
        let mut nobody = playing.all;
        for (player, &mine) in playing.by_mover.iter().enumerate() {
            nobody = self.sets.minus(nobody, mine)?;
            if player < MOST_PLAYERS {
                tally.moving[player] = self.counted(mine)?;
            }
            let mut stuck = playing.passing[player];
            for i in 0..self.rules.len() {
                let rule = &self.rules[i];
                if rule.player.index() == player && rule.fallback && stuck != EMPTY {
                    let not = self.conditions.not(rule.guard)?;
                    stuck = self.sets.within(&self.conditions, stuck, not)?;
                }
            }
            self.fault(number, stuck, Wrong::Stuck, report)?;
        }
        self.fault(number, nobody, Wrong::Stuck, report)
    }

    /// Where the game has ended: rewards have codes, and what is stored is what the rules say.
    pub fn check_ends(
        &mut self,
        number: u32,
        ended: Id,
        stored: &Stored,
        tally: &mut Tally,
        report: &mut Report,
    ) -> Result<(), VerifyError> {
        let bits = self.header.code_bits();
        tally.ended = vec![0; self.table.len()];
        for (rewards, set) in self.by_rewards(ended)? {
            let Some(code) = self.table.code(rewards) else {
                self.fault(number, set, Wrong::Rewards { by: "a move".to_owned(), rewards }, report)?;
                continue;
            };
            tally.ended[usize::from(code)] += self.counted(set)?;
            let Some(values) = &stored.values else { continue };
            let mut wrong = self.sets.both(set, stored.set)?;
            if wrong == EMPTY {
                continue;
            }
            let right = u32::from(code) | u32::from(self.header.remoteness) << bits;
            let right = values.get(&right).copied().unwrap_or(EMPTY);
            wrong = self.sets.minus(wrong, right)?;
            self.fault(number, wrong, Wrong::Terminal { expected: rewards }, report)?;
            if self.header.remoteness {
                tally.longest = tally.longest.max(1);
            }
        }
        Ok(())
    }

    /// Counts the stored values of states in which play goes on.
    pub fn count_values(
        &mut self,
        playing: &Playing,
        number: u32,
        values: &ByValue,
        tally: &mut Tally,
        report: &mut Report,
    ) -> Result<(), VerifyError> {
        let bits = self.header.code_bits();
        for (&value, &set) in values {
            let here = self.sets.both(set, playing.all)?;
            if here == EMPTY {
                continue;
            }
            tally.longest = tally.longest.max(value >> bits);
            let count = self.counted(here)?;
            match tally.by_code.get_mut((value & ((1 << bits) - 1)) as usize) {
                Some(sum) => *sum += count,
                None => self.fault(number, here, Wrong::Code, report)?,
            }
        }
        Ok(())
    }

    /// Every value is the best that the mover's moves offer.
    pub fn check_values(
        &mut self,
        number: u32,
        playing: &Playing,
        values: &ByValue,
        targets: Targets,
        report: &mut Report,
    ) -> Result<(), VerifyError> {
        if !targets.here || self.header.remoteness {
            // Distances fall with every move, so that nothing rests on itself.
            let mut all = targets.later.clone();
            for (&value, &set) in &targets.own {
                let at = all.entry(value).or_insert(EMPTY);
                *at = self.sets.union(*at, set)?;
            }
            let open = self.derive(number, playing, playing.all, values, &all, report)?;
            return self.open(number, open, report);
        }
        // Without distances a state is settled once all that its moves lead to is.
        let (mut left, mut settled) = (playing.all, targets.later.clone());
        for (&value, &set) in &targets.own {
            let over = self.sets.minus(set, playing.all)?;
            let at = settled.entry(value).or_insert(EMPTY);
            *at = self.sets.union(*at, over)?;
        }
        while left != EMPTY {
            let waiting = self.leading(playing, left, left)?;
            let ready = self.sets.minus(left, waiting)?;
            if ready == EMPTY {
                return Err(VerifyError::Circles);
            }
            let open = self.derive(number, playing, ready, values, &settled, report)?;
            self.open(number, open, report)?;
            for (&value, &set) in values {
                let more = self.sets.both(set, ready)?;
                let at = settled.entry(value).or_insert(EMPTY);
                *at = self.sets.union(*at, more)?;
            }
            left = self.sets.minus(left, ready)?;
        }
        Ok(())
    }

    /// Moves of these states lead nowhere that has a value.
    fn open(&mut self, number: u32, open: Id, report: &mut Report) -> Result<(), VerifyError> {
        let (by, to) = ("every move".to_owned(), "a position without a value".to_owned());
        self.fault(number, open, Wrong::Open { by, to }, report)
    }

    /// The states of a set with a move into another.
    fn leading(&mut self, playing: &Playing, from: Id, into: Id) -> Result<Id, VerifyError> {
        let mut found = EMPTY;
        for i in 0..self.rules.len() {
            let able = self.movers(playing, i);
            let able = self.sets.both(from, able)?;
            let able = self.sets.minus(able, found)?;
            let Check { sets, conditions, moves, rules, .. } = self;
            let more = moves.preimage(sets, conditions, able, rules[i].residual, into)?;
            found = self.sets.union(found, more)?;
        }
        Ok(found)
    }

    /// Derives the values of some states from those after the moves, the mover's best first, and compares them with
    /// what is stored. Gives the states whose moves lead to no value.
    fn derive(
        &mut self,
        number: u32,
        playing: &Playing,
        states: Id,
        values: &ByValue,
        after: &BTreeMap<u32, Id>,
        report: &mut Report,
    ) -> Result<Id, VerifyError> {
        let bits = self.header.code_bits();
        let mut open = EMPTY;
        for player in (0..playing.by_mover.len()).map(Player::new) {
            let mut rest = self.sets.both(states, playing.by_mover[player.index()])?;
            for (value, set) in self.best_first(player, after) {
                if rest == EMPTY {
                    break;
                }
                let best = self.leading(playing, rest, set)?;
                rest = self.sets.minus(rest, best)?;
                let (code, distance) = (value & ((1 << bits) - 1), value >> bits);
                // Stored distances are plies plus one, and 0 where play is endless.
                let expected = match (self.header.remoteness, distance) {
                    (false, _) => code,
                    (true, 0) => code,
                    (true, more) => code | (more + 1) << bits,
                };
                let right = values.get(&expected).copied().unwrap_or(EMPTY);
                let wrong = self.sets.minus(best, right)?;
                let rewards = self.table.rewards(code as u16);
                self.name_faults(number, wrong, values, rewards, expected >> bits, report)?;
                let endless = self.header.remoteness && distance == 0;
                if endless && rewards != Rewards::endless(rewards.len()) {
                    let (stored, expected) = (Remoteness::Endless, Remoteness::Plies(1));
                    self.fault(number, best, Wrong::Distance { stored, expected }, report)?;
                }
            }
            open = self.sets.union(open, rest)?;
        }
        Ok(open)
    }

    /// Says what is stored of states that have another value.
    fn name_faults(
        &mut self,
        number: u32,
        wrong: Id,
        values: &ByValue,
        expected: Rewards,
        distance: u32,
        report: &mut Report,
    ) -> Result<(), VerifyError> {
        let bits = self.header.code_bits();
        let plies = |n: u32| n.checked_sub(1).map_or(Remoteness::Endless, Remoteness::Plies);
        let mut rest = wrong;
        for (&value, &set) in values {
            if rest == EMPTY {
                return Ok(());
            }
            let here = self.sets.both(rest, set)?;
            rest = self.sets.minus(rest, here)?;
            let stored = self.header.codes.get((value & ((1 << bits) - 1)) as usize).copied();
            let stored = stored.unwrap_or([u8::MAX; MOST_PLAYERS].into());
            let what = match stored == expected {
                true => Wrong::Distance { stored: plies(value >> bits), expected: plies(distance) },
                false => Wrong::Value { stored, expected },
            };
            self.fault(number, here, what, report)?;
        }
        // These are not stored at all.
        let what = Wrong::Open { by: "a move".to_owned(), to: "this position".to_owned() };
        self.fault(number, rest, what, report)
    }

    /// Values after moves, what a player likes best first; of the same rewards, by what the player wants: to come to the
    /// end soon, or late.
    fn best_first(&self, player: Player, after: &BTreeMap<u32, Id>) -> Vec<(u32, Id)> {
        let bits = self.header.code_bits();
        let mut list: Vec<(u32, Id)> = after
            .iter()
            .filter(|(value, _)| ((**value & ((1 << bits) - 1)) as usize) < self.table.len())
            .map(|(&value, &set)| (value, set))
            .collect();
        list.sort_by_key(|&(value, _)| {
            let rewards = self.table.rewards((value & ((1 << bits) - 1)) as u16);
            let far = match value >> bits {
                0 if self.header.remoteness => i64::MAX,
                more => i64::from(more),
            };
            let hurry = if self.header.opponent.hurries(player, rewards) { far } else { -far };
            (std::cmp::Reverse(self.header.opponent.liking(player, rewards)), hurry)
        });
        list
    }
}
