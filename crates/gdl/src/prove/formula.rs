//! Hash-consed Boolean formulas over fluents: the form in which moves are simplified and invariants proved
//! before the fluents are grouped into variables.

use crate::ground::terms::hash_ids;
use hashbrown::HashTable;
use rustc_hash::FxHashMap;

/// A formula, by its place in the arena.
pub(crate) type FormulaId = u32;

pub(crate) const FALSE: FormulaId = 0;
pub(crate) const TRUE: FormulaId = 1;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Constant,
    Fluent,
    Not,
    And,
    Or,
    Fix,
}

/// What a formula is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Formula<'a> {
    False,
    True,
    Fluent(u32),
    Not(FormulaId),
    And(&'a [FormulaId]),
    Or(&'a [FormulaId]),
    /// A member of a system of recursive definitions: its least solution.
    Fix(u32, u32),
}

#[derive(Clone, Copy)]
struct Node {
    kind: Kind,
    /// Where the operands begin; the operand itself for fluents and negations, which are looked at most.
    start: u32,
    len: u32,
    /// The negation, once somebody has asked for it; [`FALSE`] before.
    negation: FormulaId,
    /// One bit per residue class of fluents: where two masks do not meet, nothing is shared.
    mask: u64,
}

/// A table looks at both ends of a hash.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Formulas that share a table of those whose last operand they are, as a power of two.
const RANGE: u32 = 12;

/// The arena.
pub(crate) struct Formulas {
    nodes: Vec<Node>,
    operands: Vec<u32>,
    /// Formulas with 32 bits of their hash, so that a table that grows need not look at them again. There is
    /// a table for every [`RANGE`] of last operands: a move's formulas are made of formulas that were made
    /// just before, so they are found in a small and recent table.
    tables: Vec<HashTable<(FormulaId, u32)>>,
    /// The formula of every fluent up to the largest in use; [`FALSE`] for those that are not.
    fluents: Vec<FormulaId>,
    /// What defines the members of every system, and the formulas that stand for them.
    systems: Vec<Vec<FormulaId>>,
    members: Vec<Vec<FormulaId>>,
    system_index: FxHashMap<Vec<u32>, u32>,
}

impl Formulas {
    pub fn new() -> Self {
        let constant = Node { kind: Kind::Constant, start: 0, len: 0, negation: FALSE, mask: 0 };
        Formulas {
            nodes: vec![constant, constant],
            operands: Vec::new(),
            tables: Vec::new(),
            fluents: Vec::new(),
            systems: Vec::new(),
            members: Vec::new(),
            system_index: FxHashMap::default(),
        }
    }

    #[inline]
    pub fn get(&self, id: FormulaId) -> Formula<'_> {
        let node = &self.nodes[id as usize];
        let operands = || &self.operands[node.start as usize..][..node.len as usize];
        match node.kind {
            Kind::Constant if id == TRUE => Formula::True,
            Kind::Constant => Formula::False,
            Kind::Fluent => Formula::Fluent(node.start),
            Kind::Not => Formula::Not(node.start),
            Kind::And => Formula::And(operands()),
            Kind::Or => Formula::Or(operands()),
            Kind::Fix => Formula::Fix(node.start, node.len),
        }
    }

    pub fn mask(&self, id: FormulaId) -> u64 {
        self.nodes[id as usize].mask
    }

    fn push(&mut self, kind: Kind, start: u32, len: u32, mask: u64) -> FormulaId {
        let id = self.nodes.len() as FormulaId;
        self.nodes.push(Node { kind, start, len, negation: FALSE, mask });
        id
    }

    /// A conjunction or disjunction.
    fn intern(&mut self, kind: Kind, operands: &[u32], mask: u64) -> FormulaId {
        let hash = (hash_ids(kind as u32, operands) >> 32) as u32;
        let (nodes, all) = (&self.nodes, &self.operands);
        let of = |n: &Node| &all[n.start as usize..][..n.len as usize];
        let same = |(id, h): &(FormulaId, u32)| {
            let node = &nodes[*id as usize];
            *h == hash && node.kind == kind && of(node) == operands
        };
        let range = (operands.last().map_or(0, |a| *a) >> RANGE) as usize;
        if range >= self.tables.len() {
            self.tables.resize_with(range + 1, HashTable::new);
        }
        if let Some((id, _)) = self.tables[range].find(spread(hash), same) {
            return *id;
        }
        let id = self.push(kind, self.operands.len() as u32, operands.len() as u32, mask);
        self.operands.extend_from_slice(operands);
        self.tables[range].insert_unique(spread(hash), (id, hash), |(_, h)| spread(*h));
        id
    }

    pub fn fluent(&mut self, fluent: u32) -> FormulaId {
        let at = fluent as usize;
        if at >= self.fluents.len() {
            self.fluents.resize(at + 1, FALSE);
        }
        if self.fluents[at] == FALSE {
            self.fluents[at] = self.push(Kind::Fluent, fluent, 0, 1 << (fluent % 64));
        }
        self.fluents[at]
    }

    /// One more than the largest fluent in use.
    pub fn fluents(&self) -> usize {
        self.fluents.len()
    }

    /// The formula of a fluent, if it is in use.
    pub fn find_fluent(&self, fluent: u32) -> Option<FormulaId> {
        self.fluents.get(fluent as usize).copied().filter(|id| *id != FALSE)
    }

    pub fn not(&mut self, a: FormulaId) -> FormulaId {
        match self.get(a) {
            Formula::False => return TRUE,
            Formula::True => return FALSE,
            Formula::Not(b) => return b,
            _ => {}
        }
        if self.nodes[a as usize].negation == FALSE {
            let negation = self.push(Kind::Not, a, 0, self.mask(a));
            self.nodes[a as usize].negation = negation;
        }
        self.nodes[a as usize].negation
    }

    pub fn and(&mut self, mut operands: Vec<FormulaId>) -> FormulaId {
        self.combine(Kind::And, &mut operands, TRUE, FALSE)
    }

    /// The same for a list that is used again.
    pub fn and_of(&mut self, operands: &mut Vec<FormulaId>) -> FormulaId {
        self.combine(Kind::And, operands, TRUE, FALSE)
    }

    pub fn or(&mut self, mut operands: Vec<FormulaId>) -> FormulaId {
        self.combine(Kind::Or, &mut operands, FALSE, TRUE)
    }

    /// The same for a list that is used again.
    pub fn or_of(&mut self, operands: &mut Vec<FormulaId>) -> FormulaId {
        self.combine(Kind::Or, operands, FALSE, TRUE)
    }

    fn combine(
        &mut self,
        kind: Kind,
        list: &mut Vec<FormulaId>,
        neutral: FormulaId,
        absorbing: FormulaId,
    ) -> FormulaId {
        list.retain(|a| *a != neutral);
        if let [only] = list[..] {
            return only;
        }
        list.sort_unstable();
        list.dedup();
        let mut mask = 0;
        for a in &*list {
            let node = &self.nodes[*a as usize];
            let opposed = node.kind == Kind::Not && list.binary_search(&node.start).is_ok();
            if *a == absorbing || opposed {
                return absorbing;
            }
            mask |= node.mask;
        }
        match list[..] {
            [] => neutral,
            [only] => only,
            _ => self.intern(kind, list, mask),
        }
    }

    /// The least solution of a system, given by what identifies it: the same key is the same system.
    /// Returns its number and whether it still has to be defined.
    pub fn system(&mut self, key: Vec<u32>, members: usize) -> (u32, bool) {
        if let Some(system) = self.system_index.get(&key) {
            return (*system, false);
        }
        let system = self.systems.len() as u32;
        self.systems.push(vec![FALSE; members]);
        self.members.push(vec![FALSE; members]);
        self.system_index.insert(key, system);
        (system, true)
    }

    pub fn member(&mut self, system: u32, member: u32) -> FormulaId {
        let known = self.members[system as usize][member as usize];
        if known != FALSE {
            return known;
        }
        let id = self.push(Kind::Fix, system, member, u64::MAX);
        self.members[system as usize][member as usize] = id;
        id
    }

    pub fn define(&mut self, system: u32, member: u32, body: FormulaId) {
        self.systems[system as usize][member as usize] = body;
    }

    pub fn bodies(&self, system: u32) -> &[FormulaId] {
        &self.systems[system as usize]
    }

    /// How many formulas there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// An estimate of the memory in bytes.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * 32 + self.operands.len() * 4
    }

    /// The formula where some fluents are known. Large and deep parts are left as they are: that loses a
    /// simplification, but they stay shared between moves.
    pub fn restrict(&mut self, id: FormulaId, known: &Assumption, memo: &mut Memo) -> FormulaId {
        self.restrict_to(id, known, memo, DEEPEST)
    }

    fn restrict_to(&mut self, id: FormulaId, known: &Assumption, memo: &mut Memo, depth: u32) -> FormulaId {
        if self.mask(id) & known.mask == 0 || depth == 0 {
            return id;
        }
        match self.get(id) {
            Formula::Fluent(f) => {
                return match known.value(f) {
                    Some(true) => TRUE,
                    Some(false) => FALSE,
                    None => id,
                };
            }
            Formula::False | Formula::True | Formula::Fix(..) => return id,
            _ => {}
        }
        if let Some(done) = memo.done.get(&id) {
            return *done;
        }
        if memo.left == 0 {
            return id;
        }
        memo.left -= 1;
        let result = match self.get(id) {
            Formula::Not(a) => {
                let a = self.restrict_to(a, known, memo, depth - 1);
                self.not(a)
            }
            Formula::And(_) => self.restrict_list(id, FALSE, known, memo, depth - 1),
            Formula::Or(_) => self.restrict_list(id, TRUE, known, memo, depth - 1),
            _ => id,
        };
        memo.done.insert(id, result);
        result
    }

    /// A conjunction or disjunction where some fluents are known. Most stay as they are, so a list is only
    /// made from the first operand on that does not.
    fn restrict_list(
        &mut self,
        id: FormulaId,
        absorbing: FormulaId,
        known: &Assumption,
        memo: &mut Memo,
        depth: u32,
    ) -> FormulaId {
        let Node { kind, start, len, .. } = self.nodes[id as usize];
        let (start, end) = (start as usize, (start + len) as usize);
        let mut out: Option<Vec<FormulaId>> = None;
        for at in start..end {
            let old = self.operands[at];
            let new = self.restrict_to(old, known, memo, depth);
            if new == absorbing {
                return absorbing;
            }
            match &mut out {
                Some(list) => list.push(new),
                None if new == old => {}
                None => {
                    let mut list = Vec::with_capacity(end - start);
                    list.extend_from_slice(&self.operands[start..at]);
                    list.push(new);
                    out = Some(list);
                }
            }
        }
        let neutral = if absorbing == TRUE { FALSE } else { TRUE };
        out.map_or(id, |mut list| self.combine(kind, &mut list, neutral, absorbing))
    }
}

/// How deep a formula is restricted, and how many parts of it.
const DEEPEST: u32 = 24;
const MOST_PARTS: usize = 500;

/// What was restricted already under one assumption, and how many more parts may be.
pub(crate) struct Memo {
    done: FxHashMap<FormulaId, FormulaId>,
    left: usize,
}

impl Memo {
    /// Room for this many formulas.
    pub fn new(formulas: usize) -> Self {
        // Growing the table step by step would cost more than the room.
        let done = FxHashMap::with_capacity_and_hasher(MOST_PARTS / 2, Default::default());
        Memo { done, left: MOST_PARTS + 8 * formulas }
    }
}

/// Fluents whose value is known.
#[derive(Default)]
pub(crate) struct Assumption {
    /// By fluent, up to the largest that is known.
    values: Vec<Option<bool>>,
    mask: u64,
}

impl Assumption {
    pub fn value(&self, fluent: u32) -> Option<bool> {
        self.values.get(fluent as usize).copied().flatten()
    }

    pub fn set(&mut self, fluent: u32, value: bool) {
        let at = fluent as usize;
        if at >= self.values.len() {
            self.values.resize(at + 1, None);
        }
        self.values[at] = Some(value);
        self.mask |= 1 << (fluent % 64);
    }
}
