//! Settling a shard of a tier, a group of parts at a time.

use crate::dense::blocks::{Blocks, words};
use crate::dense::closing::shard_of;
use crate::dense::forward::{Held, Tier};
use crate::dense::index::{Head, Index, Runs};
use crate::error::ExplicitError;
use crate::expand::Expander;
use crate::order::GROUP;
use crate::pack::Key;
use crate::program::LANES;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use winset_model::{Code, Game};
use winset_settle::{Distance, MOVE, NEVER_ENDS, NOTHING, SETTLING, Settling, Share, Wishes, Worth};

/// Results and distances as small numbers, in the order in which they were met.
#[derive(Default)]
pub struct Worths {
    /// All of them.
    pub list: Vec<Worth>,
    numbers: HashMap<(Code, Distance), u32>,
}

impl Worths {
    /// These, in this order.
    pub fn of(list: Vec<Worth>) -> Self {
        let numbers = list.iter().zip(0..).map(|(worth, number)| ((worth.code, worth.distance), number));
        Worths { numbers: numbers.collect(), list }
    }

    fn number(&mut self, worth: Worth) -> u32 {
        let (list, next) = (&mut self.list, self.numbers.len() as u32);
        *self.numbers.entry((worth.code, worth.distance)).or_insert_with(|| {
            list.push(worth);
            next
        })
    }
}

/// What the values of a shard are counted by.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// For each player who moves, that player's states by code.
    pub by_mover: Vec<Vec<u64>>,
    /// States from which play never has to end.
    pub endless: u64,
    /// The most moves to the end of states that somebody wins.
    pub longest_win: Option<u64>,
}

impl Sums {
    /// Of n players and codes.
    pub fn new(players: usize, codes: usize) -> Self {
        Sums { by_mover: vec![vec![0; codes]; players], ..Default::default() }
    }

    /// Both together.
    pub fn add(&mut self, other: &Sums) {
        for (all, some) in self.by_mover.iter_mut().zip(&other.by_mover) {
            all.iter_mut().zip(some).for_each(|(all, some)| *all += some);
        }
        self.endless += other.endless;
        self.longest_win = self.longest_win.max(other.longest_win);
    }
}

/// What all threads know while a tier is settled.
pub struct Scene<'a, K> {
    /// The game.
    pub game: &'a Game,
    /// The numbers of states.
    pub index: &'a Index<K>,
    /// The tiers; those that moves of this one lead to are solved and in memory.
    pub tiers: &'a [Tier<K>],
    /// The number of each tier by its measure.
    pub numbers: &'a HashMap<i64, usize>,
    /// Which tier it is.
    pub measure: i64,
    /// The tiers whose values count now.
    pub targets: &'a HashSet<usize>,
    /// With these all are known that moves lead to.
    pub last: bool,
    /// What the players want.
    pub wishes: &'a Wishes<'a>,
    /// How far the end is matters.
    pub distance: bool,
    /// Results and distances, as known when the tier was begun, and with what was met since.
    pub known: &'a [Worth],
    /// The same.
    pub worths: &'a Mutex<Worths>,
    /// The bytes that a thread may take for a group.
    pub room: u64,
}

/// States of parts that are settled together.
struct Group<'a, K> {
    /// The shard, and its first part that is of the group.
    found: &'a Blocks<K>,
    from: usize,
    keys: Vec<K>,
    /// For each state its part.
    parts: Vec<u32>,
    /// For each part the first of its words below.
    firsts: Vec<usize>,
    /// For each word of the parts the states before it.
    before: Vec<u32>,
}

