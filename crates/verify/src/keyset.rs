//! A set of numbers that only grows, for many millions of them: what a place holds is the number itself, and many are
//! looked for at a time, so that waiting for memory is waiting once.

use std::hint::black_box;

/// What can be kept. No number may be [`Number::NONE`].
pub trait Number: Copy + Eq {
    /// A free place.
    const NONE: Self;
    /// Where a number belongs, of 2^64 places.
    fn scattered(self) -> u64;
}

/// Two rounds of multiplying and folding: neighbours come apart, and so do numbers that differ in their high bits.
fn scattered(number: u64) -> u64 {
    let once = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (once ^ once >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

impl Number for u64 {
    const NONE: Self = u64::MAX;

    fn scattered(self) -> u64 {
        scattered(self)
    }
}

impl Number for u128 {
    const NONE: Self = u128::MAX;

    fn scattered(self) -> u64 {
        scattered(scattered(self as u64) ^ (self >> 64) as u64)
    }
}

/// Numbers that are looked for together.
const TOGETHER: usize = 32;

/// The set: places, a power of two of them or none, of which at most three quarters are taken.
#[derive(Debug)]
pub struct KeySet<N> {
    places: Vec<N>,
    taken: usize,
}

impl<N> Default for KeySet<N> {
    fn default() -> Self {
        KeySet { places: vec![], taken: 0 }
    }
}

impl<N: Number> KeySet<N> {
    /// The places that n more numbers need.
    pub fn places_for(&self, more: usize) -> usize {
        let mut places = self.places.len().max(1 << 10);
        while self.taken + more > places / 4 * 3 {
            places *= 2;
        }
        places
    }

    /// Makes it n places; false if there is no memory for them.
    #[must_use]
    pub fn grow(&mut self, places: usize) -> bool {
        let mut larger = vec![];
        if larger.try_reserve_exact(places).is_err() {
            return false;
        }
        larger.resize(places, N::NONE);
        let smaller = std::mem::replace(&mut self.places, larger);
        for number in smaller.into_iter().filter(|&number| number != N::NONE) {
            let at = self.find(number);
            self.places[at] = number;
        }
        true
    }

    /// Puts numbers in, for which there must be places, and calls back for each that was not there.
    pub fn insert<T>(&mut self, items: &[T], number: impl Fn(&T) -> N, mut new: impl FnMut(&T)) {
        for some in items.chunks(TOGETHER) {
            // Nothing waits for what is read here, so that all of it comes from memory at the same time.
            let read = some.iter().fold(0, |sum: u64, item| {
                sum.wrapping_add(u64::from(self.places[self.place(number(item))] == N::NONE))
            });
            black_box(read);
            for item in some {
                let number = number(item);
                let at = self.find(number);
                if self.places[at] == N::NONE {
                    self.places[at] = number;
                    self.taken += 1;
                    new(item);
                }
            }
        }
    }

    /// All numbers, in any order.
    pub fn numbers(&self) -> impl Iterator<Item = N> + '_ {
        self.places.iter().copied().filter(|&number| number != N::NONE)
    }

    fn place(&self, number: N) -> usize {
        let bits = self.places.len().trailing_zeros();
        (number.scattered() >> (64 - bits)) as usize
    }

    /// Where the number is, or else the free place for it.
    fn find(&self, number: N) -> usize {
        let mut at = self.place(number);
        while self.places[at] != number && self.places[at] != N::NONE {
            at = (at + 1) & (self.places.len() - 1);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn same_as_a_plain_set<N: Number + std::hash::Hash>(numbers: &[N]) {
        let (mut set, mut plain) = (KeySet::default(), HashSet::new());
        for some in numbers.chunks(777) {
            let places = set.places_for(some.len());
            assert!(places == set.places.len() || set.grow(places));
            let mut new = vec![];
            set.insert(some, |&number| number, |&number| new.push(number));
            let mut expected = some.to_vec();
            expected.retain(|&number| plain.insert(number));
            assert!(new == expected);
        }
        assert_eq!(set.taken, plain.len());
        assert!(set.places.iter().filter(|&&number| number != N::NONE).count() == plain.len());
    }

    #[test]
    fn each_number_is_new_once() {
        let mixed = |i: u64| i.wrapping_mul(i ^ 0x5555).rotate_left((i % 60) as u32) % 5000;
        same_as_a_plain_set(&(0..20_000).map(mixed).collect::<Vec<u64>>());
        same_as_a_plain_set(&(0..20_000).map(|i| i << 50).collect::<Vec<u64>>());
        same_as_a_plain_set(&(0..20_000).map(|i| u128::from(mixed(i)) << 70 | 3).collect::<Vec<u128>>());
        same_as_a_plain_set::<u64>(&[]);
    }
}
