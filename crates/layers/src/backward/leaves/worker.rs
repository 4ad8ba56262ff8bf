//! What one thread does of the walk over a layer.

use crate::backward::leaves::diagram::{ABSENT, Builder, Part, step, words};
use crate::backward::leaves::mirror::Way;
use crate::backward::leaves::shift::WORDS;
use crate::backward::leaves::walk::{Cursor, Made, Task, Tools, Walk, child, sort_and_dedup};
#[cfg(target_arch = "x86_64")]
use crate::backward::stream::bits::Bmi2;
use crate::backward::stream::bits::{Bits, Portable};
use crate::rules::conjunction::{ALWAYS, Conj, NEVER};
use crate::rules::relation::IDENTITY;
use crate::sets::set::{EMPTY, Node};
use rustc_hash::FxHashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use winset_index::Digit;

/// A node, what is asked below it and which states are left out; found with it are the values and how many states
/// there are.
type Lost = (Node, Conj, Way);

/// A thread's walk.
pub struct Worker<'a> {
    walk: &'a Walk<'a>,
    builder: Builder,
    pub tools: Tools,
    /// The parts that were read for a bundle, those first that the task reads, and the number of each.
    sources: Vec<Arc<Part>>,
    numbers: Vec<u32>,
    /// The memory that they take, and what they and the part that is being made may take.
    fetched: u64,
    room: u64,
    #[cfg(target_arch = "x86_64")]
    by: Option<Bmi2>,
    /// Cursors of all levels above each other, in use as a stack; the same for terminal states and for edges.
    cursors: Vec<Cursor>,
    ended: Vec<(u32, Node)>,
    edges: Vec<(Digit, u32)>,
    /// Nodes below which every state gets the worst, by level.
    lost: Vec<FxHashMap<Lost, (u32, u64)>>,
    /// The states of a leaf that can reach each outcome but the worst, best first; then the planes.
    reach: Vec<u64>,
    planes: Vec<u64>,
    /// How many states have each outcome, the best first, which is not counted.
    pub tally: Vec<u64>,
    /// There was no room.
    pub full: bool,
    /// A file could not be read or written.
    pub failed: Option<io::Error>,
}

