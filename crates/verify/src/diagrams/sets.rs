//! Sets of states as levelled diagrams: a level for each variable, an edge for each of its values below which there are
//! states.

use super::arena::{Arena, Id};
use super::conditions::{Conditions, FALSE, TRUE};
use crate::VerifyError;
use rustc_hash::FxHashMap;

/// The set without states, at every level.
pub const EMPTY: Id = 0;
/// The set of the one state without variables, below the last level.
pub const LEAF: Id = 1;

/// What is done with two sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Op {
    Union,
    Minus,
    Both,
}

/// All sets. A node is a list: its level, then pairs of a value, ascending, and a node of the next level.
#[derive(Debug)]
pub struct Sets {
    arena: Arena,
    known: FxHashMap<(Op, Id, Id), Id>,
    within: FxHashMap<(Id, Id), Id>,
    counts: FxHashMap<Id, u128>,
    /// About the memory that may be taken.
    room: u64,
    levels: u32,
}

/// The memory of a remembered result, in a table that grows.
const MEMO_BYTES: u64 = 40;

impl Sets {
    pub fn new(levels: usize, room: u64) -> Self {
        let mut arena = Arena::new(room);
        // The empty set and the leaf: two lists that are no nodes.
        let _ = arena.add(&[u32::MAX, 0]).and_then(|_| arena.add(&[u32::MAX, 1]));
        Sets {
            arena,
            known: FxHashMap::default(),
            within: FxHashMap::default(),
            counts: FxHashMap::default(),
            room,
            levels: levels as u32,
        }
    }

    /// About the memory that is taken.
    pub fn bytes(&self) -> u64 {
        self.arena.bytes() + MEMO_BYTES * (self.known.len() + self.within.len() + self.counts.len()) as u64
    }

    fn check(&self) -> Result<(), VerifyError> {
        if self.bytes() > self.room { Err(VerifyError::Memory { room: self.room }) } else { Ok(()) }
    }

    /// The node of a level with these edges, ascending by value, none of them to the empty set.
    pub fn node(&mut self, level: u32, edges: &[(u32, Id)]) -> Result<Id, VerifyError> {
        if edges.is_empty() {
            return Ok(EMPTY);
        }
        let mut list = Vec::with_capacity(1 + 2 * edges.len());
        list.push(level);
        list.extend(edges.iter().flat_map(|&(value, child)| [value, child]));
        self.arena.add(&list)
    }

    /// The level of a set that is neither empty nor the leaf.
    pub fn level(&self, set: Id) -> u32 {
        self.arena.get(set)[0]
    }

    /// The edges of such a set.
    pub fn edges(&self, set: Id) -> Vec<(u32, Id)> {
        self.arena.get(set)[1..].chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
    }

    pub fn union(&mut self, a: Id, b: Id) -> Result<Id, VerifyError> {
        self.apply(Op::Union, a, b)
    }

    /// What is in the first and not in the second.
    pub fn minus(&mut self, a: Id, b: Id) -> Result<Id, VerifyError> {
        self.apply(Op::Minus, a, b)
    }

    pub fn both(&mut self, a: Id, b: Id) -> Result<Id, VerifyError> {
        self.apply(Op::Both, a, b)
    }

    fn apply(&mut self, op: Op, a: Id, b: Id) -> Result<Id, VerifyError> {
        match (op, a == EMPTY, b == EMPTY) {
            (Op::Union, true, _) => return Ok(b),
            (Op::Union | Op::Minus, _, true) => return Ok(a),
            (Op::Minus | Op::Both, true, _) | (Op::Both, _, true) => return Ok(EMPTY),
            _ if a == b => return Ok(if op == Op::Minus { EMPTY } else { a }),
            _ => {}
        }
        // Neither is empty and they differ, so neither is the leaf.
        let key = if op == Op::Minus { (op, a, b) } else { (op, a.min(b), a.max(b)) };
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let (level, left, right) = (self.level(a), self.edges(a), self.edges(b));
        let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
        let mut edges = vec![];
        loop {
            let (value, x, y) = match (left.peek().copied(), right.peek().copied()) {
                (None, None) => break,
                (Some((v, x)), Some((w, y))) if v == w => {
                    left.next();
                    right.next();
                    (v, x, y)
                }
                (Some((v, x)), other) if other.is_none_or(|(w, _)| v < w) => {
                    left.next();
                    (v, x, EMPTY)
                }
                (_, Some((w, y))) => {
                    right.next();
                    (w, EMPTY, y)
                }
                (Some(_), None) => unreachable!("taken above"),
            };
            let child = self.apply(op, x, y)?;
            if child != EMPTY {
                edges.push((value, child));
            }
        }
        let made = self.node(level, &edges)?;
        self.known.insert(key, made);
        self.check()?;
        Ok(made)
    }

