//! Diagrams built level by level from requests, by any number of threads.
//!
//! A request asks for the set of all strings that one of its items leads to. Going down, every request
//! falls into requests for the next level, one for each digit; equal ones are one. Going up, every request
//! becomes a node. No intermediate sets are made, nothing is thrown away, and the work on each level
//! can be shared out among threads.

use crate::crew::Crew;
use crate::error::LayersError;
use crate::sets::set::{EMPTY, Level, Node};
use crate::sets::strings::Strings;
use crate::sets::table::Table;
use crate::sets::up::{Handled, ascend_all, last_level};
use crate::shares::Shares;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use winset_index::Digit;
use winset_work::{Exhausted, Work};

/// What an item leads to is not known yet and must be provided first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// At which level.
    pub level: usize,
    /// Whose step: a relation, a list of conditions.
    pub what: u32,
    /// From which digit.
    pub digit: Digit,
}

/// The meaning of items.
pub trait Expand: Sync {
    /// The number of digits of each block.
    fn digits(&self) -> &[usize];

    /// What an item leads to: digits with items of the next level. Names what must be provided first.
    fn expand(&self, level: usize, item: u64, out: &mut Vec<(Digit, u64)>, missing: &mut Vec<Missing>);

    /// The digits that an item of the last level leads to, as bits.
    fn last(&self, item: u64, out: &mut [u64], missing: &mut Vec<Missing>);

    /// Finds out what was missing.
    fn provide(&mut self, missing: &[Missing]) -> Result<(), LayersError>;

    /// About the memory that everything takes that has been found out.
    fn bytes(&self) -> u64;
}

/// What one thread makes of its share of a level's requests.
#[derive(Default)]
struct Share {
    /// The requests it has handled, in order.
    handled: Vec<u32>,
    /// For each of them where its edges begin.
    start: Vec<u32>,
    /// The digits of all edges, and the requests of the next level or nodes of the last that they lead to.
    digits: Vec<Digit>,
    numbers: Vec<u32>,
    below: Table,
    postponed: Vec<u32>,
    missing: Vec<Missing>,
    /// How much was missing when it was last looked through.
    named: usize,
    scratch: Scratch,
    /// About how many steps it has made that have not been counted yet.
    work: u64,
}

#[derive(Default)]
struct Scratch {
    found: Vec<(Digit, u64)>,
    sorted: Vec<u64>,
    counts: Vec<u32>,
    /// Nodes of the last level as bitmaps of their digits.
    bitmaps: Vec<u64>,
}

/// Finding out about a step of a relation takes as long as making n that are known.
const STEPS_TO_PROVIDE: u64 = 32;

/// So much is provided at a time; in between it is seen whether it fits.
const PROVIDED: usize = 1 << 12;

/// When more is missing than this, and twice as much as the last time, it is looked through for what was named
/// more than once.
const MISSING: usize = 1 << 14;

/// The most requests that a thread takes at a time.
const CHUNK: usize = 64;

/// Another thread is worth its trouble only for n items each.
const ITEMS: usize = 512;

/// The diagram of the set that the items ask for, all at once; no root if it is empty.
pub fn whole(
    expand: &mut impl Expand,
    items: &[u64],
    crew: &Crew,
    budget: Option<u64>,
    work: &Work,
) -> Result<(Vec<Level>, Option<Node>), LayersError> {
    let levels = expand.digits().len();
    let requests = first_request(items);
    if levels == 1 {
        return single_level(expand, requests.get(0));
    }
    let known = expand.bytes();
    let (down, requests) = descend_to(expand, requests, levels - 1, crew, budget, work)?;
    // What is below the last but one level are nodes of the last already.
    let (last, nodes) = last_level(requests, crew);
    let taken = expand.bytes().saturating_sub(known) + last.bytes();
    let (mut result, root) = ascend_all(down, nodes, crew, (taken, budget))?;
    result.push(last);
    Ok((result, root))
}

/// The items as the only request of the first level.
pub fn first_request(items: &[u64]) -> Strings {
    let mut requests = Table::default();
    let mut root = items.to_vec();
    root.sort_unstable();
    root.dedup();
    requests.add(&root);
    requests.into()
}