impl<K: Key> Group<'_, K> {
    fn blocks(&self) -> std::ops::Range<usize> {
        self.from..self.from + self.firsts.len()
    }

    /// Reads the numbers of all states, in their order.
    fn values(&self, of_shard: &Blocks<K>) -> Result<Vec<u32>, ExplicitError> {
        let mut values = Vec::with_capacity(self.keys.len());
        for block in &self.found.list()[self.blocks()] {
            let number = of_shard.find(block.frame, block.sums).ok_or(ExplicitError::Damaged)?;
            ranks(self.found.words(block)).for_each(|rank| values.push(of_shard.get(number, rank) as u32));
        }
        Ok(values)
    }

    /// Writes a number for each state, in their order, with as many bits as the largest of a part needs.
    fn write(&self, numbers: &[u32], index: &Index<K>, values: &mut Blocks<K>) {
        let mut numbers = numbers.iter();
        for block in &self.found.list()[self.blocks()] {
            let bits = self.found.words(block);
            let count: usize = bits.iter().map(|word| word.count_ones() as usize).sum();
            let widest = numbers.as_slice().iter().take(count).copied().max().unwrap_or(0);
            let width = (u32::BITS - widest.leading_zeros()).next_power_of_two();
            let size = index.size(block.frame, block.sums);
            let number = values.find_or_add(block.frame, block.sums, width, words(size, width));
            ranks(bits).zip(&mut numbers).for_each(|(rank, &value)| values.set(number, rank, value.into()));
        }
    }
}

/// The places of the bits that are set.
fn ranks(bits: &[u64]) -> impl Iterator<Item = u32> {
    (0..).zip(bits).flat_map(|(word, &all)| {
        let rest = std::iter::successors(Some(all), |left| Some(left & left.wrapping_sub(1)));
        rest.take_while(|&left| left != 0).map(move |left| 64 * word + left.trailing_zeros())
    })
}

