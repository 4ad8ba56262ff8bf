//! Looking at the states of a tier: what their moves to known states are worth, and which lead to others of the tier.

use crate::error::ExplicitError;
use crate::expand::{Expander, Successor};
use crate::order::Order;
use crate::pack::Key;
use crate::program::LANES;
use crate::shelf::{Held, Shelf};
use crate::tiers::Tiers;
use std::collections::HashMap;
use std::ops::Range;
use winset_settle::{Share, Worth};

/// A state of a tier that is away: which tier, and the state of the share that a move leads to it from.
#[derive(Clone, Copy)]
struct Question<K> {
    tier: u32,
    at: u32,
    key: K,
}

/// What all threads know while a tier is looked at.
pub struct Look<'a, K> {
    /// All tiers.
    pub shelf: &'a Shelf<K>,
    /// Which of them is looked at.
    pub number: usize,
    /// Which tier a state is in; none: all are in one.
    pub measure: Option<&'a Tiers>,
    /// The number of each tier by its measure.
    pub numbers: &'a HashMap<i64, usize>,
    /// The order in which the tier's states are settled.
    pub order: &'a Order,
    /// The bytes that each thread may take for questions, if a tier is away that moves lead to.
    pub questions: u64,
    /// The most moves inside the tier that each thread may find.
    pub moves: usize,
}

/// The bytes of a question.
pub const fn question<K>() -> u64 {
    size_of::<Question<K>>() as u64
}

impl<K: Key> Look<'_, K> {
    /// Looks at a share of the states of a group, which is settled by itself; with an expander of its own, and another one
    /// for states that have ended.
    pub fn at(
        &self,
        group: &Range<usize>,
        expanders: &mut [Expander<K>; 2],
        share: &mut Share<'_>,
    ) -> Result<(), ExplicitError> {
        let [expander, other] = expanders;
        let Held::Here(states, _) = &self.shelf.tiers[self.number].held else {
            return Err(ExplicitError::Damaged);
        };
        let (keys, first) = (states.going.keys(), group.start + share.first);
        let (mut batch, mut successors): (Vec<K>, Vec<Successor<K>>) = (vec![], vec![]);
        let mut found = vec![];
        let mut asked = Asked { questions: vec![], ends: vec![], most: 0, look: self, other };
        asked.most = ((self.questions / question::<K>()) as usize).max(1);
        for from in (0..share.mover.len()).step_by(LANES) {
            batch.clear();
            let until = (from + LANES).min(share.mover.len());
            batch.extend((first + from..first + until).map(|place| keys[self.order.state(place)]));
            successors.clear();
            expander.expand(&batch, &mut successors);
            for lane in 0..batch.len() {
                share.mover[from + lane] = expander.turn(lane).ok_or(ExplicitError::Damaged)?;
            }
            self.find(&successors, &mut found)?;
            for (&Successor { lane, key }, &(target, rank)) in successors.iter().zip(&found) {
                let at = from + usize::from(lane);
                let Held::Here(states, values) = &self.shelf.tiers[target].held else {
                    asked.ask(Question { tier: target as u32, at: at as u32, key }, share)?;
                    continue;
                };
                match (rank, values) {
                    (Some(rank), _) if target == self.number => {
                        // That it is in the group was proved from the rules, and is looked at all the same.
                        let place = self.order.place(rank);
                        if !group.contains(&place) {
                            return Err(ExplicitError::NotAPart);
                        }
                        share.go(at, (place - group.start) as u32);
                    }
                    (Some(rank), Some(values)) => share.know(at, values.worth(rank)),
                    (Some(_), None) => return Err(ExplicitError::Damaged),
                    (None, _) => match states.end(key) {
                        Some(code) => share.know(at, Worth { code, distance: 0 }),
                        None => asked.end(key, at as u32, share)?,
                    },
                }
            }
            if share.moves.len() > self.moves {
                return Err(self.shelf.no_room());
            }
        }
        asked.answer(share)?;
        asked.look_at_ends(share)
    }
}

impl<K: Key> Look<'_, K> {
    /// The tiers of states, and their numbers there if they are in memory and the game goes on. All at once, with nothing
    /// done in between, so that the machine waits for memory once and not every time.
    fn find(
        &self,
        successors: &[Successor<K>],
        found: &mut Vec<(usize, Option<usize>)>,
    ) -> Result<(), ExplicitError> {
        found.clear();
        let mut last = None;
        for &Successor { key, .. } in successors {
            let there = self.measure.map_or(0, |measure| measure.of(key));
            let target = match last {
                Some((measure, target)) if measure == there => target,
                _ => *self.numbers.get(&there).ok_or(ExplicitError::Damaged)?,
            };
            last = Some((there, target));
            let rank = match &self.shelf.tiers[target].held {
                Held::Here(states, _) => states.going.rank(key),
                _ => None,
            };
            found.push((target, rank));
        }
        Ok(())
    }
}

/// What one thread has still to find out.
struct Asked<'a, 'l, K> {
    look: &'a Look<'l, K>,
    other: &'a mut Expander<K>,
    questions: Vec<Question<K>>,
    most: usize,
    /// States of which it is only known that the game must have ended there, and where moves lead to them from.
    ends: Vec<(K, u32)>,
}

impl<K: Key> Asked<'_, '_, K> {
    fn ask(&mut self, question: Question<K>, share: &mut Share<'_>) -> Result<(), ExplicitError> {
        if self.questions.capacity() == 0 {
            self.questions.reserve_exact(self.most);
        }
        self.questions.push(question);
        if self.questions.len() >= self.most { self.answer(share) } else { Ok(()) }
    }

    /// Answers all questions, tier by tier and in the order of states, so that files are read from front to back.
    fn answer(&mut self, share: &mut Share<'_>) -> Result<(), ExplicitError> {
        let mut questions = std::mem::take(&mut self.questions);
        questions.sort_unstable_by_key(|question| (question.tier, question.key));
        let mut unknown = vec![];
        for same in questions.chunk_by(|a, b| a.tier == b.tier) {
            let tier = &self.look.shelf.tiers[same[0].tier as usize];
            let Held::Solved(run) = &tier.held else { return Err(ExplicitError::Damaged) };
            run.look_up(
                same.iter().map(|question| (question.key, question.at)),
                |key, at, worth| match worth {
                    Some(worth) => share.know(at as usize, worth),
                    None => unknown.push((key, at)),
                },
            )?;
            if tier.ends_known && !unknown.is_empty() {
                return Err(ExplicitError::Damaged);
            }
            for (key, at) in unknown.drain(..) {
                self.end(key, at, share)?;
            }
        }
        questions.clear();
        self.questions = questions;
        Ok(())
    }

    /// A move leads to a state that is not among those of its tier in which the game goes on.
    fn end(&mut self, key: K, at: u32, share: &mut Share<'_>) -> Result<(), ExplicitError> {
        self.ends.push((key, at));
        if self.ends.len() == LANES { self.look_at_ends(share) } else { Ok(()) }
    }

    /// Asks the rules what the players get there.
    fn look_at_ends(&mut self, share: &mut Share<'_>) -> Result<(), ExplicitError> {
        let keys: Vec<K> = self.ends.iter().map(|end| end.0).collect();
        self.other.load(&keys);
        for (lane, (_, at)) in self.ends.drain(..).enumerate() {
            let ended = self.other.has_ended(lane).then(|| self.other.rewards(lane));
            let code = ended.and_then(|rewards| share.wishes.outcomes.code(rewards));
            let code = code.ok_or(ExplicitError::Damaged)?;
            share.know(at as usize, Worth { code, distance: 0 });
        }
        Ok(())
    }
}
