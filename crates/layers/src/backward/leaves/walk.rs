//! The walk over a layer: every leaf is visited with a cursor for each way in which a move can lead to something
//! other than the best for who moves next.

use crate::backward::leaves::asked::Asked;
use crate::backward::leaves::diagram::{ABSENT, Builder, Part, step, words};
use crate::backward::leaves::held::{Drawer, Held};
use crate::backward::leaves::places::{LeafSets, Places};
use crate::backward::leaves::shift::{AllShifts, WORDS};
#[cfg(target_arch = "x86_64")]
use crate::backward::stream::bits::Bmi2;
use crate::backward::stream::bits::{Bits, Portable};
use crate::crew::Crew;
use crate::rules::condition::Cond;
use crate::rules::conjunction::{ALWAYS, Conj, NEVER};
use crate::rules::relation::{IDENTITY, Rel, Relations};
use crate::rules::rules_of_game::Rules;
use crate::sets::set::{EMPTY, Level, Node};
use crate::shares::Shares;
use rustc_hash::FxHashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use winset_index::Digit;

/// A way in which a move can still go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// What is left of the move.
    pub rel: Rel,
    /// The part of a later layer that it leads to; above the parts, the layer.
    pub part: u32,
    /// The node there.
    pub node: u32,
}

/// The states with some first digits.
pub struct Task {
    /// Those digits.
    pub prefix: Vec<Digit>,
    /// The states that are not terminal.
    pub open: Node,
    /// Terminal states whose outcome is not the best, by the plane of their outcome.
    pub ended: Vec<(u32, Node)>,
    /// Where the moves lead.
    pub cursors: Vec<Cursor>,
}

/// Everything that a walk over a layer reads.
pub struct Walk<'a> {
    /// The leaf's states.
    pub places: &'a Places,
    /// The moves.
    pub relations: &'a Relations,
    /// The number of digits of each block.
    pub digits: &'a [usize],
    /// The number of first digits by which the states are cut into parts.
    pub top: usize,
    /// The layer's diagram.
    pub levels: &'a [Level],
    /// The leaves of it.
    pub leaves: &'a LeafSets,
    /// The rules.
    pub rules: &'a Rules,
    /// All hold in the states to solve; where not, a move ends the game in the best way.
    pub asked: &'a [Cond],
    /// The parts of all later layers that moves lead to, and where each is.
    pub sources: Vec<(&'a Drawer, &'a Held)>,
    /// The number of outcomes.
    pub outcomes: usize,
    /// Use the processor's bit instructions if it has them.
    pub fast: bool,
    /// Where the new values go.
    pub drawer: &'a Drawer,
    /// What a thread may take for a part and for those that it reads.
    pub room: u64,
    /// What each thread may remember about conditions.
    pub remember: u64,
}

impl Walk<'_> {
    /// Solves the tasks. Returns their parts, none where every state has the best value, and how many states have each
    /// outcome, the best first, which is not counted; nothing if there is no room.
    pub fn run(&self, tasks: &[Task], tools: &mut Vec<Tools>, crew: &Crew) -> io::Result<Option<Found>> {
        let threads = crew.threads();
        tools.resize_with(threads, Tools::default);
        let stop = AtomicBool::new(false);
        let shares = Shares::new(tasks.len(), threads);
        let found = crew.map(std::mem::take(tools), |thread, tools| {
            let mut worker = Worker::new(self, tools);
            let mut parts = vec![];
            while !stop.load(Relaxed)
                && let Some(taken) = shares.take(thread, 1)
            {
                for number in taken {
                    match worker.task(&tasks[number]) {
                        Ok(None) => {}
                        Ok(Some(part)) => parts.push((number, part)),
                        Err(error) => worker.failed = Some(error),
                    }
                }
                if worker.full || worker.failed.is_some() {
                    stop.store(true, Relaxed);
                }
            }
            (parts, worker.tally, worker.tools, worker.failed)
        });
        let mut parts: Vec<Option<Held>> = tasks.iter().map(|_| None).collect();
        let mut tally = vec![0; self.outcomes];
        let mut failed = None;
        for (made, counted, used, error) in found {
            tools.push(used);
            made.into_iter().for_each(|(number, part)| parts[number] = Some(part));
            tally.iter_mut().zip(counted).for_each(|(sum, n)| *sum += n);
            failed = failed.or(error);
        }
        match failed {
            Some(error) => Err(error),
            None => Ok((!stop.load(Relaxed)).then_some((parts, tally))),
        }
    }

    /// Where a relation leads from a digit.
    #[inline]
    pub fn steps(&self, level: usize, rel: Rel, digit: Digit) -> &[(Digit, Rel)] {
        let (known, leads) = self.relations.known(level, rel)[digit as usize / 64];
        if (known & !leads) >> (digit % 64) & 1 == 1 {
            return &[];
        }
        self.relations.known_steps(level, rel, digit).expect("the forward pass has made this step")
    }
}

