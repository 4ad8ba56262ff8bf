//! Numbers of states inside parts.
//!
//! A part fixes the class of every variable's value and some sums over its variables, which no move without progress changes
//! (see [`winset_progress::parts`] and [`winset_progress::kept`]). What is left is counted: the states of a part are numbered
//! from 0 on, by a few table entries each. In checkers a part is the squares of the men and the numbers of kings, and the
//! number of a state is that of its kings' squares and of who is to move.
//!
//! Variables are taken in chunks of neighbouring bits. What stands in a chunk is its classes, what it adds to the sums, and a
//! place among all contents with the same of both. How many ways there are to fill the later chunks depends on their
//! classes only by *how many* contents add what; so a handful of tables does for all parts.

use crate::expand::Successor;
use crate::pack::{Key, Packing};
use std::collections::HashMap;
use winset_model::Value;

/// The most combinations of sums: with more, tables do not stay at hand.
const SUMS: usize = 1 << 12;

/// The most entries of all tables of counts.
const ENTRIES: usize = 1 << 23;

/// What a content of a chunk is.
#[derive(Clone, Copy, Default)]
struct Content {
    /// What it adds to the measure.
    measure: i32,
    /// Which of the chunk's different amounts it adds to the sums: where that amount begins in lists by amount and sum.
    amount: u32,
    /// What it adds to the sums.
    adds: u16,
    /// The classes, as the least content that has them.
    frame: u16,
    /// Its place among the contents with the same frame and amount.
    place: u16,
    /// How many contents with this frame add which amount: contents with the same counts share a number.
    profile: u16,
}

struct Chunk {
    shift: u32,
    mask: u64,
    contents: Vec<Content>,
    /// The different amounts that contents add to the sums.
    amounts: Vec<u32>,
    /// The contents with a frame, by amount.
    members: HashMap<u16, Vec<Vec<u16>>>,
    /// For every amount and sum: the sum is at least the amount.
    fits: Vec<bool>,
    /// For every way to fill the later chunks, and every profile: where its numbers are below, and the way to fill this chunk
    /// and the later ones.
    steps: Vec<(u32, u32)>,
    profiles: usize,
    /// For a step, by amount and sum: the states whose amount comes before.
    before: Vec<u32>,
}

/// Where a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<K> {
    /// The part: the classes of all values, each as the least value that has it.
    pub frame: K,
    /// The part: its sums.
    pub sums: u32,
    /// The number of the state in its part.
    pub rank: u32,
    /// How many numbers the part has.
    pub size: u32,
    /// The tier.
    pub measure: i64,
}

/// Where a chunk's tables begin for all states with the same classes.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// In the counts of the later chunks.
    each: usize,
    /// In what comes before.
    before: usize,
}

/// Successors that stand side by side and are in the same part.
#[derive(Clone, Copy, Debug)]
pub struct Head<K> {
    /// The first of them.
    pub from: usize,
    /// Where they end.
    pub to: usize,
    /// See [`Place`].
    pub frame: K,
    /// The same.
    pub sums: u32,
    /// The same.
    pub size: u32,
    /// The same.
    pub measure: i64,
}

/// Where the successors of a batch are.
#[derive(Default)]
pub struct Runs<K> {
    /// Their parts.
    pub heads: Vec<Head<K>>,
    /// The number of each in its part.
    pub ranks: Vec<u32>,
    links: Vec<Link>,
}

/// The numbering of a game's states.
pub struct Index<K> {
    chunks: Vec<Chunk>,
    /// For every chunk, and one beyond the last: by way and sum, how many there are. Too many are `u32::MAX`.
    counts: Vec<Vec<u32>>,
    /// The combinations of sums.
    sums: usize,
    /// What variables with a single value add to the measure.
    always: i64,
    frames: std::marker::PhantomData<K>,
}

