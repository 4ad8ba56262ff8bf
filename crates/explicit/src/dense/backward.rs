//! The backward pass: tiers are solved from the last on, part by part.

use crate::dense::blocks::Blocks;
use crate::dense::closing::{SHARDS, shard_of};
use crate::dense::forward::{Forward, Held, Tier};
use crate::dense::piece::Volume;
use crate::dense::settling::{Scene, Sums, Worths};
use crate::error::ExplicitError;
use crate::pack::Key;
use crate::program::LANES;
use crate::settle::{NEVER_ENDS, Wishes};
use crate::solve::Observer;
use crate::worker::each;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use winset_model::{CodeTable, Remoteness, Valuation};

/// Solves tiers from the last on.
pub struct Backward<'a, 'g, K> {
    forward: &'a mut Forward<'g, K>,
    /// The number of each tier by its measure.
    numbers: HashMap<i64, usize>,
    /// Results and distances that have been met.
    pub worths: Worths,
    /// What the values of solved tiers come to; from the last tier on.
    pub solved: Vec<Sums>,
}

impl<'a, 'g, K: Key> Backward<'a, 'g, K> {
    /// Everything is found; what an earlier run has solved is known.
    pub fn new(forward: &'a mut Forward<'g, K>, worths: Worths, solved: Vec<Sums>) -> Self {
        let tiers = forward.tiers.iter().enumerate();
        let numbers = tiers.map(|(number, tier)| (tier.count.measure, number)).collect();
        Backward { forward, numbers, worths, solved }
    }

    /// Solves all tiers.
    pub fn run(&mut self, observer: &mut dyn Observer<K>) -> Result<(), ExplicitError> {
        let tiers = self.forward.tiers.len();
        for number in (0..tiers - self.solved.len()).rev() {
            let sums = self.solve(number)?;
            self.solved.push(sums);
            self.forward.keep_solved(number, &self.worths, &self.solved)?;
            let tier = &self.forward.tiers[number];
            observer.counted(number, &tier.count, tier.parts, true)?;
            if observer.wants_states() {
                self.tell(number, observer)?;
            }
        }
        Ok(())
    }

    /// Gives an observer the states of a tier in which the game goes on, with their values, part by part.
    fn tell(&mut self, number: usize, observer: &mut dyn Observer<K>) -> Result<(), ExplicitError> {
        let Forward { tiers, index, expander, outcomes, .. } = &mut *self.forward;
        for shard in &tiers[number].shards {
            let Held::Here(blocks, _) = shard else { return Err(ExplicitError::Damaged) };
            for (part, block) in blocks.list().iter().enumerate() {
                let size = index.size(block.frame, block.sums);
                let mut bits = vec![0u64; size.div_ceil(64) as usize];
                let there = (0..size).filter(|&rank| blocks.get(part, rank) != 0);
                there.for_each(|rank| bits[rank as usize / 64] |= 1 << (rank % 64));
                let mut states = vec![];
                index.each(block.frame, block.sums, &bits, &mut |rank, key| states.push((key, rank)));
                for batch in states.chunks(LANES) {
                    let keys: Vec<K> = batch.iter().map(|state| state.0).collect();
                    expander.load(&keys);
                    let goes_on = |(lane, _): &(usize, &(K, u32))| !expander.has_ended(*lane);
                    for (_, &(key, rank)) in batch.iter().enumerate().filter(goes_on) {
                        let worth = self.worths.list[blocks.get(part, rank) as usize - 1];
                        observer.settled(number, key, worth.code, worth.distance, outcomes);
                    }
                }
            }
        }
        Ok(())
    }

    /// What the start is worth.
    pub fn value(&mut self) -> Result<Valuation, ExplicitError> {
        let game = self.forward.game;
        let start = self.forward.expander.pack(game.initial());
        let place = self.forward.index.place(start);
        let number = *self.numbers.get(&place.measure).ok_or(ExplicitError::Damaged)?;
        let shard = &mut self.forward.tiers[number].shards[shard_of(place.frame, place.sums)];
        shard.fetch()?;
        let Held::Here(blocks, _) = shard else { return Err(ExplicitError::Damaged) };
        let part = blocks.find(place.frame, place.sums).ok_or(ExplicitError::Damaged)?;
        let value = blocks.get(part, place.rank).checked_sub(1).ok_or(ExplicitError::Damaged)?;
        let worth = self.worths.list.get(value as usize).ok_or(ExplicitError::Damaged)?;
        self.forward.expander.load(&[start]);
        if self.forward.expander.has_ended(0) {
            return Ok(Valuation::ended(self.forward.outcomes.rewards(worth.code)));
        }
        let remoteness = match worth.distance {
            _ if !self.forward.options.distance => Remoteness::Unknown,
            NEVER_ENDS => Remoteness::Endless,
            plies => Remoteness::Plies(plies.into()),
        };
        Ok(Valuation { rewards: self.forward.outcomes.rewards(worth.code), remoteness })
    }

