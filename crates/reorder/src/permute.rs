//! Every order of a few groups, neighbours in the sequence differing by one swap of neighbours.

use crate::bench::Bench;

/// An order with its cost.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ranked {
    /// The number of nodes.
    pub size: usize,
    /// The groups from the root down.
    pub order: Vec<usize>,
}

/// What orders are ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// The nodes of all diagrams together.
    Together,
    /// The nodes of the largest diagram.
    Largest,
}

impl Cost {
    /// The cost of a bench's order; none if it is more than `limit`.
    fn of(self, bench: &Bench, limit: usize) -> Option<usize> {
        match self {
            Cost::Together => Some(bench.size()).filter(|&size| size <= limit),
            Cost::Largest => bench.largest_within(limit),
        }
    }
}

/// Tries every order of the groups `movable`, which trade places among themselves while all others stay,
/// and returns the best `keep` of them with the number tried. A bench per thread divides the work.
pub fn all_orders(benches: &mut [Bench], movable: &[usize], cost: Cost, keep: usize) -> (Vec<Ranked>, u64) {
    let all = permutations(movable);
    let share = all.len().div_ceil(benches.len().max(1));
    let parts: Vec<(Vec<Ranked>, u64)> = std::thread::scope(|scope| {
        let workers: Vec<_> = benches
            .iter_mut()
            .zip(all.chunks(share.max(1)))
            .map(|(bench, orders)| scope.spawn(move || rank(bench, movable, orders, cost, keep)))
            .collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
    });
    let tried = parts.iter().map(|(_, tried)| tried).sum();
    let mut best: Vec<Ranked> = parts.into_iter().flat_map(|(best, _)| best).collect();
    best.sort_unstable();
    best.truncate(keep);
    (best, tried)
}

fn rank(
    bench: &mut Bench,
    movable: &[usize],
    orders: &[Vec<usize>],
    cost: Cost,
    keep: usize,
) -> (Vec<Ranked>, u64) {
    let places: Vec<usize> =
        (0..bench.groups()).filter(|&at| movable.contains(&bench.positions()[at])).collect();
    let mut best: Vec<Ranked> = vec![];
    let mut tried = 0;
    for permutation in orders {
        let mut order = bench.positions().to_vec();
        for (&at, &group) in places.iter().zip(permutation) {
            order[at] = group;
        }
        bench.set_order(&order);
        tried += 1;
        let limit = if best.len() < keep { usize::MAX } else { best.last().map_or(0, |worst| worst.size) };
        if let Some(size) = cost.of(bench, limit) {
            let ranked = Ranked { size, order };
            let at = best.partition_point(|other| *other < ranked);
            best.insert(at, ranked);
            best.truncate(keep);
        }
    }
    (best, tried)
}

/// All permutations in the order of Steinhaus, Johnson and Trotter.
fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    let Some((&last, rest)) = items.split_last() else { return vec![vec![]] };
    let mut all = vec![];
    for (i, shorter) in permutations(rest).into_iter().enumerate() {
        for step in 0..=shorter.len() {
            let at = if i % 2 == 0 { shorter.len() - step } else { step };
            let mut longer = shorter.clone();
            longer.insert(at, last);
            all.push(longer);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_differ_by_one_swap() {
        let all = permutations(&[3, 1, 4, 2, 5]);
        assert_eq!(all.len(), 120);
        let mut sorted = all.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 120);
        for pair in all.windows(2) {
            let different: Vec<usize> = (0..5).filter(|&i| pair[0][i] != pair[1][i]).collect();
            assert!(matches!(different[..], [a, b] if b == a + 1));
        }
    }
}
