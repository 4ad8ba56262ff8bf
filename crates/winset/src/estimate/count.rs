//! Counting state by state for a limited number of steps, and a sample of what lies beyond.

use super::Expected;
use super::cost::Clock;
use super::sample::{LookBack, Sampler};
use std::collections::BTreeMap;
use winset_explicit::{Count, Expander, ExplicitError, Key, Observer, Options, WIDEST, Wide, Width};
use winset_model::{CodeTable, Game};
use winset_progress::Measure;

/// The steps for the count: about a third of a second; and where nothing else can be said, some seconds.
const COUNTING: u64 = 20_000_000;
const COUNTING_ALONE: u64 = 16 * COUNTING;
/// The steps for the sample: about a second.
const SAMPLING: u64 = 40_000_000;
/// The states of a population: at first, so that it is seen what one costs, and the most.
const FIRST: usize = 8;
const MOST: usize = 256;
/// Repetitions, of which there are fewer where even small populations take too many steps.
const REPETITIONS: u64 = 7;
const FEW: u64 = 5;
/// If the repetitions differ by more than these factors, the estimate is rough, and it is none.
const ROUGH: f64 = 10.0;
const HOPELESS: f64 = 1000.0;
const LOOK_BACK: LookBack = LookBack { some: 100, each: 10 };

/// What was counted, and what there is beyond.
#[derive(Default)]
pub struct Counted {
    pub positions: u64,
    pub exact: bool,
    pub layers: usize,
    pub largest_layer: u64,
    pub expected: Option<Expected>,
    /// The time that the count took.
    pub seconds: f64,
}

/// Counts the positions of a game.
pub fn count(game: &Game, memory: u64) -> Counted {
    match winset_explicit::width(game) {
        0..=64 => run::<u64>(game, memory),
        65..=128 => run::<u128>(game, memory),
        129..=256 => run::<Wide<4>>(game, memory),
        width if width <= WIDEST => run::<Wide<8>>(game, memory),
        _ => Counted::default(),
    }
}

/// The tiers as they are found.
struct Tiers<K> {
    counts: BTreeMap<i64, u64>,
    /// The states in which the game goes on, if a sample will be drawn from them.
    going: Option<BTreeMap<i64, Vec<K>>>,
}

impl<K: Key> Observer<K> for Tiers<K> {
    fn found(&mut self, _: usize, count: &Count, going: &[K], _: &CodeTable) -> Result<(), ExplicitError> {
        self.counts.insert(count.measure, count.positions);
        if let Some(all) = &mut self.going {
            all.insert(count.measure, going.to_vec());
        }
        Ok(())
    }
}

fn run<K: Width>(game: &Game, memory: u64) -> Counted {
    let measure = winset_progress::find(game);
    let samples = measure.as_ref().filter(|m| winset_progress::every_play_ends(game, &m.weights));
    let all = Options::of(game);
    let options = Options {
        solve: false,
        // A sample is drawn from tiers, which are then kept twice.
        memory: if samples.is_some() { memory / 2 } else { memory },
        work: all.work.part(if samples.is_some() { COUNTING } else { COUNTING_ALONE }),
        weights: measure.as_ref().map(|measure| measure.weights.clone()),
        ..all
    };
    let clock = Clock::start();
    let mut tiers = Tiers { counts: BTreeMap::new(), going: samples.map(|_| BTreeMap::new()) };
    let found = winset_explicit::find::<K>(game, &options, &mut tiers);
    let seen = match &found {
        Err(ExplicitError::Exhausted { seen, .. }) => *seen,
        _ => 0,
    };
    let closed: u64 = tiers.counts.values().sum();
    let mut counted = Counted {
        // All that were looked at are different; the last tier may have had others.
        positions: closed.max(seen),
        exact: found.is_ok(),
        layers: tiers.counts.len(),
        largest_layer: tiers.counts.values().copied().max().unwrap_or(0),
        expected: None,
        seconds: clock.seconds(),
    };
    let exhausted = matches!(found, Err(ExplicitError::Exhausted { .. } | ExplicitError::Memory { .. }));
    drop(found);
    if let (Some(measure), Some(going)) = (samples, tiers.going)
        && exhausted
        && counted.layers > 0
    {
        let expander = Expander::<K>::new(game, &options.blocks);
        let largest = counted.largest_layer;
        counted.expected = draw(game, expander, measure, going, (closed, largest));
    }
    counted
}

/// Draws several times, and takes the middle of what comes out: single draws can be far too high.
fn draw<K: Key>(
    game: &Game,
    expander: Expander<K>,
    measure: &Measure,
    going: BTreeMap<i64, Vec<K>>,
    (closed, largest): (u64, u64),
) -> Option<Expected> {
    let mut sampler = Sampler::new(game, expander, measure, going, LOOK_BACK);
    let before = sampler.steps;
    let first = sampler.draw(FIRST, 0, 2 * SAMPLING)?;
    let each = (sampler.steps - before).max(1);
    let left = SAMPLING.saturating_sub(sampler.steps);
    // As large as the steps allow.
    let size = (FIRST as u64).saturating_mul(left) / (REPETITIONS * each);
    let size = (size as usize).clamp(FIRST, MOST);
    // One draw tells nothing: a few are made even if each takes as many steps as all should.
    let most = if each > SAMPLING { before + FEW * each } else { 2 * SAMPLING };
    let mut draws: Vec<BTreeMap<i64, f64>> =
        (1..=REPETITIONS).map_while(|seed| sampler.draw(size, seed, most)).collect();
    // The first was only to see what it costs, if there are others.
    if draws.len() < 3 {
        draws.push(first);
    }
    let mut sums: Vec<f64> = draws.iter().map(|draw| draw.values().sum::<f64>() + closed as f64).collect();
    let mut layers: Vec<f64> =
        draws.iter().map(|draw| draw.values().copied().fold(largest as f64, f64::max)).collect();
    sums.sort_unstable_by(f64::total_cmp);
    layers.sort_unstable_by(f64::total_cmp);
    let (positions, least, most) = (sums[sums.len() / 2], sums[0], sums[sums.len() - 1]);
    (most <= HOPELESS * least).then_some(Expected {
        positions,
        low: least.min(positions / 2.0).max(closed as f64),
        high: most.max(positions * 2.0),
        largest_layer: layers[layers.len() / 2],
        rough: most > ROUGH * least || sums.len() < 3,
    })
}
