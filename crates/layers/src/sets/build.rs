//! Diagrams built level by level from requests, by any number of threads.
//!
//! A request asks for the set of all strings that one of its items leads to. Going down, every request
//! falls into requests for the next level, one for each digit; equal ones are one. Going up, every request
//! becomes a node. No intermediate sets are made, nothing is thrown away, and the work on each level
//! can be shared out among threads.

use crate::crew::Crew;
use crate::error::LayersError;
use crate::sets::set::{EMPTY, Level, Node};
use crate::sets::table::Table;
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

/// Requests of a level that one thread has handled.
pub struct Handled {
    /// Their numbers.
    pub requests: Vec<u32>,
    /// Where each one's edges begin.
    start: Vec<u32>,
    /// Digits with numbers of the next level.
    pub edges: Vec<(Digit, u32)>,
    /// Where the numbers are in the next level as all threads together have made it.
    pub numbers: Vec<u32>,
}

/// What one thread makes of its share of a level's requests.
#[derive(Default)]
struct Share {
    /// The requests it has handled, in order.
    handled: Vec<u32>,
    /// For each of them where its edges begin.
    start: Vec<u32>,
    /// Digits, with requests of the next level or nodes of the last, by their number in `below`.
    edges: Vec<(Digit, u32)>,
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
    bitmap: Vec<u64>,
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
    let mut requests = Table::default();
    let mut root = items.to_vec();
    root.sort_unstable();
    root.dedup();
    requests.add(&root);
    if levels == 1 {
        return single_level(expand, &root);
    }
    let mut down: Vec<Vec<Handled>> = vec![];
    let mut used = 0;
    let known = expand.bytes();
    for level in 0..levels - 1 {
        let taken = (used + requests.bytes() + expand.bytes()).saturating_sub(known);
        let (handled, below) =
            descend(expand, level, &requests, 0..requests.len() as u32, crew, (taken, budget), work)?;
        if below.overflows() || handled.iter().any(|h| h.edges.len() > u32::MAX as usize) {
            return Err(LayersError::TooManyEdges);
        }
        used += handled.iter().map(Handled::bytes).sum::<u64>();
        down.push(handled);
        requests = below;
    }
    // What is below the last but one level are nodes of the last already.
    let mut result = vec![last_level(&requests)];
    let mut nodes: Vec<Node> = (0..requests.len() as Node).collect();
    for node in &mut nodes {
        if requests.get(*node as usize).iter().all(|&word| word == 0) {
            *node = EMPTY;
        }
    }
    drop(requests);
    let mut made = result[0].bytes();
    while let Some(handled) = down.pop() {
        let known = expand.bytes().saturating_sub(known);
        LayersError::check_memory(known + used + made + Handled::bytes_to_ascend(&handled), budget)?;
        used -= handled.iter().map(Handled::bytes).sum::<u64>();
        let (table, numbers) = ascend(handled, &nodes, crew);
        if table.overflows() {
            return Err(LayersError::TooManyEdges);
        }
        let level = to_level(&table);
        made += level.bytes();
        result.push(level);
        nodes = numbers;
    }
    result.reverse();
    let root = nodes.first().copied().filter(|&node| node != EMPTY);
    Ok((result, root))
}

fn single_level(expand: &mut impl Expand, items: &[u64]) -> Result<(Vec<Level>, Option<Node>), LayersError> {
    let mut scratch = Scratch::default();
    let mut table = Table::default();
    let mut missing = vec![];
    loop {
        scratch.last_node(expand, items, &mut missing);
        if missing.is_empty() {
            break;
        }
        expand.provide(&missing)?;
        missing.clear();
    }
    table.add(&scratch.bitmap);
    let root = scratch.bitmap.iter().any(|&word| word != 0).then_some(0);
    Ok((vec![last_level(&table)], root))
}

