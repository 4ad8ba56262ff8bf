//! Sets made of other sets, by several threads where that is worth it.

use super::Space;
use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::flat::Flat;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A set of fewer nodes is not divided among threads; otherwise into n pieces for each, because their costs differ, by
/// the values of n variables at most.
const WORTH_SHARING: usize = 4096;
const PIECES_PER_THREAD: usize = 4;
const MOST_DIVIDING: usize = 4;

impl<F: Diagram> Space<F> {
    /// Intersection.
    pub fn and(&self, a: &F, b: &F) -> Result<F, SymbolicError> {
        self.attempt(|| a.and(b))
    }

    /// Union.
    pub fn or(&self, a: &F, b: &F) -> Result<F, SymbolicError> {
        self.attempt(|| a.or(b))
    }

    /// What is in the first set but not in the second.
    pub fn diff(&self, a: &F, b: &F) -> Result<F, SymbolicError> {
        self.attempt(|| b.imp_strict(a))
    }

    /// All states that are not in the set.
    pub fn complement(&self, a: &F) -> Result<F, SymbolicError> {
        self.diff(&self.domain, a)
    }

    /// Does the same for every item, divided among the threads; results in the order of the items.
    pub fn share<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T) -> Result<R, SymbolicError> + Sync,
    ) -> Result<Vec<R>, SymbolicError> {
        let threads = self.threads.min(items.len());
        if threads <= 1 {
            return items.iter().map(work).collect();
        }
        // Items are taken one by one, because their cost varies.
        let next = AtomicUsize::new(0);
        let done: Vec<Vec<(usize, Result<R, SymbolicError>)>> = std::thread::scope(|scope| {
            let take = || {
                let mut mine = vec![];
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { return mine };
                    mine.push((i, work(item)));
                }
            };
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
            handles.into_iter().map(|handle| handle.join().expect("the work does not panic")).collect()
        });
        let mut all: Vec<(usize, Result<R, SymbolicError>)> = done.into_iter().flatten().collect();
        all.sort_by_key(|&(i, _)| i);
        all.into_iter().map(|(_, result)| result).collect()
    }

    /// The number of threads that share work.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// A set as plain arrays. Layers and the sets of their values follow each other with about as many nodes, so that
    /// tables need not grow from nothing.
    pub(crate) fn flatten(&self, set: &F) -> Flat {
        let flat = set.flatten_about(self.flattened.load(Ordering::Relaxed) / 2);
        self.flattened.store(flat.nodes.len(), Ordering::Relaxed);
        flat
    }

    /// The union of many sets, in a balanced tree.
    pub fn or_all(&self, mut sets: Vec<F>) -> Result<F, SymbolicError> {
        while sets.len() > 1 {
            let pairs: Vec<&[F]> = sets.chunks(2).collect();
            let half = self.share(&pairs, |pair| match pair {
                [a, b] => self.or(a, b),
                single => Ok(single[0].clone()),
            })?;
            sets = half;
        }
        Ok(sets.pop().unwrap_or_else(|| self.none.clone()))
    }

    /// The intersection of many sets, in a balanced tree.
    pub fn and_all(&self, mut sets: Vec<F>) -> Result<F, SymbolicError> {
        while sets.len() > 1 {
            let mut half = Vec::with_capacity(sets.len().div_ceil(2));
            for pair in sets.chunks(2) {
                half.push(if let [a, b] = pair { self.and(a, b)? } else { pair[0].clone() });
            }
            sets = half;
        }
        Ok(sets.pop().unwrap_or_else(|| self.all.clone()))
    }

    /// Joins sets, in their order, as long as the unions stay below n nodes. Taking away a few
    /// unions is much cheaper than many small sets, and a union that is too large is worse than either.
    pub fn join_small(&self, mut sets: Vec<F>, limit: usize) -> Result<Vec<F>, SymbolicError> {
        // Conditions on neighbouring variables join to small diagrams.
        sets.sort_by_key(F::root_level);
        let mut joined: Vec<F> = vec![];
        for set in sets {
            if let Some(open) = joined.last_mut() {
                let both = self.or(open, &set)?;
                if both.node_count() <= limit {
                    *open = both;
                    continue;
                }
            }
            joined.push(set);
        }
        Ok(joined)
    }

    /// Takes away many sets, one after the other: their union can be much larger than what is left.
    pub fn subtract(&self, set: &F, parts: &[F]) -> Result<F, SymbolicError> {
        let left = |piece: &F| parts.iter().try_fold(piece.clone(), |rest, part| self.diff(&rest, part));
        self.or_all(self.share(&self.pieces(set)?, left)?)
    }

    /// The set in pieces that threads can work on, by the values of the variables at the top: joining what becomes of
    /// them again costs next to nothing where the work leaves these variables alone. One piece where one thread works,
    /// or where sharing would take longer.
    pub(crate) fn pieces(&self, set: &F) -> Result<Vec<F>, SymbolicError> {
        self.divided(set, set)
    }

    /// The same of a set that belongs to another one, which is what decides whether sharing is worth it.
    pub(crate) fn divided(&self, set: &F, by: &F) -> Result<Vec<F>, SymbolicError> {
        let mut pieces = vec![set.clone()];
        if self.threads <= 1 || by.node_count() < WORTH_SHARING {
            return Ok(pieces);
        }
        for &var in self.order.iter().take(MOST_DIVIDING) {
            if pieces.len() >= PIECES_PER_THREAD * self.threads {
                break;
            }
            let mut finer = vec![];
            for piece in &pieces {
                for value in &self.current[var.index()] {
                    finer.push(self.and(piece, value)?);
                }
            }
            finer.retain(|piece| *piece != self.none);
            pieces = finer;
        }
        Ok(pieces)
    }
}
