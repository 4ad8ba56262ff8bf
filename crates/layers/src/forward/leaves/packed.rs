//! Sets whose last blocks are leaves of bits, and the same sets as diagrams of all blocks.

use crate::crew::Crew;
use crate::error::LayersError;
use crate::forward::leaves::classes::{Classes, NONE};
use crate::forward::leaves::tails::{Run, Tails};
use crate::forward::successors::ones;
use crate::sets::make::{Made, make};
use crate::sets::set::{Level, Node};
use crate::sets::strings::Joined;
use crate::sets::up::{Handled, ascend, last_level, to_level};
use rustc_hash::FxHashMap;
use winset_work::Work;

/// Sets of leaf states by number: the class of each, then its bits.
#[derive(Default)]
pub struct LeafSets {
    start: Vec<u32>,
    words: Vec<u64>,
}

/// A set as a diagram of the blocks above the leaf. Edges of its last level lead to sets of leaf states.
pub struct Packed {
    /// The diagram.
    pub levels: Vec<Level>,
    /// The topmost node; none if the set is empty.
    pub root: Option<Node>,
    /// The sets of leaf states.
    pub leaves: LeafSets,
}

impl Packed {
    /// The memory that the set takes.
    pub fn bytes(&self) -> u64 {
        let level = |level: &Level| (level.start.len() * 4 + level.digit.len() * 6) as u64;
        self.levels.iter().map(level).sum::<u64>() + self.leaves.bytes()
    }
}

/// Puts all leaf states that stand below one node of a diagram into one class.
pub fn join_states(levels: &[Level], classes: &mut Classes) {
    let strides = classes.strides.clone();
    for node in 0..levels[classes.level].nodes() as Node {
        let mut class = NONE;
        let level = classes.level;
        each_state(levels, level, node, &strides, 0, &mut |state| class = classes.join(state, class));
    }
}

/// The leaf states below a node of a level, in order.
fn each_state(
    levels: &[Level],
    level: usize,
    node: Node,
    strides: &[u32],
    before: u32,
    visit: &mut impl FnMut(u32),
) {
    let here = &levels[level];
    for at in here.edges(node) {
        let state = before + u32::from(here.digit[at]) * strides[0];
        match &strides[1..] {
            [] => visit(state),
            rest => each_state(levels, level + 1, here.child[at], rest, state, visit),
        }
    }
}

impl LeafSets {
    /// Strings of which each is a class and its bits.
    pub fn new(strings: Joined, crew: &Crew) -> Self {
        let (start, words) = strings.into_parts(crew);
        LeafSets { start, words }
    }

    /// The leaf states below every node of a diagram, all of which are in settled classes.
    pub fn of(levels: &[Level], classes: &Classes) -> Self {
        let mut sets = LeafSets { start: vec![0], words: vec![] };
        for node in 0..levels[classes.level].nodes() as Node {
            let begin = sets.words.len();
            each_state(levels, classes.level, node, &classes.strides, 0, &mut |state| {
                if sets.words.len() == begin {
                    let class = classes.class(state);
                    sets.words.push(class.into());
                    sets.words.resize(begin + 1 + classes.words(class), 0);
                }
                let place = usize::from(classes.place(state));
                sets.words[begin + 1 + place / 64] |= 1 << (place % 64);
            });
            sets.start.push(sets.words.len() as u32);
        }
        sets
    }

    /// The number of sets.
    pub fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// The number of words of all of them.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// The memory that they take.
    pub fn bytes(&self) -> u64 {
        (self.start.capacity() * 4 + self.words.capacity() * 8) as u64
    }

    /// The class of a set and its bits.
    #[inline]
    pub fn get(&self, number: u32) -> (u32, &[u64]) {
        let number = number as usize;
        let string = &self.words[self.start[number] as usize..self.start[number + 1] as usize];
        (string[0] as u32, &string[1..])
    }

    /// The number of states of each set.
    pub fn counts(&self) -> Vec<u64> {
        let count = |set: u32| self.get(set).1.iter().map(|word| u64::from(word.count_ones())).sum();
        (0..self.len() as u32).map(count).collect()
    }

    /// Moves the bits of classes that have been replaced to where they are now; `old` has their states.
    pub fn settle(&mut self, classes: &Classes, old: &FxHashMap<u32, Vec<u32>>) {
        if !(0..self.len() as u32).any(|set| old.contains_key(&self.get(set).0)) {
            return;
        }
        let mut sets = LeafSets { start: vec![0], words: Vec::with_capacity(self.words.len()) };
        for set in 0..self.len() as u32 {
            let (class, bits) = self.get(set);
            let Some(states) = old.get(&class) else {
                sets.words.push(class.into());
                sets.words.extend_from_slice(bits);
                sets.start.push(sets.words.len() as u32);
                continue;
            };
            let class = classes.now(class);
            sets.words.push(class.into());
            let begin = sets.words.len();
            sets.words.resize(begin + classes.words(class), 0);
            for (word, &bits) in bits.iter().enumerate() {
                for bit in ones(bits) {
                    let place = usize::from(classes.place(states[word * 64 + bit as usize]));
                    sets.words[begin + place / 64] |= 1 << (place % 64);
                }
            }
            sets.start.push(sets.words.len() as u32);
        }
        *self = sets;
    }

