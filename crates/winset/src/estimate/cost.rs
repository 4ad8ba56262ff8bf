//! What solving takes, from what the layer engine needs for the first layers on this machine.
//!
//! With n positions, of which the largest layer has m, and for the last counted layers t seconds and s bits of set a position:
//!
//! - time: n t times [`SOLVING`], because values take longer than sets, and less where layers are larger than those counted:
//!   a diagram has the more positions a node the larger it is, so that only a power of the growth counts;
//! - disk: n (s + 1.2) bits: the set, and values of about 1.2 bits as RESULTS.md has them;
//! - memory: 4 bits for each position of the largest layer, values of it and the next one, and four times the sets on disk,
//!   which the engine has as nodes.
//!
//! Where the engine counts too few positions in its first steps, nothing is said: what the others take is not known.
//!
//! Seconds are those of the processor: what else the machine does at the moment does not count.

use super::count::Counted;
use super::{Cost, Expected};
use crate::checkpoint::{Checkpoint, FoundLayer};
use crate::engine::{Cause, Engine, Finished, Job};
use crate::engines::Layers;
use std::time::Instant;
use winset_model::Game;

/// The steps for the trial: about half a second; and where a sample tells little, some seconds.
const STEPS: u64 = 25_000_000;
const STEPS_ALONE: u64 = 3 * STEPS;
/// Solving takes this many times as long as counting.
const SOLVING: f64 = 3.0;
/// What of the growth beyond the counted layers counts.
const GROWTH: f64 = 0.8;
/// The bits of a position's value on disk.
const VALUE: f64 = 1.2;
/// About the bytes that an edge of a stored set takes.
const EDGE: f64 = 4.0;
/// About the memory that the process takes in any case.
const PROCESS: f64 = (8 << 20) as f64;
/// About the bytes that a position takes that is solved one by one, and one of the largest layer once more, where moves of
/// all positions that can be circled in are listed, or need not be; and the time as a multiple of counting.
const BYTES: f64 = 13.0;
const BYTES_CIRCLED: f64 = 250.0;
const BYTES_PASSED: f64 = 20.0;
const SETTLING: f64 = 2.5;
/// The bits that a position takes on disk where positions do not look alike.
const ONE_BY_ONE_BITS: f64 = 12.0;
/// Of fewer counted positions it is not concluded what others take.
pub const ENOUGH: u64 = 10_000;

/// Seconds of this thread, or by the clock where the system does not tell.
pub struct Clock {
    began: Instant,
    used: Option<u64>,
}

impl Clock {
    /// Begins now.
    pub fn start() -> Self {
        Clock { began: Instant::now(), used: used() }
    }

    /// The seconds since then.
    pub fn seconds(&self) -> f64 {
        match (self.used, used()) {
            (Some(before), Some(now)) if now > before => (now - before) as f64 / 1e9,
            _ => self.began.elapsed().as_secs_f64(),
        }
    }
}

/// The nanoseconds that this thread has been running.
fn used() -> Option<u64> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    line.split(' ').next()?.parse().ok()
}

/// What positions take that are solved one by one, as fast as some of them were counted.
pub fn one_by_one(expected: &Expected, counted: &Counted) -> Cost {
    let &Expected { positions, largest_layer, .. } = expected;
    let once_more = if counted.every_play_ends { BYTES_PASSED } else { BYTES_CIRCLED };
    Cost {
        seconds: positions * counted.seconds / counted.positions.max(1) as f64 * (1.0 + SETTLING),
        memory: PROCESS + positions * BYTES + largest_layer * once_more,
        disk: positions * ONE_BY_ONE_BITS / 8.0,
    }
}

/// What the layer engine did in its first steps.
#[derive(Default)]
pub struct Trial {
    /// All positions, if it came to an end.
    pub all: Option<u64>,
    pub layers: usize,
    /// The positions of the largest layer, and of all.
    pub largest: u64,
    counted: u64,
    /// The bits that a position takes in the set of the largest layer.
    bits: f64,
    seconds: f64,
}

impl Trial {
    /// Lets the layer engine count for a while, for longer if not much else is known.
    pub fn run(game: &Game, memory: u64, alone: bool) -> Self {
        let mut trial = Trial::default();
        let work = winset_work::Work::default().part(if alone { STEPS_ALONE } else { STEPS });
        let job = Job { solve: false, memory, threads: Some(1), work, ..Job::default() };
        let clock = Clock::start();
        let finished = Layers::default().solve(game, &job, &mut trial, &mut ());
        if let Ok(Finished::Done(report)) = finished {
            trial.all = report.positions.and_then(|positions| u64::try_from(positions).ok());
        }
        trial.seconds = clock.seconds();
        trial
    }

    /// What solving takes, if enough was counted to tell.
    pub fn cost(&self, expected: &Expected) -> Option<Cost> {
        if self.counted < ENOUGH {
            return None;
        }
        let counted = (self.counted.max(1)) as f64;
        let growth = (expected.positions / counted).max(1.0);
        let sets = expected.positions * self.bits / 8.0;
        Some(Cost {
            seconds: self.seconds * SOLVING * growth.powf(GROWTH),
            memory: PROCESS + expected.largest_layer * 0.5 + 4.0 * sets,
            disk: sets + expected.positions * VALUE / 8.0,
        })
    }
}

impl Checkpoint for Trial {
    fn put_set(&mut self, layer: &FoundLayer<'_>) -> Result<(), Cause> {
        self.layers += 1;
        self.counted += layer.positions;
        if layer.positions > self.largest {
            self.largest = layer.positions;
            let index = (layer.index)()?;
            let edges: usize = index.levels().iter().map(|level| level.digit.len()).sum();
            self.bits = 8.0 * EDGE * edges as f64 / layer.positions.max(1) as f64;
        }
        Ok(())
    }
}
