//! The values of a layer while they are written and read: bit planes in rank order.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use winset_index::Planes;
use winset_model::Code;

/// A code of a few bits for every rank, one plane per bit. Words are atomic so that neighbouring tasks can
/// share the word between their ranges; all other words have one writer.
pub struct Values {
    len: u64,
    planes: Vec<Vec<AtomicU64>>,
}

impl Values {
    /// All codes 0.
    pub fn new(len: u64, bits: usize) -> Self {
        let plane = || (0..len / 64 + 2).map(|_| AtomicU64::new(0)).collect();
        Values { len, planes: (0..bits).map(|_| plane()).collect() }
    }

    /// The values in the form in which they are kept.
    pub fn of(planes: Planes) -> Self {
        let len = planes.len();
        let atomic = |plane: Vec<u64>| plane.into_iter().map(AtomicU64::new).collect();
        Values { len, planes: planes.planes.into_iter().map(atomic).collect() }
    }

    /// Values in planes of words; the last word is only there to be read over the end.
    pub fn of_words(mut planes: Vec<Vec<u64>>) -> Self {
        planes.iter_mut().for_each(|plane| plane.extend([0, 0]));
        let len = planes.first().map_or(0, |plane| (plane.len() as u64 - 2) * 64);
        let atomic = |plane: Vec<u64>| plane.into_iter().map(AtomicU64::new).collect();
        Values { len, planes: planes.into_iter().map(atomic).collect() }
    }

    /// The number of states.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Copies words of a plane from a place on.
    pub fn copy_words(&self, bit: usize, first: u64, words: &mut [u64]) {
        let from = &self.planes[bit][first as usize..];
        words.iter_mut().zip(from).for_each(|(word, from)| *word = from.load(Relaxed));
    }

    /// Sets bits of a plane from a word on.
    pub fn add_words(&self, bit: usize, first: u64, words: &[u64]) {
        let to = &self.planes[bit][first as usize..];
        to.iter().zip(words).for_each(|(to, &word)| _ = to.fetch_or(word, Relaxed));
    }

    /// The memory that the values of n states take.
    pub fn bytes_for(len: u64, bits: usize) -> u64 {
        (len / 64 + 2) * 8 * bits as u64
    }

    /// The memory that the values take.
    pub fn bytes(&self) -> u64 {
        Self::bytes_for(self.len, self.planes.len())
    }

    /// The planes.
    #[inline]
    pub fn planes(&self) -> &[Vec<AtomicU64>] {
        &self.planes
    }

    /// A copy that can be written on.
    pub fn duplicate(&self) -> Self {
        let copy = |plane: &Vec<AtomicU64>| plane.iter().map(|w| AtomicU64::new(w.load(Relaxed))).collect();
        Values { len: self.len, planes: self.planes.iter().map(copy).collect() }
    }

    /// Both have the same codes.
    pub fn equals(&self, other: &Self) -> bool {
        let same = |(a, b): (&Vec<AtomicU64>, &Vec<AtomicU64>)| {
            a.iter().zip(b).all(|(x, y)| x.load(Relaxed) == y.load(Relaxed))
        };
        self.len == other.len && self.planes.iter().zip(&other.planes).all(same)
    }

    /// The values in the form in which they are kept.
    pub fn to_planes(&self) -> Planes {
        let mut planes = Planes::new(self.len, 0);
        planes.planes =
            self.planes.iter().map(|plane| plane.iter().map(|w| w.load(Relaxed)).collect()).collect();
        planes
    }

    /// The code at a rank.
    pub fn get(&self, rank: u64) -> Code {
        let bit =
            |plane: &Vec<AtomicU64>| (plane[(rank / 64) as usize].load(Relaxed) >> (rank % 64) & 1) as Code;
        self.planes.iter().enumerate().fold(0, |code, (b, plane)| code | bit(plane) << b)
    }
}

/// 64 bits from any position.
#[inline(always)]
pub fn read(plane: &[AtomicU64], at: u64) -> u64 {
    let (i, shift) = ((at / 64) as usize, (at % 64) as u32);
    let low = plane[i].load(Relaxed) >> shift;
    // Shifted in two steps, so that a shift by 64 gives 0.
    let high = plane[i + 1].load(Relaxed) << 1 << (63 - shift);
    low | high
}

/// The words that a task may have to share with its neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    first: usize,
    last: usize,
}

impl Shared {
    /// The outermost words of a range of ranks.
    pub fn of(range: std::ops::Range<u64>) -> Self {
        Shared { first: (range.start / 64) as usize, last: (range.end / 64) as usize }
    }

    #[inline(always)]
    fn or(self, plane: &[AtomicU64], i: usize, bits: u64) {
        if i == self.first || i == self.last {
            plane[i].fetch_or(bits, Relaxed);
        } else {
            plane[i].store(plane[i].load(Relaxed) | bits, Relaxed);
        }
    }

    /// Sets bits at any position of a plane that has zeros there.
    #[inline(always)]
    pub fn write(self, plane: &[AtomicU64], at: u64, bits: u64) {
        let (i, shift) = ((at / 64) as usize, (at % 64) as u32);
        self.or(plane, i, bits << shift);
        let high = bits >> 1 >> (63 - shift);
        if high != 0 {
            self.or(plane, i + 1, high);
        }
    }

    /// Sets all bits of a range.
    pub fn fill(self, plane: &[AtomicU64], at: u64, len: u64) {
        let end = at + len;
        let mut at = at;
        while at < end {
            let run = (64 - at % 64).min(end - at);
            self.or(plane, (at / 64) as usize, u64::MAX >> (64 - run) << (at % 64));
            at += run;
        }
    }
}
