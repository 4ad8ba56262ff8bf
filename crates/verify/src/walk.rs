//! The states of an index in rank order.

use winset_index::{Digit, Index};

/// Walks the digit strings of an index from any rank on. A step changes as few digits as possible, which
/// is what makes checking neighbours together cheap.
pub struct Walk<'i> {
    index: &'i Index,
    /// The edge taken at each level.
    path: Vec<usize>,
    /// The end of the edges of the node at each level.
    end: Vec<usize>,
    digits: Vec<Digit>,
    left: u64,
    /// The topmost level that the last step changed.
    changed: usize,
    started: bool,
}

impl<'i> Walk<'i> {
    /// Begins at a rank and visits this many states, or as many as there are.
    pub fn new(index: &'i Index, mut rank: u64, count: u64) -> Self {
        let left = count.min(index.len().saturating_sub(rank));
        let (mut path, mut end, mut digits) = (vec![], vec![], vec![]);
        if let Some(mut node) = index.root().filter(|_| left > 0) {
            for level in index.levels() {
                let edges = level.edges(node);
                let at = level.before[edges.clone()].partition_point(|&before| before <= rank) - 1;
                let e = edges.start + at;
                (node, rank) = (level.child[e], rank - level.before[e]);
                path.push(e);
                end.push(edges.end);
                digits.push(level.digit[e]);
            }
        }
        Walk { index, path, end, digits, left, changed: 0, started: false }
    }

    /// The next state: the topmost level that changed, and all digits.
    pub fn step(&mut self) -> Option<(usize, &[Digit])> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        if !self.started {
            self.started = true;
            return Some((0, &self.digits));
        }
        let levels = self.index.levels();
        // An index of no levels has one state only, so there is a level to step at.
        let mut k = levels.len() - 1;
        while self.path[k] + 1 == self.end[k] {
            k -= 1;
        }
        self.changed = k;
        self.path[k] += 1;
        self.digits[k] = levels[k].digit[self.path[k]];
        for below in k + 1..levels.len() {
            let edges = levels[below].edges(levels[below - 1].child[self.path[below - 1]]);
            self.path[below] = edges.start;
            self.end[below] = edges.end;
            self.digits[below] = levels[below].digit[edges.start];
        }
        Some((self.changed, &self.digits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_every_state_in_order() {
        let strings: Vec<[Digit; 3]> =
            (0..200u16).map(|i| [i / 40, i / 7 % 5, i % 7]).filter(|s| s[0] != s[2]).collect();
        let mut strings = strings;
        strings.sort_unstable();
        strings.dedup();
        let index = Index::from_sorted(3, strings.iter().map(|s| s.as_slice()));
        for first in [0, 1, 17, index.len() - 1, index.len()] {
            let mut walk = Walk::new(&index, first, u64::MAX);
            let mut previous: Option<Vec<Digit>> = None;
            for rank in first..index.len() {
                let (changed, digits) = walk.step().unwrap();
                assert_eq!(index.unrank(rank).unwrap(), digits);
                if let Some(previous) = previous {
                    assert_eq!(previous[..changed], digits[..changed]);
                    assert_ne!(previous[changed], digits[changed]);
                }
                previous = Some(digits.to_vec());
            }
            assert!(walk.step().is_none());
        }
    }
}
