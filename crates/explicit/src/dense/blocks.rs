//! What is known of the states of some parts: a block of bits for each part.

use crate::pack::{Key, SPREAD};

/// The words that are taken from the system at once.
const SLAB: usize = 1 << 13;

/// A part with its block.
#[derive(Clone, Copy, Debug)]
pub struct Block<K> {
    /// See [`crate::dense::index::Place`].
    pub frame: K,
    /// The same.
    pub sums: u32,
    /// Where its words begin, slab after slab.
    at: u64,
    /// How many they are, and the logarithm of the bits that a state takes.
    shape: u32,
}

/// The bits of a block's shape that the logarithm takes.
const LOGARITHM: u32 = 3;

impl<K> Block<K> {
    fn new(frame: K, sums: u32, width: u32, words: u32) -> Self {
        Block { frame, sums, at: 0, shape: words << LOGARITHM | width.trailing_zeros() }
    }

    /// The bits that a state takes.
    #[inline]
    pub fn width(&self) -> u32 {
        1 << (self.shape & ((1 << LOGARITHM) - 1))
    }

    #[inline]
    fn place(&self) -> (usize, std::ops::Range<usize>) {
        let (slab, from) = (self.at as usize / SLAB, self.at as usize % SLAB);
        (slab, from..from + (self.shape >> LOGARITHM) as usize)
    }
}

/// Blocks of parts, found by a hash of the part.
pub struct Blocks<K> {
    /// Numbers of blocks plus one; 0: free.
    slots: Vec<u32>,
    list: Vec<Block<K>>,
    slabs: Vec<Vec<u64>>,
    bytes: u64,
}

impl<K> Default for Blocks<K> {
    fn default() -> Self {
        Blocks { slots: vec![], list: vec![], slabs: vec![], bytes: 0 }
    }
}

/// The same for every state of a part, and well mixed.
#[inline]
pub fn hash<K: Key>(frame: K, sums: u32) -> u64 {
    (frame.mixed() ^ u64::from(sums)).wrapping_mul(SPREAD)
}

impl<K: Key> Blocks<K> {
    /// The parts in the order in which they came.
    pub fn list(&self) -> &[Block<K>] {
        &self.list
    }

    /// The bytes of the words.
    pub fn bits(&self) -> u64 {
        self.bytes
    }

    /// The bytes that they take, and those that are needed at once when lists grow.
    pub fn bytes(&self) -> u64 {
        self.bytes + 4 * self.slots.len() as u64 + crate::worker::growing(&self.list)
    }

    /// The words of a block.
    #[inline]
    pub fn words(&self, block: &Block<K>) -> &[u64] {
        let (slab, words) = block.place();
        &self.slabs[slab][words]
    }

    /// The same, to change.
    #[inline]
    pub fn words_mut(&mut self, number: usize) -> &mut [u64] {
        let (slab, words) = self.list[number].place();
        &mut self.slabs[slab][words]
    }

    #[inline]
    fn slot(&self, frame: K, sums: u32) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = (hash(frame, sums) >> (64 - self.slots.len().trailing_zeros())) as usize;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                number => {
                    let block = &self.list[number as usize - 1];
                    if block.frame == frame && block.sums == sums {
                        return Ok(number as usize - 1);
                    }
                    slot = (slot + 1) & mask;
                }
            }
        }
    }

    /// The number of a part, if it is there.
    #[inline]
    pub fn find(&self, frame: K, sums: u32) -> Option<usize> {
        if self.slots.is_empty() { None } else { self.slot(frame, sums).ok() }
    }

    /// The number of a part; a new one gets n words, all 0.
    #[inline]
    pub fn find_or_add(&mut self, frame: K, sums: u32, width: u32, words: u32) -> usize {
        if self.slots.is_empty() {
            self.slots = vec![0; 64];
        }
        match self.slot(frame, sums) {
            Ok(number) => number,
            Err(slot) => self.add(slot, words as usize, Block::new(frame, sums, width, words)),
        }
    }

    fn add(&mut self, slot: usize, words: usize, mut block: Block<K>) -> usize {
        if self.slabs.last().is_none_or(|slab| slab.len() + words > slab.capacity().min(SLAB)) {
            // The first slabs are small: most parts of small games are.
            let size = words.max((self.bytes as usize / 16).clamp(64, SLAB));
            self.slabs.push(Vec::with_capacity(size));
            self.bytes += 8 * size as u64;
        }
        let number = self.slabs.len() - 1;
        let slab = &mut self.slabs[number];
        block.at = (number * SLAB + slab.len()) as u64;
        slab.resize(slab.len() + words, 0);
        self.list.push(block);
        self.slots[slot] = self.list.len() as u32;
        if 4 * self.list.len() > 3 * self.slots.len() {
            let slots = 2 * self.slots.len();
            self.slots = vec![];
            self.slots = vec![0; slots];
            for number in 0..self.list.len() {
                let Block { frame, sums, .. } = self.list[number];
                if let Err(slot) = self.slot(frame, sums) {
                    self.slots[slot] = number as u32 + 1;
                }
            }
        }
        self.list.len() - 1
    }

    /// A number of some bits.
    #[inline]
    pub fn get(&self, number: usize, rank: u32) -> u64 {
        let block = &self.list[number];
        let words = self.words(block);
        let at = rank as usize * block.width() as usize;
        words[at / 64] >> (at % 64) & ((1 << block.width()) - 1)
    }

    /// Sets a number whose bits are 0.
    #[inline]
    pub fn set(&mut self, number: usize, rank: u32, value: u64) {
        let at = rank as usize * self.list[number].width() as usize;
        self.words_mut(number)[at / 64] |= value << (at % 64);
    }
}

/// The words of n states with this width, which is a power of 2.
pub fn words(states: u32, width: u32) -> u32 {
    (u64::from(states) * u64::from(width)).div_ceil(64) as u32
}