/// The edges of some requests of a level, and what they lead to.
pub fn descend(
    expand: &mut impl Expand,
    level: usize,
    requests: &Table,
    range: Range<u32>,
    crew: &Crew,
    (mut taken, budget): (u64, Option<u64>),
    steps: &Work,
) -> Result<(Vec<Handled>, Table), LayersError> {
    let words: usize = range.clone().map(|request| requests.get(request as usize).len()).sum();
    let threads = crew.threads().min(range.len()).min(words / ITEMS).max(1);
    // High up there are few requests, each with much to do.
    let chunk = (range.len() / (32 * threads)).clamp(1, CHUNK) as u32;
    let mut shares: Vec<Share> = (0..threads).map(|_| Share::default()).collect();
    let mut open: Vec<u32> = range.collect();
    // What several threads have made is there twice while it is merged.
    let copies = if threads > 1 { 2 } else { 1 };
    let too_much = AtomicBool::new(false);
    let stopped = AtomicBool::new(false);
    while !open.is_empty() {
        let tasks = Shares::new(open.len(), threads);
        let share_of_budget = budget.map(|budget| budget.saturating_sub(taken) / threads as u64);
        let (shared, list) = (&*expand, &open);
        let work = |thread: usize, mut share: Share| {
            while let Some(taken) = tasks.take(thread, chunk) {
                if share_of_budget.is_some_and(|most| copies * share.bytes() > most) {
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
            let made: u64 = shares.iter().map(Share::bytes).sum();
            return Err(LayersError::memory(taken + 2 * copies * made, budget));
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
            let made: u64 = shares.iter().map(Share::bytes).sum();
            let found = expand.bytes().saturating_sub(known);
            LayersError::check_memory(taken + made + found, budget)?;
        }
        taken += expand.bytes().saturating_sub(known);
    }
    let tables = shares.iter_mut().map(|share| std::mem::take(&mut share.below)).collect();
    let (mut below, numbers) = Table::merge(tables, crew);
    below.seal();
    let handled = shares.into_iter().zip(numbers).map(|(share, numbers)| {
        let Share { handled: mut requests, mut start, mut edges, .. } = share;
        requests.shrink_to_fit();
        start.shrink_to_fit();
        edges.shrink_to_fit();
        Handled { requests, start, edges, numbers }
    });
    Ok((handled.collect(), below))
}

/// The nodes of a level's requests: all of them, and which is each request's.
fn ascend(handled: Vec<Handled>, below: &[Node], crew: &Crew) -> (Table, Vec<Node>) {
    struct Made {
        from: Handled,
        table: Table,
        nodes: Vec<Node>,
    }
    let merged = handled.len() > 1;
    let work = |_, from: Handled| {
        let (mut table, mut nodes) = (Table::default(), Vec::with_capacity(from.requests.len()));
        let mut node = vec![];
        for i in 0..from.requests.len() {
            node.clear();
            for &(digit, child) in from.edges_of(i) {
                let child = below[from.numbers[child as usize] as usize];
                if child != EMPTY {
                    node.push(u64::from(digit) << 32 | u64::from(child));
                }
            }
            nodes.push(match &node[..] {
                [] => EMPTY,
                // What is merged anyway is looked up only then.
                _ if merged => table.append(&node),
                _ => table.add(&node),
            });
        }
        Made { from, table, nodes }
    };
    let mut made = crew.map(handled, work);
    let tables = made.iter_mut().map(|made| std::mem::take(&mut made.table)).collect();
    let (table, numbers) = Table::merge(tables, crew);
    let mut nodes = vec![EMPTY; made.iter().map(|made| made.nodes.len()).sum()];
    for (made, numbers) in made.iter().zip(&numbers) {
        for (&request, &node) in made.from.requests.iter().zip(&made.nodes) {
            if node != EMPTY {
                nodes[request as usize] = numbers[node as usize];
            }
        }
    }
    (table, nodes)
}

impl Handled {
    /// The edges of a request, by its place among those handled.
    pub fn edges_of(&self, at: usize) -> &[(Digit, u32)] {
        let end = self.start.get(at + 1).map_or(self.edges.len(), |&end| end as usize);
        &self.edges[self.start[at] as usize..end]
    }

    /// The memory that this takes.
    pub fn bytes(&self) -> u64 {
        let words = self.requests.len() + self.start.len() + self.numbers.len();
        (words * 4 + self.edges.len() * size_of::<(Digit, u32)>()) as u64
    }

    /// The most memory that the nodes of a level take while they are made: a word an edge, and three numbers a request. What
    /// several threads have made is there twice while it is merged.
    fn bytes_to_ascend(level: &[Handled]) -> u64 {
        let copies = if level.len() > 1 { 2 } else { 1 };
        let made = |handled: &Handled| handled.edges.len() * 8 + handled.requests.len() * 12;
        copies * level.iter().map(made).sum::<usize>() as u64
    }
}

fn to_level(table: &Table) -> Level {
    Level {
        start: table.starts().to_vec(),
        digit: table.words().iter().map(|&word| (word >> 32) as Digit).collect(),
        child: table.words().iter().map(|&word| word as Node).collect(),
    }
}

/// The nodes of the last level, given as bitmaps of their digits.
fn last_level(table: &Table) -> Level {
    let mut level = Level::default();
    for node in 0..table.len() {
        for (i, &word) in table.get(node).iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                level.digit.push((i as u32 * 64 + rest.trailing_zeros()) as Digit);
                rest &= rest - 1;
            }
        }
        level.start.push(level.digit.len() as u32);
    }
    level.child = vec![0; level.digit.len()];
    level
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
        (words * 4 + self.edges.capacity() * size_of::<(Digit, u32)>() + missing) as u64 + self.below.bytes()
    }

    fn handle(&mut self, expand: &impl Expand, level: usize, request: u32, items: &[u64]) {
        let (edges, missing) = (self.edges.len(), self.missing.len());
        self.edges_of(expand, level, items);
        if self.missing.len() == missing {
            self.handled.push(request);
            self.start.push(edges as u32);
        } else {
            self.edges.truncate(edges);
            self.postponed.push(request);
        }
    }

    fn edges_of(&mut self, expand: &impl Expand, level: usize, items: &[u64]) {
        let scratch = &mut self.scratch;
        scratch.found.clear();
        let missing = self.missing.len();
        for &item in items {
            expand.expand(level, item, &mut scratch.found, &mut self.missing);
        }
        if self.missing.len() > missing {
            return;
        }
        let last = level + 2 == expand.digits().len();
        let words = if last { expand.digits()[level + 1].div_ceil(64) as u64 } else { 0 };
        self.work += scratch.found.len() as u64 * (1 + words);
        if scratch.found.is_sorted_by(|a, b| a.0 < b.0) {
            for i in 0..scratch.found.len() {
                let (digit, item) = scratch.found[i];
                let below = if last {
                    scratch.last_node(expand, &[item], &mut self.missing);
                    self.below.add(&scratch.bitmap)
                } else {
                    self.below.add(&[item])
                };
                self.edges.push((digit, below));
            }
            return;
        }
        scratch.sort(expand.digits()[level]);
        self.work += expand.digits()[level] as u64 / 4;
        let mut begin = 0;
        for digit in 0..expand.digits()[level] {
            let end = scratch.counts[digit] as usize;
            if begin == end {
                continue;
            }
            let len = sort_and_dedup(&mut scratch.sorted[begin..end]);
            let below = if last {
                let items = std::mem::take(&mut scratch.sorted);
                scratch.last_node(expand, &items[begin..begin + len], &mut self.missing);
                scratch.sorted = items;
                self.below.add(&scratch.bitmap)
            } else {
                self.below.add(&scratch.sorted[begin..begin + len])
            };
            self.edges.push((digit as Digit, below));
            begin = end;
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

    /// The node of the last level that the items ask for, as a bitmap of its digits.
    fn last_node(&mut self, expand: &impl Expand, items: &[u64], missing: &mut Vec<Missing>) {
        let digits = expand.digits()[expand.digits().len() - 1];
        self.bitmap.clear();
        self.bitmap.resize(digits.div_ceil(64), 0);
        for &item in items {
            expand.last(item, &mut self.bitmap, missing);
        }
    }
}
