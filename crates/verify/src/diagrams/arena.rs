//! Nodes that are each there once.

use crate::VerifyError;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A node, by its number.
pub type Id = u32;

/// Lists of numbers, each there once.
#[derive(Debug)]
pub struct Arena {
    start: Vec<usize>,
    items: Vec<u32>,
    /// Open addressing; 0 is free, everything else one more than a number.
    table: Vec<u32>,
    /// The bytes that may be taken in all.
    room: u64,
}

impl Arena {
    pub fn new(room: u64) -> Self {
        Arena { start: vec![0], items: vec![], table: vec![0; 1 << 10], room }
    }

    /// The number of lists.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    pub fn get(&self, id: Id) -> &[u32] {
        &self.items[self.start[id as usize]..self.start[id as usize + 1]]
    }

    /// The memory that is taken.
    pub fn bytes(&self) -> u64 {
        (self.start.capacity() * 8 + self.items.capacity() * 4 + self.table.len() * 4) as u64
    }

    /// The number of a list, a new one if need be.
    pub fn add(&mut self, list: &[u32]) -> Result<Id, VerifyError> {
        let mask = self.table.len() - 1;
        let mut at = hash(list) & mask;
        while self.table[at] != 0 {
            let id = self.table[at] - 1;
            if self.get(id) == list {
                return Ok(id);
            }
            at = (at + 1) & mask;
        }
        let id = self.len() as u32;
        if self.bytes() + 4 * list.len() as u64 > self.room || id == u32::MAX - 1 {
            return Err(VerifyError::Memory { room: self.room });
        }
        self.table[at] = id + 1;
        self.items.extend_from_slice(list);
        self.start.push(self.items.len());
        if 2 * self.len() > self.table.len() {
            self.grow();
        }
        Ok(id)
    }

    fn grow(&mut self) {
        let mut table = vec![0; 2 * self.table.len()];
        let mask = table.len() - 1;
        for id in 0..self.len() as u32 {
            let mut at = hash(self.get(id)) & mask;
            while table[at] != 0 {
                at = (at + 1) & mask;
            }
            table[at] = id + 1;
        }
        self.table = table;
    }
}

fn hash(list: &[u32]) -> usize {
    let mut hasher = FxHasher::default();
    list.hash(&mut hasher);
    (hasher.finish() >> 20) as usize
}
