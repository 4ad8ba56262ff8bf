//! Plain binary decision diagrams, for the check alone: no complement edges, no reordering, nothing clever that could be
//! wrong in the same way as the engine's.

use crate::error::Fault;
use rustc_hash::FxHashMap;

/// A function of bits: a node of [`Bdds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u32);

/// Never and always.
pub const NONE: Id = Id(0);
pub const ALL: Id = Id(1);

/// Below every bit.
const LEAF: u32 = u32::MAX;
/// About the bytes that a node takes, with its place in the table.
const BYTES: u64 = 40;
/// The most results that are remembered, as a part of the nodes that there is room for.
const REMEMBERED: u64 = 4;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    level: u32,
    low: Id,
    high: Id,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    And(Id, Id),
    Not(Id),
    /// Both hold for some values of the bits of a list, by its number.
    Both(Id, Id, u32),
    /// With the bits of a list moved to the level below each.
    Moved(Id, u32),
}

pub type Made = Result<Id, Fault>;

/// All functions, each once.
pub struct Bdds {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, Id>,
    known: FxHashMap<Operation, Id>,
    /// Lists of levels, sorted.
    lists: Vec<Vec<u32>>,
    memory: u64,
    /// The nodes at which it is worth the while to see which are still needed.
    crowded: usize,
}

impl Bdds {
    pub fn new(memory: u64) -> Self {
        let leaf = Node { level: LEAF, low: NONE, high: NONE };
        Bdds {
            nodes: vec![leaf, leaf],
            unique: FxHashMap::default(),
            known: FxHashMap::default(),
            lists: vec![],
            memory,
            crowded: 1 << 20,
        }
    }

    fn level(&self, id: Id) -> u32 {
        self.nodes[id.0 as usize].level
    }

    fn node(&mut self, level: u32, low: Id, high: Id) -> Made {
        if low == high {
            return Ok(low);
        }
        let node = Node { level, low, high };
        if let Some(&id) = self.unique.get(&node) {
            return Ok(id);
        }
        if self.nodes.len() as u64 * BYTES > self.memory || self.nodes.len() >= LEAF as usize {
            return Err(Fault::Memory(self.memory));
        }
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique.insert(node, id);
        Ok(id)
    }

    fn remember(&mut self, operation: Operation, result: Id) -> Id {
        if self.known.len() as u64 * BYTES * REMEMBERED > self.memory {
            self.known.clear();
        }
        self.known.insert(operation, result);
        result
    }

    /// A bit is set.
    pub fn bit(&mut self, level: u32) -> Made {
        self.node(level, NONE, ALL)
    }

    /// A list of levels for [`Self::both`] and [`Self::moved`].
    pub fn list(&mut self, mut levels: Vec<u32>) -> u32 {
        levels.sort_unstable();
        levels.dedup();
        let at = self.lists.iter().position(|list| *list == levels);
        at.unwrap_or_else(|| {
            self.lists.push(levels);
            self.lists.len() - 1
        }) as u32
    }

    /// The function where the bit of this level, which is not below its first, is set or not.
    fn given(&self, id: Id, level: u32) -> (Id, Id) {
        let node = self.nodes[id.0 as usize];
        if node.level == level { (node.low, node.high) } else { (id, id) }
    }

    pub fn not(&mut self, a: Id) -> Made {
        match a {
            NONE => return Ok(ALL),
            ALL => return Ok(NONE),
            _ => {}
        }
        let operation = Operation::Not(a);
        if let Some(&known) = self.known.get(&operation) {
            return Ok(known);
        }
        let Node { level, low, high } = self.nodes[a.0 as usize];
        let (low, high) = (self.not(low)?, self.not(high)?);
        let made = self.node(level, low, high)?;
        Ok(self.remember(operation, made))
    }

    pub fn and(&mut self, a: Id, b: Id) -> Made {
        match (a.min(b), a.max(b)) {
            (NONE, _) => return Ok(NONE),
            (ALL, other) => return Ok(other),
            (a, b) if a == b => return Ok(a),
            _ => {}
        }
        let operation = Operation::And(a.min(b), a.max(b));
        if let Some(&known) = self.known.get(&operation) {
            return Ok(known);
        }
        let level = self.level(a).min(self.level(b));
        let ((a0, a1), (b0, b1)) = (self.given(a, level), self.given(b, level));
        let (low, high) = (self.and(a0, b0)?, self.and(a1, b1)?);
        let made = self.node(level, low, high)?;
        Ok(self.remember(operation, made))
    }

