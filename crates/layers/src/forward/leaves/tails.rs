//! The states of a class by their first digits: runs of bits, and what is left of the states.

use crate::forward::leaves::classes::Classes;
use rustc_hash::FxHashMap;
use winset_index::Digit;

/// The states of a list that begin with one digit: bits one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The digit.
    pub digit: Digit,
    /// The first bit, and how many there are.
    pub first: u32,
    pub len: u32,
    /// What is left of the states.
    pub tail: u32,
}

/// A list of what is left of states after some digits.
#[derive(Default)]
pub struct Tail {
    /// By the next digit.
    pub runs: Box<[Run]>,
    /// At the last block: the digits as bits.
    pub mask: Box<[u64]>,
}

/// All such lists, each once.
#[derive(Default)]
pub struct Tails {
    /// The runs of each class, as far as they have been asked for.
    of_class: Vec<Box<[Run]>>,
    tails: Vec<Tail>,
    ids: FxHashMap<(usize, Box<[u32]>), u32>,
    bytes: u64,
}

impl Tails {
    /// About the memory that this takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The runs of a class, which must have been provided.
    #[inline]
    pub fn runs(&self, class: u32) -> &[Run] {
        &self.of_class[class as usize]
    }

    /// What is left of states.
    #[inline]
    pub fn tail(&self, tail: u32) -> &Tail {
        &self.tails[tail as usize]
    }

    /// Finds the runs of a class.
    pub fn provide(&mut self, classes: &Classes, class: u32) {
        if self.of_class.len() <= class as usize {
            self.of_class.resize_with(class as usize + 1, Default::default);
        }
        if self.of_class[class as usize].is_empty() {
            self.of_class[class as usize] = self.cut(classes, 0, classes.states(class));
        }
    }

    /// Forgets the runs of a class.
    pub fn forget(&mut self, class: u32) {
        if let Some(runs) = self.of_class.get_mut(class as usize) {
            *runs = Default::default();
        }
    }

    fn cut(&mut self, classes: &Classes, depth: usize, list: &[u32]) -> Box<[Run]> {
        let (stride, mut first, mut runs) = (classes.strides[depth], 0, vec![]);
        for group in list.chunk_by(|a, b| a / stride == b / stride) {
            let digit = (group[0] / stride) as Digit;
            let tail = if depth + 1 == classes.strides.len() {
                0
            } else {
                self.intern(classes, depth + 1, group.iter().map(|state| state % stride).collect())
            };
            runs.push(Run { digit, first, len: group.len() as u32, tail });
            first += group.len() as u32;
        }
        self.bytes += (runs.len() * size_of::<Run>()) as u64;
        runs.into()
    }

    fn intern(&mut self, classes: &Classes, depth: usize, list: Box<[u32]>) -> u32 {
        if let Some(&id) = self.ids.get(&(depth, list.clone())) {
            return id;
        }
        let mut tail = Tail { runs: self.cut(classes, depth, &list), mask: Default::default() };
        if depth + 1 == classes.digits.len() {
            let mut mask = vec![0u64; classes.digits[depth].div_ceil(64)];
            list.iter().for_each(|&digit| mask[digit as usize / 64] |= 1 << (digit % 64));
            tail.mask = mask.into();
        }
        let id = self.tails.len() as u32;
        self.bytes += (list.len() * 4 + tail.mask.len() * 8 + size_of::<Tail>() + 40) as u64;
        self.tails.push(tail);
        self.ids.insert((depth, list), id);
        id
    }
}
