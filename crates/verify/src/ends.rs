//! Terminal positions that are not stored: they are only counted, each once.

use crate::VerifyError;
use crate::keyset::{KeySet, Number};
use crate::message::{decode, encode};
use crate::peers::{Peers, sum};
use crate::room::{Room, Taken};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};
use winset_index::{Block, Blocks};
use winset_model::{Code, State, VarId, Variable};

/// Positions that are sent at a time, about: some megabytes.
const TOGETHER: usize = 1 << 18;

/// A state in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    Short(u64),
    Long(u128),
    Wide(Box<[u16]>),
}

impl Key {
    fn short(&self) -> u64 {
        if let Key::Short(key) = self { *key } else { u64::NONE }
    }

    fn long(&self) -> u128 {
        if let Key::Long(key) = self { *key } else { u128::NONE }
    }

    /// Which of 2^64 it belongs to.
    fn scattered(&self) -> u64 {
        match self {
            Key::Short(key) => key.scattered(),
            Key::Long(key) => key.scattered(),
            Key::Wide(values) => FxBuildHasher.hash_one(values),
        }
    }

    /// The memory of a place in a table of such keys, with the byte that says whether it is taken; what it keeps on
    /// the heap too.
    fn bytes(&self) -> u64 {
        match self {
            Key::Short(_) => 8,
            Key::Long(_) => 16,
            Key::Wide(values) => 49 + 2 * values.len() as u64,
        }
    }
}

/// Makes keys.
#[derive(Debug)]
pub struct Keys {
    /// For each variable, where its bits begin; none if all together are too many.
    offsets: Option<Vec<u32>>,
    /// All bits fit into a short key.
    short: bool,
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
        // A key with all bits set means that there is none.
        if next >= u128::BITS {
            return Keys { offsets: None, short: false, digits: vec![] };
        }
        let bits = |var: &VarId, value: u16| shifted(value, offsets[var.index()]);
        let of_digit = |block: &Block, values: &[u16]| {
            block.vars.iter().zip(values).fold(0, |key, (var, &value)| key | bits(var, value))
        };
        let of_block = |block: &Block| block.digits.iter().map(|values| of_digit(block, values)).collect();
        let digits = blocks.blocks.iter().map(of_block).collect();
        Keys { offsets: Some(offsets), short: next < u64::BITS, digits }
    }

    /// The key of a state.
    pub fn of(&self, state: &State) -> Key {
        match &self.offsets {
            None => Key::Wide(state.0.clone()),
            Some(offsets) => {
                let bits = state.0.iter().zip(offsets);
                self.key(bits.fold(0, |key, (&value, &at)| key | shifted(value, at)))
            }
        }
    }

    /// The key of a digit string.
    pub fn of_digits(&self, blocks: &Blocks, string: &[u16]) -> Key {
        if self.offsets.is_none() {
            return self.of(&blocks.state(string));
        }
        let digits = string.iter().zip(&self.digits);
        self.key(digits.fold(0, |key, (&digit, of_block)| key | of_block[usize::from(digit)]))
    }

    fn key(&self, bits: u128) -> Key {
        if self.short { Key::Short(bits as u64) } else { Key::Long(bits) }
    }
}

/// A variable of one value may begin behind the last bit.
fn shifted(value: u16, at: u32) -> u128 {
    u128::from(value).checked_shl(at).unwrap_or(0)
}

/// The terminal positions found so far, by layer.
#[derive(Debug)]
pub struct Ends {
    layers: Mutex<FxHashMap<(i64, Option<Code>), Found>>,
    room: Arc<Room>,
    /// By code too, so that they can be handed to others with their codes.
    apart: bool,
}

/// Those of one layer. All keys are of the same kind.
#[derive(Debug, Default)]
struct Found {
    short: KeySet<u64>,
    long: KeySet<u128>,
    wide: FxHashSet<Box<[u16]>>,
    /// How many there are of each code.
    by_code: Vec<u64>,
    /// The bytes of a table with n places; a few are always free.
    taken: Option<Taken>,
    places: u64,
}

impl Ends {
    pub fn new(room: Arc<Room>, apart: bool) -> Self {
        Ends { layers: Mutex::default(), room, apart }
    }

    /// Adds positions with their layers and codes, in any order and any number of times.
    pub fn add(&self, ends: &mut Vec<(i64, Key, Code)>) -> Result<(), VerifyError> {
        if self.apart {
            ends.sort_unstable_by_key(|end| (end.0, end.2));
        }
        let mut layers = self.layers.lock().unwrap_or_else(PoisonError::into_inner);
        for alike in ends.chunk_by(|a, b| a.0 == b.0 && (!self.apart || a.2 == b.2)) {
            let of = (alike[0].0, self.apart.then_some(alike[0].2));
            layers.entry(of).or_default().insert(alike, &self.room)?;
        }
        ends.clear();
        Ok(())
    }

