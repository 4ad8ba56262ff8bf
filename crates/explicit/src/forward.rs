//! The forward pass: all states that can be reached, tier by tier.

use crate::backward::{KEPT, MOVE, SETTLING};
use crate::error::ExplicitError;
use crate::expand::{Expander, Successor};
use crate::pack::Key;
use crate::program::LANES;
use crate::set::{KeySet, Sorted};
use crate::solve::{Count, Observer, Options};
use crate::tiers::Tiers;
use std::collections::BTreeMap;
use winset_model::{Code, CodeTable, Game, Player};
use winset_work::Work;

/// The steps that a state or a successor costs beside what is evaluated for its batch; a step is about 16 ns.
const STEPS: u64 = 4;

/// The states of one tier.
pub struct Tier<K> {
    /// The measure.
    pub measure: i64,
    /// States in which the game goes on.
    pub going: Sorted<K>,
    /// Who is to move in each of them.
    pub mover: Vec<Player>,
    /// States in which the game has ended.
    pub ended: Sorted<K>,
    /// With what.
    pub ends: Vec<Code>,
    /// Moves from one of its states to another.
    pub inside: u64,
}

impl<K: Key> Tier<K> {
    fn bytes(&self) -> u64 {
        self.going.bytes() + self.ended.bytes() + (self.mover.len() + 2 * self.ends.len()) as u64
    }

    /// Its terminal states by code.
    pub fn ended_by_code(&self) -> Vec<u64> {
        let most = self.ends.iter().copied().max().map_or(0, |code| usize::from(code) + 1);
        let mut counts = vec![0; most];
        self.ends.iter().for_each(|&code| counts[usize::from(code)] += 1);
        counts
    }

    /// How many states it has, who moves, and how it ends.
    pub fn count(&self) -> Count {
        let mover = self.mover.first().copied().filter(|first| self.mover.iter().all(|other| other == first));
        let positions = (self.going.keys().len() + self.ended.keys().len()) as u64;
        Count { measure: self.measure, positions, terminal_by_code: self.ended_by_code(), mover }
    }
}

/// A list of states that wait for their tier: duplicates are dropped whenever it has doubled.
struct Waiting<K> {
    list: Vec<K>,
    /// The length at which duplicates are dropped.
    tidy_at: usize,
}

impl<K: Key> Default for Waiting<K> {
    fn default() -> Self {
        Waiting { list: vec![], tidy_at: 1 << 12 }
    }
}

impl<K: Key> Waiting<K> {
    #[inline]
    fn push(&mut self, key: K) {
        if self.list.len() >= self.tidy_at {
            self.tidy();
            self.tidy_at = (2 * self.list.len()).max(1 << 12);
        }
        self.list.push(key);
    }

    fn tidy(&mut self) {
        self.list.sort_unstable();
        self.list.dedup();
    }
}

/// The states that have been found, and those that wait.
pub struct Forward<'a, K> {
    game: &'a Game,
    /// The rules.
    pub expander: Expander<K>,
    /// Which tier a state is in; none: all are in one.
    pub measure: Option<Tiers>,
    /// The results that occur.
    pub outcomes: CodeTable,
    /// The tiers that have been found, in the order of play.
    pub tiers: Vec<Tier<K>>,
    waiting: BTreeMap<i64, Waiting<K>>,
    /// What all of it may take.
    memory: u64,
    kept: u64,
    work: Work,
}

impl<'a, K: Key> Forward<'a, K> {
    /// Begins at the start of a game.
    pub fn new(game: &'a Game, options: &Options) -> Self {
        let expander = Expander::new(game, &options.blocks);
        let measure = options.weights.as_ref().map(|weights| Tiers::new(expander.packing(), weights));
        let start: K = expander.pack(game.initial());
        let mut forward = Forward {
            game,
            expander,
            measure,
            outcomes: CodeTable::of_game(game, options.opponent),
            tiers: vec![],
            waiting: BTreeMap::new(),
            memory: options.memory,
            kept: 0,
            work: options.work.clone(),
        };
        let tier = forward.tier_of(start);
        forward.waiting.entry(tier).or_default().push(start);
        forward
    }

    /// The measure of the tier that a state is in.
    #[inline]
    pub fn tier_of(&self, key: K) -> i64 {
        self.measure.as_ref().map_or(0, |measure| measure.of(key))
    }