    /// Solves a tier after all later ones.
    fn solve(&mut self, number: usize) -> Result<Sums, ExplicitError> {
        self.forget(number);
        let targets: HashSet<usize> = self.targets(number);
        let room = self.make_room(number, &targets)?;
        let outcomes = self.forward.outcomes.clone();
        let mut occurs = vec![false; outcomes.len()];
        occurs[usize::from(CodeTable::ENDLESS)] = true;
        for tier in &self.forward.tiers {
            occurs.iter_mut().zip(&tier.count.terminal_by_code).for_each(|(occurs, &n)| *occurs |= n > 0);
        }
        let players = self.forward.game.players().len();
        let wishes = Wishes::new(&outcomes, players, &occurs);
        let (known, worths) = (self.worths.list.clone(), Mutex::new(std::mem::take(&mut self.worths)));
        let threads = self.forward.threads();
        let forward = &*self.forward;
        let tier = &forward.tiers[number];
        let scene = Scene {
            game: forward.game,
            index: &forward.index,
            tiers: &forward.tiers,
            numbers: &self.numbers,
            measure: tier.count.measure,
            wishes: &wishes,
            distance: forward.options.distance,
            known: &known,
            worths: &worths,
            room: room / threads as u64,
        };
        let next = Mutex::new(0..SHARDS);
        let mut expanders: Vec<_> = (0..threads).map(|_| forward.expander.clone()).collect();
        let mut done: Vec<Vec<(usize, Blocks<K>, Sums)>> = (0..threads).map(|_| vec![]).collect();
        let states = tier.count.positions.min(usize::MAX as u64) as usize;
        let settled = each(&mut expanders, &mut done, states, |expander, done| {
            loop {
                let shard = next.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(shard) = shard else { return Ok::<(), ExplicitError>(()) };
                let Held::Here(found, _) = &tier.shards[shard] else { return Err(ExplicitError::Damaged) };
                let (values, sums) = scene.settle(found, expander)?;
                done.push((shard, values, sums));
            }
        });
        settled.into_iter().collect::<Result<(), _>>().map_err(|error| match error {
            ExplicitError::Tier { .. } => forward.no_room(),
            error => error,
        })?;
        let mut all = Sums::new(players, outcomes.len());
        self.worths = worths.into_inner().unwrap_or_else(PoisonError::into_inner);
        let tier = &mut self.forward.tiers[number];
        tier.volume = Volume::default();
        for (shard, values, sums) in done.into_iter().flatten() {
            all.add(&sums);
            tier.shards[shard] = Held::Here(values, None);
        }
        if !self.forward.options.distance {
            (all.endless, all.longest_win) = (0, None);
        }
        Ok(all)
    }

    /// Later tiers that no tier from this one down leads to are not needed any more.
    fn forget(&mut self, number: usize) {
        let tiers = &mut self.forward.tiers;
        let needed: HashSet<i64> =
            tiers[..=number].iter().flat_map(|tier| tier.leads_to.iter().copied()).collect();
        for tier in &mut tiers[number + 1..] {
            if !needed.contains(&tier.count.measure) {
                tier.shards.iter_mut().for_each(|shard| *shard = Held::Gone);
            }
        }
    }

    /// The solved tiers that moves of this one lead to.
    fn targets(&self, number: usize) -> HashSet<usize> {
        let measures = &self.forward.tiers[number].leads_to;
        measures.iter().filter_map(|measure| self.numbers.get(measure).copied()).collect()
    }

    /// Brings a tier and those that it leads to into memory, others to disk if there is no room beside; the bytes that are
    /// left for settling.
    fn make_room(&mut self, number: usize, targets: &HashSet<usize>) -> Result<u64, ExplicitError> {
        let forward = &mut *self.forward;
        let away = forward.shop.is_there();
        let budget = forward.budget;
        let size = |tier: &Tier<K>| tier.shards.iter().map(Held::size).sum::<u64>();
        let found = size(&forward.tiers[number]);
        let mut needed = found + targets.iter().map(|&target| size(&forward.tiers[target])).sum::<u64>();
        // Values take a few bits where states take one; what is settled at once is small if parts are.
        let wide = if forward.options.distance { 8 } else { 2 };
        let bits = |shard: &Held<K>| match shard {
            Held::Here(blocks, _) => blocks.bytes() + (wide - 1) * blocks.bits(),
            shard => wide * shard.size(),
        };
        let values: u64 = forward.tiers[number].shards.iter().map(bits).sum();
        needed += values + budget / 8;
        let others: u64 = forward.tiers.iter().flat_map(|tier| &tier.shards).map(Held::bytes).sum();
        let here = |tier: usize| tier == number || targets.contains(&tier);
        let beside: u64 = (0..forward.tiers.len())
            .filter(|&tier| !here(tier))
            .flat_map(|tier| &forward.tiers[tier].shards)
            .map(Held::bytes)
            .sum();
        let mut left = (needed + beside.min(others)).saturating_sub(budget);
        for tier in (0..forward.tiers.len()).filter(|&tier| !here(tier)) {
            for shard in 0..SHARDS {
                let bytes = forward.tiers[tier].shards[shard].bytes();
                if away && left > 0 && bytes > 0 {
                    let name = forward.next_name("tier");
                    let Tier { shards, volume, .. } = &mut forward.tiers[tier];
                    shards[shard].save(&forward.shop, volume, &name)?;
                    shards[shard].leave();
                    left = left.saturating_sub(bytes);
                }
            }
        }
        for tier in (0..forward.tiers.len()).filter(|&tier| here(tier)) {
            for shard in 0..SHARDS {
                forward.tiers[tier].shards[shard].fetch()?;
                let bytes: u64 = forward.tiers.iter().flat_map(|tier| &tier.shards).map(Held::bytes).sum();
                if bytes > budget {
                    return Err(forward.no_room());
                }
            }
        }
        let bytes: u64 = forward.tiers.iter().flat_map(|tier| &tier.shards).map(Held::bytes).sum();
        budget.checked_sub(bytes + values).filter(|&left| left > 0).ok_or_else(|| forward.no_room())
    }
}
