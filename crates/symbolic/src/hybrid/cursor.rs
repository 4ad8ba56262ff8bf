//! Rank of neighbours: what is the same as the last time is not looked up again.

use winset_index::{Digit, Index};

/// A path through an index, for strings of digits that come in an order in which neighbours begin alike.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    /// The digits of the path.
    pub digits: Vec<Digit>,
    /// The node before each level, and the rank so far.
    path: Vec<(u32, u64)>,
    /// The number of levels of the path that lead somewhere.
    good: usize,
}

impl Cursor {
    /// A path through an index, which is not empty, of which nothing is known yet.
    pub fn new(levels: usize, root: u32) -> Self {
        Cursor { digits: vec![0; levels], path: vec![(root, 0); levels + 1], good: 0 }
    }

    /// The rank of the digits, which are the same as the last time above level `from`; none if the set does not have
    /// them.
    #[inline]
    pub fn rank(&mut self, index: &Index, from: usize) -> Option<u64> {
        let levels = index.levels();
        let first = from.min(self.good);
        let (mut node, mut rank) = self.path[first];
        for (k, level) in levels.iter().enumerate().skip(first) {
            let edges = level.edges(node);
            let digit = self.digits[k];
            let list = &level.digit[edges.clone()];
            let at = if list.len() <= 8 {
                list.iter().position(|&d| d == digit)
            } else {
                list.binary_search(&digit).ok()
            };
            let Some(at) = at else {
                self.good = k;
                return None;
            };
            node = level.child[edges.start + at];
            rank += level.before[edges.start + at];
            self.path[k + 1] = (node, rank);
        }
        self.good = levels.len();
        Some(rank)
    }
}

/// The states of an index in rank order, from any rank on.
pub struct Walk<'i> {
    index: &'i Index,
    /// The edge taken at each level, and the end of the node's edges.
    path: Vec<(usize, usize)>,
    /// The digits of the state.
    pub digits: Vec<Digit>,
    left: u64,
    started: bool,
}

impl<'i> Walk<'i> {
    /// Begins at a rank and visits n states, or as many as there are.
    pub fn new(index: &'i Index, mut rank: u64, count: u64) -> Self {
        let left = count.min(index.len().saturating_sub(rank));
        let (mut path, mut digits) = (vec![], vec![]);
        if let Some(mut node) = index.root().filter(|_| left > 0) {
            for level in index.levels() {
                let edges = level.edges(node);
                let at = level.before[edges.clone()].partition_point(|&before| before <= rank) - 1;
                let e = edges.start + at;
                (node, rank) = (level.child[e], rank - level.before[e]);
                path.push((e, edges.end));
                digits.push(level.digit[e]);
            }
        }
        Walk { index, path, digits, left, started: false }
    }

    /// Goes to the next state; gives the topmost level that has changed, none if there are no more.
    #[inline]
    pub fn step(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        if !self.started {
            self.started = true;
            return Some(0);
        }
        let levels = self.index.levels();
        // An index of no levels has one state only, so there is a level to step at.
        let mut changed = levels.len() - 1;
        while self.path[changed].0 + 1 == self.path[changed].1 {
            changed -= 1;
        }
        let mut e = self.path[changed].0 + 1;
        self.path[changed].0 = e;
        self.digits[changed] = levels[changed].digit[e];
        for k in changed + 1..levels.len() {
            let edges = levels[k].edges(levels[k - 1].child[e]);
            e = edges.start;
            self.path[k] = (e, edges.end);
            self.digits[k] = levels[k].digit[e];
        }
        Some(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_and_ranks_agree_from_any_rank() {
        let mut strings: Vec<[Digit; 3]> = (0..200u16).map(|i| [i / 40, i / 7 % 5, i % 11]).collect();
        strings.retain(|s| s[0] != s[2]);
        strings.sort_unstable();
        strings.dedup();
        let index = Index::from_sorted(3, strings.iter().map(|s| s.as_slice()));
        for first in [0, 1, 17, index.len() - 1, index.len()] {
            let (mut walk, mut cursor) =
                (Walk::new(&index, first, u64::MAX), Cursor::new(3, index.root().unwrap()));
            for rank in first..index.len() {
                let changed = walk.step().unwrap();
                assert_eq!(index.unrank(rank).unwrap(), walk.digits);
                cursor.digits.copy_from_slice(&walk.digits);
                assert_eq!(cursor.rank(&index, changed), Some(rank));
                // What is not there is not found, and the next one is.
                cursor.digits[2] = 99;
                assert_eq!(cursor.rank(&index, 2), None);
            }
            assert_eq!(walk.step(), None);
        }
    }
}
