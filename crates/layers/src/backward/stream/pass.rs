//! The values of a part of a layer from those of its successors' layers.
//!
//! The walk visits the part's states in rank order. It drags along, for every way a move can still go, a
//! cursor in the target's diagram. A few blocks above the end, all states below a node are handled
//! together, as bits.

#[cfg(target_arch = "x86_64")]
use crate::backward::stream::bits::Bmi2;
use crate::backward::stream::bits::{Bits, Portable};
use crate::backward::stream::join::Joins;
use crate::backward::stream::target::Target;
use crate::backward::stream::values::{Shared, Values, read};
use crate::crew::Crew;
use crate::forward::successors::ones;
use crate::rules::relation::{IDENTITY, Rel, Relations};
use crate::sets::layer::{Layer, Part};
use crate::sets::set::{EMPTY, Node};
use crate::shares::Shares;
use winset_index::Digit;
use winset_model::{Code, CodeTable};

/// A layer in which successors are looked up.
#[derive(Clone, Copy)]
pub struct Lookup<'a> {
    /// Its diagram.
    pub diagram: &'a Target,
    /// Its values.
    pub values: &'a Values,
    /// The outcome of reached states without a place.
    pub default: Option<Code>,
}

/// Everything that a walk over a part reads.
pub struct Pass<'a> {
    /// The layer being solved.
    pub source: &'a Layer,
    /// The number of states below each of its nodes.
    pub counts: &'a [Vec<u64>],
    /// The part of it being solved.
    pub part: &'a Part,
    /// The layer's own diagram: where results are written.
    pub own: &'a Target,
    /// The moves.
    pub relations: &'a Relations,
    /// The layers of successors; the last is the layer itself as `own`, for finding places.
    pub targets: Vec<Lookup<'a>>,
    /// Where cursors begin: a relation and its target.
    pub roots: Vec<(Rel, u32)>,
    /// The outcomes.
    pub outcomes: &'a CodeTable,
    /// The level from which on states are handled together.
    pub bottom: usize,
    /// An outcome that every state has anyway.
    pub always: Option<Code>,
    /// Use the processor's bit instructions if it has them.
    pub fast: bool,
    /// The memory that a worker may use for joins.
    pub join_bytes: usize,
    /// How joins take bits together.
    pub extract: fn(u64, u64) -> u64,
}

/// A way a move can still go; at the end of the walk, a successor.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    /// What is left of the move.
    pub rel: Rel,
    /// The number of the target among the pass's.
    pub target: u32,
    /// [`EMPTY`] if it has no place there.
    pub node: Node,
    /// The number of the target's states before it.
    pub rank: u64,
}

/// A place in the walk.
#[derive(Clone, Debug)]
pub struct Place {
    /// The level.
    pub level: usize,
    /// The part's node.
    pub node: Node,
    /// The layer's node, and the number of states before it.
    pub own: (Node, u64),
    /// Where the moves lead from here.
    pub cursors: Vec<Cursor>,
    /// Outcomes that every state below can reach, a bit for each of the first 64 codes.
    pub sure: u64,
}

