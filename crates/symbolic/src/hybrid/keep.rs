//! Who keeps layers, as the search sees it.

use std::collections::BTreeMap;
use winset_index::{Blocks, Index, Level, Planes, ValueDiagram};
use winset_model::{Player, Rewards};

/// Anything that may be wrong with whoever keeps layers.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// How states are cut and layered, known before the first layer.
#[derive(Debug)]
pub struct KeptPlan<'a> {
    /// A block for each variable, in the order of the diagrams, with all values as digits.
    pub blocks: &'a Blocks,
    /// The weights of the measure by which states are layered, and their sum at the start; none: by moves made.
    pub measure: Option<(&'a [Vec<i64>], i64)>,
    /// The rewards of every code so far.
    pub codes: &'a [Rewards],
}

/// A layer whose states are known: all of them, terminal ones too.
#[derive(Debug)]
pub struct KeptSet<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// The measure, or the number of moves made.
    pub measure: i64,
    /// Its terminal states by code.
    pub terminal_by_code: Vec<u64>,
    /// Who is to move in all others, if it is always the same player.
    pub mover: Option<Player>,
    /// The rewards of every code so far.
    pub codes: &'a [Rewards],
    /// Its states.
    pub index: &'a Index,
}

/// The values of a layer.
#[derive(Debug)]
pub struct KeptValues<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// The measure, or the number of moves made.
    pub measure: i64,
    /// Its states that are not terminal, by code.
    pub by_code: Vec<u64>,
    /// The rewards of every code.
    pub codes: &'a [Rewards],
    /// Its states.
    pub index: &'a Index,
    /// Their codes: a diagram, or bits in rank order.
    pub values: Result<&'a ValueDiagram, &'a Planes>,
}

/// What earlier runs have finished.
#[derive(Clone, Debug, Default)]
pub struct KeptPast {
    /// The rewards of every code; empty if nothing is there.
    pub codes: Vec<Rewards>,
    /// The layers, from the first on.
    pub layers: Vec<KeptLayer>,
    /// There are no more layers.
    pub complete: bool,
}

/// A layer that an earlier run has finished.
#[derive(Clone, Debug)]
pub struct KeptLayer {
    /// The measure, or the number of moves made.
    pub measure: i64,
    /// All its states.
    pub positions: u64,
    /// Its terminal states by code.
    pub terminal_by_code: Vec<u64>,
    /// Who is to move in all others, if it is always the same player.
    pub mover: Option<Player>,
    /// Its other states by code, if it is solved.
    pub solved: Option<Vec<u64>>,
}

/// Takes layers as they are finished, and gives them back. `()` keeps nothing.
pub trait Keeper {
    /// Layers are kept, so that they can be asked for.
    fn keeps(&self) -> bool {
        false
    }

    /// It is known how states are cut: what is there already.
    fn begin(&mut self, plan: &KeptPlan<'_>) -> Result<KeptPast, Cause> {
        let _ = plan;
        Ok(KeptPast::default())
    }

    /// Takes the states of a layer.
    fn put_set(&mut self, layer: &KeptSet<'_>) -> Result<(), Cause> {
        let _ = layer;
        Ok(())
    }

    /// Takes the values of a layer.
    fn put_values(&mut self, layer: &KeptValues<'_>) -> Result<(), Cause> {
        let _ = layer;
        Ok(())
    }

    /// The states of a layer.
    fn set(&mut self, number: usize) -> Result<Index, Cause> {
        Err(format!("layer {number} is not kept").into())
    }

    /// The codes of a layer as a diagram.
    fn diagram(&mut self, number: usize, index: &Index) -> Result<ValueDiagram, Cause> {
        let _ = index;
        Err(format!("layer {number} is not kept").into())
    }

    /// The codes of a layer in rank order.
    fn planes(&mut self, number: usize, index: &Index) -> Result<Planes, Cause> {
        let _ = index;
        Err(format!("layer {number} is not kept").into())
    }
}

/// Keeps nothing.
impl Keeper for () {}

/// The levelled diagrams of layers from the way forward, as many as are small: the way back needs them again.
pub(super) struct Indexes {
    room: u64,
    known: BTreeMap<usize, Index>,
}

impl Indexes {
    pub fn within(room: u64) -> Self {
        Indexes { room, known: BTreeMap::new() }
    }

    pub fn keep(&mut self, number: usize, index: Index) {
        // Start, digit, child and count; about as much as these take.
        let bytes = |level: &Level| 4 * level.start.len() + 14 * level.digit.len();
        let bytes = index.levels().iter().map(bytes).sum::<usize>() as u64;
        if let Some(left) = self.room.checked_sub(bytes) {
            self.room = left;
            self.known.insert(number, index);
        }
    }

    pub fn take(&mut self, number: usize) -> Option<Index> {
        self.known.remove(&number)
    }
}