    /// Finds all tiers.
    pub fn run(&mut self, observer: &mut dyn Observer<K>) -> Result<(), ExplicitError> {
        while let Some((measure, waiting)) = self.waiting.pop_first() {
            let tier = self.close(measure, waiting)?;
            self.kept += tier.bytes();
            self.check_memory(0)?;
            observer.found(self.tiers.len(), &tier.count(), tier.going.keys(), &self.outcomes)?;
            self.tiers.push(tier);
        }
        Ok(())
    }

    /// All states of a tier, from those that earlier tiers lead to.
    fn close(&mut self, measure: i64, mut waiting: Waiting<K>) -> Result<Tier<K>, ExplicitError> {
        waiting.tidy();
        let mut set = KeySet::of(waiting.list);
        let (mut going, mut ended) = (vec![], vec![]);
        let (mut batch, mut successors): (Vec<K>, Vec<Successor<K>>) = (vec![], vec![]);
        let (mut from, mut inside) = (0, 0);
        while from < set.list().len() {
            batch.clear();
            batch.extend_from_slice(&set.list()[from..set.list().len().min(from + LANES)]);
            from += batch.len();
            successors.clear();
            self.expander.expand(&batch, &mut successors);
            let steps = self.expander.steps() + STEPS * (batch.len() + successors.len()) as u64;
            if self.work.spend(steps).is_err() {
                return Err(ExplicitError::Exhausted { seen: self.positions() + from as u64 });
            }
            if let Some((number, lane)) = self.expander.forbidden(batch.len()) {
                let state = self.game.print(&self.expander.unpack(batch[lane]));
                return Err(ExplicitError::Forbidden {
                    why: self.game.forbidden()[number].why.clone(),
                    state,
                });
            }
            let mut moves = [false; LANES];
            for successor in &successors {
                moves[usize::from(successor.lane)] = true;
                match self.tier_of(successor.key) {
                    here if here == measure => {
                        inside += 1;
                        set.insert(successor.key);
                    }
                    later if later > measure => self.waiting.entry(later).or_default().push(successor.key),
                    _ => return Err(ExplicitError::NotAMeasure),
                }
            }
            for (lane, &key) in batch.iter().enumerate() {
                if self.expander.has_ended(lane) {
                    ended.push((key, self.outcomes.add(self.expander.rewards(lane))?));
                    continue;
                }
                match self.expander.turn(lane).filter(|_| moves[lane]) {
                    Some(player) => going.push((key, player)),
                    None => return Err(ExplicitError::Stuck(self.game.print(&self.expander.unpack(key)))),
                }
            }
            if from % (1 << 14) < LANES {
                let lists = (going.capacity() * size_of::<(K, Player)>()) as u64
                    + (ended.capacity() * size_of::<(K, Code)>()) as u64;
                self.check_memory(set.bytes() + lists)?;
            }
            if set.is_full() {
                return Err(ExplicitError::TooManyStates);
            }
        }
        drop(set);
        going.sort_unstable_by_key(|&(key, _)| key);
        ended.sort_unstable_by_key(|&(key, _)| key);
        let bits = self.expander.packing().bits;
        let (keys, mover) = going.into_iter().unzip();
        let (ended_keys, ends) = ended.into_iter().unzip();
        Ok(Tier {
            measure,
            going: Sorted::of(keys, bits),
            mover,
            ended: Sorted::of(ended_keys, bits),
            ends,
            inside,
        })
    }

    /// Fails if what is kept, what waits and this much more do not fit.
    fn check_memory(&self, more: u64) -> Result<(), ExplicitError> {
        let waiting = self.waiting.values().map(|waiting| waiting.list.capacity() as u64).sum::<u64>();
        let needed = self.kept + waiting * size_of::<K>() as u64 + more;
        match needed > self.memory {
            true => Err(self.no_room()),
            false => Ok(()),
        }
    }

    /// The states of the tiers that have been found.
    pub fn positions(&self) -> u64 {
        self.tiers.iter().map(|tier| (tier.going.keys().len() + tier.ended.keys().len()) as u64).sum()
    }

    /// What finding the values will take beside what is kept now.
    pub fn settling_bytes(&self) -> u64 {
        let mut solved = 0;
        let needs = self.tiers.iter().rev().map(|tier| {
            let states = tier.going.keys().len() as u64;
            let need = solved + states * SETTLING + tier.inside * MOVE;
            solved += states * KEPT;
            need
        });
        needs.max().unwrap_or(0)
    }

    /// What is left of the memory for whoever goes on.
    pub fn left(&self) -> u64 {
        self.memory.saturating_sub(self.kept)
    }

    /// That the memory does not do.
    pub fn no_room(&self) -> ExplicitError {
        ExplicitError::Memory { budget: self.memory, positions: self.positions() }
    }
}