impl Pass<'_> {
    /// Solves the part. Returns how many states have each outcome, and a state without moves if there is one.
    pub fn run(&self, out: &Values, crew: &Crew) -> (Vec<u64>, Option<Vec<Digit>>) {
        let threads = crew.threads();
        let mut places = vec![self.top()];
        if threads > 1 {
            let mut level = 0;
            while level < self.bottom && places.len() < 64 * threads {
                places = places.into_iter().flat_map(|place| self.children(place)).collect();
                level += 1;
            }
        }
        let shares = Shares::new(places.len(), threads);
        let found = crew.map(vec![(); threads], |thread, ()| {
            let mut worker = Worker::new(self, out);
            while let Some(taken) = shares.take(thread, 1) {
                places[taken].iter().for_each(|place| worker.run(place));
            }
            (worker.tally, worker.stuck)
        });
        let mut tally = vec![0; self.outcomes.len()];
        for (part, _) in &found {
            tally.iter_mut().zip(part).for_each(|(sum, n)| *sum += n);
        }
        let stuck = found.iter().filter_map(|(_, stuck)| *stuck).min();
        (tally, stuck.map(|rank| self.own.unrank(self.source, rank)))
    }

    /// Where the walk begins.
    pub fn top(&self) -> Place {
        let cursor = |&(rel, target): &(Rel, u32)| {
            let node = self.targets[target as usize].diagram.root;
            Cursor { rel, target, node, rank: 0 }
        };
        let cursors = self.roots.iter().map(cursor).collect();
        Place { level: 0, node: self.part.root, own: (self.own.root, 0), cursors, sure: 0 }
    }

    /// The places below, in order.
    pub fn children(&self, place: Place) -> Vec<Place> {
        let mut found = vec![];
        let nothing = Values::new(0, 0);
        let mut worker = Worker::new(self, &nothing);
        worker.cursors = place.cursors;
        let here = &self.source.levels[place.level];
        for edge in here.edges(place.node) {
            let top = worker.cursors.len();
            let (digit, node) = (here.digit[edge], here.child[edge]);
            let sure = worker.step(place.level, digit, 0..top, place.sure);
            let (own, before) = self.own.step(place.level, place.own.0, digit);
            let cursors = worker.cursors.split_off(top);
            let own = (own, place.own.1 + before);
            found.push(Place { level: place.level + 1, node, own, cursors, sure });
        }
        found
    }
}

/// What one thread works with.
pub struct Worker<'a> {
    pass: &'a Pass<'a>,
    out: &'a Values,
    shared: Shared,
    cursors: Vec<Cursor>,
    pub joins: Joins,
    /// Whether each state has an outcome within reach: for each code a run of words; then for any.
    reach: Vec<u64>,
    result: Vec<u64>,
    best_first: &'a [Code],
    /// The number of states with each outcome.
    pub tally: Vec<u64>,
    /// The least rank of a state without moves.
    pub stuck: Option<u64>,
}

impl<'a> Worker<'a> {
    /// Nothing done yet.
    pub fn new(pass: &'a Pass<'a>, out: &'a Values) -> Self {
        Worker {
            pass,
            out,
            shared: Shared::of(0..0),
            cursors: vec![],
            joins: Joins::new(pass.join_bytes),
            reach: vec![],
            result: vec![],
            best_first: pass.outcomes.best_first(pass.part.player),
            tally: vec![0; pass.outcomes.len()],
            stuck: None,
        }
    }

