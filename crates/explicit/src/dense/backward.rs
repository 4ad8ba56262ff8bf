//! The backward pass: tiers are solved from the last on, part by part.

use crate::dense::blocks::Blocks;
use crate::dense::closing::{SHARDS, shard_of};
use crate::dense::forward::{Forward, Held, Tier};
use crate::dense::piece::Volume;
use crate::dense::settling::{Scene, Sums, Worths};
use crate::error::ExplicitError;
use crate::pack::Key;
use crate::program::LANES;
use crate::solve::Observer;
use crate::worker::each;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use winset_model::{CodeTable, Remoteness, Valuation};
use winset_settle::{NEVER_ENDS, Wishes};

/// Bytes that solving a tier takes.
struct Needs {
    /// The bits of its states.
    found: u64,
    /// Their values.
    values: u64,
    /// What is settled at once.
    spare: u64,
}

/// The bytes of memory that a tier takes, wherever it is.
fn size<K: Key>(tier: &Tier<K>) -> u64 {
    tier.shards.iter().map(Held::size).sum()
}

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

    /// Solves a tier after all later ones. Those that its moves lead to are brought into memory a few after the other if not all
    /// fit: then its states are looked at once for each few, and what they are worth so far is kept as values are.
    fn solve(&mut self, number: usize) -> Result<Sums, ExplicitError> {
        self.forget(number);
        let passes = self.passes(number);
        let outcomes = self.forward.outcomes.clone();
        let mut occurs = vec![false; outcomes.len()];
        occurs[usize::from(CodeTable::ENDLESS)] = true;
        for tier in &self.forward.tiers {
            occurs.iter_mut().zip(&tier.count.terminal_by_code).for_each(|(occurs, &n)| *occurs |= n > 0);
        }
        let players = self.forward.game.players().len();
        let wishes = Wishes::new(&outcomes, players, &occurs);
        let mut all = Sums::new(players, outcomes.len());
        let mut so_far: Vec<Option<Blocks<K>>> = (0..SHARDS).map(|_| None).collect();
        for (pass, targets) in passes.iter().enumerate() {
            let room = self.make_room(number, targets)?;
            let last = pass + 1 == passes.len();
            let done = self.look(number, targets, &wishes, room, so_far, last)?;
            so_far = (0..SHARDS).map(|_| None).collect();
            for (shard, values, sums) in done {
                all.add(&sums);
                match last {
                    true => self.forward.tiers[number].shards[shard] = Held::Here(values, None),
                    false => so_far[shard] = Some(values),
                }
            }
        }
        self.forward.tiers[number].volume = Volume::default();
        if !self.forward.options.distance {
            (all.endless, all.longest_win) = (0, None);
        }
        Ok(all)
    }

    /// Looks at a tier's states with some of the tiers that they lead to: what each shard is worth by these and by what is known
    /// so far, or in the last pass altogether.
    fn look(
        &mut self,
        number: usize,
        targets: &HashSet<usize>,
        wishes: &Wishes<'_>,
        room: u64,
        so_far: Vec<Option<Blocks<K>>>,
        last: bool,
    ) -> Result<Vec<(usize, Blocks<K>, Sums)>, ExplicitError> {
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
            targets,
            last,
            wishes,
            distance: forward.options.distance,
            known: &known,
            worths: &worths,
            room: room / threads as u64,
        };
        let next = Mutex::new(so_far.into_iter().enumerate());
        let mut expanders: Vec<_> = (0..threads).map(|_| forward.expander.clone()).collect();
        let mut done: Vec<Vec<(usize, Blocks<K>, Sums)>> = (0..threads).map(|_| vec![]).collect();
        let states = tier.count.positions.min(usize::MAX as u64) as usize;
        let looked = each(&mut expanders, &mut done, states, |expander, done| {
            loop {
                let shard = next.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((shard, so_far)) = shard else { return Ok::<(), ExplicitError>(()) };
                let Held::Here(found, _) = &tier.shards[shard] else { return Err(ExplicitError::Damaged) };
                let (values, sums) = scene.look(found, so_far, expander)?;
                done.push((shard, values, sums));
            }
        });
        looked.into_iter().collect::<Result<(), _>>().map_err(|error| match error {
            ExplicitError::Tier { .. } => forward.no_room(),
            error => error,
        })?;
        self.worths = worths.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(done.into_iter().flatten().collect())
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

    /// The solved tiers that moves of this one lead to, in groups that fit into memory beside it; one at least.
    fn passes(&self, number: usize) -> Vec<HashSet<usize>> {
        let forward = &*self.forward;
        let measures = &forward.tiers[number].leads_to;
        let targets = measures.iter().filter_map(|measure| self.numbers.get(measure).copied());
        let most = forward.options.together.unwrap_or(usize::MAX).max(1);
        // Without a disk, all of them are in memory anyway.
        let all_fit = !forward.shop.is_there();
        let beside = self.needs(number);
        let room = forward.budget.saturating_sub(beside.found + beside.values + beside.spare);
        let mut passes = vec![HashSet::new()];
        let mut left = room;
        for target in targets {
            let size = size(&forward.tiers[target]);
            let pass = passes
                .last_mut()
                .filter(|pass| pass.is_empty() || (pass.len() < most && (all_fit || size <= left)));
            match pass {
                Some(pass) => drop(pass.insert(target)),
                None => {
                    passes.push(HashSet::from([target]));
                    left = room;
                }
            }
            left = left.saturating_sub(size);
        }
        passes
    }

    /// What solving a tier takes beside the tiers that it leads to.
    fn needs(&self, number: usize) -> Needs {
        let forward = &*self.forward;
        // Values take a few bits where states take one; what is settled at once is small if parts are.
        let wide = if forward.options.distance { 8 } else { 2 };
        let bits = |shard: &Held<K>| match shard {
            Held::Here(blocks, _) => blocks.bytes() + (wide - 1) * blocks.bits(),
            shard => wide * shard.size(),
        };
        let tier = &forward.tiers[number];
        let values = tier.shards.iter().map(bits).sum();
        Needs { found: size(tier), values, spare: forward.budget / 8 }
    }

    /// Brings a tier and those that it leads to into memory, others to disk if there is no room beside; the bytes that are
    /// left for settling.
    fn make_room(&mut self, number: usize, targets: &HashSet<usize>) -> Result<u64, ExplicitError> {
        let Needs { found, values, spare } = self.needs(number);
        let forward = &mut *self.forward;
        let away = forward.shop.is_there();
        let budget = forward.budget;
        let of_targets: u64 = targets.iter().map(|&target| size(&forward.tiers[target])).sum();
        let needed = found + values + spare + of_targets;
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