    pub fn or(&mut self, a: Id, b: Id) -> Made {
        let (a, b) = (self.not(a)?, self.not(b)?);
        let neither = self.and(a, b)?;
        self.not(neither)
    }

    pub fn minus(&mut self, a: Id, b: Id) -> Made {
        let b = self.not(b)?;
        self.and(a, b)
    }

    /// All states of one set are in the other.
    pub fn is_inside(&mut self, a: Id, b: Id) -> Result<bool, Fault> {
        Ok(self.minus(a, b)? == NONE)
    }

    /// Both hold for some values of the bits of a list.
    pub fn both(&mut self, a: Id, b: Id, list: u32) -> Made {
        match (a.min(b), a.max(b)) {
            (NONE, _) => return Ok(NONE),
            (ALL, ALL) => return Ok(ALL),
            _ => {}
        }
        let operation = Operation::Both(a.min(b), a.max(b), list);
        if let Some(&known) = self.known.get(&operation) {
            return Ok(known);
        }
        let level = self.level(a).min(self.level(b));
        let ((a0, a1), (b0, b1)) = (self.given(a, level), self.given(b, level));
        let low = self.both(a0, b0, list)?;
        let made = if self.lists[list as usize].binary_search(&level).is_ok() {
            if low == ALL {
                ALL
            } else {
                let high = self.both(a1, b1, list)?;
                self.or(low, high)?
            }
        } else {
            let high = self.both(a1, b1, list)?;
            self.node(level, low, high)?
        };
        Ok(self.remember(operation, made))
    }

    /// With each bit of a list replaced by the one of the next level, on which the function does not depend.
    pub fn moved(&mut self, a: Id, list: u32) -> Made {
        if a == NONE || a == ALL {
            return Ok(a);
        }
        let operation = Operation::Moved(a, list);
        if let Some(&known) = self.known.get(&operation) {
            return Ok(known);
        }
        let Node { level, low, high } = self.nodes[a.0 as usize];
        let (low, high) = (self.moved(low, list)?, self.moved(high, list)?);
        let level = level + u32::from(self.lists[list as usize].binary_search(&level).is_ok());
        let made = self.node(level, low, high)?;
        Ok(self.remember(operation, made))
    }

    /// The number of a function's nodes.
    pub fn size(&self, a: Id) -> usize {
        let (mut seen, mut open) = (rustc_hash::FxHashSet::default(), vec![a]);
        while let Some(id) = open.pop() {
            if id > ALL && seen.insert(id) {
                let node = self.nodes[id.0 as usize];
                open.extend([node.low, node.high]);
            }
        }
        seen.len()
    }

    /// The levels that a function depends on.
    pub fn support(&self, a: Id) -> Vec<u32> {
        let (mut seen, mut open) = (rustc_hash::FxHashSet::default(), vec![a]);
        let mut levels = vec![];
        while let Some(id) = open.pop() {
            if id > ALL && seen.insert(id) {
                let node = self.nodes[id.0 as usize];
                levels.push(node.level);
                open.extend([node.low, node.high]);
            }
        }
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// There are many nodes, most of which are probably not needed any more.
    pub fn is_crowded(&self) -> bool {
        self.nodes.len() > self.crowded || self.nodes.len() as u64 * BYTES * 2 > self.memory
    }

    /// Forgets all functions but these and what they are made of.
    pub fn keep(&mut self, roots: &mut [&mut Id]) {
        let old = std::mem::take(&mut self.nodes);
        self.unique.clear();
        self.known.clear();
        let mut place = vec![u32::MAX; old.len()];
        (place[0], place[1]) = (0, 1);
        self.nodes.extend_from_slice(&old[..2]);
        let mut needed = vec![false; old.len()];
        let mut open: Vec<Id> = roots.iter().map(|root| **root).collect();
        while let Some(id) = open.pop() {
            if id > ALL && !std::mem::replace(&mut needed[id.0 as usize], true) {
                let node = old[id.0 as usize];
                open.extend([node.low, node.high]);
            }
        }
        // What a node leads to was made before it.
        for (at, node) in old.iter().enumerate().filter(|&(at, _)| needed[at]) {
            let [low, high] = [node.low, node.high].map(|id| Id(place[id.0 as usize]));
            let (node, id) = (Node { level: node.level, low, high }, Id(self.nodes.len() as u32));
            place[at] = id.0;
            self.nodes.push(node);
            self.unique.insert(node, id);
        }
        roots.iter_mut().for_each(|root| root.0 = place[root.0 as usize]);
        self.crowded = (2 * self.nodes.len()).max(1 << 20);
    }
}
