//! Layers of a store in memory, while they are needed.

use crate::VerifyError;
use crate::marks::Marks;
use crate::room::{Room, Taken};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};
use winset_index::{Blocks, Index, Planes};
use winset_store::{Store, StoreError};

/// A layer with its values, if it has any.
pub struct Layer {
    pub number: u32,
    pub index: Index,
    pub codes: Option<Planes>,
    pub distances: Option<Planes>,
    /// Kept while the layer itself is out of memory.
    pub marks: Arc<Marks>,
    _taken: Taken,
}

/// Loads layers when first asked for.
pub struct Layers<'s> {
    store: &'s Store,
    blocks: &'s Blocks,
    loaded: Mutex<Loaded>,
    room: Arc<Room>,
}

#[derive(Default)]
struct Loaded {
    layers: FxHashMap<u32, Arc<Layer>>,
    marks: FxHashMap<u32, (Arc<Marks>, Taken)>,
}

impl<'s> Layers<'s> {
    pub fn new(store: &'s Store, room: Arc<Room>) -> Result<Self, StoreError> {
        Ok(Layers { store, blocks: store.blocks()?, loaded: Mutex::default(), room })
    }

    /// The layer; nothing if the store has no such layer.
    pub fn get(&self, number: u32) -> Result<Option<Arc<Layer>>, VerifyError> {
        // Under the lock, so that no layer is loaded twice.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layer) = loaded.layers.get(&number) {
            return Ok(Some(layer.clone()));
        }
        if self.store.manifest().layer(number).is_none() {
            return Ok(None);
        }
        let layer = Arc::new(self.load(number, &mut loaded)?);
        loaded.layers.insert(number, layer.clone());
        Ok(Some(layer))
    }

    fn load(&self, number: u32, loaded: &mut Loaded) -> Result<Layer, VerifyError> {
        // Checking a set's numbers takes about half of what it takes itself.
        let index = self.store.read_set(number, self.room.left() / 5 * 3)?;
        for (level, block) in index.levels().iter().zip(&self.blocks.blocks) {
            if level.digit.iter().any(|&digit| usize::from(digit) >= block.digits.len()) {
                let reason = "it has a digit without meaning";
                return Err(StoreError::Layer { layer: number, reason }.into());
            }
        }
        let of_level = |level: &winset_index::Level| level.start.len() * 4 + level.digit.capacity() * 14;
        let mut taken = self.room.take(index.levels().iter().map(of_level).sum::<usize>() as u64)?;
        let marks = match loaded.marks.get(&number) {
            Some((marks, _)) => marks.clone(),
            None => {
                let taken = self.room.take(Marks::bytes(index.len()))?;
                let marks = Arc::new(Marks::new(index.len()));
                loaded.marks.insert(number, (marks.clone(), taken));
                marks
            }
        };
        let (mut codes, mut distances) = (None, None);
        if self.store.manifest().layer(number).is_some_and(|record| record.values.is_some()) {
            let (read, far) = self.store.read_values(number, &index, self.room.left())?;
            let planes = read.planes.iter().chain(far.iter().flat_map(|planes| &planes.planes));
            taken.grow(planes.map(|plane| 8 * plane.len() as u64).sum())?;
            (codes, distances) = (Some(read), far);
        }
        Ok(Layer { number, index, codes, distances, marks, _taken: taken })
    }

    /// Forgets all layers but those that `keep` accepts, and the marks of those up to one that is done with.
    pub fn retain(&self, done: u32, keep: impl Fn(u32) -> bool) {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.layers.retain(|&number, _| keep(number));
        loaded.marks.retain(|&number, _| number > done);
    }
}