impl<K: Key> Scene<'_, K> {
    /// Finds the values of a shard from the bits of its states and from what is known of them so far; before the last pass that is
    /// what is known then.
    pub fn look(
        &self,
        found: &Blocks<K>,
        so_far: Option<Blocks<K>>,
        expander: &mut Expander<K>,
    ) -> Result<(Blocks<K>, Sums), ExplicitError> {
        let mut values = Blocks::default();
        let mut sums = Sums::new(self.game.players().len(), self.wishes.outcomes.len());
        // A group takes a small part of the memory.
        let most = (self.room / 16 / SETTLING).clamp(1, GROUP as u64) as usize;
        let mut from = 0;
        while from < found.list().len() {
            let mut group =
                Group { found, from, keys: vec![], parts: vec![], firsts: vec![], before: vec![] };
            let mut to = from;
            while to < found.list().len() && (to == from || group.keys.len() < most) {
                let (block, part) = (&found.list()[to], (to - from) as u32);
                let bits = found.words(block);
                let states: u64 = bits.iter().map(|word| u64::from(word.count_ones())).sum();
                if to > from && group.keys.len() as u64 + states > 2 * most as u64 {
                    break;
                }
                if (group.keys.len() as u64 + states) * (SETTLING + size_of::<K>() as u64 + 4) > self.room {
                    return Err(ExplicitError::Tier { budget: self.room, positions: states });
                }
                group.firsts.push(group.before.len());
                let mut sum = group.keys.len() as u32;
                for word in bits {
                    group.before.push(sum);
                    sum += word.count_ones();
                }
                self.index.each(block.frame, block.sums, bits, &mut |_, key| {
                    group.keys.push(key);
                    group.parts.push(part);
                });
                if group.keys.len() as u32 != sum {
                    return Err(ExplicitError::Damaged);
                }
                to += 1;
            }
            let so_far = so_far.as_ref().map(|so_far| group.values(so_far)).transpose()?;
            let numbers = match self.last {
                true => self.settle(&group, so_far, expander, &mut sums)?,
                false => self.gather(&group, so_far, expander)?,
            };
            group.write(&numbers, self.index, &mut values);
            from = to;
        }
        Ok((values, sums))
    }

    /// What the best of the moves to some later tiers is worth, or what is known so far if that is better.
    fn gather(
        &self,
        group: &Group<'_, K>,
        so_far: Option<Vec<u32>>,
        expander: &mut Expander<K>,
    ) -> Result<Vec<u32>, ExplicitError> {
        let mut best = match so_far {
            Some(so_far) => so_far.into_iter().map(|value| self.worth(value)).collect::<Result<_, _>>()?,
            None => vec![NOTHING; group.keys.len()],
        };
        let (mut successors, mut spans, mut runs) = (vec![], vec![], Runs::default());
        let batches = group.keys.chunks(LANES).zip(group.parts.chunks(LANES)).zip((0..).step_by(LANES));
        for ((batch, parts), first) in batches {
            successors.clear();
            spans.clear();
            expander.expand_in_spans(batch, &mut successors, Some(&mut spans));
            self.index.runs(&successors, &spans, parts, &mut runs);
            for head in &runs.heads {
                let Found::There(blocks, number) = self.find(head)? else { continue };
                let there = successors[head.from..head.to].iter().zip(&runs.ranks[head.from..head.to]);
                for (successor, &rank) in there {
                    let lane = usize::from(successor.lane);
                    let mover = expander.turn(lane).ok_or(ExplicitError::Damaged)?;
                    let best = &mut best[first + lane];
                    let worth = self.worth(value(blocks, number, rank)?)?;
                    *best = self.wishes.best_known(mover, *best, worth);
                }
            }
        }
        Ok(self.numbers_of(best.iter().map(|worth| (worth.code, worth.distance))))
    }

    /// What a number that is not 0 stands for; nothing for 0.
    fn worth(&self, value: u32) -> Result<Worth, ExplicitError> {
        match value.checked_sub(1) {
            Some(value) => self.known.get(value as usize).copied().ok_or(ExplicitError::Damaged),
            None => Ok(NOTHING),
        }
    }

    /// What the states of a group are worth.
    fn settle(
        &self,
        group: &Group<'_, K>,
        so_far: Option<Vec<u32>>,
        expander: &mut Expander<K>,
        sums: &mut Sums,
    ) -> Result<Vec<u32>, ExplicitError> {
        let states = group.keys.len();
        let most = (self.room.saturating_sub(states as u64 * (SETTLING + size_of::<K>() as u64 + 4)) / MOVE)
            as usize;
        let mut settling = Settling::new(self.wishes, states);
        let mut ended: Vec<(u32, Code)> = vec![];
        let mut shares = settling.shares(states.max(1));
        for share in &mut shares {
            self.moves(group, expander, share, &mut ended, most)?;
            for (at, &value) in so_far.iter().flatten().enumerate() {
                let worth = self.worth(value)?;
                if worth != NOTHING {
                    share.know(at, worth);
                }
            }
            if !ended.is_empty() {
                resolve(share, &ended, states);
            }
        }
        let looked = shares.into_iter().map(|share| (share.agenda, share.moves)).collect::<Vec<_>>();
        settling.take_in(looked);
        ended.iter().for_each(|&(at, code)| settling.known(at as usize, Worth { code, distance: 0 }));
        let (settled, movers) = settling
            .run()
            .map_err(|open| ExplicitError::NoValue(self.game.print(&expander.unpack(group.keys[open]))))?;
        let mut ends = ended.iter().map(|&(at, _)| at as usize).peekable();
        for (at, mover) in movers.iter().enumerate() {
            if ends.next_if_eq(&at).is_some() {
                continue;
            }
            let (code, distance) = (settled.codes[at], settled.distances[at]);
            sums.by_mover[mover.index()][usize::from(code)] += 1;
            if distance == NEVER_ENDS {
                sums.endless += 1;
            } else if self.wishes.outcomes.rewards(code).leader().is_some() {
                sums.longest_win = sums.longest_win.max(Some(distance.into()));
            }
        }
        Ok(self.numbers_of(settled.codes.into_iter().zip(settled.distances)))
    }

    /// Small numbers for results and distances; 0 stands for a state that is not there, or of which nothing is known.
    fn numbers_of(&self, worths: impl ExactSizeIterator<Item = (Code, Distance)>) -> Vec<u32> {
        let mut tables: Vec<Vec<u32>> = vec![vec![]; self.wishes.outcomes.len()];
        let mut numbers = Vec::with_capacity(worths.len());
        for (code, distance) in worths {
            if code == NOTHING.code {
                numbers.push(0);
                continue;
            }
            let distance = if self.distance { distance } else { 0 };
            let table = &mut tables[usize::from(code)];
            // Endless play has the greatest distance, which comes first here.
            let at = usize::from(distance.wrapping_add(1));
            if table.len() <= at {
                table.resize(at + 1, 0);
            }
            if table[at] == 0 {
                let mut worths = self.worths.lock().unwrap_or_else(PoisonError::into_inner);
                table[at] = worths.number(Worth { code, distance }) + 1;
            }
            numbers.push(table[at]);
        }
        numbers
    }

    /// Looks at the moves of a group's states: what those to later tiers are worth, and which lead to others of the group.
    fn moves(
        &self,
        group: &Group<'_, K>,
        expander: &mut Expander<K>,
        share: &mut Share<'_>,
        ended: &mut Vec<(u32, Code)>,
        most: usize,
    ) -> Result<(), ExplicitError> {
        let (found, from) = (group.found, group.from);
        let (mut successors, mut spans, mut runs) = (vec![], vec![], Runs::default());
        let batches = group.keys.chunks(LANES).zip(group.parts.chunks(LANES)).zip((0..).step_by(LANES));
        for ((batch, parts), first) in batches {
            successors.clear();
            spans.clear();
            expander.expand_in_spans(batch, &mut successors, Some(&mut spans));
            for lane in 0..batch.len() {
                if expander.has_ended(lane) {
                    let code = self.wishes.outcomes.code(expander.rewards(lane));
                    ended.push(((first + lane) as u32, code.ok_or(ExplicitError::Damaged)?));
                } else {
                    share.mover[first + lane] = expander.turn(lane).ok_or(ExplicitError::Damaged)?;
                }
            }
            self.index.runs(&successors, &spans, parts, &mut runs);
            for head in &runs.heads {
                let there = || {
                    (head.from..head.to).map(|at| (first + usize::from(successors[at].lane), runs.ranks[at]))
                };
                match self.find(head)? {
                    Found::Elsewhere => {}
                    Found::There(blocks, number) => {
                        for (at, rank) in there() {
                            share.know(at, self.worth(value(blocks, number, rank)?)?);
                        }
                    }
                    Found::Inside => {
                        let part = parts[usize::from(successors[head.from].lane)] as usize;
                        let block = &found.list()[from + part];
                        if block.frame != head.frame || block.sums != head.sums {
                            return Err(ExplicitError::NotAPart);
                        }
                        let (words, before) = (found.words(block), &group.before[group.firsts[part]..]);
                        for (at, rank) in there() {
                            let word = rank as usize / 64;
                            let below = words[word] & ((1 << (rank % 64)) - 1);
                            share.go(at, before[word] + below.count_ones());
                        }
                    }
                }
            }
            if share.moves.len() > most {
                return Err(ExplicitError::Tier { budget: self.room, positions: group.keys.len() as u64 });
            }
        }
        Ok(())
    }

    /// Where states of a part are.
    fn find(&self, head: &Head<K>) -> Result<Found<'_, K>, ExplicitError> {
        if head.measure == self.measure {
            return Ok(Found::Inside);
        }
        let tier = *self.numbers.get(&head.measure).ok_or(ExplicitError::Damaged)?;
        if !self.targets.contains(&tier) {
            return Ok(Found::Elsewhere);
        }
        let Held::Here(blocks, _) = &self.tiers[tier].shards[shard_of(head.frame, head.sums)] else {
            return Err(ExplicitError::Damaged);
        };
        let number = blocks.find(head.frame, head.sums).ok_or(ExplicitError::Damaged)?;
        Ok(Found::There(blocks, number))
    }
}

/// Where moves lead.
enum Found<'a, K> {
    /// To states of the same tier.
    Inside,
    /// To those of a part of a later tier.
    There(&'a Blocks<K>, usize),
    /// To a tier that counts in another pass.
    Elsewhere,
}

/// The number of what a state of a later tier is worth: every one has a value.
fn value<K: Key>(blocks: &Blocks<K>, number: usize, rank: u32) -> Result<u32, ExplicitError> {
    match blocks.get(number, rank) as u32 {
        0 => Err(ExplicitError::Damaged),
        value => Ok(value),
    }
}

/// Moves to states of the group in which the game has ended are known.
fn resolve(share: &mut Share<'_>, ended: &[(u32, Code)], states: usize) {
    let mut code_of = vec![Code::MAX; states];
    ended.iter().for_each(|&(at, code)| code_of[at as usize] = code);
    let mut moves = std::mem::take(&mut share.moves);
    moves.retain(|&(to, from)| {
        let code = code_of[to as usize];
        if code != Code::MAX {
            share.remaining[from as usize] -= 1;
            share.know(from as usize, Worth { code, distance: 0 });
        }
        code == Code::MAX
    });
    share.moves = moves;
}
