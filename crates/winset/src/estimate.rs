//! How large a game is and what solving it takes, before anybody waits for it.
//!
//! The first layers are counted exactly, by the layer engine with a limited number of steps; small games end there. What is
//! left is sampled: random play, in which a position that many positions lead to counts for less. A walk has the weight 1
//! at the start, and a move from a position with `n` moves to one that `m` moves lead to multiplies it by `n / m`; then
//! the weights of all visits to a position are 1 on average, and those of all visits are the number of positions. Weights
//! are kept level by taking walks in proportion to them anew after every ply, stratum by stratum of equal length (Chen 1992,
//! Knuth 1975). `m` is found from the rules alone ([`Predecessors`]), and so counts positions that cannot be reached too:
//! by how much that is wrong is learnt from the layers that were counted.

use crate::checkpoint::{Checkpoint, FoundLayer, Plan};
use crate::engine::{Cause, Engine, Finished, Job, Stage, Watcher};
use crate::engines::Layers;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use winset_model::{Explicit, Game, Predecessors, State};
use winset_store::Layering;

/// Steps and time for the exact count, and time for random play.
const STEPS: u64 = 25_000_000;
const COUNTING: Duration = Duration::from_millis(450);
const WALKING: Duration = Duration::from_millis(450);
/// The memory that all of it may take.
const MEMORY: u64 = 256 << 20;
/// Walks that are taken together.
const WALKS: usize = 48;
/// Longer plays are broken off.
const PLIES: usize = 400;
/// Ways back to a position that are tried.
const BACK: u64 = 4_000;

/// What is expected of a game.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// The number of positions.
    pub positions: f64,
    /// It is probably between these; both are the number itself if it was counted.
    pub between: (f64, f64),
    /// The number was counted.
    pub exact: bool,
    /// Layers that were counted.
    pub layers_counted: usize,
    /// The positions of the largest layer.
    pub largest_layer: f64,
    /// Seconds to solve it with one thread of this machine.
    pub seconds: f64,
    /// Bytes of memory.
    pub memory: f64,
    /// Bytes on disk, if the solution is kept.
    pub disk: f64,
}

/// Estimates a game in about a second, within 256 MiB.
///
/// ```
/// use winset::{Catalogue, estimate};
/// let rules = Catalogue::default().game("tictactoe", None, &Default::default())?;
/// let estimate = estimate(&rules.game);
/// assert!(estimate.exact && estimate.positions == 5478.0);
/// # Ok::<(), winset::Error>(())
/// ```
pub fn estimate(game: &Game) -> Estimate {
    estimate_within(game, MEMORY)
}

/// The same within so many bytes of memory, if they are fewer.
pub fn estimate_within(game: &Game, memory: u64) -> Estimate {
    let clock = Instant::now();
    let mut counted = Counter::default();
    let job = Job {
        solve: false,
        memory: memory.min(MEMORY),
        threads: Some(1),
        work: winset_work::Work::default().part(STEPS),
        ..Job::default()
    };
    let finished = Layers::default().solve(game, &job, &mut counted, &mut Deadline(clock + COUNTING));
    let counting = clock.elapsed().as_secs_f64();
    let exact = matches!(finished, Ok(Finished::Done(_)));
    let known: f64 = counted.layers.values().sum();
    if exact {
        let largest = counted.layers.values().copied().fold(0.0, f64::max);
        return figures(
            known,
            (known, known),
            true,
            counted.layers.len(),
            largest,
            counting / known.max(1.0),
        );
    }
    let batches = walk(game, &counted);
    let totals: Vec<f64> = batches.iter().map(|batch| total(batch, &counted.layers)).collect();
    let (positions, between) = summary(&totals, known);
    let mut mean: BTreeMap<i64, f64> = BTreeMap::new();
    for (key, weight) in batches.iter().flatten() {
        *mean.entry(*key).or_default() += weight / batches.len() as f64;
    }
    let (sampled, widest) = (mean.values().sum::<f64>().max(1.0), mean.values().copied().fold(0.0, f64::max));
    let largest = (positions * widest / sampled).max(counted.layers.values().copied().fold(0.0, f64::max));
    let pace = counted.pace(counting / known.max(1.0));
    figures(positions, between, false, counted.layers.len(), largest, pace)
}

/// What so many positions take, from the seconds that finding one took.
fn figures(
    positions: f64,
    between: (f64, f64),
    exact: bool,
    layers_counted: usize,
    largest_layer: f64,
    pace: f64,
) -> Estimate {
    // The way back looks at every position once more, with all its moves.
    let seconds = positions * pace * 2.5;
    // Two bits a position in the layers that are worked on, and as much again for their sets.
    let memory = 16e6 + largest_layer * 0.25 * 4.0;
    Estimate {
        positions,
        between,
        exact,
        layers_counted,
        largest_layer,
        seconds,
        memory,
        disk: 2e4 + positions * 0.12,
    }
}

/// Counts layers as they are found.
#[derive(Default)]
struct Counter {
    layering: Option<Layering>,
    layers: BTreeMap<i64, f64>,
    times: Vec<(Option<Instant>, f64)>,
}

impl Counter {
    /// The stratum of a position: its layer.
    fn key(&self, state: &State, plies: usize) -> i64 {
        match &self.layering {
            Some(Layering::Measure { weights, base }) => {
                state.0.iter().zip(weights).map(|(&value, of)| of[value as usize]).sum::<i64>() - base
            }
            Some(Layering::Single) => 0,
            Some(Layering::Bfs) | None => plies as i64,
        }
    }

