//! Rudell's sifting, on groups.

use crate::bench::Bench;
use std::time::{Duration, Instant};
use winset_model::VarId;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A group is moved on in one direction only while the size stays below n percent of the best.
    pub growth: usize,
    /// No new group is begun after so long.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { growth: 120, time: Duration::from_secs(60) }
    }
}

/// What sifting found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sifted {
    /// The variables from the root down.
    pub order: Vec<VarId>,
    /// The number of nodes before.
    pub before: usize,
    /// The number of nodes after.
    pub after: usize,
    /// Every group was moved; otherwise the time was up.
    pub complete: bool,
}

impl Bench {
    /// Moves every group, the heaviest first, to the place where all diagrams together are smallest.
    pub fn sift(&mut self, limits: &Limits) -> Sifted {
        let start = Instant::now();
        let before = self.size();
        let mut groups: Vec<(usize, usize)> = (0..self.groups()).map(|g| (self.weight(g), g)).collect();
        groups.sort_unstable_by(|a, b| b.cmp(a));
        let (mut after, mut complete) = (before, true);
        for (_, group) in groups {
            if start.elapsed() > limits.time {
                complete = false;
                break;
            }
            after = self.place(group, after, limits);
        }
        Sifted { order: self.order(), before, after, complete }
    }

    /// Moves one group up and down and leaves it at its best place. Returns the size there.
    fn place(&mut self, group: usize, size: usize, limits: &Limits) -> usize {
        let home = self.positions().iter().position(|&g| g == group).unwrap_or(0);
        let last = self.groups() - 1;
        let (mut best, mut best_at) = (size, home);
        // The nearer end first: fewer swaps are made twice.
        let directions = if home * 2 < last { [-1isize, 1] } else { [1, -1] };
        for direction in directions {
            let mut at = home;
            self.move_to(group, home);
            loop {
                let next = at as isize + direction;
                if next < 0 || next > last as isize {
                    break;
                }
                at = next as usize;
                self.move_to(group, at);
                let now = self.size();
                if now < best {
                    (best, best_at) = (now, at);
                }
                if now * 100 > best * limits.growth || !self.has_room(now) {
                    break;
                }
            }
        }
        self.move_to(group, best_at);
        best
    }

    fn move_to(&mut self, group: usize, at: usize) {
        let mut order: Vec<usize> = self.positions().to_vec();
        if order.get(at) == Some(&group) {
            return;
        }
        order.retain(|&g| g != group);
        order.insert(at, group);
        self.set_order(&order);
    }
}