/// Goes down from the first level to another: what was handled on each level, and the requests there.
pub fn descend_to(
    expand: &mut impl Expand,
    mut requests: Strings,
    to: usize,
    crew: &Crew,
    budget: Option<u64>,
    work: &Work,
) -> Result<(Vec<Vec<Handled>>, Strings), LayersError> {
    let mut down: Vec<Vec<Handled>> = vec![];
    let mut used = 0;
    let known = expand.bytes();
    for level in 0..to {
        let taken = (used + requests.bytes() + expand.bytes()).saturating_sub(known);
        let (handled, below) =
            descend(expand, level, &requests, 0..requests.len() as u32, crew, (taken, budget), work)?;
        if below.overflows() || handled.iter().any(Handled::overflows) {
            return Err(LayersError::TooManyEdges);
        }
        used += handled.iter().map(Handled::bytes).sum::<u64>();
        down.push(handled);
        requests = below;
    }
    Ok((down, requests))
}

fn single_level(expand: &mut impl Expand, items: &[u64]) -> Result<(Vec<Level>, Option<Node>), LayersError> {
    let mut scratch = Scratch::default();
    let mut table = Table::default();
    let mut missing = vec![];
    loop {
        scratch.bitmaps.clear();
        scratch.last_node(expand, items, &mut missing);
        if missing.is_empty() {
            break;
        }
        expand.provide(&missing)?;
        missing.clear();
    }
    table.add(&scratch.bitmaps);
    let (level, nodes) = last_level(table.into(), &Crew::default());
    Ok((vec![level], nodes.first().copied().filter(|&node| node != EMPTY)))
}

/// The edges of some requests of a level, and what they lead to.
pub fn descend(
    expand: &mut impl Expand,
    level: usize,
    requests: &Strings,
    range: Range<u32>,
    crew: &Crew,
    (mut taken, budget): (u64, Option<u64>),
    steps: &Work,
) -> Result<(Vec<Handled>, Strings), LayersError> {
    let words: usize = range.clone().map(|request| requests.get(request as usize).len()).sum();
    let threads = crew.threads().min(range.len()).min(words / ITEMS).max(1);
    // High up there are few requests, each with much to do.
    let chunk = (range.len() / (32 * threads)).clamp(1, CHUNK) as u32;
    let mut shares: Vec<Share> = (0..threads).map(|_| Share::default()).collect();
    let mut open: Vec<u32> = range.collect();
    let too_much = AtomicBool::new(false);
    let stopped = AtomicBool::new(false);
    while !open.is_empty() {
        let tasks = Shares::new(open.len(), threads);
        let share_of_budget = budget.map(|budget| budget.saturating_sub(taken) / threads as u64);
        let (shared, list) = (&*expand, &open);
        let work = |thread: usize, mut share: Share| {
            while let Some(taken) = tasks.take(thread, chunk) {
                if share_of_budget.is_some_and(|most| share.bytes() > most) {
                    too_much.store(true, Relaxed);
                }
                if steps.spend(std::mem::take(&mut share.work)).is_err() {
                    stopped.store(true, Relaxed);
                }
                if too_much.load(Relaxed) || stopped.load(Relaxed) {
                    return share;
                }
                if share.missing.len() > MISSING.max(2 * share.named) {
                    share.name_once();
                }
                for &request in &list[taken] {
                    share.handle(shared, level, request, requests.get(request as usize));
                }
            }
            steps.add(std::mem::take(&mut share.work));
            share.name_once();
            share
        };
        shares = crew.map(shares, work);
        if let Some(budget) = budget.filter(|_| too_much.load(Relaxed)) {
            let made = shares.iter().map(Share::bytes).sum::<u64>();
            return Err(LayersError::memory(taken + 2 * made, budget));
        }
        if stopped.load(Relaxed) {
            return Err(Exhausted.into());
        }
        open.clear();
        let mut missing = vec![];
        for share in &mut shares {
            open.append(&mut share.postponed);
            missing.append(&mut share.missing);
        }
        missing.sort_unstable();
        missing.dedup();
        steps.spend(missing.len() as u64 * STEPS_TO_PROVIDE)?;
        let known = expand.bytes();
        for piece in missing.chunks(PROVIDED) {
            expand.provide(piece)?;
            let made = shares.iter().map(Share::bytes).sum::<u64>();
            let found = expand.bytes().saturating_sub(known);
            LayersError::check_memory(taken + made + found, budget)?;
        }
        taken += expand.bytes().saturating_sub(known);
    }
    let tables = shares.iter_mut().map(|share| std::mem::take(&mut share.below)).collect();
    let mut below = Strings::new(tables);
    below.seal();
    let handled = shares.into_iter().zip(below.firsts()).map(|(share, &first)| {
        let Share { handled: mut requests, mut start, mut digits, mut numbers, .. } = share;
        requests.shrink_to_fit();
        start.shrink_to_fit();
        digits.shrink_to_fit();
        numbers.shrink_to_fit();
        Handled { requests, start, digits, numbers, first: first as u32 }
    });
    Ok((handled.collect(), below))
}

