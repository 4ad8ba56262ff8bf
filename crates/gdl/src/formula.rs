//! Hash-consed Boolean formulas over fluents: the form in which moves are simplified and invariants proved
//! before the fluents are grouped into variables.

use crate::terms::hash_ids;
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
    start: u32,
    len: u32,
    /// One bit per residue class of fluents: where two masks do not meet, nothing is shared.
    mask: u64,
}

/// The arena.
pub(crate) struct Formulas {
    nodes: Vec<Node>,
    operands: Vec<u32>,
    table: HashTable<FormulaId>,
    /// One more than the largest fluent in use.
    fluents: usize,
    systems: Vec<Vec<FormulaId>>,
    system_index: FxHashMap<Vec<u32>, u32>,
}

impl Formulas {
    pub fn new() -> Self {
        let constant = Node { kind: Kind::Constant, start: 0, len: 0, mask: 0 };
        Formulas {
            nodes: vec![constant, constant],
            operands: Vec::new(),
            table: HashTable::new(),
            fluents: 0,
            systems: Vec::new(),
            system_index: FxHashMap::default(),
        }
    }

    pub fn get(&self, id: FormulaId) -> Formula<'_> {
        let node = self.nodes[id as usize];
        let operands = &self.operands[node.start as usize..(node.start + node.len) as usize];
        match node.kind {
            Kind::Constant if id == TRUE => Formula::True,
            Kind::Constant => Formula::False,
            Kind::Fluent => Formula::Fluent(operands[0]),
            Kind::Not => Formula::Not(operands[0]),
            Kind::And => Formula::And(operands),
            Kind::Or => Formula::Or(operands),
            Kind::Fix => Formula::Fix(operands[0], operands[1]),
        }
    }

    pub fn mask(&self, id: FormulaId) -> u64 {
        self.nodes[id as usize].mask
    }

    fn intern(&mut self, kind: Kind, operands: &[u32], mask: u64) -> FormulaId {
        let hash = hash_ids(kind as u32, operands);
        let (nodes, all) = (&self.nodes, &self.operands);
        let of = |n: Node| &all[n.start as usize..(n.start + n.len) as usize];
        let same = |id: &FormulaId| {
            let node = nodes[*id as usize];
            node.kind == kind && of(node) == operands
        };
        if let Some(id) = self.table.find(hash, same) {
            return *id;
        }
        let id = self.nodes.len() as FormulaId;
        self.nodes.push(Node { kind, start: self.operands.len() as u32, len: operands.len() as u32, mask });
        self.operands.extend_from_slice(operands);
        let (nodes, all) = (&self.nodes, &self.operands);
        self.table.insert_unique(hash, id, |i| {
            let n = nodes[*i as usize];
            hash_ids(n.kind as u32, &all[n.start as usize..(n.start + n.len) as usize])
        });
        id
    }

    pub fn fluent(&mut self, fluent: u32) -> FormulaId {
        self.fluents = self.fluents.max(fluent as usize + 1);
        self.intern(Kind::Fluent, &[fluent], 1 << (fluent % 64))
    }

    /// One more than the largest fluent in use.
    pub fn fluents(&self) -> usize {
        self.fluents
    }

    /// The formula of a fluent, if it is in use.
    pub fn find_fluent(&self, fluent: u32) -> Option<FormulaId> {
        let same = |id: &FormulaId| matches!(self.get(*id), Formula::Fluent(f) if f == fluent);
        self.table.find(hash_ids(Kind::Fluent as u32, &[fluent]), same).copied()
    }

    pub fn not(&mut self, a: FormulaId) -> FormulaId {
        match self.get(a) {
            Formula::False => TRUE,
            Formula::True => FALSE,
            Formula::Not(b) => b,
            _ => self.intern(Kind::Not, &[a], self.mask(a)),
        }
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

    fn combine(
        &mut self,
        kind: Kind,
        list: &mut Vec<FormulaId>,
        neutral: FormulaId,
        absorbing: FormulaId,
    ) -> FormulaId {
        list.retain(|a| *a != neutral);
        list.sort_unstable();
        list.dedup();
        let contradiction = list.iter().any(|a| {
            *a == absorbing || matches!(self.get(*a), Formula::Not(b) if list.binary_search(&b).is_ok())
        });
        if contradiction {
            return absorbing;
        }
        match list[..] {
            [] => neutral,
            [only] => only,
            _ => {
                let mask = list.iter().fold(0, |m, a| m | self.mask(*a));
                self.intern(kind, list, mask)
            }
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
        self.system_index.insert(key, system);
        (system, true)
    }

    pub fn member(&mut self, system: u32, member: u32) -> FormulaId {
        self.intern(Kind::Fix, &[system, member], u64::MAX)
    }

    pub fn define(&mut self, system: u32, member: u32, body: FormulaId) {
        self.systems[system as usize][member as usize] = body;
    }

    pub fn bodies(&self, system: u32) -> &[FormulaId] {
        &self.systems[system as usize]
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
            Formula::And(list) => {
                let operands: Vec<FormulaId> = list.into();
                let mut out = Vec::with_capacity(list.len());
                for a in operands {
                    let a = self.restrict_to(a, known, memo, depth - 1);
                    out.push(a);
                    if a == FALSE {
                        break;
                    }
                }
                self.and(out)
            }
            Formula::Or(list) => {
                let operands: Vec<FormulaId> = list.into();
                let mut out = Vec::with_capacity(list.len());
                for a in operands {
                    let a = self.restrict_to(a, known, memo, depth - 1);
                    out.push(a);
                    if a == TRUE {
                        break;
                    }
                }
                self.or(out)
            }
            _ => id,
        };
        memo.done.insert(id, result);
        result
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
        Memo { done: FxHashMap::default(), left: MOST_PARTS + 8 * formulas }
    }
}

/// Fluents whose value is known.
#[derive(Default)]
pub(crate) struct Assumption {
    values: FxHashMap<u32, bool>,
    mask: u64,
}

impl Assumption {
    pub fn value(&self, fluent: u32) -> Option<bool> {
        self.values.get(&fluent).copied()
    }

    pub fn set(&mut self, fluent: u32, value: bool) {
        self.values.insert(fluent, value);
        self.mask |= 1 << (fluent % 64);
    }
}
