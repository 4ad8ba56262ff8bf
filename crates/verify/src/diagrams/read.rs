//! What is stored, as sets.

use super::arena::Id;
use super::sets::{EMPTY, LEAF, Sets};
use crate::VerifyError;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use winset_index::{Blocks, Digit, Index, Planes, ValueDiagram, ValueRef};
use winset_store::{Store, StoreError};

/// States by the number that is stored of each: a code, and a distance above it.
pub type ByValue = BTreeMap<u32, Id>;

/// A layer as it is stored.
#[derive(Clone, Debug)]
pub struct Stored {
    /// All its states.
    pub set: Id,
    /// The same by value, if it has values.
    pub values: Option<ByValue>,
}

/// Reads a layer, by the reader that queries use, in `room` bytes of memory. Every number of the set's file is compared
/// with what it should be.
pub fn read(store: &Store, sets: &mut Sets, layer: u32, room: u64) -> Result<Stored, VerifyError> {
    let blocks = store.blocks()?;
    let index = store.read_set(layer, room)?;
    for (level, block) in index.levels().iter().zip(&blocks.blocks) {
        if level.digit.iter().any(|&digit| usize::from(digit) >= block.digits.len()) {
            return Err(StoreError::Layer { layer, reason: "it has a digit without meaning" }.into());
        }
    }
    let mut first = vec![];
    let mut next = 0;
    for block in &blocks.blocks {
        first.push(next);
        next += block.vars.len() as u32;
    }
    let mut reader = Reader { sets, blocks, index: &index, first: &first };
    let mut known = vec![FxHashMap::default(); index.levels().len()];
    let set = match index.root() {
        None => EMPTY,
        Some(root) => reader.set(root, 0, &mut known)?,
    };
    let solved = store.manifest().layer(layer).is_some_and(|record| record.values.is_some());
    if !solved {
        return Ok(Stored { set, values: None });
    }
    let values = match (index.root(), store.read_diagram(layer, room)?) {
        (None, _) => BTreeMap::new(),
        (Some(root), Some(diagram)) => {
            let mut known = vec![FxHashMap::default(); index.levels().len()];
            let values = reader.by_diagram(&diagram, (root, diagram.root), 0, &mut known)?;
            values.iter().copied().collect()
        }
        (Some(root), None) => {
            let (codes, distances) = store.read_values(layer, &index, room)?;
            let values = reader.by_rank(&codes, distances.as_ref(), root, 0, 0)?;
            values.into_iter().collect()
        }
    };
    Ok(Stored { set, values: Some(values) })
}

/// Sets of states by value, from some level down.
type Parts = Vec<(u32, Id)>;

struct Reader<'a> {
    sets: &'a mut Sets,
    blocks: &'a Blocks,
    index: &'a Index,
    /// The first level of each block's variables.
    first: &'a [u32],
}

impl Reader<'_> {
    fn set(&mut self, node: u32, k: usize, known: &mut [FxHashMap<u32, Id>]) -> Result<Id, VerifyError> {
        let index = self.index;
        let Some(level) = index.levels().get(k) else { return Ok(LEAF) };
        if let Some(&set) = known[k].get(&node) {
            return Ok(set);
        }
        let mut edges = vec![];
        for e in level.edges(node) {
            edges.push((level.digit[e], self.set(level.child[e], k + 1, known)?));
        }
        let set = self.split(k, &edges)?;
        known[k].insert(node, set);
        Ok(set)
    }

    /// A node over a block's digits as nodes over its variables' values.
    fn split(&mut self, k: usize, edges: &[(Digit, Id)]) -> Result<Id, VerifyError> {
        let blocks = self.blocks;
        let digits = &blocks.blocks[k].digits;
        let mut rows: Vec<(&[u16], Id)> =
            edges.iter().map(|&(digit, below)| (&*digits[usize::from(digit)], below)).collect();
        rows.sort_unstable_by_key(|row| row.0);
        self.split_rows(self.first[k], &rows, 0)
    }

    fn split_rows(&mut self, level: u32, rows: &[(&[u16], Id)], at: usize) -> Result<Id, VerifyError> {
        // Digits have different values, so that below the last variable there is one row.
        let Some(first) = rows.first() else { return Ok(EMPTY) };
        if at == first.0.len() {
            return Ok(first.1);
        }
        let mut edges = vec![];
        for run in rows.chunk_by(|a, b| a.0[at] == b.0[at]) {
            edges.push((u32::from(run[0].0[at]), self.split_rows(level + 1, run, at + 1)?));
        }
        self.sets.node(level, &edges)
    }

    fn by_diagram(
        &mut self,
        diagram: &ValueDiagram,
        (node, at): (u32, ValueRef),
        k: usize,
        known: &mut [FxHashMap<(u32, ValueRef), Rc<Parts>>],
    ) -> Result<Rc<Parts>, VerifyError> {
        let index = self.index;
        let Some(level) = index.levels().get(k) else { return Ok(Rc::new(vec![(at as u32, LEAF)])) };
        if let Some(parts) = known[k].get(&(node, at)) {
            return Ok(parts.clone());
        }
        let mut by_value: BTreeMap<u32, Vec<(Digit, Id)>> = BTreeMap::new();
        for e in level.edges(node) {
            let here = (at >> 32) as usize == k;
            let to = if here { diagram.levels[k].step(at as u32 as usize, level.digit[e]) } else { at };
            for &(value, below) in self.by_diagram(diagram, (level.child[e], to), k + 1, known)?.iter() {
                by_value.entry(value).or_default().push((level.digit[e], below));
            }
        }
        let parts = Rc::new(self.joined(k, by_value)?);
        known[k].insert((node, at), parts.clone());
        Ok(parts)
    }

    fn by_rank(
        &mut self,
        codes: &Planes,
        distances: Option<&Planes>,
        node: u32,
        k: usize,
        rank: u64,
    ) -> Result<Parts, VerifyError> {
        let index = self.index;
        let Some(level) = index.levels().get(k) else {
            let bits = codes.planes.len();
            let far = distances.map_or(0, |distances| distances.get(rank));
            return Ok(vec![(codes.get(rank) | far << bits, LEAF)]);
        };
        let mut by_value: BTreeMap<u32, Vec<(Digit, Id)>> = BTreeMap::new();
        for e in level.edges(node) {
            let below = self.by_rank(codes, distances, level.child[e], k + 1, rank + level.before[e])?;
            for (value, below) in below {
                by_value.entry(value).or_default().push((level.digit[e], below));
            }
        }
        self.joined(k, by_value)
    }

    fn joined(&mut self, k: usize, by_value: BTreeMap<u32, Vec<(Digit, Id)>>) -> Result<Parts, VerifyError> {
        by_value.into_iter().map(|(value, edges)| Ok((value, self.split(k, &edges)?))).collect()
    }
}
