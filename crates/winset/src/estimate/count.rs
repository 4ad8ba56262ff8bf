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
/// The factor by which a single draw may be wrong.
const ONCE: f64 = 30.0;
/// A glance takes this part of the steps for the count, and looks at this many layers and plays. Growth is taken to fall to
/// nothing at this part of the longest play, which gives too little for most boards of Connect Four, and
/// far too much for Breakthrough.
const GLANCE: u64 = 4;
const GROWING: usize = 4;
const PLAYS: usize = 32;
const PEAK: f64 = 0.85;
const LOOK_BACK: LookBack = LookBack { some: 100, each: 10 };

/// What was counted, and what there is beyond.
#[derive(Default)]
pub struct Counted {
    pub positions: u64,
    pub exact: bool,
    pub layers: usize,
    pub largest_layer: u64,
    pub expected: Option<Expected>,
    /// The rules show that moves do not go in circles.
    pub every_play_ends: bool,
    /// The time that the count took.
    pub seconds: f64,
}

/// How closely a game is looked at.
#[derive(Clone, Copy, PartialEq)]
pub enum Look {
    /// A tenth of a second, to see whether it is worth more: the number can be wrong by any factor.
    Glance,
    /// About a second, for the order of magnitude.
    Roughly,
    /// Seconds.
    Closely,
}

/// Counts the positions of a game.
pub fn count(game: &Game, memory: u64, look: Look) -> Counted {
    match winset_explicit::width(game) {
        0..=64 => run::<u64>(game, memory, look),
        65..=128 => run::<u128>(game, memory, look),
        129..=256 => run::<Wide<4>>(game, memory, look),
        width if width <= WIDEST => run::<Wide<8>>(game, memory, look),
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

fn run<K: Width>(game: &Game, memory: u64, look: Look) -> Counted {
    let measure = winset_progress::find(game);
    let samples = measure.as_ref().filter(|m| winset_progress::every_play_ends(game, &m.weights));
    let all = Options::of(game);
    let options = Options {
        solve: false,
        // A sample is drawn from tiers, which are then kept twice.
        memory: if samples.is_some() { memory / 2 } else { memory },
        work: all.work.part(match look {
            Look::Glance => COUNTING / GLANCE,
            _ if samples.is_some() => COUNTING,
            Look::Roughly => COUNTING,
            Look::Closely => COUNTING_ALONE,
        }),
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
        every_play_ends: samples.is_some(),
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
        counted.expected = match look {
            Look::Glance => glance(game, expander, measure, &tiers.counts),
            Look::Roughly => draw_once(game, expander, measure, going, (closed, largest)),
            Look::Closely => draw(game, expander, measure, going, (closed, largest)),
        };
    }
    counted
}

/// Goes on as the last counted layers grow, ever more slowly until most of a play is over. None if that says nothing.
fn glance<K: Key>(
    game: &Game,
    expander: Expander<K>,
    measure: &Measure,
    counts: &BTreeMap<i64, u64>,
) -> Option<Expected> {
    let mut last = counts.iter().rev();
    let (&at, &layer) = last.next()?;
    let (&before, &smaller) = last.nth(GROWING - 2)?;
    let growth = (layer as f64 / smaller.max(1) as f64).ln() / (at - before) as f64;
    let (start, end) = plays(game, expander, measure);
    let peak = start + (end - start) * PEAK;
    let left = peak - at as f64;
    let largest_layer = layer as f64 * (growth * left / 2.0).exp();
    let expected =
        Expected { positions: largest_layer, low: 0.0, high: f64::INFINITY, largest_layer, rough: true };
    (growth > 0.0 && left > 0.0).then_some(expected)
}

/// The measure of the start, and that of the end of the longest of some plays at random.
fn plays<K: Key>(game: &Game, mut expander: Expander<K>, measure: &Measure) -> (f64, f64) {
    let tiers = winset_explicit::Tiers::new(expander.packing(), &measure.weights);
    let start = expander.pack(game.initial());
    let (mut longest, mut random) = (i64::MIN, 1u64);
    let mut successors = vec![];
    for _ in 0..PLAYS {
        let mut at = start;
        loop {
            successors.clear();
            expander.expand(&[at], &mut successors);
            // Numbers as Knuth's MMIX makes them, of which the upper half is good.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let Some(n) = ((random >> 32) as usize).checked_rem(successors.len()) else { break };
            at = successors[n].key;
        }
        longest = longest.max(tiers.of(at));
    }
    (tiers.of(start) as f64, longest as f64)
}

/// One small draw, which may be far too high or too low.
fn draw_once<K: Key>(
    game: &Game,
    expander: Expander<K>,
    measure: &Measure,
    going: BTreeMap<i64, Vec<K>>,
    (closed, largest): (u64, u64),
) -> Option<Expected> {
    let drawn = Sampler::new(game, expander, measure, going, LOOK_BACK).draw(FIRST, 0, u64::MAX)?;
    let positions = drawn.values().sum::<f64>() + closed as f64;
    Some(Expected {
        positions,
        low: (positions / ONCE).max(closed as f64),
        high: positions * ONCE,
        largest_layer: drawn.values().copied().fold(largest as f64, f64::max),
        rough: true,
    })
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