/// Parts in the order of their tasks, and how many states have each outcome.
pub type Found = (Vec<Option<Held>>, Vec<u64>);

/// What a thread finds out for itself and uses again in every layer.
#[derive(Default)]
pub struct Tools {
    /// Moves inside the leaf.
    pub shifts: AllShifts,
    /// Conditions on states.
    pub asked: Asked,
}

impl Tools {
    /// About what else a thread needs: tables of what was made lately, and moves inside the leaf.
    pub const BYTES: u64 = 4 << 20;
}

struct Worker<'a> {
    walk: &'a Walk<'a>,
    builder: Builder,
    tools: Tools,
    /// The parts that the task reads.
    sources: Vec<Arc<Part>>,
    #[cfg(target_arch = "x86_64")]
    by: Option<Bmi2>,
    /// Cursors of all levels above each other, in use as a stack; the same for terminal states and for edges.
    cursors: Vec<Cursor>,
    ended: Vec<(u32, Node)>,
    edges: Vec<(Digit, u32)>,
    /// Nodes, with what is asked, below which every state gets the worst, and how many those are.
    lost: Vec<FxHashMap<(Node, Conj), (u32, u64)>>,
    /// The states of a leaf that can reach each outcome but the worst, best first; then the planes.
    reach: Vec<u64>,
    planes: Vec<u64>,
    tally: Vec<u64>,
    full: bool,
    failed: Option<io::Error>,
}

impl<'a> Worker<'a> {
    fn new(walk: &'a Walk<'a>, tools: Tools) -> Self {
        let levels = walk.places.level - walk.top;
        Worker {
            walk,
            builder: Builder::new(levels),
            tools,
            sources: vec![],
            #[cfg(target_arch = "x86_64")]
            by: walk.fast.then(Bmi2::detect).flatten(),
            cursors: vec![],
            ended: vec![],
            edges: vec![],
            lost: vec![FxHashMap::default(); levels],
            reach: vec![0; (walk.outcomes - 1) * WORDS],
            planes: vec![0; (walk.outcomes - 1) * WORDS],
            tally: vec![0; walk.outcomes],
            full: false,
            failed: None,
        }
    }

    fn task(&mut self, task: &Task) -> io::Result<Option<Held>> {
        let walk = self.walk;
        self.lost.iter_mut().for_each(FxHashMap::clear);
        self.ended.clone_from(&task.ended);
        self.tools.asked.begin(walk.remember);
        let mut asked = self.tools.asked.list(walk.asked);
        for (level, &digit) in task.prefix.iter().enumerate() {
            asked = self.tools.asked.step(walk.rules, level, asked, digit);
        }
        let open = if asked == NEVER { EMPTY } else { task.open };
        if open == EMPTY && task.ended.is_empty() {
            return Ok(None);
        }
        if !self.load(task)? {
            self.full = true;
            return Ok(None);
        }
        let (cursors, ended) = (0..self.cursors.len(), 0..self.ended.len());
        let root = self.below(walk.top, (open, asked), ended, cursors);
        let part = self.builder.finish(root);
        if self.full || root == ABSENT {
            return Ok(None);
        }
        let held = walk.drawer.put(part)?;
        self.full |= held.is_none();
        Ok(held)
    }

    /// Fetches the parts that a task reads, and numbers them anew; says whether there is room for them.
    fn load(&mut self, task: &Task) -> io::Result<bool> {
        self.sources.clear();
        self.cursors.clear();
        let mut numbers: Vec<u32> = vec![];
        let mut bytes = 0;
        for &Cursor { rel, part, node } in &task.cursors {
            let number = match numbers.iter().position(|&number| number == part) {
                Some(number) => number,
                None => {
                    let (drawer, held) = self.walk.sources[part as usize];
                    bytes += held.bytes() - held.bytes_here();
                    // While a part is read it is there as bytes too.
                    if 4 * bytes > self.walk.room {
                        return Ok(false);
                    }
                    numbers.push(part);
                    self.sources.push(drawer.get(held)?);
                    numbers.len() - 1
                }
            };
            self.cursors.push(Cursor { rel, part: number as u32, node });
        }
        sort_and_dedup(&mut self.cursors, 0);
        Ok(true)
    }

