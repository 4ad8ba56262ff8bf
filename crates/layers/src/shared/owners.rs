//! Who has which states: runs of first digits, balanced by how many states there were in the layer before.

use std::ops::Range;
use winset_index::Digit;

/// Runs begin and end where the first digits change of which there are at least n, if there are [`RUNS`] for each
/// process: what is solved at once has the same ones.
const BUNDLES: u64 = crate::backward::leaves::PARTS as u64;
const RUNS: usize = 4;

/// At least n different first digits, where there are as many: runs of them can be balanced, and pieces are not too large.
const KEYS: u64 = 512;

/// As few do where the next block would make more than the most.
const ENOUGH: u64 = 32;
const MOST: u64 = 1 << 15;

/// Runs are left as they are while nobody has more than n percent of the average: states that keep their first digits
/// stay where they are.
const BALANCED: u128 = 115;

/// The first digits of a state as one number, in the order of digit strings.
pub type Key = u64;

/// How first digits make a key.
#[derive(Clone, Debug)]
pub struct Keys {
    /// The number of digits of each of the first blocks.
    radix: Vec<u64>,
}

impl Keys {
    /// For blocks with n digits.
    pub fn new(digits: &[usize]) -> Self {
        let mut radix = vec![];
        let mut product = 1u64;
        for &n in digits {
            let many = product.saturating_mul(n as u64) > MOST && product >= ENOUGH;
            if product >= KEYS || many {
                break;
            }
            product = product.saturating_mul(n as u64);
            radix.push(n as u64);
        }
        Keys { radix }
    }

    /// The number of first digits.
    pub fn cut(&self) -> usize {
        self.radix.len()
    }

    /// The key of more digits: one level further down.
    pub fn below(&self, level: usize, key: Key, digit: Digit) -> Key {
        key * self.radix[level] + u64::from(digit)
    }

    /// The number of digits of a block.
    pub fn radix(&self, level: usize) -> u64 {
        self.radix[level]
    }

    /// The digits of a key.
    pub fn digits(&self, mut key: Key) -> Vec<Digit> {
        let mut digits = vec![0; self.radix.len()];
        for (digit, &radix) in digits.iter_mut().zip(&self.radix).rev() {
            (*digit, key) = ((key % radix) as Digit, key / radix);
        }
        digits
    }

    /// The number of keys, from a multiple of it on, that begin with the same digits of those by which values are cut into
    /// parts.
    pub fn width(&self) -> u64 {
        let mut first = 1;
        for &radix in &self.radix {
            if first < BUNDLES {
                first *= radix;
            }
        }
        self.end() / first
    }

    /// The number of keys that begin with the same n digits.
    pub fn width_of(&self, digits: usize) -> u64 {
        self.radix.iter().skip(digits).product()
    }

    /// One more than the greatest key.
    pub fn end(&self) -> Key {
        self.radix.iter().product()
    }
}

/// Which run of keys each process has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owners {
    /// Where each one's run begins, and the end of the last.
    bounds: Vec<Key>,
}

impl Owners {
    /// Runs of equal length for n processes.
    pub fn even(size: usize, keys: &Keys) -> Self {
        let bundles = keys.end() / keys.width();
        let width = if bundles >= (RUNS * size) as u64 { keys.width() } else { 1 };
        let end = u128::from(keys.end() / width);
        let bound = |rank: usize| (end * rank as u128 / size as u128) as Key * width;
        Owners { bounds: (0..=size).map(bound).collect() }
    }

    /// The keys of a process.
    pub fn run(&self, rank: usize) -> Range<Key> {
        self.bounds[rank]..self.bounds[rank + 1]
    }

    /// The runs for the next layer, given how many states each key has in this one.
    pub fn after(&self, keys: &Keys, states: &[(Key, u64)]) -> Self {
        let width = keys.width();
        let together: Vec<(Key, u64)> = states
            .chunk_by(|a, b| a.0 / width == b.0 / width)
            .map(|same| (same[0].0 / width * width, same.iter().map(|&(_, n)| n).sum()))
            .collect();
        let enough = together.len() >= RUNS * (self.bounds.len() - 1);
        self.balanced(if enough { &together } else { states })
    }

    fn balanced(&self, states: &[(Key, u64)]) -> Self {
        let size = self.bounds.len() - 1;
        let all: u128 = states.iter().map(|&(_, n)| u128::from(n)).sum();
        if self.most(states) * size as u128 * 100 <= all * BALANCED {
            return self.clone();
        }
        let mut bounds = vec![0];
        let mut before = 0u128;
        for &(key, n) in states {
            let rank = bounds.len() as u128;
            // The middle of the key's states is beyond what the processes so far should have.
            if bounds.len() < size && (2 * before + u128::from(n)) * size as u128 > 2 * all * rank {
                bounds.push(key);
            }
            before += u128::from(n);
        }
        let end = self.bounds[size];
        bounds.resize(size, end);
        bounds.push(end);
        let balanced = Owners { bounds };
        if balanced.most(states) < self.most(states) { balanced } else { self.clone() }
    }

    /// The most states that one process has.
    fn most(&self, states: &[(Key, u64)]) -> u128 {
        let of = |run: &[Key]| {
            let mine = states.iter().filter(|(key, _)| (run[0]..run[1]).contains(key));
            mine.map(|&(_, n)| u128::from(n)).sum()
        };
        self.bounds.windows(2).map(of).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_digits() {
        let keys = Keys::new(&[30, 20, 7]);
        assert_eq!((keys.cut(), keys.end()), (2, 600));
        let mut last = None;
        for a in 0..30 {
            for b in 0..20 {
                let key = keys.below(1, keys.below(0, 0, a), b);
                assert!(last < Some(key));
                assert_eq!(keys.digits(key), [a, b]);
                last = Some(key);
            }
        }
    }

    #[test]
    fn runs_cover_all_keys_and_follow_the_states() {
        let keys = Keys::new(&[600]);
        for size in 1..9 {
            let even = Owners::even(size, &keys);
            let states: Vec<(Key, u64)> = (0..40).map(|key| (key, key * key % 11)).collect();
            let after = even.after(&keys, &states);
            assert_eq!((after.bounds[0], after.bounds[size]), (0, 600));
            assert!(after.bounds.is_sorted());
            let all: u64 = states.iter().map(|&(_, n)| n).sum();
            assert!(after.most(&states) <= u128::from(all.div_ceil(size as u64) + 10), "{size}");
            assert_eq!(after.after(&keys, &states).most(&states), after.most(&states));
        }
    }
}
