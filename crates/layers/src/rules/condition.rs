//! Conditions as small diagrams over the game's variables, in the order of the blocks.
//!
//! A condition that has seen the values of some blocks is a node below: taking a value is following an
//! edge. Equal residuals are the same node, so that moves and sets merge wherever the rules allow it.

use crate::error::LayersError;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use winset_model::Value;
use winset_work::{Exhausted, Work};

/// A condition.
pub type Cond = u32;

/// Holds nowhere.
pub const FALSE: Cond = 0;
/// Holds everywhere.
pub const TRUE: Cond = 1;

/// The most nodes that all conditions of a game may take together, whatever memory there is.
const NODE_LIMIT: u64 = 20_000_000;

/// About what a node takes, with its place in a table that may be growing and in those of operations.
const NODE_BYTES: u64 = 160;

/// What an operation on a node that has not been done before costs, in steps of an image: it is looked up, made and
/// noted; and each child.
const STEPS: u64 = 20;
const STEPS_PER_CHILD: u64 = 4;

/// All conditions of a game: a reduced, shared diagram whose nodes have one child per value.
pub struct Conditions {
    /// The number of values of the variable at each position.
    sizes: Vec<u32>,
    /// Position of each node's variable; constants lie below all variables.
    position: Vec<u32>,
    start: Vec<u32>,
    children: Vec<Cond>,
    unique: FxHashMap<Box<[u32]>, Cond>,
    and_memo: FxHashMap<(Cond, Cond), Cond>,
    not_memo: FxHashMap<Cond, Cond>,
    /// The most nodes ever, and what to say if that is not enough.
    most: usize,
    too_large: TooLarge,
    /// Set while compiling with a budget: work stops when there are more nodes.
    limit: usize,
    /// The steps made, here and wherever the rules are used.
    pub work: Work,
}

/// More than allowed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum TooLarge {
    /// More nodes than any game may have.
    #[default]
    Nodes,
    /// More nodes than fit into n bytes.
    Memory(u64),
    /// More steps.
    Work,
}

impl From<TooLarge> for LayersError {
    fn from(error: TooLarge) -> Self {
        match error {
            TooLarge::Nodes => LayersError::ConditionTooLarge,
            TooLarge::Memory(budget) => LayersError::ConditionsDoNotFit { budget },
            TooLarge::Work => LayersError::Exhausted(Exhausted),
        }
    }
}

impl From<Exhausted> for TooLarge {
    fn from(_: Exhausted) -> Self {
        TooLarge::Work
    }
}

impl Conditions {
    /// Conditions over variables of these sizes, in order, that take no more than half of the memory.
    pub fn new(sizes: Vec<u32>, memory: Option<u64>, work: Work) -> Self {
        let below = sizes.len() as u32;
        let most = memory.map_or(NODE_LIMIT, |memory| memory / 2 / NODE_BYTES).min(NODE_LIMIT);
        let too_large = memory.filter(|_| most < NODE_LIMIT).map_or(TooLarge::Nodes, TooLarge::Memory);
        let most = most as usize;
        Conditions {
            sizes,
            position: vec![below, below],
            start: vec![0, 0, 0],
            children: vec![],
            unique: FxHashMap::default(),
            and_memo: FxHashMap::default(),
            not_memo: FxHashMap::default(),
            most,
            too_large,
            limit: most,
            work,
        }
    }