    /// The states of a set where a condition holds.
    pub fn within(&mut self, conditions: &Conditions, set: Id, when: Id) -> Result<Id, VerifyError> {
        match when {
            _ if set == EMPTY => return Ok(EMPTY),
            FALSE => return Ok(EMPTY),
            TRUE => return Ok(set),
            _ => {}
        }
        if let Some(&known) = self.within.get(&(set, when)) {
            return Ok(known);
        }
        let (level, mut edges) = (self.level(set), vec![]);
        for (value, child) in self.edges(set) {
            let below = self.within(conditions, child, conditions.given(when, level, value))?;
            if below != EMPTY {
                edges.push((value, below));
            }
        }
        let made = self.node(level, &edges)?;
        self.within.insert((set, when), made);
        self.check()?;
        Ok(made)
    }

    /// The number of states; none if it does not fit into 64 bits.
    pub fn count(&mut self, set: Id) -> Result<Option<u64>, VerifyError> {
        Ok(u64::try_from(self.count_below(set)?).ok())
    }

    fn count_below(&mut self, set: Id) -> Result<u128, VerifyError> {
        match set {
            EMPTY => return Ok(0),
            LEAF => return Ok(1),
            _ => {}
        }
        if let Some(&known) = self.counts.get(&set) {
            return Ok(known);
        }
        let mut sum = 0u128;
        for (_, child) in self.edges(set) {
            sum = sum.saturating_add(self.count_below(child)?);
        }
        self.counts.insert(set, sum);
        self.check()?;
        Ok(sum)
    }

    /// The first state of a set that is not empty, by level.
    pub fn first(&self, mut set: Id) -> Vec<u32> {
        let mut values = vec![];
        while set > LEAF {
            let (value, child) = self.edges(set)[0];
            values.push(value);
            set = child;
        }
        values
    }

    /// The set of one state, given by level.
    pub fn single(&mut self, values: &[u32]) -> Result<Id, VerifyError> {
        let mut set = LEAF;
        for (level, &value) in values.iter().enumerate().rev() {
            set = self.node(level as u32, &[(value, set)])?;
        }
        Ok(set)
    }

    /// The states of a set by the sum of their values' weights, given by level.
    pub fn by_weight(&mut self, set: Id, weights: &[Vec<i64>]) -> Result<Vec<(i64, Id)>, VerifyError> {
        let mut known = FxHashMap::default();
        self.weigh(set, weights, &mut known)
    }

    fn weigh(
        &mut self,
        set: Id,
        weights: &[Vec<i64>],
        known: &mut FxHashMap<Id, Vec<(i64, Id)>>,
    ) -> Result<Vec<(i64, Id)>, VerifyError> {
        match set {
            EMPTY => return Ok(vec![]),
            LEAF => return Ok(vec![(0, LEAF)]),
            _ => {}
        }
        if let Some(parts) = known.get(&set) {
            return Ok(parts.clone());
        }
        let level = self.level(set);
        let mut by_sum: std::collections::BTreeMap<i64, Vec<(u32, Id)>> = Default::default();
        for (value, child) in self.edges(set) {
            let weight = weights[level as usize][value as usize];
            for (sum, part) in self.weigh(child, weights, known)? {
                by_sum.entry(sum.wrapping_add(weight)).or_default().push((value, part));
            }
        }
        let mut parts = vec![];
        for (sum, edges) in by_sum {
            parts.push((sum, self.node(level, &edges)?));
        }
        known.insert(set, parts.clone());
        if self.bytes() + 96 * known.len() as u64 > self.room {
            return Err(VerifyError::Memory { room: self.room });
        }
        Ok(parts)
    }

    /// Copies sets into another room, and everything else is forgotten.
    pub fn keep(&mut self, roots: &mut [&mut Id]) -> Result<(), VerifyError> {
        let mut fresh = Sets::new(self.levels as usize, self.room);
        let mut copied: FxHashMap<Id, Id> = FxHashMap::default();
        for root in roots {
            **root = self.copy(**root, &mut fresh, &mut copied)?;
        }
        *self = fresh;
        Ok(())
    }

    fn copy(&self, set: Id, to: &mut Sets, copied: &mut FxHashMap<Id, Id>) -> Result<Id, VerifyError> {
        if set <= LEAF {
            return Ok(set);
        }
        if let Some(&known) = copied.get(&set) {
            return Ok(known);
        }
        let mut edges = vec![];
        for (value, child) in self.edges(set) {
            edges.push((value, self.copy(child, to, copied)?));
        }
        let made = to.node(self.level(set), &edges)?;
        copied.insert(set, made);
        Ok(made)
    }
}
