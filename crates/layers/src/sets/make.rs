//! Strings made of numbered pieces of work by all threads, each string once.

use crate::crew::Crew;
use crate::error::LayersError;
use crate::sets::strings::Strings;
use crate::sets::table::Table;
use crate::sets::up::Handled;
use crate::shares::Shares;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use winset_index::Digit;
use winset_work::{Exhausted, Work};

/// The most pieces that a thread takes at a time.
const CHUNK: u32 = 256;

/// Another thread is worth its trouble only for n pieces each.
const PIECES: usize = 512;

/// What one thread makes of its share.
#[derive(Default)]
pub struct Made {
    handled: Vec<u32>,
    start: Vec<u32>,
    digits: Vec<Digit>,
    numbers: Vec<u32>,
    below: Table,
    /// Room for a string.
    pub scratch: Vec<u64>,
}

impl Made {
    /// The present piece leads to the string in `scratch` by this digit. Digits must come in order.
    #[inline]
    pub fn push(&mut self, digit: Digit) {
        self.numbers.push(self.below.add(&self.scratch));
        self.digits.push(digit);
    }

    fn bytes(&self) -> u64 {
        let words = self.handled.capacity() + self.start.capacity() + self.numbers.capacity();
        (words * 4 + self.digits.capacity() * 2) as u64 + self.below.bytes()
    }
}

/// Does n pieces of work, each of which says how many steps it took; `taken` of the budget is in use.
pub fn make(
    pieces: usize,
    crew: &Crew,
    (taken, budget): (u64, Option<u64>),
    steps: &Work,
    handle: impl Fn(usize, &mut Made) -> u64 + Sync,
) -> Result<(Vec<Handled>, Strings), LayersError> {
    let threads = crew.threads().min(pieces / PIECES).max(1);
    let most = budget.map(|budget| budget.saturating_sub(taken) / threads as u64);
    let (too_much, stopped) = (AtomicBool::new(false), AtomicBool::new(false));
    let tasks = Shares::new(pieces, threads);
    let work = |thread: usize, mut made: Made| {
        while let Some(range) = tasks.take(thread, CHUNK) {
            let mut done = 0;
            for piece in range {
                made.handled.push(piece as u32);
                made.start.push(made.digits.len() as u32);
                done += handle(piece, &mut made);
            }
            if most.is_some_and(|most| made.bytes() > most) {
                too_much.store(true, Relaxed);
            }
            if steps.spend(done).is_err() {
                stopped.store(true, Relaxed);
            }
            if too_much.load(Relaxed) || stopped.load(Relaxed) {
                break;
            }
        }
        made
    };
    let mut all = crew.map((0..threads).map(|_| Made::default()).collect(), work);
    if let Some(budget) = budget.filter(|_| too_much.load(Relaxed)) {
        let made = all.iter().map(Made::bytes).sum::<u64>();
        return Err(LayersError::memory(taken + 2 * made, budget));
    }
    if stopped.load(Relaxed) {
        return Err(Exhausted.into());
    }
    let tables = all.iter_mut().map(|made| std::mem::take(&mut made.below)).collect();
    let below = Strings::new(tables);
    if below.overflows() || all.iter().any(|made| made.digits.len() > u32::MAX as usize) {
        return Err(LayersError::TooManyEdges);
    }
    let handled = all.into_iter().zip(below.firsts()).map(|(made, &first)| {
        let Made { handled: requests, start, mut digits, mut numbers, .. } = made;
        digits.shrink_to_fit();
        numbers.shrink_to_fit();
        Handled { requests, start, digits, numbers, first: first as u32 }
    });
    Ok((handled.collect(), below))
}
