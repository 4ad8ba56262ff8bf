//! A list of tasks shared out among threads, neighbours to the same thread.
//!
//! Neighbouring tasks have much in common that each thread finds out for itself, so every thread has a
//! stretch of the list for its own, from the front; one that has finished helps where the most is left,
//! from the back.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What is still to do, for each thread: the first task in the high half, the end in the low.
pub struct Shares(Vec<AtomicU64>);

fn pack(range: Range<u32>) -> u64 {
    u64::from(range.start) << 32 | u64::from(range.end)
}

fn unpack(word: u64) -> Range<u32> {
    (word >> 32) as u32..word as u32
}

impl Shares {
    /// Shares out n tasks.
    pub fn new(tasks: usize, threads: usize) -> Self {
        let tasks = u32::try_from(tasks).expect("tasks are numbered by 32 bits");
        let at = |thread: usize| (u64::from(tasks) * thread as u64 / threads as u64) as u32;
        Shares((0..threads).map(|thread| pack(at(thread)..at(thread + 1)).into()).collect())
    }

    /// The next tasks of a thread, at most n; none if all tasks have been taken.
    pub fn take(&self, thread: usize, most: u32) -> Option<Range<usize>> {
        let front = |word| {
            let Range { start, end } = unpack(word);
            (start < end).then(|| pack(start.saturating_add(most).min(end)..end))
        };
        if let Ok(word) = self.0[thread].fetch_update(Relaxed, Relaxed, front) {
            let Range { start, end } = unpack(word);
            return Some(start as usize..start.saturating_add(most).min(end) as usize);
        }
        let back = |word| {
            let Range { start, end } = unpack(word);
            (start < end).then(|| pack(start..end.saturating_sub(most).max(start)))
        };
        loop {
            let left = |share: &&AtomicU64| unpack(share.load(Relaxed)).len();
            let longest = self.0.iter().max_by_key(left).filter(|share| left(share) > 0)?;
            if let Ok(word) = longest.fetch_update(Relaxed, Relaxed, back) {
                let Range { start, end } = unpack(word);
                return Some(end.saturating_sub(most).max(start) as usize..end as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_taken_once() {
        for (tasks, threads, most) in [(0, 1, 1), (1, 3, 1), (1000, 1, 7), (1000, 2, 1), (5000, 3, 64)] {
            let shares = Shares::new(tasks, threads);
            let taken = std::sync::Mutex::new(vec![0; tasks]);
            std::thread::scope(|scope| {
                for thread in 0..threads {
                    let (shares, taken) = (&shares, &taken);
                    scope.spawn(move || {
                        while let Some(range) = shares.take(thread, most) {
                            taken.lock().unwrap()[range].iter_mut().for_each(|n| *n += 1);
                        }
                    });
                }
            });
            assert!(taken.into_inner().unwrap().iter().all(|&n| n == 1));
        }
    }

    #[test]
    fn a_thread_begins_with_its_own_stretch() {
        let shares = Shares::new(10, 2);
        assert_eq!(shares.take(1, 2), Some(5..7));
        assert_eq!(shares.take(0, 4), Some(0..4));
        assert_eq!(shares.take(0, 4), Some(4..5));
        assert_eq!(shares.take(0, 2), Some(8..10), "helping from the back");
        assert_eq!(shares.take(0, 9), Some(7..8));
        assert_eq!(shares.take(1, 1), None);
    }
}
