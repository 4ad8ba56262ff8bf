//! Rank and unrank on a diagram (the hybrid paper's Figure 2): the members of a set numbered 0, 1, 2, ... in
//! lexicographic order of their bits, both ways in time linear in the number of bits.

use crate::flat::{ALL, Flat, NONE};

/// A set with the number of members below every node: a perfect hash function of the set.
///
/// ```
/// use winset_symbolic::{Flat, FlatNode, Ranked};
/// // Two bits, at least one of them 1.
/// let top = |level, zero, one| FlatNode { level, zero, one };
/// let constants = [top(u32::MAX, 0, 0), top(u32::MAX, 1, 1)];
/// let flat = Flat { nodes: [&constants[..], &[top(1, 0, 1), top(0, 2, 1)]].concat(), root: 3 };
/// let ranked = Ranked::new(flat, vec![0, 1]).unwrap();
/// assert_eq!(ranked.len(), 3);
/// assert_eq!(ranked.unrank(1), Some(vec![true, false]));
/// assert_eq!(ranked.rank(&[true, false]), Some(1));
/// assert_eq!(ranked.rank(&[false, false]), None);
/// ```
#[derive(Clone, Debug)]
pub struct Ranked {
    flat: Flat,
    /// The levels that count as bits, ascending.
    bits: Vec<u32>,
    /// For every node the position of its bit; for the constants the number of bits.
    position: Vec<u32>,
    /// For every node the number of members over the bits from its own on.
    count: Vec<u64>,
    len: u64,
}

impl Ranked {
    /// Numbers the members of a diagram over the given levels; none if there are 2^64 or more, or if the
    /// diagram depends on another level.
    pub fn new(flat: Flat, bits: Vec<u32>) -> Option<Ranked> {
        let n = bits.len() as u32;
        let mut position = vec![n; flat.nodes.len()];
        let mut count = vec![0u64; flat.nodes.len()];
        count[ALL as usize] = 1;
        for (i, node) in flat.nodes.iter().enumerate().skip(2) {
            let at = bits.binary_search(&node.level).ok()? as u32;
            position[i] = at;
            let below = |child: u32| gap(count[child as usize], position[child as usize] - at - 1);
            count[i] = below(node.zero)?.checked_add(below(node.one)?)?;
        }
        let len = gap(count[flat.root as usize], position[flat.root as usize])?;
        Some(Ranked { flat, bits, position, count, len })
    }

    /// The number of members.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// The set has no member.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.flat.nodes.len()
    }

    /// The number of a member; none if it is not one. Bits that a path skips stand for all their values,
    /// so their word is read as a number and multiplied in.
    pub fn rank(&self, word: &[bool]) -> Option<u64> {
        let (mut rank, mut at) = (0u64, self.flat.root);
        let mut next = 0usize;
        loop {
            let position = self.position[at as usize] as usize;
            let skipped = number(&word[next..position]);
            rank += skipped * self.count[at as usize];
            if position == self.bits.len() {
                return (at == ALL).then_some(rank);
            }
            let node = self.flat.nodes[at as usize];
            next = position + 1;
            if word[position] {
                let zero = node.zero as usize;
                rank += self.count[zero] << (self.position[zero] as usize - next);
                at = node.one;
            } else {
                at = node.zero;
            }
            if at == NONE {
                return None;
            }
        }
    }

    /// The member with a number; none if there are no more members.
    pub fn unrank(&self, mut rank: u64) -> Option<Vec<bool>> {
        if rank >= self.len {
            return None;
        }
        let mut word = Vec::with_capacity(self.bits.len());
        let mut at = self.flat.root;
        loop {
            let position = self.position[at as usize] as usize;
            let below = self.count[at as usize];
            let skipped = position - word.len();
            let number = rank / below;
            rank %= below;
            word.extend((0..skipped).rev().map(|bit| number >> bit & 1 == 1));
            if position == self.bits.len() {
                return Some(word);
            }
            let node = self.flat.nodes[at as usize];
            let zero = node.zero as usize;
            let zeros = self.count[zero] << (self.position[zero] as usize - position - 1);
            let one = rank >= zeros;
            word.push(one);
            if one {
                rank -= zeros;
            }
            at = if one { node.one } else { node.zero };
        }
    }

    /// Calls back with every member and its number, in order.
    pub fn for_each(&self, mut visit: impl FnMut(u64, &[bool])) {
        let mut word = vec![false; self.bits.len()];
        let mut rank = 0;
        self.walk(self.flat.root, 0, &mut word, &mut rank, &mut visit);
    }

    fn walk(
        &self,
        at: u32,
        bit: usize,
        word: &mut [bool],
        rank: &mut u64,
        visit: &mut impl FnMut(u64, &[bool]),
    ) {
        if at == NONE {
            return;
        }
        if bit == self.bits.len() {
            visit(*rank, word);
            *rank += 1;
            return;
        }
        for value in [false, true] {
            word[bit] = value;
            let next = if self.position[at as usize] as usize == bit {
                let node = self.flat.nodes[at as usize];
                if value { node.one } else { node.zero }
            } else {
                at
            };
            self.walk(next, bit + 1, word, rank, visit);
        }
    }
}

fn gap(count: u64, skipped: u32) -> Option<u64> {
    count.checked_mul(1u64.checked_shl(skipped)?).or((count == 0).then_some(0))
}

fn number(bits: &[bool]) -> u64 {
    bits.iter().fold(0, |n, &bit| n << 1 | u64::from(bit))
}