    /// About the memory that the conditions take.
    pub fn bytes(&self) -> u64 {
        let nodes = (self.position.capacity() + self.start.capacity() + self.children.capacity()) * 4;
        let unique = self.unique.capacity() * 25 + (self.children.len() + 5 * self.len()) * 4;
        (nodes + unique + self.and_memo.capacity() * 13 + self.not_memo.capacity() * 9) as u64
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Runs with at most `more` new nodes.
    pub fn with_budget<T>(
        &mut self,
        more: usize,
        work: impl FnOnce(&mut Self) -> Result<T, TooLarge>,
    ) -> Result<T, TooLarge> {
        let outer = self.begin_budget(more);
        let result = work(self);
        self.end_budget(outer);
        result
    }

    /// From here on at most `more` new nodes; returns what [`Conditions::end_budget`] needs.
    pub fn begin_budget(&mut self, more: usize) -> usize {
        let limit = self.most.min(self.len() + more);
        std::mem::replace(&mut self.limit, limit)
    }

    /// As many nodes as before the budget began.
    pub fn end_budget(&mut self, outer: usize) {
        self.limit = outer;
    }

    /// The number of values of the variable at a position.
    pub fn size(&self, position: u32) -> u32 {
        self.sizes[position as usize]
    }

    /// The position of the topmost variable; beyond all variables for constants.
    pub fn position(&self, cond: Cond) -> u32 {
        self.position[cond as usize]
    }

    /// The condition after the topmost variable got a value.
    pub fn child(&self, cond: Cond, value: Value) -> Cond {
        self.children[self.start[cond as usize] as usize + value as usize]
    }

    fn children(&self, cond: Cond) -> std::ops::Range<usize> {
        self.start[cond as usize] as usize..self.start[cond as usize + 1] as usize
    }

    /// The condition after the variables from `first` on got these values; it must not depend on
    /// variables before them.
    pub fn follow(&self, mut cond: Cond, first: u32, values: &[Value]) -> Cond {
        loop {
            let offset = (self.position[cond as usize] - first) as usize;
            match values.get(offset) {
                Some(&value) => cond = self.child(cond, value),
                None => return cond,
            }
        }
    }

    fn node(&mut self, position: u32, children: Vec<Cond>) -> Result<Cond, TooLarge> {
        if children.iter().all(|&child| child == children[0]) {
            return Ok(children[0]);
        }
        let mut key = children;
        key.push(position);
        if let Some(&cond) = self.unique.get(key.as_slice()) {
            return Ok(cond);
        }
        if self.len() >= self.limit {
            return Err(self.too_large);
        }
        let cond = self.len() as Cond;
        self.children.extend_from_slice(&key[..key.len() - 1]);
        self.start.push(self.children.len() as u32);
        self.position.push(position);
        self.unique.insert(key.into(), cond);
        Ok(cond)
    }

    /// The variable at the position has the value.
    pub fn is(&mut self, position: u32, value: Value) -> Result<Cond, TooLarge> {
        let size = self.sizes[position as usize];
        let children = (0..size).map(|v| if v == u32::from(value) { TRUE } else { FALSE }).collect();
        self.node(position, children)
    }

    /// Negation.
    pub fn not(&mut self, a: Cond) -> Result<Cond, TooLarge> {
        if a <= TRUE {
            return Ok(1 - a);
        }
        if let Some(&result) = self.not_memo.get(&a) {
            return Ok(result);
        }
        self.work.spend(STEPS + STEPS_PER_CHILD * self.children(a).len() as u64)?;
        let mut children = Vec::with_capacity(self.children(a).len());
        for i in self.children(a) {
            let child = self.children[i];
            children.push(self.not(child)?);
        }
        let result = self.node(self.position(a), children)?;
        self.not_memo.insert(a, result);
        self.not_memo.insert(result, a);
        Ok(result)
    }

    /// Whether both can hold at once. Looks no further than needed, and makes nothing.
    pub fn meet(&self, a: Cond, b: Cond) -> bool {
        fn search(all: &Conditions, a: Cond, b: Cond, apart: &mut FxHashSet<(Cond, Cond)>) -> bool {
            if a == FALSE || b == FALSE {
                return false;
            }
            if a == TRUE || b == TRUE || a == b {
                return true;
            }
            let key = (a.min(b), a.max(b));
            if apart.contains(&key) {
                return false;
            }
            let (p, q) = (all.position(a), all.position(b));
            let found = match p.cmp(&q) {
                Ordering::Less => all.children(a).any(|i| search(all, all.children[i], b, apart)),
                Ordering::Greater => all.children(b).any(|i| search(all, a, all.children[i], apart)),
                Ordering::Equal => all
                    .children(a)
                    .zip(all.children(b))
                    .any(|(i, j)| search(all, all.children[i], all.children[j], apart)),
            };
            if !found {
                apart.insert(key);
            }
            found
        }
        let mut apart = FxHashSet::default();
        let found = search(self, a, b, &mut apart);
        self.work.add(1 + apart.len() as u64);
        found
    }

    /// Conjunction.
    pub fn and(&mut self, a: Cond, b: Cond) -> Result<Cond, TooLarge> {
        if a == FALSE || b == FALSE {
            return Ok(FALSE);
        }
        if a == TRUE || a == b {
            return Ok(b);
        }
        if b == TRUE {
            return Ok(a);
        }
        let key = (a.min(b), a.max(b));
        if let Some(&result) = self.and_memo.get(&key) {
            return Ok(result);
        }
        let position = self.position(a).min(self.position(b));
        self.work.spend(STEPS + STEPS_PER_CHILD * u64::from(self.sizes[position as usize]))?;
        let mut children = Vec::with_capacity(self.sizes[position as usize] as usize);
        for value in 0..self.sizes[position as usize] {
            let below = |cond: Cond| {
                if self.position(cond) == position { self.child(cond, value as Value) } else { cond }
            };
            let (a, b) = (below(a), below(b));
            children.push(self.and(a, b)?);
        }
        let result = self.node(position, children)?;
        self.and_memo.insert(key, result);
        Ok(result)
    }

    /// Disjunction.
    pub fn or(&mut self, a: Cond, b: Cond) -> Result<Cond, TooLarge> {
        let (a, b) = (self.not(a)?, self.not(b)?);
        let neither = self.and(a, b)?;
        self.not(neither)
    }

    /// Whether the condition can hold when the variables from `first` on have these values. Unlike
    /// [`Conditions::follow`] it may depend on variables before them.
    pub fn can_hold(&self, cond: Cond, first: u32, values: &[Value]) -> bool {
        fn search(
            all: &Conditions,
            cond: Cond,
            first: u32,
            values: &[Value],
            seen: &mut FxHashMap<Cond, ()>,
        ) -> bool {
            if cond <= TRUE {
                return cond == TRUE;
            }
            let position = all.position(cond);
            if position >= first + values.len() as u32 {
                return true;
            }
            if position >= first {
                let value = values[(position - first) as usize];
                return search(all, all.child(cond, value), first, values, seen);
            }
            if seen.insert(cond, ()).is_some() {
                return false;
            }
            all.children(cond).any(|i| search(all, all.children[i], first, values, seen))
        }
        let mut seen = FxHashMap::default();
        let found = search(self, cond, first, values, &mut seen);
        self.work.add(1 + seen.len() as u64);
        found
    }
}
