//! The backward pass: tiers are solved from the last on.

use crate::error::ExplicitError;
use crate::forward::Forward;
use crate::look::{Look, question};
use crate::pack::Key;
use crate::program::LANES;
use crate::run::READING;
use crate::set::Sorted;
use crate::settle::{Settling, Wishes};
use crate::shelf::{Held, States, Values};
use crate::solve::Observer;
use crate::worker::each;
use std::collections::{HashMap, HashSet};
use winset_model::{CodeTable, Game, Player};

/// The least questions about states on disk that a thread collects before it looks for answers: with fewer, pages would be
/// read again and again.
const QUESTIONS: u64 = 1 << 15;

/// The most bytes that a thread's questions take: more would not make fewer pages.
const MOST: u64 = 1 << 30;

/// Solves tiers from the last on.
pub struct Backward<'a, 'g, K> {
    game: &'a Game,
    forward: &'a mut Forward<'g, K>,
    /// The number of each tier by its measure.
    numbers: HashMap<i64, usize>,
}

impl<'a, 'g, K: Key> Backward<'a, 'g, K> {
    /// Everything is found, nothing solved.
    pub fn new(game: &'a Game, forward: &'a mut Forward<'g, K>) -> Self {
        let tiers = forward.shelf.tiers.iter().enumerate();
        let numbers = tiers.map(|(number, tier)| (tier.count.measure, number)).collect();
        Backward { game, forward, numbers }
    }

    /// The states of a tier in memory, and their values if it is solved.
    pub fn tier(&self, number: usize) -> Result<(&States<K>, Option<&Values>), ExplicitError> {
        match &self.forward.shelf.tiers[number].held {
            Held::Here(states, values) => Ok((states, values.as_ref())),
            _ => Err(ExplicitError::Damaged),
        }
    }

    /// The results that occur.
    pub fn outcomes(&self) -> &CodeTable {
        &self.forward.outcomes
    }

    /// Solves a tier after all later ones, or takes what an earlier run has found; says who moves in its states.
    pub fn solve(
        &mut self,
        number: usize,
        observer: &mut dyn Observer<K>,
    ) -> Result<Vec<Player>, ExplicitError> {
        self.forget(number);
        let fetching = self.forward.shelf.tiers[number].fetching();
        self.make_room(number, fetching)?;
        if self.forward.shelf.left() < fetching {
            return Err(self.forward.shelf.no_room());
        }
        self.fetch(number, observer)?;
        let states = self.tier(number)?.0.going.keys().len();
        if let Some(values) = observer.past_values(number, states as u64)? {
            return self.adopt(number, values);
        }
        let outcomes = self.forward.outcomes.clone();
        let mut occurs = vec![false; outcomes.len()];
        occurs[usize::from(CodeTable::ENDLESS)] = true;
        for tier in &self.forward.shelf.tiers {
            occurs.iter_mut().zip(&tier.count.terminal_by_code).for_each(|(occurs, &n)| *occurs |= n > 0);
        }
        let wishes = Wishes::new(&outcomes, self.game.players().len(), &occurs);
        let settling = self.look(number, &wishes)?;
        let (solved, mover) = settling.run().map_err(|open| {
            let key = self.tier(number).map_or(K::default(), |(states, _)| states.going.keys()[open]);
            ExplicitError::NoValue(self.game.print(&self.forward.expander.unpack(key)))
        })?;
        if let Held::Here(_, values) = &mut self.forward.shelf.tiers[number].held {
            *values = Some(solved);
        }
        Ok(mover)
    }

    /// Takes values that an earlier run has found.
    fn adopt(&mut self, number: usize, values: Values) -> Result<Vec<Player>, ExplicitError> {
        let Forward { shelf, expander, .. } = &mut *self.forward;
        let Held::Here(states, known) = &mut shelf.tiers[number].held else {
            return Err(ExplicitError::Damaged);
        };
        let mut movers = Vec::with_capacity(values.codes.len());
        for batch in states.going.keys().chunks(LANES) {
            expander.load(batch);
            for lane in 0..batch.len() {
                let mover = expander.turn(lane).filter(|_| !expander.has_ended(lane));
                movers.push(mover.ok_or(ExplicitError::Damaged)?);
            }
        }
        *known = Some(values);
        Ok(movers)
    }

    /// The states of a tier come into memory.
    fn fetch(&mut self, number: usize, observer: &mut dyn Observer<K>) -> Result<(), ExplicitError> {
        let shelf = &mut self.forward.shelf;
        if !matches!(shelf.tiers[number].held, Held::Past) {
            return shelf.fetch(number);
        }
        let (going, bits) = (observer.past_states(number)?.ok_or(ExplicitError::Damaged)?, shelf.bits);
        if going.len() as u64 != shelf.tiers[number].going() || !going.is_sorted_by(|a, b| a < b) {
            return Err(ExplicitError::Damaged);
        }
        let states = States { going: Sorted::of(going, bits), ended: Sorted::of(vec![], bits), ends: vec![] };
        shelf.tiers[number].held = Held::Here(states, None);
        Ok(())
    }

