//! How large a game is, and what solving it takes, before anybody waits: found out in some seconds.
//!
//! Positions are counted state by state with a limited number of steps (`count`). Small games end there, and their number is
//! exact. If the rules show that every play ends, a sample tells how many lie beyond (`sample`, `before`); of other games only
//! a lower bound is known. Time, memory and disk follow from what the layer engine needs for the first layers (`cost`).
//!
//! Everything but the time is counted in steps and drawn from fixed seeds: the same game always has the same estimate.

mod before;
mod cost;
mod count;
mod sample;

use cost::Trial;
use serde::Serialize;
use winset_model::Game;

/// The memory that it may take.
const MEMORY: u64 = 256 << 20;
/// The factor by which the memory that is told may be wrong, and where the number of positions is rough.
const UNCERTAIN: f64 = 10.0;
const UNCERTAIN_IF_ROUGH: f64 = 1000.0;

/// What is found out about a game before it is solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Positions that were counted.
    pub positions: u64,
    /// There are no others.
    pub exact: bool,
    /// The layers that they are in.
    pub layers: usize,
    /// The positions of the largest of these layers.
    pub largest_layer: u64,
    /// There are no more: the states that the variables of the rules span, whether they can arise or not. Infinite
    /// if there are more than a number of this type can tell.
    pub at_most: f64,
    /// How many positions there are in all; none if there is no telling.
    pub expected: Option<Expected>,
    /// What solving takes on this machine; none if there is no telling.
    pub cost: Option<Cost>,
}

/// The number of positions, as a sample shows it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Expected {
    /// The middle one of the numbers that the repetitions came to.
    pub positions: f64,
    /// From the lowest of these numbers, or half of the middle one if that is lower,
    pub low: f64,
    /// to the highest, or twice the middle one.
    pub high: f64,
    /// The positions of the largest layer.
    pub largest_layer: f64,
    /// The repetitions differ so much, or were so few, that even the order of magnitude is uncertain.
    pub rough: bool,
}

/// What solving takes, by what the first layers took: an order of magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Seconds of one core of this machine.
    pub seconds: f64,
    /// Bytes of memory.
    pub memory: f64,
    /// Bytes of the files that `solve --out` writes.
    pub disk: f64,
}

impl Expected {
    /// It is known exactly.
    fn exactly(positions: u64, largest_layer: u64) -> Self {
        let [positions, largest_layer] = [positions as f64, largest_layer as f64];
        Expected { positions, low: positions, high: positions, largest_layer, rough: false }
    }
}

impl Estimate {
    /// The game has no more positions than this, which is certain only if all were counted.
    pub fn is_at_most(&self, positions: u64) -> bool {
        self.exact && self.positions <= positions
    }

    /// It certainly does not fit into n bytes: even a small part of what the fewest positions would take is more. Costs are
    /// known as orders of magnitude only, and who is told that a game does not fit may not even try.
    pub fn cannot_fit(&self, memory: u64) -> bool {
        let rough = self.expected.is_some_and(|expected| expected.rough);
        let uncertain = if rough { UNCERTAIN_IF_ROUGH } else { UNCERTAIN };
        self.memory().is_some_and(|[low, _]| low / uncertain > memory as f64)
    }

    /// It fits into n bytes, by the most positions that there may be.
    pub fn fits(&self, memory: u64) -> bool {
        let sure = self.expected.is_some_and(|expected| !expected.rough);
        sure && self.memory().is_some_and(|[_, high]| high <= memory as f64)
    }

    /// The memory that it takes with the fewest and with the most positions; none if there is no telling.
    pub fn memory(&self) -> Option<[f64; 2]> {
        let (cost, expected) = (self.cost?, self.expected?);
        Some([expected.low, expected.high].map(|positions| cost.memory * positions / expected.positions))
    }
}

/// Estimates a game, within 256 MiB.
///
/// ```
/// use winset::{Catalogue, estimate};
/// let game = |name, size| Catalogue::default().game(name, Some(size), &Default::default()).map(|rules| rules.game);
/// let small = estimate(&game("tictactoe", "3x3")?);
/// assert!(small.exact && small.positions == 5478);
/// // There are 69,763,700.
/// let large = estimate(&game("connect4", "5x5")?).expected.unwrap();
/// assert!((large.low..=large.high).contains(&69_763_700.0));
/// # Ok::<(), winset::Error>(())
/// ```
pub fn estimate(game: &Game) -> Estimate {
    estimate_within(game, MEMORY)
}

/// The same within n bytes of memory, if they are fewer.
pub fn estimate_within(game: &Game, memory: u64) -> Estimate {
    let memory = memory.min(MEMORY);
    let counted = count::count(game, memory);
    if counted.exact {
        let cost = cost::of_small(counted.positions, counted.seconds);
        let expected = Some(Expected::exactly(counted.positions, counted.largest_layer));
        return Estimate { cost: Some(cost), expected, ..of(game, &counted) };
    }
    // What cannot be listed state by state may still be counted as diagrams.
    let trial = Trial::run(game, memory, counted.expected.is_none_or(|expected| expected.rough));
    if let Some(positions) = trial.all {
        let (layers, largest_layer) = (trial.layers, trial.largest);
        let expected = Expected::exactly(positions, largest_layer);
        let cost = trial.cost(&expected);
        let expected = Some(expected);
        return Estimate {
            positions,
            exact: true,
            layers,
            largest_layer,
            expected,
            cost,
            ..of(game, &counted)
        };
    }
    let mut estimate = Estimate { expected: counted.expected, ..of(game, &counted) };
    // A position can be in several layers of a game without a measure: the largest layer has each once.
    if trial.largest > estimate.positions {
        (estimate.positions, estimate.layers) = (trial.largest, trial.layers);
    }
    estimate.largest_layer = estimate.largest_layer.max(trial.largest);
    if let Some(expected) = &mut estimate.expected {
        let least = estimate.positions as f64;
        expected.low = expected.low.max(least);
        expected.positions = expected.positions.max(least).min(estimate.at_most);
        expected.low = expected.low.min(expected.positions);
        expected.high = expected.high.max(expected.positions).min(estimate.at_most);
        estimate.cost = trial.cost(expected);
    }
    estimate
}

fn of(game: &Game, counted: &count::Counted) -> Estimate {
    let &count::Counted { positions, exact, layers, largest_layer, .. } = counted;
    let at_most = game.variables().iter().map(|variable| variable.size() as f64).product();
    Estimate { positions, exact, layers, largest_layer, at_most, expected: None, cost: None }
}
