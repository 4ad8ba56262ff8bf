//! States that have been met, and the order of their numbers.

use crate::pack::Key;
use crate::worker::growing;

/// A set of keys that remembers the order in which they came. Linear probing over numbers of the list.
pub struct KeySet<K> {
    /// Numbers of keys in the list plus one; 0: free.
    places: Vec<u32>,
    list: Vec<K>,
}

/// How many keys are looked for at once.
const AT_ONCE: usize = 32;

/// The most keys: numbers have 32 bits, and 0 is taken.
const MOST: usize = u32::MAX as usize - 1;

impl<K: Key> KeySet<K> {
    /// These keys, no two of them equal. Places are given out when the first key is added: where all moves lead to other
    /// tiers, none is.
    pub fn of(list: Vec<K>) -> Self {
        KeySet { places: vec![], list }
    }

    /// The keys in the order in which they came.
    pub fn list(&self) -> &[K] {
        &self.list
    }

    /// The keys in the order in which they came, to keep; none are left.
    pub fn take(&mut self) -> Vec<K> {
        self.places = vec![];
        std::mem::take(&mut self.list)
    }

    /// The bytes that it takes, and those that it needs at once when it is nearly full and grows.
    pub fn bytes(&self) -> u64 {
        if self.places.is_empty() {
            // Nothing was added, and where all moves lead to other tiers nothing will be.
            return (size_of::<K>() * self.list.capacity()) as u64;
        }
        let places = 4 * self.places.len() as u64;
        let nearly_full = 8 * self.list.len() > 3 * self.places.len();
        growing(&self.list) + if nearly_full { 2 * places } else { places }
    }

    /// The bytes that are free when no more keys come.
    pub fn places(&self) -> u64 {
        4 * self.places.len() as u64
    }

    /// There is no room for another key.
    pub fn is_full(&self) -> bool {
        self.list.len() >= MOST
    }

    /// Between twice and four times as many places as keys.
    fn resize(&mut self) {
        let places = (2 * self.list.len() + 2).next_power_of_two().max(64);
        // The old ones are given back before.
        self.places = vec![];
        self.places = vec![0; places];
        for number in 0..self.list.len() {
            let place = self.place(self.list[number]).err().unwrap_or_default();
            self.places[place] = number as u32 + 1;
        }
    }

    /// Where a key is looked for first.
    #[inline]
    fn first_place(&self, key: K) -> usize {
        (key.mixed() >> (64 - self.places.len().trailing_zeros())) as usize
    }

    /// Where a key is, or where it would go.
    #[inline]
    fn place(&self, key: K) -> Result<usize, usize> {
        let mask = self.places.len() - 1;
        let mut place = self.first_place(key);
        loop {
            match self.places[place] {
                0 => return Err(place),
                number if self.list[number as usize - 1] == key => return Ok(place),
                _ => place = (place + 1) & mask,
            }
        }
    }

    /// Adds the new ones of some keys. Most often all are known, and where they should be is looked at for many of them with
    /// nothing done in between, so that the machine waits for memory once and not every time.
    pub fn insert_all(&mut self, keys: &[K]) {
        for keys in keys.chunks(AT_ONCE) {
            let mut known = [false; AT_ONCE];
            if !self.places.is_empty() {
                let mut numbers = [0; AT_ONCE];
                for (number, key) in numbers.iter_mut().zip(keys) {
                    *number = self.places[self.first_place(*key)] as usize;
                }
                for ((known, number), key) in known.iter_mut().zip(numbers).zip(keys) {
                    // Of a free place any key is compared, which is not there or would have been found.
                    *known = self.list.get(number.saturating_sub(1)) == Some(key);
                }
            }
            let new = keys.iter().zip(known).filter(|(_, known)| !known);
            new.for_each(|(&key, _)| self.insert(key));
        }
    }

    /// Adds a key if it is new.
    #[inline]
    fn insert(&mut self, key: K) {
        if self.places.is_empty() {
            self.resize();
        }
        let Err(place) = self.place(key) else { return };
        self.list.push(key);
        self.places[place] = self.list.len() as u32;
        if 2 * self.list.len() > self.places.len() {
            self.resize();
        }
    }
}

/// Sorted keys, each found by its first bits and a short search.
pub struct Sorted<K> {
    keys: Vec<K>,
    /// For each value of the first bits, where its keys begin.
    starts: Vec<u32>,
    shift: u32,
}

impl<K: Key> Sorted<K> {
    /// Keys in ascending order whose bits end before this one.
    pub fn of(keys: Vec<K>, bits: u32) -> Self {
        let wanted = (usize::BITS - keys.len().leading_zeros()).min(bits).min(28);
        let shift = bits - wanted;
        let mut starts = vec![0u32; (1 << wanted) + 1];
        for &key in &keys {
            starts[key.field(shift.min(K::BITS - 1), u64::MAX) as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        Sorted { keys, starts, shift }
    }

    /// The keys.
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// The number of a key.
    #[inline]
    pub fn rank(&self, key: K) -> Option<usize> {
        let first = key.field(self.shift.min(K::BITS - 1), u64::MAX) as usize;
        let [from, to] = [*self.starts.get(first)?, *self.starts.get(first + 1)?].map(|at| at as usize);
        self.keys[from..to].binary_search(&key).ok().map(|at| from + at)
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> u64 {
        (size_of::<K>() * self.keys.len() + 4 * self.starts.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wide::Wide;
    use std::collections::BTreeSet;

    /// Few different keys, so that many come twice, and all bits far apart, so that they collide.
    fn keys<K: Key>(count: usize, different: u64, seed: u64) -> Vec<K> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let number = (state >> 33) % different;
            K::default().with(0, number & 7).with(K::BITS - 24, number >> 3)
        };
        (0..count).map(|_| next()).collect()
    }

    fn found_again<K: Key>() {
        for count in (0..70).chain([1_000, 20_000]) {
            let all: Vec<K> = keys(count, (count as u64 / 2).max(3), count as u64 + 1);
            let mut set = KeySet::of(vec![]);
            all.chunks(50).for_each(|some| set.insert_all(some));
            let mut seen = BTreeSet::new();
            let in_order: Vec<K> = all.iter().copied().filter(|&key| seen.insert(key)).collect();
            assert_eq!(set.list(), in_order);

            let sorted = Sorted::of(seen.iter().copied().collect(), K::BITS);
            for key in [all, keys(100, 1 << 20, 7)].concat() {
                assert_eq!(sorted.rank(key), sorted.keys().binary_search(&key).ok());
            }
        }
    }

    #[test]
    fn keys_are_found_again() {
        found_again::<u64>();
        found_again::<u128>();
        found_again::<Wide<4>>();
    }
}
