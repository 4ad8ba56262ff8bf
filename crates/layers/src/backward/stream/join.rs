//! How the states below a node find their successors below a target's node, in words of 64.

use crate::backward::stream::pass::Pass;
use crate::forward::successors::ones;
use crate::rules::relation::{IDENTITY, Rel};
use crate::sets::set::{EMPTY, Node};
use rustc_hash::FxHashMap;
use winset_index::Digit;

/// Up to 64 states whose successors lie in the same order within 64 ranks: those of `put` have theirs at
/// the places of `take`.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// Which 64 of the states.
    pub word: u32,
    /// The first rank below the target's node.
    pub offset: u64,
    /// Places from that rank on.
    pub take: u64,
    /// Places among the states.
    pub put: u64,
}

/// All states below a node whose moves go one way.
#[derive(Clone, Copy, Debug)]
pub struct Join {
    ops: (u32, u32),
    defaults: (u32, u32),
}

/// A way that moves of states can go on.
#[derive(Clone, Copy)]
struct Way {
    rel: Rel,
    target: u32,
    /// The target's node, and the number of states before it.
    to: Node,
    before: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    level: u32,
    node: Node,
    rel: Rel,
    target: u32,
    to: Node,
}

/// The joins that have been needed. One per worker, so that nothing is shared.
#[derive(Default)]
pub struct Joins {
    known: FxHashMap<Key, Join>,
    ops: Vec<Op>,
    /// Words of states whose successors are reached but have no place.
    defaults: Vec<(u32, u64)>,
    /// Joins being made, as stacks.
    new_ops: Vec<Op>,
    new_defaults: Vec<(u32, u64)>,
    /// A join that is not kept, until the next is asked for.
    loose: Option<Join>,
    /// For each level whether keeping joins pays.
    habits: Vec<Habit>,
    /// The memory that may be used.
    limit: usize,
}

/// Whether joins come back often enough to be kept. Judged again and again, because it changes.
#[derive(Clone, Copy, Debug, Default)]
struct Habit {
    tries: u32,
    misses: u32,
    /// How many are made without looking before it is judged again.
    pause: u32,
}

impl Habit {
    /// Whether to look for the next one; not if more than n of 8192 were not found.
    fn keeps(&mut self, most: u32) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        self.tries += 1;
        if self.tries == 8192 {
            if self.misses > most {
                self.pause = 32_768;
            }
            (self.tries, self.misses) = (0, 0);
        }
        true
    }
}

impl Joins {
    /// The most memory that is worth being used.
    pub const MOST: usize = 128 << 20;

    /// The bytes of that memory for each of the states that are joined at once: half a byte for the states themselves, four
    /// times that while lists grow and are moved, and no join more than a quarter of all.
    pub const BYTES_FOR_A_STATE: u64 = 8;

    /// No joins yet. When they take more memory than this, all are forgotten.
    pub fn new(limit: usize) -> Self {
        Joins { limit, ..Default::default() }
    }

    fn bytes(&self) -> usize {
        let known = self.known.capacity() * (size_of::<Key>() + size_of::<Join>() + 1);
        let ops = self.ops.capacity() + self.new_ops.capacity();
        let defaults = self.defaults.capacity() + self.new_defaults.capacity();
        known + ops * size_of::<Op>() + defaults * 16
    }

    /// The join of the states below `node` under a relation with the target below `to`.
    pub fn find(&mut self, pass: &Pass, node: Node, rel: Rel, target: u32, to: Node) -> Join {
        if self.bytes() > self.limit {
            *self = Joins::new(self.limit);
        }
        if let Some(join) = self.loose.take() {
            self.drop_last(join);
        }
        let (join, kept) = self.join(pass, pass.bottom, node, rel, target, to);
        self.loose = (!kept).then_some(join);
        join
    }

    /// Forgets a join that was made last and is not kept.
    fn drop_last(&mut self, join: Join) {
        self.ops.truncate(join.ops.0 as usize);
        self.defaults.truncate(join.defaults.0 as usize);
    }

    /// The parts of a join that lead to places.
    #[inline]
    pub fn ops(&self, join: Join) -> &[Op] {
        &self.ops[join.ops.0 as usize..join.ops.1 as usize]
    }

    /// The words of states whose successors have no place.
    #[inline]
    pub fn defaults(&self, join: Join) -> &[(u32, u64)] {
        &self.defaults[join.defaults.0 as usize..join.defaults.1 as usize]
    }