    /// The numbers of positions of all layers up to this one, which are complete, by code; with several processes those
    /// of which this one keeps count.
    pub fn up_to(&self, layer: i64, peers: &dyn Peers) -> Result<BTreeMap<i64, Vec<u64>>, VerifyError> {
        let found = match peers.size() {
            1 => self.take(layer),
            _ => self.divided(layer, peers)?.take(layer),
        };
        let mut counts: BTreeMap<i64, Vec<u64>> = BTreeMap::new();
        for ((layer, _), found) in found {
            let sums = counts.entry(layer).or_default();
            sums.resize(sums.len().max(found.by_code.len()), 0);
            sums.iter_mut().zip(&found.by_code).for_each(|(sum, n)| *sum += n);
        }
        Ok(counts)
    }

    fn take(&self, layer: i64) -> Vec<((i64, Option<Code>), Found)> {
        let mut layers = self.layers.lock().unwrap_or_else(PoisonError::into_inner);
        let numbers: Vec<_> = layers.keys().copied().filter(|of| of.0 <= layer).collect();
        numbers.into_iter().filter_map(|of| Some((of, layers.remove(&of)?))).collect()
    }

    /// Everybody's positions of all layers up to this one, each with the process whose it is: what several have found is
    /// counted once.
    fn divided(&self, layer: i64, peers: &dyn Peers) -> Result<Ends, VerifyError> {
        let (own, found) = (Ends::new(self.room.clone(), true), self.take(layer));
        let keys = found.iter().flat_map(|((layer, code), found)| {
            found.keys().map(move |key| (*layer, key, code.unwrap_or_default()))
        });
        let mut keys = keys.fuse().peekable();
        while sum(peers, u64::from(keys.peek().is_some()))? > 0 {
            let mut parts = vec![vec![]; peers.size()];
            for end in keys.by_ref().take(TOGETHER) {
                parts[(end.1.scattered() % peers.size() as u64) as usize].push(end);
            }
            own.add(&mut parts[peers.rank()])?;
            let mut take = |_: usize, bytes: Vec<u8>| Ok(own.add(&mut decode(&bytes)?)?);
            peers.exchange(&mut |to| Ok(encode(&parts[to])), &mut take).map_err(VerifyError::of_peers)?;
        }
        Ok(own)
    }
}

impl Found {
    /// All keys.
    fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        let short = self.short.numbers().map(Key::Short);
        let long = self.long.numbers().map(Key::Long);
        short.chain(long).chain(self.wide.iter().cloned().map(Key::Wide))
    }

    /// Adds positions of this layer.
    fn insert(&mut self, ends: &[(i64, Key, Code)], room: &Arc<Room>) -> Result<(), VerifyError> {
        let Some((_, first, _)) = ends.first() else { return Ok(()) };
        self.make_room(first, ends.len(), room)?;
        let by_code = &mut self.by_code;
        let mut count = |code: Code| {
            let code = usize::from(code);
            by_code.resize(by_code.len().max(code + 1), 0);
            by_code[code] += 1;
        };
        match first {
            Key::Short(_) => self.short.insert(ends, |end| end.1.short(), |end| count(end.2)),
            Key::Long(_) => self.long.insert(ends, |end| end.1.long(), |end| count(end.2)),
            Key::Wide(_) => {
                for (_, key, code) in ends {
                    if let Key::Wide(values) = key
                        && self.wide.insert(values.clone())
                    {
                        count(*code);
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes room for n more of a kind.
    fn make_room(&mut self, kind: &Key, more: usize, room: &Arc<Room>) -> Result<(), VerifyError> {
        let places = match kind {
            Key::Short(_) => self.short.places_for(more) as u64,
            Key::Long(_) => self.long.places_for(more) as u64,
            Key::Wide(_) => ((self.wide.len() + more) as u64 * 8 / 7 + 1).next_power_of_two(),
        };
        if places <= self.places {
            return Ok(());
        }
        // While a table doubles, the old one is there too.
        let bytes = places * kind.bytes();
        let taken = room.take(bytes)?;
        let given = match kind {
            Key::Short(_) => self.short.grow(places as usize),
            Key::Long(_) => self.long.grow(places as usize),
            Key::Wide(_) => self.wide.try_reserve(more).is_ok(),
        };
        if !given {
            return Err(VerifyError::Refused { bytes });
        }
        (self.taken, self.places) = (Some(taken), places);
        Ok(())
    }
}
