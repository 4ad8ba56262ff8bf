//! Every position of a layer with its value, in the order of ranks. Neighbours share most of the way from the top, so
//! that a step costs what differs, and only the chunks on the way are held.

use crate::cache::Chunk;
use crate::chunks::Kind;
use crate::error::StoreError;
use crate::files::Opened;
use crate::store::Store;
use crate::value_file::Body;
use std::sync::Arc;
use winset_index::{Blocks, Digit, Level};
use winset_model::{State, Valuation};

impl Store {
    /// The positions of a solved layer with their values, in the order of their ranks.
    pub fn positions(&self, layer: u32) -> Result<Positions<'_>, StoreError> {
        let (set, values) = (self.opened(Kind::Set, layer)?, self.opened(Kind::Values, layer)?);
        let (levels, len) = (set.set()?.levels.len(), set.set()?.len);
        let state = State(vec![0; self.game().variables().len()].into());
        Ok(Positions {
            store: self,
            blocks: self.blocks()?,
            layer,
            len,
            rank: 0,
            steps: Vec::with_capacity(levels),
            digits: vec![0; levels],
            state,
            values: Values { way: vec![0; levels + 1], chunks: vec![None; levels.max(1)], known: 0 },
            set,
            opened: values,
        })
    }
}

/// See [`Store::positions`]. Ends after the first error.
pub struct Positions<'s> {
    store: &'s Store,
    blocks: &'s Blocks,
    layer: u32,
    set: Arc<Opened>,
    opened: Arc<Opened>,
    len: u64,
    /// Of the position that comes next.
    rank: u64,
    /// The way to the position that came last.
    steps: Vec<Step>,
    digits: Vec<Digit>,
    state: State,
    values: Values,
}

/// A node on the way, and the edge by which the way goes on.
struct Step {
    chunk: Arc<Chunk>,
    edge: usize,
    /// Behind the node's last edge.
    end: usize,
    /// The rank of the first position below the node.
    first: u64,
}

/// The way through a diagram of values, or the words of the present ranks.
struct Values {
    /// Where the way stands before each level.
    way: Vec<u64>,
    /// The last chunk that was needed on each level.
    chunks: Vec<Option<(u64, Arc<Chunk>)>>,
    /// The way is known down to this level.
    known: usize,
}

impl Positions<'_> {
    fn next_position(&mut self) -> Result<(State, Valuation), StoreError> {
        let changed = self.advance()?;
        for k in changed..self.digits.len() {
            let block = &self.blocks.blocks[k];
            let Some(values) = block.digits.get(usize::from(self.digits[k])) else {
                let reason = "it has a digit without meaning";
                return Err(StoreError::Layer { layer: self.layer, reason });
            };
            block.vars.iter().zip(values).for_each(|(&var, &value)| self.state[var] = value);
        }
        self.values.known = self.values.known.min(changed);
        let valuation = self.valuation()?;
        Ok((self.state.clone(), valuation))
    }

    /// Goes to the next digit string; gives the first level whose digit has changed.
    fn advance(&mut self) -> Result<usize, StoreError> {
        if self.rank > 0 {
            while let Some(last) = self.steps.last_mut() {
                last.edge += 1;
                if last.edge < last.end {
                    break;
                }
                self.steps.pop();
            }
        } else if let Some(root) = self.set.set()?.root.filter(|_| !self.digits.is_empty()) {
            self.enter(root, 0)?;
        }
        if self.steps.is_empty() && !self.digits.is_empty() {
            return Err(self.set.file.damaged("it has less positions than it says"));
        }
        let changed = self.steps.len().saturating_sub(1);
        while let Some(step) = self.steps.last() {
            let level = self.level(step)?;
            let (digit, child, before) =
                (level.digit[step.edge], level.child[step.edge], level.before[step.edge]);
            let first = step.first.wrapping_add(before);
            if first != self.rank {
                return Err(self.set.file.damaged("its numbers do not count its positions"));
            }
            let k = self.steps.len() - 1;
            self.digits[k] = digit;
            if k + 1 == self.digits.len() {
                break;
            }
            self.enter(child, first)?;
        }
        Ok(changed)
    }

    fn enter(&mut self, node: u32, first: u64) -> Result<(), StoreError> {
        let k = self.steps.len();
        let section = &self.set.set()?.levels[k];
        let number = u64::from(node) >> section.shift;
        let chunk = self.store.set_chunk(self.layer, &self.set, k, number)?;
        let local = u64::from(node) - (number << section.shift);
        let mut step = Step { chunk, edge: 0, end: 0, first };
        let edges = self.level(&step)?.edges(local as u32);
        if edges.is_empty() {
            return Err(self.set.file.damaged("a node has no edges"));
        }
        (step.edge, step.end) = (edges.start, edges.end);
        self.steps.push(step);
        Ok(())
    }

    fn level<'a>(&self, step: &'a Step) -> Result<&'a Level, StoreError> {
        match &*step.chunk {
            Chunk::Set(level) => Ok(level),
            _ => Err(self.set.file.damaged("not a set")),
        }
    }

    fn valuation(&mut self) -> Result<Valuation, StoreError> {
        let head = self.opened.values()?;
        let value = match &head.body {
            Body::Packed { shift } => {
                let number = self.rank >> shift;
                let kept = self.values.chunks[0].take().filter(|(kept, _)| *kept == number);
                let chunk = match kept {
                    Some((_, chunk)) => chunk,
                    None => self.store.words_chunk(self.layer, &self.opened, number)?,
                };
                let value = self.store.packed(&self.opened, &chunk, number, *shift, self.rank)?;
                self.values.chunks[0] = Some((number, chunk));
                value
            }
            Body::Diagram { root, levels } => {
                let values = &mut self.values;
                values.way[0] = *root;
                for (k, section) in levels.iter().enumerate().skip(values.known) {
                    let at = values.way[k];
                    if (at >> 32) as usize != k {
                        // The value does not depend on this digit.
                        values.way[k + 1] = at;
                        continue;
                    }
                    let node = at & 0xffff_ffff;
                    let number = node >> section.shift;
                    let kept = values.chunks[k].take().filter(|(kept, _)| *kept == number);
                    let chunk = match kept {
                        Some((_, chunk)) => chunk,
                        None => self.store.diagram_chunk(self.layer, &self.opened, k, number)?,
                    };
                    let Chunk::Diagram(nodes) = &*chunk else {
                        return Err(self.opened.file.damaged("not nodes"));
                    };
                    let local = (node - (number << section.shift)) as usize;
                    values.way[k + 1] = nodes.step(local, self.digits[k]);
                    values.chunks[k] = Some((number, chunk));
                }
                values.known = self.digits.len();
                values.way[self.digits.len()] & 0xffff_ffff
            }
            Body::Leaves(_) => self.store.leaf_value(self.layer, &self.opened, &self.digits)?,
        };
        self.store.meaning(&self.opened, value)
    }
}

impl Iterator for Positions<'_> {
    type Item = Result<(State, Valuation), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rank == self.len {
            return None;
        }
        let found = self.next_position();
        self.rank = if found.is_ok() { self.rank + 1 } else { self.len };
        Some(found)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.len - self.rank).ok();
        (0, left)
    }
}