impl<K: Key> Index<K> {
    /// The numbering with these classes of values and as many of these sums as tables can hold; none if tables would be too
    /// large without any.
    pub fn new(
        packing: &Packing,
        weights: Option<&Vec<Vec<i64>>>,
        classes: &[Vec<Value>],
        kept: &[Vec<Vec<i64>>],
    ) -> Option<Self> {
        let radix = Radix::new(kept);
        let weigh = |var: usize, value: usize| weights.map_or(0, |weights| weights[var][value]);
        let single = (0..packing.fields.len()).filter(|&var| packing.fields[var].width == 0);
        let always = single.map(|var| weigh(var, 0)).sum();
        let mut chunks = vec![];
        for run in packing.runs() {
            let valid = |contents: u64| {
                run.variables.iter().all(|&var| packing.value_in(&run, contents, var) < classes[var].len())
            };
            let frame = |contents: u64| {
                run.variables.iter().fold(0u64, |frame, &var| {
                    let class = classes[var][packing.value_in(&run, contents, var)];
                    let least = classes[var].iter().position(|&other| other == class).unwrap_or(0) as u64;
                    frame | least << (packing.fields[var].shift - run.shift)
                })
            };
            let mut all = vec![Content::default(); run.mask as usize + 1];
            let mut amounts: Vec<u32> = vec![];
            let mut members: HashMap<u16, Vec<Vec<u16>>> = HashMap::new();
            for contents in (0..=run.mask).filter(|&contents| valid(contents)) {
                let values = || run.variables.iter().map(|&var| (var, packing.value_in(&run, contents, var)));
                let adds = values().map(|(var, value)| radix.adds(var, value)).sum();
                let amount = amounts.iter().position(|&other| other == adds).unwrap_or_else(|| {
                    amounts.push(adds);
                    amounts.len() - 1
                });
                let frame = u16::try_from(frame(contents)).ok()?;
                let lists = members.entry(frame).or_default();
                lists.resize_with(lists.len().max(amount + 1), Vec::new);
                let place = u16::try_from(lists[amount].len()).ok()?;
                lists[amount].push(contents as u16);
                let measure: i64 = values().map(|(var, value)| weigh(var, value)).sum();
                all[contents as usize] = Content {
                    measure: i32::try_from(measure).ok()?,
                    amount: u32::try_from(amount * radix.sums).ok()?,
                    adds: u16::try_from(adds).ok()?,
                    frame,
                    place,
                    profile: 0,
                };
            }
            members.values_mut().for_each(|lists| lists.resize_with(amounts.len(), Vec::new));
            let mut profiles: HashMap<Vec<usize>, u16> = HashMap::new();
            for contents in (0..=run.mask).filter(|&contents| valid(contents)) {
                let counts = members[&all[contents as usize].frame].iter().map(Vec::len).collect();
                let next = u16::try_from(profiles.len()).ok()?;
                all[contents as usize].profile = *profiles.entry(counts).or_insert(next);
            }
            let fits = amounts.iter().flat_map(|&amount| {
                let radix = &radix;
                (0..radix.sums as u32).map(move |sum| radix.holds(sum, amount))
            });
            chunks.push(Chunk {
                shift: run.shift,
                mask: run.mask,
                fits: fits.collect(),
                contents: all,
                amounts,
                members,
                steps: vec![],
                profiles: profiles.len(),
                before: vec![],
            });
        }
        let mut index =
            Index { chunks, counts: vec![], sums: radix.sums, always, frames: std::marker::PhantomData };
        index.count().then_some(index)
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let of_chunk = |chunk: &Chunk| {
            size_of_val(&chunk.contents[..])
                + chunk.fits.len()
                + size_of_val(&chunk.steps[..])
                + size_of_val(&chunk.before[..])
                + 4 * chunk.contents.len()
        };
        let counts = self.counts.iter().map(|counts| size_of_val(&counts[..]));
        (self.chunks.iter().map(of_chunk).sum::<usize>() + counts.sum::<usize>()) as u64
    }

    /// Counts the ways to fill chunks, from the last on. False: there are too many different ones.
    fn count(&mut self) -> bool {
        let mut end = vec![0; self.sums];
        end[0] = 1;
        self.counts = vec![vec![]; self.chunks.len()];
        self.counts.push(end);
        let mut entries = 0;
        for (at, chunk) in self.chunks.iter_mut().enumerate().rev() {
            let mut profiles: Vec<Vec<u32>> = vec![vec![]; chunk.profiles];
            for content in &chunk.contents {
                if let Some(lists) = chunk.members.get(&content.frame) {
                    profiles[usize::from(content.profile)] =
                        lists.iter().map(|list| list.len() as u32).collect();
                }
            }
            let (here, later) = self.counts[at..].split_at_mut(1);
            let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
            for counts in later[0].chunks_exact(self.sums) {
                for profile in &profiles {
                    entries += chunk.amounts.len() * self.sums;
                    if entries > ENTRIES {
                        return false;
                    }
                    let from = chunk.before.len();
                    let mut total = vec![0u32; self.sums];
                    for (amount, &adds) in chunk.amounts.iter().enumerate() {
                        chunk.before.extend_from_slice(&total);
                        for sum in (0..self.sums).filter(|sum| chunk.fits[amount * self.sums + sum]) {
                            let ways = profile[amount].saturating_mul(counts[sum - adds as usize]);
                            total[sum] = total[sum].saturating_add(ways);
                        }
                    }
                    let next = (here[0].len() / self.sums) as u32;
                    let ways = *known.entry(total).or_insert_with_key(|total| {
                        here[0].extend_from_slice(total);
                        next
                    });
                    chunk.steps.push((from as u32, ways));
                }
            }
        }
        true
    }