    /// The same sets as nodes of the blocks of the leaf, with the same numbers.
    pub fn unfold(
        &self,
        classes: &Classes,
        tails: &mut Tails,
        crew: &Crew,
        (taken, budget): (u64, Option<u64>),
        work: &Work,
    ) -> Result<Vec<Level>, LayersError> {
        for set in 0..self.len() as u32 {
            tails.provide(classes, self.get(set).0);
        }
        let (tails, blocks) = (&*tails, classes.digits.len());
        let first = |set: usize, made: &mut Made| {
            let (class, bits) = self.get(set as u32);
            cut(tails.runs(class), bits, tails, blocks == 2, made)
        };
        let (handled, mut requests) = make(self.len(), crew, (taken, budget), work, first)?;
        requests.seal();
        let mut used = taken + bytes(&handled);
        let mut down = vec![];
        for block in 1..blocks - 1 {
            let next = |request: usize, made: &mut Made| {
                let string = requests.get(request);
                let runs = &tails.tail(string[0] as u32).runs;
                cut(runs, &string[1..], tails, block + 2 == blocks, made)
            };
            let all = (used + requests.bytes(), budget);
            let (handled, mut below) = make(requests.len(), crew, all, work, next)?;
            below.seal();
            used += bytes(&handled);
            down.push(handled);
            requests = below;
        }
        let (last, mut nodes) = last_level(requests, crew);
        let mut levels = vec![last];
        while let Some(handled) = down.pop() {
            let (table, numbers) = ascend(handled, &nodes, crew);
            if table.overflows() {
                return Err(LayersError::TooManyEdges);
            }
            levels.push(to_level(&table, crew));
            nodes = numbers;
        }
        // Different sets are different nodes.
        levels.push(in_order(&handled, &nodes, self.len()));
        levels.reverse();
        Ok(levels)
    }
}

fn bytes(handled: &[Handled]) -> u64 {
    handled.iter().map(Handled::bytes).sum()
}

/// Nodes of what pieces lead to, with the numbers of the pieces.
fn in_order(handled: &[Handled], nodes: &[Node], pieces: usize) -> Level {
    let edges = handled.iter().map(|handled| handled.digits.len()).sum();
    let mut level = Level { start: vec![0; pieces + 1], digit: vec![0; edges], child: vec![0; edges] };
    for handled in handled {
        for (at, &piece) in handled.requests.iter().enumerate() {
            level.start[piece as usize + 1] = handled.edges_of(at).len() as u32;
        }
    }
    for piece in 0..pieces {
        level.start[piece + 1] += level.start[piece];
    }
    for handled in handled {
        for (at, &piece) in handled.requests.iter().enumerate() {
            let begin = level.start[piece as usize] as usize;
            for (place, (digit, child)) in (begin..).zip(handled.edges_of(at)) {
                level.digit[place] = digit;
                level.child[place] = nodes[child as usize];
            }
        }
    }
    level
}

/// The states of a list by their first digits: what is left of them, or in the `last` but one block their digits as
/// bits.
fn cut(runs: &[Run], bits: &[u64], tails: &Tails, last: bool, made: &mut Made) -> u64 {
    for run in runs {
        let tail = tails.tail(run.tail);
        made.scratch.clear();
        match last {
            true => made.scratch.resize(tail.mask.len(), 0),
            false => made.scratch.push(run.tail.into()),
        }
        let (mut at, end, mut any) = (run.first, run.first + run.len, 0);
        while at < end {
            let (word, shift) = (at as usize / 64, at % 64);
            let mut found = bits[word] >> shift;
            if shift > 0 && word + 1 < bits.len() {
                found |= bits[word + 1] << (64 - shift);
            }
            let len = (end - at).min(64);
            found &= u64::MAX >> (64 - len);
            any |= found;
            if last {
                for bit in ones(found) {
                    let digit = tail.runs[(at - run.first + bit) as usize].digit;
                    made.scratch[usize::from(digit) / 64] |= 1 << (digit % 64);
                }
            } else {
                made.scratch.push(found);
            }
            at += len;
        }
        if any != 0 {
            made.push(run.digit);
        }
    }
    runs.len() as u64
}