    /// The values of all states below.
    fn below(
        &mut self,
        level: usize,
        (open, asked): (Node, Conj),
        ended: Range<usize>,
        cursors: Range<usize>,
    ) -> u32 {
        let walk = self.walk;
        if level == walk.places.level {
            return self.leaf((open, asked), ended, cursors);
        }
        let here = level - walk.top;
        let all_lost = ended.is_empty() && cursors.is_empty();
        let before = self.tally[walk.outcomes - 1];
        if all_lost && let Some(&(known, states)) = self.lost[here].get(&(open, asked)) {
            self.tally[walk.outcomes - 1] += states;
            return known;
        }
        // While a part is written it is there as bytes too.
        if 4 * self.builder.bytes() > walk.room || self.builder.overflows() {
            self.full = true;
        }
        if self.full {
            return ABSENT;
        }
        let base = self.edges.len();
        if ended.is_empty() {
            let nodes = &walk.levels[level];
            for at in nodes.edges(open) {
                let (digit, child) = (nodes.digit[at], nodes.child[at]);
                let asked = self.tools.asked.step(walk.rules, level, asked, digit);
                if asked == NEVER {
                    continue;
                }
                let top = self.cursors.len();
                self.step(level, digit, cursors.clone());
                let made = self.below(level + 1, (child, asked), 0..0, top..self.cursors.len());
                self.cursors.truncate(top);
                if made != ABSENT {
                    self.edges.push((digit, made));
                }
            }
        } else {
            for digit in self.digits(level, open, ended.clone()) {
                let (top, end) = (self.cursors.len(), self.ended.len());
                let asked = self.tools.asked.step(walk.rules, level, asked, digit);
                let child = if asked == NEVER { EMPTY } else { child(&walk.levels[level], open, digit) };
                if child != EMPTY {
                    self.step(level, digit, cursors.clone());
                }
                for i in ended.clone() {
                    let (plane, node) = self.ended[i];
                    let child = self::child(&walk.levels[level], node, digit);
                    if child != EMPTY {
                        self.ended.push((plane, child));
                    }
                }
                let ended = end..self.ended.len();
                let made = match (child, ended.is_empty()) {
                    (EMPTY, true) => ABSENT,
                    _ => self.below(level + 1, (child, asked), ended, top..self.cursors.len()),
                };
                self.cursors.truncate(top);
                self.ended.truncate(end);
                if made != ABSENT {
                    self.edges.push((digit, made));
                }
            }
        }
        let made = self.builder.node(here, walk.digits[level], &self.edges[base..]);
        self.edges.truncate(base);
        if all_lost {
            self.lost[here].insert((open, asked), (made, self.tally[walk.outcomes - 1] - before));
        }
        made
    }

    /// The digits of some nodes, each once.
    fn digits(&self, level: usize, open: Node, ended: Range<usize>) -> Vec<Digit> {
        let mut digits: Vec<Digit> = vec![];
        let nodes = &self.walk.levels[level];
        if open != EMPTY {
            digits.extend_from_slice(&nodes.digit[nodes.edges(open)]);
        }
        self.ended[ended]
            .iter()
            .for_each(|&(_, node)| digits.extend_from_slice(&nodes.digit[nodes.edges(node)]));
        digits.sort_unstable();
        digits.dedup();
        digits
    }

    /// Pushes the cursors below a digit, each once.
    #[inline]
    fn step(&mut self, level: usize, digit: Digit, cursors: Range<usize>) {
        let walk = self.walk;
        let (here, words) = (level - walk.top, words(walk.digits[level]));
        let top = self.cursors.len();
        for i in cursors {
            let Cursor { rel, part, node } = self.cursors[i];
            let nodes = self.sources[part as usize].nodes(here);
            if rel == IDENTITY {
                let node = step(nodes, words, node, digit);
                if node != ABSENT {
                    self.cursors.push(Cursor { rel, part, node });
                }
            } else {
                for &(next, rel) in walk.steps(level, rel, digit) {
                    let node = step(nodes, words, node, next);
                    if node != ABSENT {
                        self.cursors.push(Cursor { rel, part, node });
                    }
                }
            }
        }
        sort_and_dedup(&mut self.cursors, top);
    }