    /// Where a state is.
    #[inline]
    pub fn place(&self, key: K) -> Place<K> {
        let (mut frame, mut sums, mut rank, mut measure) = (K::default(), 0u32, 0u32, self.always);
        // The ways to fill the chunks after the present one.
        let mut way = 0;
        for (chunk, counts) in self.chunks.iter().zip(&self.counts[1..]).rev() {
            let content = &chunk.contents[key.field(chunk.shift, chunk.mask) as usize];
            let (before, ways) = chunk.steps[way * chunk.profiles + usize::from(content.profile)];
            let each = counts[way * self.sums + sums as usize];
            sums += u32::from(content.adds);
            let amount = (content.amount + sums) as usize;
            rank = rank
                .wrapping_add(u32::from(content.place).wrapping_mul(each))
                .wrapping_add(chunk.before[before as usize + amount]);
            frame = frame.with(chunk.shift, content.frame.into());
            measure += i64::from(content.measure);
            way = ways as usize;
        }
        let size = self.counts[0][way * self.sums + sums as usize];
        Place { frame, sums, rank, size, measure }
    }

    /// The classes of a state's values, and the way through the tables for all states that have them.
    fn follow(&self, key: K, links: &mut Vec<Link>) -> K {
        let (mut frame, mut way) = (K::default(), 0);
        links.clear();
        for chunk in self.chunks.iter().rev() {
            let content = &chunk.contents[key.field(chunk.shift, chunk.mask) as usize];
            let (before, ways) = chunk.steps[way * chunk.profiles + usize::from(content.profile)];
            links.push(Link { each: way * self.sums, before: before as usize });
            frame = frame.with(chunk.shift, content.frame.into());
            way = ways as usize;
        }
        links.push(Link { each: way * self.sums, before: 0 });
        frame
    }

    /// The number of a state with these classes in its part, its sums and its measure.
    #[inline]
    fn along(&self, links: &[Link], key: K) -> (u32, u32, i64) {
        let (mut sums, mut rank, mut measure) = (0u32, 0u32, self.always);
        for ((chunk, counts), link) in self.chunks.iter().zip(&self.counts[1..]).rev().zip(links) {
            let content = &chunk.contents[key.field(chunk.shift, chunk.mask) as usize];
            let each = counts[link.each + sums as usize];
            sums += u32::from(content.adds);
            rank = rank
                .wrapping_add(u32::from(content.place).wrapping_mul(each))
                .wrapping_add(chunk.before[link.before + (content.amount + sums) as usize]);
            measure += i64::from(content.measure);
        }
        (rank, sums, measure)
    }

    /// Where successors are of states that are in these parts, given by lane. What one move changes in states of one part leads
    /// to states with the same classes, so that most of the way is the same for many.
    pub fn runs(&self, successors: &[Successor<K>], spans: &[usize], parts: &[u32], runs: &mut Runs<K>) {
        runs.heads.clear();
        runs.ranks.clear();
        runs.ranks.reserve(successors.len());
        let ends = spans.iter().skip(1).copied().chain([successors.len()]);
        for (from, to) in spans.iter().copied().zip(ends) {
            let mut part = None;
            let mut frame = K::default();
            for (at, successor) in (from..to).zip(&successors[from..to]) {
                let new = part != Some(parts[usize::from(successor.lane)]);
                if new {
                    part = Some(parts[usize::from(successor.lane)]);
                    frame = self.follow(successor.key, &mut runs.links);
                }
                let (rank, sums, measure) = self.along(&runs.links, successor.key);
                runs.ranks.push(rank);
                match runs.heads.last_mut() {
                    Some(head) if !new && head.sums == sums && head.measure == measure => head.to = at + 1,
                    _ => {
                        let size = self.counts[0][runs.links[self.chunks.len()].each + sums as usize];
                        runs.heads.push(Head { from: at, to: at + 1, frame, sums, size, measure });
                    }
                }
            }
        }
    }

    /// How many numbers a part has; `u32::MAX` stands for more.
    pub fn size(&self, frame: K, sums: u32) -> u32 {
        self.counts[0][self.ways(frame)[0] * self.sums + sums as usize]
    }

