//! A few bits a state, in rank order.

use winset_index::Planes;

/// Codes of 1, 2, 4, 8 or 16 bits, each in one place: a state is found by one look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Codes {
    len: u64,
    /// The logarithm of the number of codes in a word.
    shift: u32,
    words: Vec<u64>,
}

impl Codes {
    /// n codes, all 0, wide enough to tell the given number of values apart.
    pub fn new(len: u64, values: usize) -> Self {
        let shift = Self::shift(values);
        Codes { len, shift, words: vec![0; len.div_ceil(1 << shift) as usize] }
    }

    fn shift(values: usize) -> u32 {
        let bits = usize::BITS - values.saturating_sub(1).leading_zeros();
        6 - bits.max(1).next_power_of_two().trailing_zeros()
    }

    /// The bytes that n codes take.
    pub fn bytes(len: u64, values: usize) -> u64 {
        len.div_ceil(1 << Self::shift(values)).saturating_mul(8)
    }

    fn bits(&self) -> u32 {
        64 >> self.shift
    }

    /// The code at a rank.
    #[inline]
    pub fn get(&self, rank: u64) -> u32 {
        let bits = self.bits();
        let word = self.words[(rank >> self.shift) as usize];
        (word >> ((rank as u32 & ((1 << self.shift) - 1)) * bits)) as u32 & ((1 << bits) - 1)
    }

    /// Sets a code that is 0.
    #[inline]
    pub fn set(&mut self, rank: u64, code: u32) {
        let bits = self.bits();
        let at = (rank as u32 & ((1 << self.shift) - 1)) * bits;
        self.words[(rank >> self.shift) as usize] |= u64::from(code) << at;
    }

    /// Appends codes that belong behind these, which are a multiple of 64.
    pub fn append(&mut self, more: Codes) {
        debug_assert!(self.len.is_multiple_of(64) && self.shift == more.shift);
        self.words.extend(more.words);
        self.len += more.len;
    }

    /// Joins codes of the same states, of which one is 0 at every rank.
    pub fn join(&mut self, other: &Codes) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, more)| *word |= more);
    }

    /// The same as bit planes.
    pub fn planes(&self, bits: usize) -> Planes {
        let mut planes = Planes::new(self.len, bits);
        for (w, first) in (0..self.len).step_by(64).enumerate() {
            let mut words = [0u64; 16];
            for rank in first..self.len.min(first + 64) {
                let code = self.get(rank);
                for (bit, word) in words[..bits].iter_mut().enumerate() {
                    *word |= u64::from(code >> bit & 1) << (rank - first);
                }
            }
            planes.planes.iter_mut().zip(words).for_each(|(plane, word)| plane[w] = word);
        }
        planes
    }

    /// The same as what bit planes say.
    pub fn of_planes(planes: &Planes, values: usize) -> Self {
        let mut codes = Codes::new(planes.len(), values);
        (0..planes.len()).for_each(|rank| codes.set(rank, planes.get(rank)));
        codes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_every_width_come_back() {
        for values in [1, 2, 3, 4, 5, 16, 17, 200, 300, 60_000] {
            let mut codes = Codes::new(1000, values);
            let code = |rank: u64| (rank as usize * 7919 % values) as u32;
            (0..1000).for_each(|rank| codes.set(rank, code(rank)));
            assert!((0..1000).all(|rank| codes.get(rank) == code(rank)), "{values}");
            let bits = (usize::BITS - (values - 1).leading_zeros()) as usize;
            let planes = codes.planes(bits);
            assert!((0..1000).all(|rank| planes.get(rank) == code(rank)), "{values}");
            assert_eq!(Codes::of_planes(&planes, values), codes);
        }
    }
}