impl<'a> Worker<'a> {
    /// Nothing done yet.
    pub fn new(walk: &'a Walk<'a>, tools: Tools, room: u64) -> Self {
        let levels = walk.places.level - walk.top;
        Worker {
            walk,
            builder: Builder::new(levels),
            tools,
            sources: vec![],
            numbers: vec![],
            fetched: 0,
            room,
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

    /// Solves the states of some tasks; no part if every one has the best value.
    pub fn bundle(&mut self, tasks: &[Task]) -> io::Result<Option<Made>> {
        self.lost.iter_mut().for_each(FxHashMap::clear);
        self.tools.asked.begin(self.walk.remember);
        self.sources.clear();
        self.numbers.clear();
        let nodes = tasks.iter().map(|task| self.task(task)).collect::<io::Result<Vec<u32>>>()?;
        let part = self.builder.finish();
        if self.full || nodes.iter().all(|&node| node == ABSENT) {
            return Ok(None);
        }
        let held = self.walk.drawer.put(part)?;
        self.full |= held.is_none();
        Ok(held.map(|held| (held, nodes)))
    }

    /// Solves the states of a task; absent if every one has the best value.
    fn task(&mut self, task: &Task) -> io::Result<u32> {
        let walk = self.walk;
        self.ended.clone_from(&task.ended);
        let mut asked = self.tools.asked.list(walk.asked);
        for (level, &digit) in task.prefix.iter().enumerate() {
            asked = self.tools.asked.step(walk.rules, level, asked, digit);
        }
        let open = if asked == NEVER { EMPTY } else { task.open };
        if self.full || open == EMPTY && task.ended.is_empty() {
            return Ok(ABSENT);
        }
        if !self.load(task)? {
            self.full = true;
            return Ok(ABSENT);
        }
        let (cursors, ended) = (0..self.cursors.len(), 0..self.ended.len());
        Ok(self.below(walk.top, task.way, (open, asked), ended, cursors))
    }

    /// Fetches the parts that a task reads, and numbers them anew; says whether there is room for them.
    fn load(&mut self, task: &Task) -> io::Result<bool> {
        self.cursors.clear();
        // What tasks before have read and this one does not need stays only while there is room for everything.
        let mut used = 0;
        for &Cursor { rel, part, node, way } in &task.cursors {
            let number = match self.numbers.iter().position(|&number| number == part) {
                Some(number) => number,
                None => {
                    let (drawer, held) = self.walk.sources[part as usize];
                    let fits = |parts: &[u32]| {
                        let all = parts.iter().chain([&part]).map(|&part| self.fetched_for(part));
                        let (sum, most) =
                            all.fold((0, 0), |(sum, most): (u64, u64), n| (sum + n, most.max(n)));
                        // While a part is read it is there as bytes too, packed and unpacked.
                        sum + 2 * most + self.making() <= self.room
                    };
                    if !fits(&self.numbers) {
                        if !fits(&self.numbers[..used]) {
                            return Ok(false);
                        }
                        self.numbers.truncate(used);
                        self.sources.truncate(used);
                    }
                    self.numbers.push(part);
                    self.sources.push(drawer.get(held)?);
                    self.numbers.len() - 1
                }
            };
            // Those that are used come first, so that the others can go.
            let number = if number < used {
                number
            } else {
                self.numbers.swap(number, used);
                self.sources.swap(number, used);
                used += 1;
                used - 1
            };
            self.cursors.push(Cursor { rel, part: number as u32, node, way });
        }
        sort_and_dedup(&mut self.cursors, 0);
        self.fetched = self.numbers.iter().map(|&part| self.fetched_for(part)).sum();
        Ok(true)
    }

    /// The memory that a part takes which was fetched from a file.
    fn fetched_for(&self, part: u32) -> u64 {
        let (drawer, held) = self.walk.sources[part as usize];
        drawer.fetched(held)
    }

    /// What the part that is being made takes: while it is written it is there as bytes too, unpacked and packed.
    fn making(&self) -> u64 {
        3 * self.builder.bytes()
    }

    /// The values of all states below.
    fn below(
        &mut self,
        level: usize,
        way: Way,
        (open, asked): (Node, Conj),
        ended: Range<usize>,
        cursors: Range<usize>,
    ) -> u32 {
        let walk = self.walk;
        if level == walk.places.level {
            return self.leaf(way, (open, asked), ended, cursors);
        }
        self.tools.steps += 1 + cursors.len() as u64;
        let here = level - walk.top;
        let all_lost = ended.is_empty() && cursors.is_empty();
        let before = self.tally[walk.outcomes - 1];
        if all_lost && let Some(&(known, states)) = self.lost[here].get(&(open, asked, way)) {
            self.tally[walk.outcomes - 1] += states;
            return known;
        }
        if self.fetched + self.making() > self.room || self.builder.overflows() {
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
                let Some(way) = walk.way(level, way, digit) else { continue };
                let asked = self.tools.asked.step(walk.rules, level, asked, digit);
                if asked == NEVER {
                    continue;
                }
                let top = self.cursors.len();
                self.step(level, digit, cursors.clone());
                let made = self.below(level + 1, way, (child, asked), 0..0, top..self.cursors.len());
                self.cursors.truncate(top);
                if made != ABSENT {
                    self.edges.push((digit, made));
                }
            }
        } else {
            for digit in self.digits(level, open, ended.clone()) {
                let Some(way) = walk.way(level, way, digit) else { continue };
                let (top, end) = (self.cursors.len(), self.ended.len());
                let asked = self.tools.asked.step(walk.rules, level, asked, digit);
                let next = if asked == NEVER { EMPTY } else { child(&walk.levels[level], open, digit) };
                if next != EMPTY {
                    self.step(level, digit, cursors.clone());
                }
                for i in ended.clone() {
                    let (plane, node) = self.ended[i];
                    let child = child(&walk.levels[level], node, digit);
                    if child != EMPTY {
                        self.ended.push((plane, child));
                    }
                }
                let ended = end..self.ended.len();
                let made = match (next, ended.is_empty()) {
                    (EMPTY, true) => ABSENT,
                    _ => self.below(level + 1, way, (next, asked), ended, top..self.cursors.len()),
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
            self.lost[here].insert((open, asked, way), (made, self.tally[walk.outcomes - 1] - before));
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
            let cursor @ Cursor { rel, part, node, way } = self.cursors[i];
            if way != Way::NORMAL {
                self.step_aside(level, digit, cursor);
                continue;
            }
            let nodes = self.sources[part as usize].nodes(here);
            if rel == IDENTITY {
                let node = step(nodes, words, node, digit);
                if node != ABSENT {
                    self.cursors.push(Cursor { rel, part, node, way });
                }
            } else {
                for &(next, rel) in walk.relations.made_steps(level, rel, digit) {
                    let node = step(nodes, words, node, next);
                    if node != ABSENT {
                        self.cursors.push(Cursor { rel, part, node, way });
                    }
                }
            }
        }
        sort_and_dedup(&mut self.cursors, top);
    }

    /// Pushes what is below a digit of a cursor whose states are, or may be, kept as their images.
    #[inline(never)]
    fn step_aside(&mut self, level: usize, digit: Digit, cursor: Cursor) {
        let walk = self.walk;
        let Some(half) = walk.half else { return };
        let Cursor { rel, part, node, way } = cursor;
        let source = &self.sources[part as usize];
        let down = |level: usize, node, digit| {
            step(source.nodes(level - walk.top), words(walk.digits[level]), node, digit)
        };
        let one = [(digit, IDENTITY)];
        let steps = if rel == IDENTITY { &one[..] } else { walk.steps(level, cursor, digit) };
        for &(next, rel) in steps {
            let (node, way) = half.mirror.step(level, node, way, next, down);
            if node != ABSENT {
                self.cursors.push(Cursor { rel, part, node, way });
            }
        }
    }

    fn leaf(&mut self, way: Way, open: (Node, Conj), ended: Range<usize>, cursors: Range<usize>) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if let Some(by) = self.by {
            #[allow(
                unsafe_code,
                reason = "a kernel compiled for instructions that not every processor has"
            )]
            // SAFETY: `by` says that the processor has them.
            return unsafe { self.leaf_bmi2(by, way, open, ended, cursors) };
        }
        self.solve_leaf(Portable, way, open, ended, cursors)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi2,popcnt")]
    fn leaf_bmi2(
        &mut self,
        by: Bmi2,
        way: Way,
        open: (Node, Conj),
        ended: Range<usize>,
        cursors: Range<usize>,
    ) -> u32 {
        self.solve_leaf(by, way, open, ended, cursors)
    }

    /// Solves the states of a leaf.
    #[inline(always)]
    fn solve_leaf<B: Bits>(
        &mut self,
        by: B,
        way: Way,
        (open, asked): (Node, Conj),
        ended: Range<usize>,
        cursors: Range<usize>,
    ) -> u32 {
        let walk = self.walk;
        self.tools.steps += 1 + cursors.len() as u64;
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
        let mirror = walk.half.map(|half| &half.leaf);
        for &Cursor { rel, part, node, way } in &self.cursors[cursors] {
            let leaf = self.sources[part as usize].leaf(walk.places, node);
            let wide = walk.places.words(leaf.class);
            let bits = |kept: usize| &leaf.bits[kept * wide..(kept + 1) * wide];
            if rel == IDENTITY && way == Way::NORMAL {
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
                let number = self.tools.shifts.find(walk.relations, walk.places, mirror, (rel, class, way));
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
        // Where the images are left out they are counted too; where they are below the same prefix they are here.
        let twice = u32::from(walk.half.is_some() && way == Way::NORMAL);
        for plane in 0..worst {
            let states: u32 = planes[plane * words..][..words].iter().map(|bits| bits.count_ones()).sum();
            self.tally[plane + 1] += u64::from(states) << twice;
        }
        for &(plane, node) in &self.ended[ended] {
            let (_, bits) = walk.leaves.get(node);
            let plane = &mut planes[plane as usize * words..][..words];
            plane.iter_mut().zip(bits).for_each(|(plane, bits)| *plane |= bits);
        }
        if let Some(mirror) = mirror.filter(|_| way != Way::NORMAL) {
            let first = mirror.first(class);
            planes.chunks_exact_mut(words).for_each(|plane| {
                plane.iter_mut().zip(first).for_each(|(plane, first)| *plane &= first);
            });
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