    /// Later tiers that no tier from this one down leads to are not needed any more.
    fn forget(&mut self, number: usize) {
        let tiers = &mut self.forward.shelf.tiers;
        let mut needed = HashSet::new();
        for tier in &tiers[..=number] {
            match &tier.leads_to {
                Some(measures) => needed.extend(measures.iter().copied()),
                None => return,
            }
        }
        for tier in &mut tiers[number + 1..] {
            if !needed.contains(&tier.count.measure) {
                tier.held = Held::Gone;
            }
        }
    }

    /// The solved tiers that moves of this one can lead to.
    fn targets(&self, number: usize) -> Vec<usize> {
        match &self.forward.shelf.tiers[number].leads_to {
            Some(measures) => {
                measures.iter().filter_map(|measure| self.numbers.get(measure).copied()).collect()
            }
            None => (number + 1..self.numbers.len()).collect(),
        }
    }

    /// Sends other tiers away until there is room for so many bytes: those that this tier does not need first, of all others
    /// the largest first.
    pub fn make_room(&mut self, number: usize, bytes: u64) -> Result<(), ExplicitError> {
        let targets = self.targets(number);
        let shelf = &mut self.forward.shelf;
        let mut others: Vec<usize> = (0..shelf.tiers.len()).filter(|&other| other != number).collect();
        let size = |tier: usize| std::cmp::Reverse(shelf.tiers[tier].bytes());
        others.sort_by_cached_key(|&other| (targets.contains(&other), size(other)));
        shelf.send_away_until(bytes, others)
    }

    /// Looks at every state of a tier once.
    fn look<'b>(&mut self, number: usize, wishes: &'b Wishes<'b>) -> Result<Settling<'b>, ExplicitError> {
        let tier = &self.forward.shelf.tiers[number];
        if tier.inside.is_some_and(|inside| inside > u32::MAX.into()) {
            return Err(ExplicitError::TooManyStates);
        }
        let (needed, going) = (tier.settling(), tier.going() as usize);
        let threads = self.forward.threads() as u64;
        self.make_room(number, needed)?;
        let asking = (QUESTIONS * question::<K>() + READING).min(self.forward.shelf.memory / 32 / threads);
        let asking = threads * asking;
        let mut targets = self.targets(number);
        targets.retain(|&target| !self.forward.shelf.tiers[target].is_here());
        targets.sort_by_key(|&target| self.forward.shelf.tiers[target].fetching());
        // What fits is read at once, the smallest first; of others the states that moves lead to are looked up on disk.
        while let Some(&target) = targets.first() {
            let shelf = &mut self.forward.shelf;
            let rest = if targets.len() > 1 { asking } else { 0 };
            if shelf.left() < needed + rest + shelf.tiers[target].fetching() {
                break;
            }
            shelf.fetch(target)?;
            targets.remove(0);
        }
        if !targets.is_empty() {
            self.make_room(number, needed + asking)?;
        }
        let shelf = &self.forward.shelf;
        let away = self.targets(number).iter().any(|&target| !shelf.tiers[target].is_here());
        let left = shelf.left().checked_sub(needed).ok_or_else(|| shelf.no_room())?;
        if away && left < asking {
            return Err(shelf.no_room());
        }
        let mut settling = Settling::new(wishes, going);
        let each_has = going.div_ceil(threads as usize).next_multiple_of(LANES).max(LANES);
        let mut shares = settling.shares(each_has);
        let known = shelf.tiers[number].inside.is_some();
        // Moves that were not counted may take what is left, and must be numbered.
        let room = left.saturating_sub(asking) / crate::settle::MOVE + going as u64;
        let most = if known { u64::MAX } else { room.min(u32::MAX.into()) / threads };
        let look = Look {
            shelf,
            number,
            measure: self.forward.measure.as_ref(),
            numbers: &self.numbers,
            questions: (left / threads - READING.min(left / threads / 2)).min(MOST),
            moves: most as usize,
        };
        let pair = || [self.forward.expander.clone(), self.forward.expander.clone()];
        let mut expanders: Vec<_> = shares.iter().map(|_| pair()).collect();
        let looked = each(&mut expanders, &mut shares, going, |expanders, share| look.at(expanders, share));
        looked.into_iter().collect::<Result<(), _>>()?;
        let found = shares.into_iter().map(|share| (share.agenda, share.moves)).collect::<Vec<_>>();
        settling.take_in(found);
        Ok(settling)
    }
}
