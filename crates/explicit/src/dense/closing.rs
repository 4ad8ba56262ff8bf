//! A thread's part of the forward pass: it finds all states of its parts of a tier, and posts what follows in later tiers.

use crate::dense::blocks::{Blocks, hash, words};
use crate::dense::index::{Index, Place};
use crate::dense::piece::Piece;
use crate::error::ExplicitError;
use crate::expand::{Expander, Successor};
use crate::pack::Key;
use crate::program::LANES;
use crate::worker::growing;
use std::collections::{BTreeMap, BTreeSet};
use winset_model::Rewards;
use winset_work::Work;

/// Parts are dealt to so many shards, which threads take turns with: a shard of a tier is what must fit into memory.
pub const SHARDS: usize = 16;

/// The most that a thread posts before all take in what they got: enough that starting threads does not matter.
pub const POSTS: usize = 1 << 17;

/// The steps that a state or a successor costs beside what is evaluated for its batch; a step is about 16 ns.
const STEPS: u64 = 4;

/// The most numbers of a part: with values of 32 bits, its words can still be counted.
pub const LARGEST: u32 = 1 << 29;

/// The shard of a part.
#[inline]
pub fn shard_of<K: Key>(frame: K, sums: u32) -> usize {
    // Not the highest bits, which are those of the part's place in the shard.
    (hash(frame, sums) >> 8) as usize % SHARDS
}

/// States that wait for their tier: in memory, and on disk.
#[derive(Default)]
pub struct Waiting<K> {
    /// Bits of states.
    pub blocks: Blocks<K>,
    /// Others.
    pub pieces: Vec<Piece>,
}

/// What all threads know of a round.
pub struct Round<'a, K> {
    /// The tier.
    pub measure: i64,
    /// The numbers of states.
    pub index: &'a Index<K>,
    /// The steps.
    pub work: &'a Work,
    /// How many threads there are.
    pub threads: usize,
    /// What each may post.
    pub posts: usize,
}

/// What a tier has, or a thread's part of it.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// States.
    pub positions: u64,
    /// Its parts, and the numbers that they have.
    pub parts: u64,
    /// The same.
    pub numbers: u64,
    /// Moves from one of its states to another.
    pub inside: u64,
    /// How often the game ends with which rewards.
    pub ends: BTreeMap<Rewards, u64>,
    /// Who moves in some state.
    pub moving: Vec<bool>,
    /// The tiers that moves lead to.
    pub leads_to: BTreeSet<i64>,
}

impl Tally {
    /// Of so many players.
    pub fn new(players: usize) -> Self {
        Tally { moving: vec![false; players], ..Default::default() }
    }

    /// Both together.
    pub fn add(&mut self, other: Tally) {
        self.positions += other.positions;
        self.parts += other.parts;
        self.numbers += other.numbers;
        self.inside += other.inside;
        other.ends.into_iter().for_each(|(rewards, count)| *self.ends.entry(rewards).or_default() += count);
        self.moving.iter_mut().zip(other.moving).for_each(|(all, one)| *all |= one);
        self.leads_to.extend(other.leads_to);
    }
}

/// A thread with the shards that it looks after.
pub struct Closer<K> {
    expander: Expander<K>,
    /// For each of its shards, what waits for each tier.
    pub shards: Vec<BTreeMap<i64, Waiting<K>>>,
    /// The shard of the present tier that is being found.
    pub blocks: Blocks<K>,
    /// Its parts that have not been looked at.
    open: std::ops::Range<usize>,
    /// States that have not been looked at, and their parts.
    stack: Vec<(K, u32)>,
    /// For each thread what belongs to it.
    pub post: Vec<Vec<Place<K>>>,
    /// What was found of the shard.
    pub tally: Tally,
}

impl<K: Key> Closer<K> {
    /// With so many shards.
    pub fn new(expander: Expander<K>, shards: usize) -> Self {
        let shards = (0..shards).map(|_| BTreeMap::new()).collect();
        let (blocks, tally) = (Blocks::default(), Tally::default());
        Closer { expander, shards, blocks, open: 0..0, stack: vec![], post: vec![], tally }
    }

    /// The first tier that a state waits for.
    pub fn next_tier(&self) -> Option<i64> {
        self.shards.iter().filter_map(|shard| shard.keys().next().copied()).min()
    }

    /// The bytes that it takes, and those that it needs at once when lists grow.
    pub fn bytes(&self) -> u64 {
        let waiting = self.shards.iter().flat_map(BTreeMap::values);
        waiting.map(|waiting| waiting.blocks.bytes()).sum::<u64>()
            + self.blocks.bytes()
            + growing(&self.stack)
            + self.post.iter().map(growing).sum::<u64>()
    }

    /// What waits for a tier in one of its shards, about, once it is in memory.
    pub fn waiting(&self, shard: usize, measure: i64) -> u64 {
        let waiting = self.shards.get(shard).and_then(|shard| shard.get(&measure));
        waiting.map_or(0, |waiting| waiting.pieces.iter().map(|piece| piece.bytes).sum())
    }

