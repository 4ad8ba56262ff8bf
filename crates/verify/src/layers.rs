//! Layers of a store in memory, while they are needed.

use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};
use winset_index::{Blocks, Index, Planes};
use winset_store::{Store, StoreError};

/// A layer with its values.
pub struct Layer {
    pub number: u32,
    pub index: Index,
    pub codes: Planes,
    pub distances: Option<Planes>,
}

/// Loads layers when first asked for.
pub struct Layers<'s> {
    store: &'s Store,
    blocks: &'s Blocks,
    loaded: Mutex<FxHashMap<u32, Option<Arc<Layer>>>>,
}

impl<'s> Layers<'s> {
    pub fn new(store: &'s Store) -> Result<Self, StoreError> {
        Ok(Layers { store, blocks: store.blocks()?, loaded: Mutex::default() })
    }

    /// The layer; nothing if the store has no such layer or no values for it.
    pub fn get(&self, number: u32) -> Result<Option<Arc<Layer>>, StoreError> {
        // Under the lock, so that no layer is loaded twice.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layer) = loaded.get(&number) {
            return Ok(layer.clone());
        }
        let solved = self.store.manifest().layer(number).is_some_and(|record| record.values.is_some());
        let layer = if solved { Some(Arc::new(self.load(number)?)) } else { None };
        loaded.insert(number, layer.clone());
        Ok(layer)
    }

    fn load(&self, number: u32) -> Result<Layer, StoreError> {
        let index = self.store.read_set(number, u64::MAX)?;
        for (level, block) in index.levels().iter().zip(&self.blocks.blocks) {
            if level.digit.iter().any(|&digit| usize::from(digit) >= block.digits.len()) {
                return Err(StoreError::Layer { layer: number, reason: "it has a digit without meaning" });
            }
        }
        let (codes, distances) = self.store.read_values(number, &index, u64::MAX)?;
        Ok(Layer { number, index, codes, distances })
    }

    /// Forgets all layers but those that `keep` accepts.
    pub fn retain(&self, keep: impl Fn(u32) -> bool) {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).retain(|&number, _| keep(number));
    }
}
