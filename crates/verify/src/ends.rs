//! Terminal positions that are not stored: they are only counted, each once.

use crate::VerifyError;
use crate::room::{Room, Taken};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex, PoisonError};
use winset_index::{Block, Blocks};
use winset_model::{Code, State, VarId, Variable};

/// A table of keys holds one, with its own byte, in no more than this; tables double.
const KEY_BYTES: u64 = 2 * 17 * 8 / 7;
/// A key on the heap.
const WIDE_BYTES: u64 = 2 * 17 * 8 / 7 + 32;

/// A state in a few words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Narrow(u128),
    Wide(Box<[u16]>),
}

/// Makes keys.
#[derive(Debug)]
pub struct Keys {
    /// For each variable, where its bits begin; none if all together are too many.
    offsets: Option<Vec<u32>>,
    /// For each block and digit, the bits of its values.
    digits: Vec<Vec<u128>>,
}

impl Keys {
    pub fn new(variables: &[Variable], blocks: &Blocks) -> Self {
        let mut next = 0u32;
        let mut offset = |variable: &Variable| {
            let at = next;
            next = next.saturating_add(usize::BITS - variable.size().saturating_sub(1).leading_zeros());
            at
        };
        let offsets: Vec<u32> = variables.iter().map(&mut offset).collect();
        if next > u128::BITS {
            return Keys { offsets: None, digits: vec![] };
        }
        let bits = |var: &VarId, value: u16| shifted(value, offsets[var.index()]);
        let of_digit = |block: &Block, values: &[u16]| {
            block.vars.iter().zip(values).fold(0, |key, (var, &value)| key | bits(var, value))
        };
        let of_block = |block: &Block| block.digits.iter().map(|values| of_digit(block, values)).collect();
        let digits = blocks.blocks.iter().map(of_block).collect();
        Keys { offsets: Some(offsets), digits }
    }

    /// The key of a state.
    pub fn of(&self, state: &State) -> Key {
        match &self.offsets {
            None => Key::Wide(state.0.clone()),
            Some(offsets) => {
                let bits = state.0.iter().zip(offsets);
                Key::Narrow(bits.fold(0, |key, (&value, &at)| key | shifted(value, at)))
            }
        }
    }

    /// The key of a digit string.
    pub fn of_digits(&self, blocks: &Blocks, string: &[u16]) -> Key {
        if self.offsets.is_none() {
            return self.of(&blocks.state(string));
        }
        let digits = string.iter().zip(&self.digits);
        Key::Narrow(digits.fold(0, |key, (&digit, of_block)| key | of_block[usize::from(digit)]))
    }
}

/// A variable of one value may begin behind the last bit.
fn shifted(value: u16, at: u32) -> u128 {
    u128::from(value).checked_shl(at).unwrap_or(0)
}

/// The terminal positions found so far, by layer.
#[derive(Debug)]
pub struct Ends {
    layers: Mutex<FxHashMap<i64, Found>>,
    room: Arc<Room>,
}

/// Those of one layer.
#[derive(Debug)]
pub struct Found {
    narrow: FxHashSet<u128>,
    wide: FxHashSet<Box<[u16]>>,
    /// How many there are of each code.
    pub by_code: Vec<u64>,
    taken: Taken,
    /// There is memory for so many.
    limit: usize,
}

impl Ends {
    pub fn new(room: Arc<Room>) -> Self {
        Ends { layers: Mutex::default(), room }
    }

    /// Adds positions with their layers and codes, in any order and any number of times.
    pub fn add(&self, ends: &mut Vec<(i64, Key, Code)>) -> Result<(), VerifyError> {
        let mut layers = self.layers.lock().unwrap_or_else(PoisonError::into_inner);
        for (layer, key, code) in ends.drain(..) {
            if let Some(found) = layers.get_mut(&layer) {
                found.insert(key, code)?;
                continue;
            }
            let taken = self.room.take(0)?;
            let (narrow, wide) = (FxHashSet::default(), FxHashSet::default());
            let mut found = Found { narrow, wide, by_code: vec![], taken, limit: 0 };
            found.insert(key, code)?;
            layers.insert(layer, found);
        }
        Ok(())
    }

    /// The positions of all layers up to this one, which are complete.
    pub fn up_to(&self, layer: i64) -> Vec<(i64, Found)> {
        let mut layers = self.layers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut numbers: Vec<i64> = layers.keys().copied().filter(|&l| l <= layer).collect();
        numbers.sort_unstable();
        numbers.into_iter().filter_map(|l| Some((l, layers.remove(&l)?))).collect()
    }
}

impl Found {
    fn insert(&mut self, key: Key, code: Code) -> Result<(), VerifyError> {
        if self.narrow.len() + self.wide.len() == self.limit {
            let more = self.limit.max(1 << 10);
            let each = match &key {
                Key::Narrow(_) => KEY_BYTES,
                Key::Wide(values) => WIDE_BYTES + 2 * values.len() as u64,
            };
            self.taken.grow(more as u64 * each)?;
            self.limit += more;
        }
        let new = match key {
            Key::Narrow(key) => self.narrow.insert(key),
            Key::Wide(key) => self.wide.insert(key),
        };
        if new {
            let code = usize::from(code);
            self.by_code.resize(self.by_code.len().max(code + 1), 0);
            self.by_code[code] += 1;
        }
        Ok(())
    }
}