impl Share {
    /// Names everything that is missing only once.
    fn name_once(&mut self) {
        self.missing.sort_unstable();
        self.missing.dedup();
        self.named = self.missing.len();
    }

    fn bytes(&self) -> u64 {
        let words = self.handled.capacity() + self.start.capacity() + self.postponed.capacity();
        let missing = self.missing.capacity() * size_of::<Missing>();
        let edges = self.digits.capacity() * 2 + self.numbers.capacity() * 4;
        (words * 4 + edges + missing) as u64 + self.below.bytes()
    }

    fn handle(&mut self, expand: &impl Expand, level: usize, request: u32, items: &[u64]) {
        let (edges, missing) = (self.digits.len(), self.missing.len());
        self.edges_of(expand, level, items);
        if self.missing.len() == missing {
            self.handled.push(request);
            self.start.push(edges as u32);
        } else {
            self.postponed.push(request);
        }
    }

    /// Finds what a request leads to, unless something is missing.
    fn edges_of(&mut self, expand: &impl Expand, level: usize, items: &[u64]) {
        let scratch = &mut self.scratch;
        scratch.found.clear();
        scratch.bitmaps.clear();
        let missing = self.missing.len();
        for &item in items {
            expand.expand(level, item, &mut scratch.found, &mut self.missing);
        }
        if self.missing.len() > missing {
            return;
        }
        let last = level + 2 == expand.digits().len();
        let words = if last { expand.digits()[level + 1].div_ceil(64) } else { 0 };
        self.work += scratch.found.len() as u64 * (1 + words as u64);
        let edges = self.digits.len();
        if scratch.found.is_sorted_by(|a, b| a.0 < b.0) {
            for i in 0..scratch.found.len() {
                let (digit, item) = scratch.found[i];
                if last {
                    scratch.last_node(expand, &[item], &mut self.missing);
                } else {
                    self.numbers.push(self.below.add(&[item]));
                }
                self.digits.push(digit);
            }
        } else {
            scratch.sort(expand.digits()[level]);
            self.work += expand.digits()[level] as u64 / 4;
            let mut begin = 0;
            for digit in 0..expand.digits()[level] {
                let end = scratch.counts[digit] as usize;
                if begin == end {
                    continue;
                }
                let len = sort_and_dedup(&mut scratch.sorted[begin..end]);
                if last {
                    let items = std::mem::take(&mut scratch.sorted);
                    scratch.last_node(expand, &items[begin..begin + len], &mut self.missing);
                    scratch.sorted = items;
                } else {
                    self.numbers.push(self.below.add(&scratch.sorted[begin..begin + len]));
                }
                self.digits.push(digit as Digit);
                begin = end;
            }
        }
        if self.missing.len() > missing {
            return self.digits.truncate(edges);
        }
        if last {
            let nodes = scratch.bitmaps.chunks_exact(words).map(|bitmap| self.below.add(bitmap));
            self.numbers.extend(nodes);
        }
    }
}

/// Sorts and returns how many different items there are, which come first.
fn sort_and_dedup(items: &mut [u64]) -> usize {
    if items.len() < 2 {
        return items.len();
    }
    items.sort_unstable();
    let mut len = 1;
    for i in 1..items.len() {
        if items[i] != items[len - 1] {
            items[len] = items[i];
            len += 1;
        }
    }
    len
}

impl Scratch {
    /// Sorts what was found by digit: afterwards `counts[d]` is where the items of digit d end.
    fn sort(&mut self, digits: usize) {
        self.counts.clear();
        self.counts.resize(digits + 1, 0);
        for &(digit, _) in &self.found {
            self.counts[digit as usize + 1] += 1;
        }
        for i in 1..=digits {
            self.counts[i] += self.counts[i - 1];
        }
        self.sorted.resize(self.found.len(), 0);
        for &(digit, item) in &self.found {
            let at = &mut self.counts[digit as usize];
            self.sorted[*at as usize] = item;
            *at += 1;
        }
    }

    /// The node of the last level that the items ask for, as one more bitmap of its digits.
    fn last_node(&mut self, expand: &impl Expand, items: &[u64], missing: &mut Vec<Missing>) {
        let digits = expand.digits()[expand.digits().len() - 1];
        let begin = self.bitmaps.len();
        self.bitmaps.resize(begin + digits.div_ceil(64), 0);
        for &item in items {
            expand.last(item, &mut self.bitmaps[begin..], missing);
        }
    }
}
