//! How large a game is, as far as that is found out in about a second: before anybody waits for a solution.
//!
//! The layers are counted by the layer engine with a limited number of steps. Small games end there, and their number of
//! positions is exact; of larger ones it is known that they have more than were counted.

use crate::checkpoint::{Checkpoint, FoundLayer};
use crate::engine::{Cause, Engine, Finished, Job, Watcher};
use crate::engines::Layers;
use serde::Serialize;
use std::time::{Duration, Instant};
use winset_model::Game;

/// Steps and time for the count; it is stopped between two layers.
const STEPS: u64 = 25_000_000;
const COUNTING: Duration = Duration::from_millis(800);
/// The memory that it may take.
const MEMORY: u64 = 256 << 20;

/// What is found out about a game in about a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Positions that were counted.
    pub positions: u64,
    /// There are no others.
    pub exact: bool,
    /// The layers that they are in.
    pub layers: usize,
    /// The positions of the largest of these layers.
    pub largest_layer: u64,
}

impl Estimate {
    /// The game has no more positions than this, which is certain only if all were counted.
    pub fn is_at_most(&self, positions: u64) -> bool {
        self.exact && self.positions <= positions
    }
}

/// Counts the positions of a game for about a second, within 256 MiB.
///
/// ```
/// use winset::{Catalogue, estimate};
/// let game = |name, size| Catalogue::default().game(name, Some(size), &Default::default()).map(|rules| rules.game);
/// let small = estimate(&game("tictactoe", "3x3")?);
/// assert!(small.exact && small.positions == 5478);
/// assert!(!estimate(&game("connect4", "7x6")?).is_at_most(1_000_000_000));
/// # Ok::<(), winset::Error>(())
/// ```
pub fn estimate(game: &Game) -> Estimate {
    estimate_within(game, MEMORY)
}

/// The same within so many bytes of memory, if they are fewer.
pub fn estimate_within(game: &Game, memory: u64) -> Estimate {
    let mut counted = Counter::default();
    let work = winset_work::Work::default().part(STEPS);
    let job = Job { solve: false, memory: memory.min(MEMORY), threads: Some(1), work, ..Job::default() };
    let mut deadline = Deadline(Instant::now() + COUNTING);
    match Layers::default().solve(game, &job, &mut counted, &mut deadline) {
        Ok(Finished::Done(report)) => {
            let all = report.positions.and_then(|positions| u64::try_from(positions).ok());
            let positions = all.unwrap_or(u64::MAX);
            Estimate {
                positions,
                exact: all.is_some(),
                layers: counted.layers,
                largest_layer: counted.largest,
            }
        }
        _ => Estimate {
            // A position can be in several layers of a game without a measure: the largest layer has each once.
            positions: counted.largest,
            exact: false,
            layers: counted.layers,
            largest_layer: counted.largest,
        },
    }
}

/// Counts layers as they are found.
#[derive(Default)]
struct Counter {
    layers: usize,
    largest: u64,
}

impl Checkpoint for Counter {
    fn put_set(&mut self, layer: &FoundLayer<'_>) -> Result<(), Cause> {
        self.layers += 1;
        self.largest = self.largest.max(layer.positions);
        Ok(())
    }
}

/// Stops between two layers.
struct Deadline(Instant);

impl Watcher for Deadline {
    fn stop(&mut self) -> bool {
        Instant::now() > self.0
    }
}