    /// Solves all states below a place.
    pub fn run(&mut self, place: &Place) {
        let len = self.pass.counts[place.level][place.own.0 as usize];
        self.shared = Shared::of(place.own.1..place.own.1 + len);
        self.cursors.clear();
        self.cursors.extend_from_slice(&place.cursors);
        let cursors = 0..self.cursors.len();
        #[cfg(target_arch = "x86_64")]
        if let Some(by) = self.pass.fast.then(Bmi2::detect).flatten() {
            #[allow(
                unsafe_code,
                reason = "a kernel compiled for instructions that not every processor has"
            )]
            // SAFETY: `by` says that the processor has them.
            return unsafe { self.walk_bmi2(by, place.level, place.node, place.own, cursors, place.sure) };
        }
        self.walk(Portable, place.level, place.node, place.own, cursors, place.sure);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi2,popcnt")]
    fn walk_bmi2(
        &mut self,
        by: Bmi2,
        level: usize,
        node: Node,
        own: (Node, u64),
        cursors: std::ops::Range<usize>,
        sure: u64,
    ) {
        if level == self.pass.bottom {
            return self.visit(by, node, own, cursors, sure);
        }
        let pass = self.pass;
        let here = &pass.source.levels[level];
        for edge in here.edges(node) {
            let (digit, child) = (here.digit[edge], here.child[edge]);
            let top = self.cursors.len();
            let sure = self.step(level, digit, cursors.clone(), sure);
            let (place, before) = pass.own.step(level, own.0, digit);
            let below = (place, own.1 + before);
            if !self.fill(level + 1, child, below, sure) {
                self.walk_bmi2(by, level + 1, child, below, top..self.cursors.len(), sure);
            }
            self.cursors.truncate(top);
        }
    }

    fn walk<B: Bits>(
        &mut self,
        by: B,
        level: usize,
        node: Node,
        own: (Node, u64),
        cursors: std::ops::Range<usize>,
        sure: u64,
    ) {
        if level == self.pass.bottom {
            return self.visit(by, node, own, cursors, sure);
        }
        let pass = self.pass;
        let here = &pass.source.levels[level];
        for edge in here.edges(node) {
            let (digit, child) = (here.digit[edge], here.child[edge]);
            let top = self.cursors.len();
            let sure = self.step(level, digit, cursors.clone(), sure);
            let (place, before) = pass.own.step(level, own.0, digit);
            let below = (place, own.1 + before);
            if !self.fill(level + 1, child, below, sure) {
                self.walk(by, level + 1, child, below, top..self.cursors.len(), sure);
            }
            self.cursors.truncate(top);
        }
    }

    /// Pushes the cursors below a digit; returns the outcomes that all states there can reach.
    fn step(&mut self, level: usize, digit: Digit, cursors: std::ops::Range<usize>, mut sure: u64) -> u64 {
        for i in cursors {
            let Cursor { rel, target, node, rank } = self.cursors[i];
            let Lookup { diagram, default, .. } = self.pass.targets[target as usize];
            let mut go = |this: &mut Self, digit, rel| {
                let (below, before) = diagram.step_if(level, node, digit);
                if below == EMPTY && rel == IDENTITY {
                    let code = default.expect("a reached state has a place or ends the game");
                    if code < 64 {
                        sure |= 1 << code;
                        return;
                    }
                }
                this.cursors.push(Cursor { rel, target, node: below, rank: rank + before });
            };
            if rel == IDENTITY {
                go(self, digit, IDENTITY);
            } else {
                for &(next, rel) in self.pass.relations.made_steps(level, rel, digit) {
                    go(self, next, rel);
                }
            }
        }
        sure
    }

    /// If every state below can reach the best outcome, writes it for all of them at once.
    fn fill(&mut self, level: usize, node: Node, own: (Node, u64), sure: u64) -> bool {
        let best = self.best_first[0];
        if best >= 64 || sure >> best & 1 == 0 || own.0 != node {
            return false;
        }
        let len = self.pass.counts[level][node as usize];
        self.tally[best as usize] += len;
        for (bit, plane) in self.out.planes().iter().enumerate() {
            if best >> bit & 1 == 1 {
                self.shared.fill(plane, own.1, len);
            }
        }
        true
    }

    /// Solves all states below a node.
    #[inline(always)]
    fn visit<B: Bits>(
        &mut self,
        by: B,
        node: Node,
        own: (Node, u64),
        cursors: std::ops::Range<usize>,
        sure: u64,
    ) {
        let pass = self.pass;
        let len = pass.counts[pass.bottom][node as usize];
        let words = len.div_ceil(64) as usize;
        let codes = pass.outcomes.len();
        self.reach.clear();
        self.reach.resize(words * (codes + 1), 0);
        for code in ones(sure).map(|code| code as usize).chain(pass.always.map(usize::from)) {
            self.reach[code * words..(code + 1) * words].fill(!0);
            self.reach[codes * words..].fill(!0);
        }
        for i in cursors {
            let Cursor { rel, target, node: to, rank } = self.cursors[i];
            let join = self.joins.find(pass, node, rel, target, to);
            let lookup = &pass.targets[target as usize];
            if let Some(default) = lookup.default {
                for &(word, bits) in self.joins.defaults(join) {
                    self.reach[default as usize * words + word as usize] |= bits;
                    self.reach[codes * words + word as usize] |= bits;
                }
            }
            let planes = lookup.values.planes();
            for op in self.joins.ops(join) {
                let (word, at) = (op.word as usize, rank + op.offset);
                self.reach[codes * words + word] |= op.put;
                if let [low, high] = planes
                    && codes == 3
                {
                    let low = by.deposit(by.extract(read(low, at), op.take), op.put);
                    let high = by.deposit(by.extract(read(high, at), op.take), op.put);
                    self.reach[word] |= op.put & !(low | high);
                    self.reach[words + word] |= low;
                    self.reach[2 * words + word] |= high;
                } else {
                    let mut bits = [0u64; Code::BITS as usize];
                    for (bits, plane) in bits.iter_mut().zip(planes) {
                        *bits = by.deposit(by.extract(read(plane, at), op.take), op.put);
                    }
                    scatter(&mut self.reach[word..], words, op.put, &bits[..planes.len()], 0);
                }
            }
        }
        self.result.clear();
        self.result.resize(words * self.out.planes().len(), 0);
        for word in 0..words {
            let valid = if word + 1 < words { !0 } else { u64::MAX >> (words as u64 * 64 - len) };
            let mut open = self.reach[codes * words + word] & valid;
            if open != valid {
                self.note_stuck(node, own, word as u64 * 64 + u64::from((valid & !open).trailing_zeros()));
            }
            for &code in self.best_first {
                let chosen = self.reach[code as usize * words + word] & open;
                open &= !chosen;
                self.tally[code as usize] += u64::from(chosen.count_ones());
                for bit in 0..self.out.planes().len() {
                    if code >> bit & 1 == 1 {
                        self.result[bit * words + word] |= chosen;
                    }
                }
            }
        }
        self.write(by, node, own, words);
    }

    /// Notes that a state below a node has no moves.
    #[cold]
    fn note_stuck(&mut self, node: Node, own: (Node, u64), state: u64) {
        let mut rank = own.1 + state;
        if own.0 != node {
            let this_layer = (self.pass.targets.len() - 1) as u32;
            let join = self.joins.find(self.pass, node, IDENTITY, this_layer, own.0);
            let op = self
                .joins
                .ops(join)
                .iter()
                .find(|op| u64::from(op.word) == state / 64 && op.put >> (state % 64) & 1 == 1);
            if let Some(op) = op {
                let place = Portable.deposit(Portable.extract(1 << (state % 64), op.put), op.take);
                rank = own.1 + op.offset + u64::from(place.trailing_zeros());
            }
        }
        self.stuck = Some(self.stuck.map_or(rank, |other| other.min(rank)));
    }

    #[inline(always)]
    fn write<B: Bits>(&mut self, by: B, node: Node, own: (Node, u64), words: usize) {
        let planes = self.out.planes();
        if own.0 == node {
            for (bit, plane) in planes.iter().enumerate() {
                for word in 0..words {
                    self.shared.write(plane, own.1 + word as u64 * 64, self.result[bit * words + word]);
                }
            }
            return;
        }
        let this_layer = (self.pass.targets.len() - 1) as u32;
        let join = self.joins.find(self.pass, node, IDENTITY, this_layer, own.0);
        for op in self.joins.ops(join) {
            for (bit, plane) in planes.iter().enumerate() {
                let bits = self.result[bit * words + op.word as usize];
                let bits = by.deposit(by.extract(bits, op.put), op.take);
                self.shared.write(plane, own.1 + op.offset, bits);
            }
        }
    }
}

/// Adds states to those that can reach each code, given the bits of the states' codes; `code` are the bits
/// above them. Few codes occur, so that most are never looked at.
fn scatter(reach: &mut [u64], words: usize, states: u64, bits: &[u64], code: usize) {
    match bits {
        _ if states == 0 => {}
        [] => reach[code * words] |= states,
        [rest @ .., highest] => {
            scatter(reach, words, states & !highest, rest, code);
            scatter(reach, words, states & highest, rest, code | 1 << rest.len());
        }
    }
}