    /// The ways to fill the chunks from each one on, in a part with these classes.
    fn ways(&self, frame: K) -> Vec<usize> {
        let mut ways = vec![0; self.chunks.len() + 1];
        for (at, chunk) in self.chunks.iter().enumerate().rev() {
            let content = &chunk.contents[frame.field(chunk.shift, chunk.mask) as usize];
            ways[at] = chunk.steps[ways[at + 1] * chunk.profiles + usize::from(content.profile)].1 as usize;
        }
        ways
    }

    /// Gives the states of a part whose numbers are bits of these words, in the order of numbers.
    pub fn each(&self, frame: K, sums: u32, bits: &[u64], give: &mut impl FnMut(u32, K)) {
        let ways = self.ways(frame);
        let members = self.chunks.iter().map(|chunk| {
            let frame = frame.field(chunk.shift, chunk.mask) as u16;
            chunk.members.get(&frame).map_or(&[][..], Vec::as_slice)
        });
        let walk = Walk { index: self, members: members.collect(), ways, bits };
        walk.down(0, sums, 0, K::default(), give);
    }
}

/// A walk through the states of a part.
struct Walk<'a, K> {
    index: &'a Index<K>,
    /// The contents of each chunk by amount.
    members: Vec<&'a [Vec<u16>]>,
    ways: Vec<usize>,
    bits: &'a [u64],
}

impl<K: Key> Walk<'_, K> {
    /// Looks at what the chunks from one on can have, if they add so much; their first number, and what stands above.
    fn down(&self, at: usize, sums: u32, first: u32, above: K, give: &mut impl FnMut(u32, K)) {
        let Some(chunk) = self.index.chunks.get(at) else {
            if self.bits[first as usize / 64] >> (first % 64) & 1 == 1 {
                give(first, above);
            }
            return;
        };
        let counts = &self.index.counts[at + 1][self.ways[at + 1] * self.index.sums..];
        let mut first = first;
        for (amount, (members, &adds)) in self.members[at].iter().zip(&chunk.amounts).enumerate() {
            if members.is_empty() || !chunk.fits[amount * self.index.sums + sums as usize] {
                continue;
            }
            let each = counts[(sums - adds) as usize];
            if each == 0 {
                continue;
            }
            if at + 1 == self.index.chunks.len() {
                for &contents in members {
                    if self.bits[first as usize / 64] >> (first % 64) & 1 == 1 {
                        give(first, above.with(chunk.shift, contents.into()));
                    }
                    first += 1;
                }
                continue;
            }
            for &contents in members {
                if !self.nothing(first, each) {
                    let above = above.with(chunk.shift, contents.into());
                    self.down(at + 1, sums - adds, first, above, give);
                }
                first += each;
            }
        }
    }

    /// None of these bits is set.
    #[inline]
    fn nothing(&self, first: u32, count: u32) -> bool {
        let (from, to) = (first as usize, first as usize + count as usize);
        let (low, high) = (from / 64, (to - 1) / 64);
        let (above, below) = (!0u64 << (from % 64), !0u64 >> (63 - (to - 1) % 64));
        if low == high {
            return self.bits[low] & above & below == 0;
        }
        self.bits[low] & above == 0
            && self.bits[high] & below == 0
            && self.bits[low + 1..high].iter().all(|&word| word == 0)
    }
}

/// Several sums as one number.
struct Radix {
    /// For every sum its weights, and what one of it counts.
    sums_of: Vec<(Vec<Vec<i64>>, u32, u32)>,
    /// All combinations.
    sums: usize,
}

impl Radix {
    /// As many of these sums as fit.
    fn new(kept: &[Vec<Vec<i64>>]) -> Self {
        let mut radix = Radix { sums_of: vec![], sums: 1 };
        for weights in kept {
            let heaviest = |weights: &Vec<i64>| weights.iter().copied().max().unwrap_or(0);
            let most: i64 = weights.iter().map(heaviest).sum();
            debug_assert!(weights.iter().flatten().all(|&weight| weight >= 0));
            let next = radix.sums.saturating_mul(most as usize + 1);
            if most > 0 && next <= SUMS {
                radix.sums_of.push((weights.clone(), radix.sums as u32, most as u32 + 1));
                radix.sums = next;
            }
        }
        radix
    }

    /// What a value adds.
    fn adds(&self, var: usize, value: usize) -> u32 {
        self.sums_of.iter().map(|(weights, one, _)| weights[var][value] as u32 * one).sum()
    }

    /// Every sum of the one is at least that of the other.
    fn holds(&self, sums: u32, amount: u32) -> bool {
        self.sums_of.iter().all(|&(_, one, radix)| sums / one % radix >= amount / one % radix)
    }
}
