//! Bits that go to other places.

#[cfg(target_arch = "x86_64")]
use crate::backward::stream::bits::Bmi2;
use crate::backward::stream::bits::{Bits, Portable};

/// Bits of one word that go to another, in the same order.
#[derive(Clone, Copy, Debug)]
struct Segment {
    take: u64,
    put: u64,
    from: u16,
    to: u16,
}

/// Where bits go: any places to any others, several of them or none.
#[derive(Clone, Debug, Default)]
pub struct Moved(Vec<Segment>);

impl Moved {
    /// From pairs of places, where a bit is and where it goes.
    pub fn new(mut pairs: Vec<(u16, u16)>) -> Self {
        pairs.sort_unstable_by_key(|&(from, to)| (from / 64, to / 64, from, to));
        pairs.dedup();
        let mut segments: Vec<Segment> = vec![];
        for group in pairs.chunk_by(|a, b| (a.0 / 64, a.1 / 64) == (b.0 / 64, b.1 / 64)) {
            let first = segments.len();
            for &(from, to) in group {
                let (take, put) = (1 << (from % 64), 1 << (to % 64));
                // Behind all places that the segment has.
                let fits = segments[first..].iter().position(|s| s.take < take && s.put < put);
                match fits {
                    Some(at) => {
                        segments[first + at].take |= take;
                        segments[first + at].put |= put;
                    }
                    None => segments.push(Segment { take, put, from: from / 64, to: to / 64 }),
                }
            }
        }
        segments.shrink_to_fit();
        Moved(segments)
    }

    /// About the memory that this takes.
    pub fn bytes(&self) -> u64 {
        (self.0.len() * size_of::<Segment>()) as u64
    }

    /// The number of words that are moved.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds the bits to others, `fast` with the processor's bit instructions if it has them.
    #[inline]
    pub fn apply(&self, fast: bool, bits: &[u64], out: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        if fast && let Some(by) = Bmi2::detect() {
            #[allow(unsafe_code, reason = "instructions that not every processor of the architecture has")]
            // SAFETY: `by` comes from `detect`, so the processor has BMI2.
            return unsafe { self.apply_bmi2(by, bits, out) };
        }
        let _ = fast;
        self.apply_by(Portable, bits, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi2")]
    fn apply_bmi2(&self, by: Bmi2, bits: &[u64], out: &mut [u64]) {
        self.apply_by(by, bits, out);
    }

    #[inline(always)]
    fn apply_by<B: Bits>(&self, by: B, bits: &[u64], out: &mut [u64]) {
        for segment in &self.0 {
            let taken = by.extract(bits[usize::from(segment.from)], segment.take);
            out[usize::from(segment.to)] |= by.deposit(taken, segment.put);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_bit_goes_where_it_is_sent(
            pairs in proptest::collection::vec((0u16..200, 0u16..200), 0..300),
            bits in proptest::collection::vec(any::<u64>(), 4),
        ) {
            let mut expected = [0u64; 4];
            for &(from, to) in &pairs {
                let bit = bits[usize::from(from) / 64] >> (from % 64) & 1;
                expected[usize::from(to) / 64] |= bit << (to % 64);
            }
            let moved = Moved::new(pairs);
            for fast in [false, true] {
                let mut out = [0; 4];
                moved.apply(fast, &bits, &mut out);
                prop_assert_eq!(out, expected);
            }
        }
    }
}