    /// Seconds for a position, in the last layers: those that are to come cost no more than these.
    fn pace(&self, average: f64) -> f64 {
        let last = &self.times[self.times.len().saturating_sub(3)..];
        match (last.first(), last.last()) {
            (Some((Some(begin), _)), Some((Some(end), _))) if begin < end => {
                let found: f64 = last.iter().skip(1).map(|(_, positions)| positions).sum();
                (*end - *begin).as_secs_f64() / found.max(1.0)
            }
            _ => average,
        }
    }
}

impl Checkpoint for Counter {
    fn begin(&mut self, plan: &Plan<'_>) -> Result<crate::checkpoint::Past, Cause> {
        self.layering = Some(plan.layering.clone());
        Ok(Default::default())
    }

    fn put_set(&mut self, layer: &FoundLayer<'_>) -> Result<(), Cause> {
        self.layers.insert(layer.measure, layer.positions as f64);
        self.times.push((Some(Instant::now()), layer.positions as f64));
        Ok(())
    }
}

/// Stops between two layers.
struct Deadline(Instant);

impl Watcher for Deadline {
    fn stage(&mut self, _: &Stage<'_>) {}

    fn stop(&mut self) -> bool {
        Instant::now() > self.0
    }
}

/// Random play in batches, each of which gives a number of positions for each layer.
fn walk(game: &Game, counter: &Counter) -> Vec<BTreeMap<i64, f64>> {
    let clock = Instant::now();
    let (mut explicit, mut back) = (Explicit::new(game), Predecessors::new(game));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut batches = vec![];
    while batches.len() < 4 || (clock.elapsed() < WALKING && batches.len() < 10_000) {
        let mut found: BTreeMap<i64, f64> = BTreeMap::new();
        let mut walks: Vec<State> = vec![game.initial().clone(); WALKS];
        // The weight of every walk; they are all alike after each ply.
        let mut weight = 1.0;
        for plies in 0..PLIES {
            for state in &walks {
                *found.entry(counter.key(state, plies)).or_default() += weight / WALKS as f64;
            }
            let mut next: Vec<(f64, State)> = vec![];
            for state in &walks {
                let moves = explicit.successors(state);
                if moves.is_empty() {
                    continue;
                }
                let (_, after) = &moves[random.below(moves.len())];
                let mut ways = 0u64;
                let _ = back.any(after, BACK, &mut |_| {
                    ways += 1;
                    Ok::<bool, ()>(false)
                });
                next.push((moves.len() as f64 / ways.max(1) as f64, after.clone()));
            }
            let sum: f64 = next.iter().map(|(factor, _)| factor).sum();
            // The first batches are finished whatever they take, unless play goes on and on.
            if sum <= 0.0 || (clock.elapsed() > 4 * WALKING) {
                break;
            }
            walks = resampled(&next, sum, &mut random);
            weight *= sum / WALKS as f64;
        }
        batches.push(found);
    }
    batches
}

/// As many walks as before, each in proportion to its weight.
fn resampled(walks: &[(f64, State)], sum: f64, random: &mut Random) -> Vec<State> {
    let (step, mut at, mut passed) = (sum / WALKS as f64, 0, walks[0].0);
    let mut point = step * random.unit();
    let mut taken = vec![];
    for _ in 0..WALKS {
        while passed < point && at + 1 < walks.len() {
            at += 1;
            passed += walks[at].0;
        }
        taken.push(walks[at].1.clone());
        point += step;
    }
    taken
}

/// The exact layers, and the others corrected by what is known of the exact ones.
fn total(batch: &BTreeMap<i64, f64>, exact: &BTreeMap<i64, f64>) -> f64 {
    let known: f64 = exact.values().sum();
    let last = exact.keys().next_back().copied().unwrap_or(-1);
    let wrong: Vec<f64> = exact
        .iter()
        .filter_map(|(key, n)| batch.get(key).filter(|w| **w > 0.0).map(|w| (n / w).ln()))
        .collect();
    // How much more is missed in each layer than in the one before, lately.
    let (now, drift) = match wrong.len() {
        0 => (0.0, 0.0),
        n => {
            let half = &wrong[n / 2..];
            let middle = half.iter().sum::<f64>() / half.len() as f64;
            let drift = if half.len() > 2 { slope(half) } else { 0.0 };
            (middle + drift * (half.len() as f64 - 1.0) / 2.0, drift.clamp(0.0, 0.35))
        }
    };
    let later = batch.range(last + 1..).enumerate();
    known + later.map(|(n, (_, weight))| weight * (now + drift * (n as f64 + 1.0)).exp()).sum::<f64>()
}

/// The least-squares slope of equally spaced values.
fn slope(values: &[f64]) -> f64 {
    let (n, mean) = (values.len() as f64, values.iter().sum::<f64>() / values.len() as f64);
    let middle = (n - 1.0) / 2.0;
    let (mut above, mut below) = (0.0, 0.0);
    for (i, value) in values.iter().enumerate() {
        above += (i as f64 - middle) * (value - mean);
        below += (i as f64 - middle).powi(2);
    }
    if below > 0.0 { above / below } else { 0.0 }
}

/// The mean of all batches, and where it probably lies: batches differ by factors, and the correction is a guess.
fn summary(totals: &[f64], known: f64) -> (f64, (f64, f64)) {
    let mean = (totals.iter().sum::<f64>() / totals.len().max(1) as f64).max(known);
    let logs: Vec<f64> = totals.iter().map(|total| total.max(1.0).ln()).collect();
    let middle = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
    let spread =
        (logs.iter().map(|log| (log - middle).powi(2)).sum::<f64>() / logs.len().max(1) as f64).sqrt();
    let factor = (2.0 * spread / (totals.len() as f64).sqrt() + 0.7).exp();
    (mean, ((mean / factor).max(known), mean * factor))
}

/// A sequence of numbers that is always the same (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}