    fn leaf(&mut self, open: (Node, Conj), ended: Range<usize>, cursors: Range<usize>) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if let Some(by) = self.by {
            #[allow(
                unsafe_code,
                reason = "a kernel compiled for instructions that not every processor has"
            )]
            // SAFETY: `by` says that the processor has them.
            return unsafe { self.leaf_bmi2(by, open, ended, cursors) };
        }
        self.solve_leaf(Portable, open, ended, cursors)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi2,popcnt")]
    fn leaf_bmi2(&mut self, by: Bmi2, open: (Node, Conj), ended: Range<usize>, cursors: Range<usize>) -> u32 {
        self.solve_leaf(by, open, ended, cursors)
    }

    /// Solves the states of a leaf.
    #[inline(always)]
    fn solve_leaf<B: Bits>(
        &mut self,
        by: B,
        (open, asked): (Node, Conj),
        ended: Range<usize>,
        cursors: Range<usize>,
    ) -> u32 {
        let walk = self.walk;
        let (class, states) = match open {
            EMPTY => (walk.leaves.get(self.ended[ended.start].1).0, &[][..]),
            _ => walk.leaves.get(open),
        };
        let mask = match asked {
            ALWAYS => &[!0; WORDS][..],
            _ => self.tools.asked.mask(walk.rules, walk.places, asked, class),
        };
        let words = walk.places.words(class);
        let worst = walk.outcomes - 1;
        let reach = &mut self.reach[..worst * words];
        reach.fill(0);
        for &Cursor { rel, part, node } in &self.cursors[cursors] {
            let leaf = self.sources[part as usize].leaf(walk.places, node);
            let wide = walk.places.words(leaf.class);
            let bits = |kept: usize| &leaf.bits[kept * wide..(kept + 1) * wide];
            if rel == IDENTITY {
                // Of another class: all these moves end the game, and not in the worst way.
                if leaf.class != class {
                    continue;
                }
                for (kept, plane) in ones(leaf.planes).enumerate() {
                    // The players are opposed: what is the n-th best for one is the n-th worst for the other.
                    let reach = &mut reach[(worst - 1 - plane) * words..][..words];
                    reach.iter_mut().zip(bits(kept)).for_each(|(reach, bits)| *reach |= bits);
                }
            } else {
                let number = self.tools.shifts.find(walk.relations, walk.places, rel, class);
                let Some(shift) = self.tools.shifts.get(number, leaf.class) else { continue };
                for (kept, plane) in ones(leaf.planes).enumerate() {
                    let reach = &mut reach[(worst - 1 - plane) * words..][..words];
                    shift.apply(by, bits(kept), reach);
                }
            }
        }
        let planes = &mut self.planes[..worst * words];
        planes.fill(0);
        for (word, (&states, &mask)) in states.iter().zip(mask).enumerate() {
            let mut open = states & mask & !reach[word];
            for plane in 0..worst - 1 {
                let chosen = reach[(plane + 1) * words + word] & open;
                open &= !chosen;
                planes[plane * words + word] = chosen;
            }
            planes[(worst - 1) * words + word] = open;
        }
        for plane in 0..worst {
            let states: u32 = planes[plane * words..][..words].iter().map(|bits| bits.count_ones()).sum();
            self.tally[plane + 1] += u64::from(states);
        }
        for &(plane, node) in &self.ended[ended] {
            let (_, bits) = walk.leaves.get(node);
            let plane = &mut planes[plane as usize * words..][..words];
            plane.iter_mut().zip(bits).for_each(|(plane, bits)| *plane |= bits);
        }
        // Only planes that are not zero are kept.
        let (mut mask, mut kept) = (0, 0);
        for plane in 0..worst {
            let from = plane * words..(plane + 1) * words;
            if planes[from.clone()].iter().any(|&bits| bits != 0) {
                planes.copy_within(from, kept * words);
                mask |= 1 << plane;
                kept += 1;
            }
        }
        if mask == 0 {
            return ABSENT;
        }
        self.builder.leaf(walk.places, class, mask, &planes[..kept * words])
    }
}

/// The places of the ones, from the lowest.
fn ones(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lowest
    })
}

/// The node below a digit.
pub fn child(level: &Level, node: Node, digit: Digit) -> Node {
    if node == EMPTY {
        return EMPTY;
    }
    let edges = level.edges(node);
    match level.digit[edges.clone()].binary_search(&digit) {
        Ok(at) => level.child[edges.start + at],
        Err(_) => EMPTY,
    }
}

/// Sorts the end of a stack and leaves equal ones out.
pub fn sort_and_dedup(stack: &mut Vec<Cursor>, from: usize) {
    if stack.len() - from > 24 {
        stack[from..].sort_unstable();
    }
    // Otherwise a handful, mostly in order already.
    for i in from + 1..stack.len() {
        let mut at = i;
        while at > from && stack[at - 1] > stack[at] {
            stack.swap(at - 1, at);
            at -= 1;
        }
    }
    let mut len = from;
    for i in from..stack.len() {
        if len == from || stack[len - 1] != stack[i] {
            stack[len] = stack[i];
            len += 1;
        }
    }
    stack.truncate(len);
}