    /// Begins with what waits for a tier in one of its shards.
    pub fn begin(&mut self, shard: usize, measure: i64, players: usize) -> Result<(), ExplicitError> {
        let waiting = self.shards.get_mut(shard).and_then(|shard| shard.remove(&measure)).unwrap_or_default();
        self.blocks = waiting.blocks;
        waiting.pieces.iter().try_for_each(|piece| piece.read_into(&mut self.blocks))?;
        self.open = 0..self.blocks.list().len();
        self.tally = Tally::new(players);
        Ok(())
    }

    /// There is something left to look at.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty() || !self.stack.is_empty()
    }

    /// Takes in states that wait for later tiers.
    pub fn take_in(&mut self, posts: &mut Vec<Vec<Place<K>>>, threads: usize) {
        let mut last: Option<(usize, i64)> = None;
        for place in posts.drain(..).flatten() {
            let shard = shard_of(place.frame, place.sums) / threads;
            let tiers = &mut self.shards[shard];
            if last != Some((shard, place.measure)) {
                tiers.entry(place.measure).or_default();
                last = Some((shard, place.measure));
            }
            let Some(waiting) = tiers.get_mut(&place.measure) else { continue };
            let blocks = &mut waiting.blocks;
            let number = blocks.find_or_add(place.frame, place.sums, 1, words(place.size, 1));
            blocks.set(number, place.rank, 1);
        }
    }

    /// Looks at states of the present tier until there are no more, or enough is posted.
    pub fn close(&mut self, round: &Round<'_, K>) -> Result<(), Met<K>> {
        self.post.resize_with(round.threads, Vec::new);
        let (mut batch, mut owners): (Vec<K>, Vec<u32>) = (vec![], vec![]);
        let mut successors: Vec<Successor<K>> = vec![];
        let mut posted = 0;
        while posted < round.posts {
            while self.stack.len() < LANES {
                let Some(number) = self.open.next() else { break };
                let (block, stack) = (&self.blocks.list()[number], &mut self.stack);
                let push = &mut |_, key| stack.push((key, number as u32));
                round.index.each(block.frame, block.sums, self.blocks.words(block), push);
                self.tally.parts += 1;
                self.tally.numbers += u64::from(round.index.size(block.frame, block.sums));
            }
            if self.stack.is_empty() {
                break;
            }
            batch.clear();
            owners.clear();
            for (key, number) in self.stack.drain(self.stack.len().saturating_sub(LANES)..) {
                batch.push(key);
                owners.push(number);
            }
            successors.clear();
            self.expander.expand(&batch, &mut successors);
            let steps =
                self.expander.steps(successors.len()) + STEPS * (batch.len() + successors.len()) as u64;
            if round.work.spend(steps).is_err() {
                return Err(Met::Exhausted);
            }
            if let Some((number, lane)) = self.expander.forbidden(batch.len()) {
                return Err(Met::Forbidden(number, batch[lane]));
            }
            self.tally.positions += batch.len() as u64;
            let mut moves = [false; LANES];
            for &Successor { lane, key } in &successors {
                let lane = usize::from(lane);
                moves[lane] = true;
                let place = round.index.place(key);
                if place.size > LARGEST {
                    return Err(Met::TooLarge);
                }
                if place.measure > round.measure {
                    self.post[shard_of(place.frame, place.sums) % round.threads].push(place);
                    posted += 1;
                    continue;
                }
                let block = &self.blocks.list()[owners[lane] as usize];
                if place.measure < round.measure {
                    return Err(Met::NotAMeasure);
                }
                if block.frame != place.frame || block.sums != place.sums {
                    return Err(Met::NotAPart);
                }
                self.tally.inside += 1;
                let word = &mut self.blocks.words_mut(owners[lane] as usize)[place.rank as usize / 64];
                if *word >> (place.rank % 64) & 1 == 0 {
                    *word |= 1 << (place.rank % 64);
                    self.stack.push((key, owners[lane]));
                }
            }
            for (lane, &key) in batch.iter().enumerate() {
                if self.expander.has_ended(lane) {
                    *self.tally.ends.entry(self.expander.rewards(lane)).or_default() += 1;
                    continue;
                }
                match self.expander.turn(lane).filter(|_| moves[lane]) {
                    Some(player) => self.tally.moving[player.index()] = true,
                    None => return Err(Met::Stuck(key)),
                }
            }
        }
        let posts = self.post.iter().flatten();
        let mut last = None;
        for place in posts {
            if last != Some(place.measure) {
                self.tally.leads_to.insert(place.measure);
                last = Some(place.measure);
            }
        }
        Ok(())
    }
}

/// What stops a round.
pub enum Met<K> {
    /// A state in which something holds that must not, which has this number.
    Forbidden(usize, K),
    /// A state that has not ended and has no move.
    Stuck(K),
    /// A move leads to an earlier tier.
    NotAMeasure,
    /// A move without progress leaves its part.
    NotAPart,
    /// All steps have been made.
    Exhausted,
    /// A part has too many numbers.
    TooLarge,
}