    /// The join at any level: those of the children, one after the other. Says whether it is kept: not
    /// where they rarely come back.
    fn join(
        &mut self,
        pass: &Pass,
        level: usize,
        node: Node,
        rel: Rel,
        target: u32,
        to: Node,
    ) -> (Join, bool) {
        if self.habits.len() <= level {
            self.habits.resize(level + 1, Habit::default());
        }
        // On the last level making one is hardly more than finding it.
        let last = level + 1 == pass.source.levels.len();
        let keep = !(last && rel == IDENTITY) && self.habits[level].keeps(if last { 1000 } else { 7000 });
        let key = Key { level: level as u32, node, rel, target, to };
        if keep {
            if let Some(&join) = self.known.get(&key) {
                return (join, true);
            }
            self.habits[level].misses += 1;
        }
        let (ops, defaults) = (self.new_ops.len(), self.new_defaults.len());
        let here = &pass.source.levels[level];
        let diagram = pass.targets[target as usize].diagram;
        let mut at = 0;
        if rel == IDENTITY && level + 1 == pass.source.levels.len() && to != EMPTY {
            self.append_last(pass, (node, 0), target, (to, 0), (ops, defaults));
        } else if level + 1 == pass.source.levels.len() && rel != IDENTITY {
            self.move_last(pass, node, rel, target, to, (ops, defaults));
        } else {
            for edge in here.edges(node) {
                let (digit, child) = (here.digit[edge], here.child[edge]);
                let len = pass.counts[level + 1][child as usize];
                if rel == IDENTITY {
                    let below = diagram.step_if(level, to, digit);
                    let way = Way { rel: IDENTITY, target, to: below.0, before: below.1 };
                    self.append(pass, level + 1, (child, at, len), way, (ops, defaults));
                } else {
                    for &(next, rel) in pass.relations.made_steps(level, rel, digit) {
                        let below = diagram.step_if(level, to, next);
                        let way = Way { rel, target, to: below.0, before: below.1 };
                        self.append(pass, level + 1, (child, at, len), way, (ops, defaults));
                    }
                }
                at += len;
            }
        }
        let join = Join {
            ops: (self.ops.len() as u32, (self.ops.len() + self.new_ops.len() - ops) as u32),
            defaults: (
                self.defaults.len() as u32,
                (self.defaults.len() + self.new_defaults.len() - defaults) as u32,
            ),
        };
        self.ops.extend(self.new_ops.drain(ops..));
        self.defaults.extend(self.new_defaults.drain(defaults..));
        if keep {
            self.known.insert(key, join);
        }
        (join, keep)
    }

    /// Adds the states below one child to the join being made, which begins at `base` on the stacks.
    fn append(
        &mut self,
        pass: &Pass,
        level: usize,
        (child, at, len): (Node, u64, u64),
        Way { rel, target, to, before }: Way,
        base: (usize, usize),
    ) {
        if rel == IDENTITY && to == EMPTY {
            return self.add_run_of_defaults(at, len, base.1);
        }
        if level == pass.source.levels.len() {
            let op = Op { word: (at / 64) as u32, offset: before, take: 1, put: 1 << (at % 64) };
            return self.add(op, base.0);
        }
        if rel == IDENTITY && level + 1 == pass.source.levels.len() {
            return self.append_last(pass, (child, at), target, (to, before), base);
        }
        let (join, kept) = self.join(pass, level, child, rel, target, to);
        let (word, shift) = ((at / 64) as u32, (at % 64) as u32);
        for i in join.ops.0..join.ops.1 {
            let op = self.ops[i as usize];
            self.add_shifted(Op { offset: op.offset + before, ..op }, at, base.0);
        }
        for i in join.defaults.0..join.defaults.1 {
            let (more, bits) = self.defaults[i as usize];
            self.add_default(word + more, bits << shift, base.1);
            self.add_default(word + more + 1, bits >> 1 >> (63 - shift), base.1);
        }
        if !kept {
            self.drop_last(join);
        }
    }

