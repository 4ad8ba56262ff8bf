//! A thread's part of the forward pass: it finds all states of its parts of a tier, and posts what follows in later tiers.

use crate::dense::blocks::{Blocks, hash, words};
use crate::dense::index::{Head, Index, Place, Runs};
use crate::dense::piece::Piece;
use crate::error::ExplicitError;
use crate::expand::{Expander, Successor};
use crate::pack::Key;
use crate::program::LANES;
use crate::worker::growing;
use std::collections::{BTreeMap, BTreeSet};
use winset_model::Rewards;
use winset_work::Work;

/// Parts are dealt to n shards, which threads take turns with: a shard of a tier is what must fit into memory.
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

/// States of a part, the next n of a list of numbers.
#[derive(Clone, Copy, Debug)]
struct Stretch<K> {
    frame: K,
    sums: u32,
    /// How many numbers the part has.
    size: u32,
    measure: i64,
    /// How many states there are.
    states: u32,
}

/// States of later tiers on their way to whoever looks after their shard.
#[derive(Debug, Default)]
pub struct Post<K> {
    stretches: Vec<Stretch<K>>,
    ranks: Vec<u32>,
}

impl<K: Key> Post<K> {
    /// The bytes that a state takes at the most.
    pub const EACH: usize = size_of::<Stretch<K>>() + size_of::<u32>();

    /// A single state.
    pub fn of(place: Place<K>) -> Self {
        let Place { frame, sums, rank, size, measure } = place;
        Post { stretches: vec![Stretch { frame, sums, size, measure, states: 1 }], ranks: vec![rank] }
    }

    fn add(&mut self, head: &Head<K>, ranks: &[u32]) {
        let &Head { frame, sums, size, measure, .. } = head;
        self.stretches.push(Stretch { frame, sums, size, measure, states: ranks.len() as u32 });
        self.ranks.extend_from_slice(ranks);
    }

    fn bytes(&self) -> u64 {
        growing(&self.stretches) + growing(&self.ranks)
    }
}

/// What all threads know of a round.
pub struct Round<'a, K> {
    /// The tier.
    pub measure: i64,
    /// The numbers of states.
    pub index: &'a Index<K>,
    /// The steps.
    pub work: &'a Work,
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
    /// Of n players.
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
    /// For each shard what belongs there.
    pub post: Vec<Post<K>>,
    /// What was found of the shard.
    pub tally: Tally,
    /// What follows a batch, and where.
    successors: Vec<Successor<K>>,
    spans: Vec<usize>,
    runs: Runs<K>,
}

impl<K: Key> Closer<K> {
    /// With n shards.
    pub fn new(expander: Expander<K>, shards: usize) -> Self {
        let shards = (0..shards).map(|_| BTreeMap::new()).collect();
        Closer {
            expander,
            shards,
            blocks: Blocks::default(),
            open: 0..0,
            stack: vec![],
            post: (0..SHARDS).map(|_| Post::default()).collect(),
            tally: Tally::default(),
            successors: vec![],
            spans: vec![],
            runs: Runs::default(),
        }
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
            + self.post.iter().map(Post::bytes).sum::<u64>()
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

    /// Takes in states of one of its shards that wait for later tiers.
    pub fn take_in(&mut self, shard: usize, post: Post<K>) {
        let mut ranks = &post.ranks[..];
        for stretch in &post.stretches {
            let blocks = &mut self.shards[shard].entry(stretch.measure).or_default().blocks;
            let number = blocks.find_or_add(stretch.frame, stretch.sums, 1, words(stretch.size, 1));
            let (here, later) = ranks.split_at(stretch.states as usize);
            ranks = later;
            let words = blocks.words_mut(number);
            here.iter().for_each(|&rank| words[rank as usize / 64] |= 1 << (rank % 64));
        }
    }

    /// Looks at states of the present tier until there are no more, or enough is posted.
    pub fn close(&mut self, round: &Round<'_, K>) -> Result<(), Met<K>> {
        let Closer { expander, blocks, open, stack, post, tally, successors, spans, runs, .. } = self;
        let (mut batch, mut owners): (Vec<K>, Vec<u32>) = (vec![], vec![]);
        let (mut posted, mut last) = (0, None);
        while posted < round.posts {
            while stack.len() < LANES {
                let Some(number) = open.next() else { break };
                let block = &blocks.list()[number];
                let push = &mut |_, key| stack.push((key, number as u32));
                round.index.each(block.frame, block.sums, blocks.words(block), push);
                tally.parts += 1;
                tally.numbers += u64::from(round.index.size(block.frame, block.sums));
            }
            if stack.is_empty() {
                break;
            }
            batch.clear();
            owners.clear();
            for (key, number) in stack.drain(stack.len().saturating_sub(LANES)..) {
                batch.push(key);
                owners.push(number);
            }
            successors.clear();
            spans.clear();
            expander.expand_in_spans(&batch, successors, Some(spans));
            let steps = expander.steps(successors.len()) + STEPS * (batch.len() + successors.len()) as u64;
            if round.work.spend(steps).is_err() {
                return Err(Met::Exhausted);
            }
            if let Some((number, lane)) = expander.forbidden(batch.len()) {
                return Err(Met::Forbidden(number, batch[lane]));
            }
            tally.positions += batch.len() as u64;
            round.index.runs(successors, spans, &owners, runs);
            for head in &runs.heads {
                if head.size > LARGEST {
                    return Err(Met::TooLarge);
                }
                let (ranks, there) = (&runs.ranks[head.from..head.to], &successors[head.from..head.to]);
                if head.measure > round.measure {
                    post[shard_of(head.frame, head.sums)].add(head, ranks);
                    posted += ranks.len();
                    if last != Some(head.measure) {
                        tally.leads_to.insert(head.measure);
                        last = Some(head.measure);
                    }
                    continue;
                }
                if head.measure < round.measure {
                    return Err(Met::NotAMeasure);
                }
                let owner = owners[usize::from(there[0].lane)];
                let block = &blocks.list()[owner as usize];
                if block.frame != head.frame || block.sums != head.sums {
                    return Err(Met::NotAPart);
                }
                tally.inside += ranks.len() as u64;
                let words = blocks.words_mut(owner as usize);
                for (&rank, successor) in ranks.iter().zip(there) {
                    let word = &mut words[rank as usize / 64];
                    if *word >> (rank % 64) & 1 == 0 {
                        *word |= 1 << (rank % 64);
                        stack.push((successor.key, owner));
                    }
                }
            }
            let mut moves = [false; LANES];
            successors.iter().for_each(|successor| moves[usize::from(successor.lane)] = true);
            for (lane, &key) in batch.iter().enumerate() {
                if expander.has_ended(lane) {
                    *tally.ends.entry(expander.rewards(lane)).or_default() += 1;
                    continue;
                }
                match expander.turn(lane).filter(|_| moves[lane]) {
                    Some(player) => tally.moving[player.index()] = true,
                    None => return Err(Met::Stuck(key)),
                }
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