    /// Adds the states below a node of the last level to which nothing happens any more: those whose digit
    /// the target also has.
    fn append_last(
        &mut self,
        pass: &Pass,
        (node, mut at): (Node, u64),
        target: u32,
        (to, mut before): (Node, u64),
        base: (usize, usize),
    ) {
        let level = pass.source.levels.len() - 1;
        let here = pass.own.digits(level, node);
        let there = pass.targets[target as usize].diagram.digits(level, to);
        for (&(here, _), &(there, _)) in here.iter().zip(there) {
            let common = here & there;
            let (len, all) = (here.count_ones(), u64::MAX.checked_shr(64 - here.count_ones()).unwrap_or(0));
            let put = (pass.extract)(common, here);
            if put != 0 {
                let op = Op { word: 0, offset: before, take: (pass.extract)(common, there), put };
                self.add_shifted(op, at, base.0);
            }
            if put != all {
                let (word, shift) = ((at / 64) as u32, (at % 64) as u32);
                self.add_default(word, (all & !put) << shift, base.1);
                self.add_default(word + 1, (all & !put) >> 1 >> (63 - shift), base.1);
            }
            at += u64::from(len);
            before += u64::from(there.count_ones());
        }
    }

    /// Adds the states of a node of the last level that can make a move there.
    fn move_last(&mut self, pass: &Pass, node: Node, rel: Rel, target: u32, to: Node, base: (usize, usize)) {
        let level = pass.source.levels.len() - 1;
        let here = pass.own.digits(level, node);
        let diagram = pass.targets[target as usize].diagram;
        let mut begin = 0;
        for (word, (&(bits, _), &(_, leads))) in here.iter().zip(pass.relations.known(level, rel)).enumerate()
        {
            for place in ones(bits & leads) {
                let at = begin + u64::from((bits & ((1 << place) - 1)).count_ones());
                for &(next, _) in pass.relations.made_steps(level, rel, (word as u32 * 64 + place) as Digit) {
                    let (found, before) = diagram.step_if(level, to, next);
                    if found == EMPTY {
                        self.add_default((at / 64) as u32, 1 << (at % 64), base.1);
                    } else {
                        let (word, put) = ((at / 64) as u32, 1 << (at % 64));
                        self.add(Op { word, offset: before, take: 1, put }, base.0);
                    }
                }
            }
            begin += u64::from(bits.count_ones());
        }
    }

    /// Adds an op whose states begin at `at`; it may have to be cut at the end of a word.
    #[inline]
    fn add_shifted(&mut self, op: Op, at: u64, base: usize) {
        let (word, shift) = (op.word + (at / 64) as u32, (at % 64) as u32);
        let low = op.put << shift;
        let high = op.put >> 1 >> (63 - shift);
        if high == 0 {
            return self.add(Op { word, put: low, ..op }, base);
        }
        // The lowest of the successors belong to the states that stay in the first word.
        let split = nth_one(op.take, low.count_ones());
        if low != 0 {
            self.add(Op { word, take: op.take & split, put: low, ..op }, base);
        }
        self.add(Op { word: word + 1, take: op.take & !split, put: high, ..op }, base);
    }

    fn add_run_of_defaults(&mut self, at: u64, len: u64, base: usize) {
        let (mut at, end) = (at, at + len);
        while at < end {
            let run = (64 - at % 64).min(end - at);
            self.add_default((at / 64) as u32, u64::MAX >> (64 - run) << (at % 64), base);
            at += run;
        }
    }

    fn add_default(&mut self, word: u32, bits: u64, base: usize) {
        if bits == 0 {
            return;
        }
        match self.new_defaults[base..].iter_mut().rev().take(4).find(|d| d.0 == word) {
            Some(found) => found.1 |= bits,
            None => self.new_defaults.push((word, bits)),
        }
    }

    /// Adds states to an op whose states and successors all come before, or as a new one.
    fn add(&mut self, op: Op, base: usize) {
        let first = op.offset + u64::from(op.take.trailing_zeros());
        let last = op.offset + 63 - u64::from(op.take.leading_zeros());
        let recent = base.max(self.new_ops.len().saturating_sub(8));
        for other in self.new_ops[recent..].iter_mut().rev() {
            let begin = other.offset;
            if other.word == op.word
                && other.put.leading_zeros() + op.put.trailing_zeros() > 63
                && first >= begin + 64 - u64::from(other.take.leading_zeros())
                && last < begin + 64
            {
                other.put |= op.put;
                other.take |= op.take >> op.take.trailing_zeros() << (first - begin);
                return;
            }
        }
        let take = op.take >> op.take.trailing_zeros();
        self.new_ops.push(Op { offset: first, take, ..op });
    }
}

/// The places up to and including the n-th one; of none: none.
fn nth_one(word: u64, n: u32) -> u64 {
    if n == 0 {
        return 0;
    }
    let mut rest = word;
    for _ in 1..n {
        rest &= rest - 1;
    }
    let lowest = rest & rest.wrapping_neg();
    lowest | (lowest - 1)
}
