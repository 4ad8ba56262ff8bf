//! The explicit engine.

mod bridge;
mod numbering;

use crate::checkpoint::{Checkpoint, Plan};
use crate::engine::{Cause, Engine, EngineError, Finished, Job, Stage, Verdict, Watcher};
use crate::report::{Layer, Report, RewardCount};
use bridge::Bridge;
use numbering::{Numbering, groups};
use std::collections::BTreeMap;
use std::time::Duration;
use winset_explicit::{Count, ExplicitError, Keep, Key, Observer, Options, Solution, WIDEST, Wide, Width};
use winset_model::{Code, CodeTable, Game};
use winset_store::Layering;

/// About the memory that the process takes before the engine begins.
const PROCESS: u64 = 6 << 20;

/// Looking for symmetries takes up to a tenth of a second, which fewer positions do not.
const WORTH_LOOKING: u64 = 1 << 17;

/// State by state: every position is packed into a number, expanded twice and settled once. For games whose positions do
/// not look alike.
///
/// What does not fit into memory waits on disk; one tier, the states with one value of the progress measure, must fit. What
/// an earlier run has put into a store is read: from sets follows what waits for later tiers, and values are values.
///
/// Of positions that a symmetry of the rules takes to each other, such as mirror images, one is looked at where positions are
/// not kept.
///
/// What does not fit although it waits on disk is solved part by part, with a number for every position inside its part and so
/// with some bits for each, where positions are not kept; so is a job with a directory for what is known.
#[derive(Clone, Debug, Default)]
pub struct ExplicitSearch {
    /// All positions are looked at, and not one of those that symmetries take to each other.
    pub both_images: bool,
}

/// What waits for later tiers is written this often to a directory that keeps it: it is much, and a run that was killed can
/// do so much again.
const OFTEN: Duration = Duration::from_secs(600);

/// How an attempt ended.
pub(super) enum Attempt {
    /// The job is done.
    Done(Box<Report>),
    /// The steps did not do to find all positions.
    Large {
        /// About the steps that a position takes.
        each: u64,
    },
    /// The memory did not do.
    NoRoom,
}

impl Engine for ExplicitSearch {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn fits(&self, game: &Game, _: &Job) -> Verdict {
        match winset_explicit::width(game) {
            bits if bits <= WIDEST => Verdict::Fits,
            bits => Verdict::Unfit(ExplicitError::TooWide { bits }.to_string()),
        }
    }

    fn solve(
        &self,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<Finished, EngineError> {
        match self.attempt(None, game, job, checkpoint, watcher)? {
            Attempt::Done(report) => Ok(Finished::Done(report)),
            Attempt::Large { .. } => Ok(Finished::Exhausted),
            Attempt::NoRoom => {
                Ok(Finished::Yields("its positions do not fit into memory one by one".to_owned()))
            }
        }
    }
}

impl ExplicitSearch {
    /// With a limit, gives up when all positions are not found in this many steps or do not fit; nothing has been
    /// given to the checkpoint then.
    pub(super) fn attempt(
        &self,
        limit: Option<u64>,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<Attempt, EngineError> {
        let run = match winset_explicit::width(game) {
            0..=64 => run::<u64>,
            65..=128 => run::<u128>,
            129..=256 => run::<Wide<4>>,
            _ => run::<Wide<8>>,
        };
        run(limit, !self.both_images, game, job, checkpoint, watcher)
    }
}

fn run<K: Width>(
    limit: Option<u64>,
    symmetry: bool,
    game: &Game,
    job: &Job,
    checkpoint: &mut dyn Checkpoint,
    watcher: &mut dyn Watcher,
) -> Result<Attempt, EngineError> {
    if job.checkpoint.is_some() && (job.keep || checkpoint.takes_values() || limit.is_some()) {
        let why = "positions that are kept are listed, and a checkpoint is of those that are counted: leave out one of them";
        return Err(EngineError::WrongUse(why.to_owned()));
    }
    let stage = |phase, message| Stage { phase, done: 0, of: None, positions: None, message };
    watcher.stage(&stage("measure", "looking for a progress measure"));
    let groups = groups(game);
    let options = Options {
        solve: job.solve,
        opponent: job.opponent,
        memory: job.memory.saturating_sub(PROCESS),
        // Who may give up does so before anything is written.
        scratch: limit.is_none().then(|| job.scratch.clone()),
        work: limit.map_or_else(|| job.work.clone(), |steps| job.work.part(steps)),
        blocks: groups.clone(),
        // Whoever keeps positions keeps all of them.
        symmetry: (symmetry && !job.keep && !checkpoint.takes_values()).then_some(WORTH_LOOKING),
        distance: job.distance,
        dense: job.checkpoint.is_some(),
        checkpoint: job.checkpoint.clone().map(|directory| Keep { directory, often: OFTEN }),
        threads: job.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        ..Options::of(game)
    };
    let ends =
        options.weights.as_ref().is_some_and(|weights| winset_progress::every_play_ends(game, weights));
    // Where play can go in circles a win is only won by coming nearer to it, so a store keeps how near it is.
    let needed = job.solve && job.keep && !ends;
    let distance = job.distance || needed;
    let cannot = |cause: Cause| EngineError::Cannot(cause);
    let numbering = Numbering::new(game, groups).map_err(|error| cannot(error.into()))?;
    let layering = match &options.weights {
        Some(weights) => {
            let weigh = |(weights, &value): (&Vec<i64>, &u16)| weights[usize::from(value)];
            let base = weights.iter().zip(&game.initial().0).map(weigh).sum();
            Layering::Measure { weights: weights.clone(), base }
        }
        None => Layering::Single,
    };
    let outcomes = CodeTable::of_game(game, job.opponent);
    let plan =
        Plan { engine: "explicit", blocks: &numbering.blocks, layering, codes: outcomes.table(), distance };
    watcher.stage(&stage("rules", "compiling the moves"));
    // Who may give up says nothing before it is sure not to.
    let quietly = match limit {
        None => None,
        Some(_) => match winset_explicit::find::<K>(game, &options, &mut Patient(&mut *watcher)) {
            Ok(found) if found.fits() => Some(found),
            Ok(_)
            | Err(ExplicitError::Memory { .. } | ExplicitError::Tier { .. } | ExplicitError::TooManyStates) =>
            {
                return Ok(Attempt::NoRoom);
            }
            Err(ExplicitError::Exhausted { each, .. }) => return Ok(Attempt::Large { each }),
            Err(error) => return Err(failed(error)),
        },
    };
    let past = checkpoint.begin(&plan).map_err(cannot)?;
    let mut bridge = Bridge::new(&numbering, checkpoint, watcher, distance, past);
    let solved = match quietly {
        Some(mut found) => found.tell(&mut bridge).and_then(|()| found.solve(&mut bridge)),
        None => winset_explicit::solve::<K>(game, &options, &mut bridge),
    };
    let solved = match solved {
        // What does not fit as lists may fit as bits.
        Err(
            error
            @ (ExplicitError::Memory { .. } | ExplicitError::Tier { .. } | ExplicitError::TooManyStates),
        ) if !options.dense && limit.is_none() && !job.keep && !bridge.checkpoint.takes_values() => {
            Observer::<K>::begins_again(&mut bridge);
            let dense = Options { dense: true, ..options.clone() };
            match winset_explicit::solve::<K>(game, &dense, &mut bridge) {
                Err(ExplicitError::NoParts) => Err(error),
                solved => solved,
            }
        }
        solved => solved,
    };
    let solution = match solved {
        Ok(solution) => solution,
        Err(ExplicitError::Exhausted { each, .. }) => return Ok(Attempt::Large { each }),
        Err(error) => return Err(failed(error)),
    };
    let ends = ends || solution.every_move_leaves;
    let mut report = report(game, &solution, &bridge.seconds, options.weights.is_some(), distance, ends);
    report.distances_needed = needed && !job.distance;
    if let Some(value) = solution.value
        && let Some(value) = bridge.checkpoint.finish(value.rewards).map_err(cannot)?
    {
        report.set_value(value, ends);
    }
    Ok(Attempt::Done(Box::new(report)))
}

fn failed(error: ExplicitError) -> EngineError {
    match error {
        ExplicitError::Stopped => EngineError::Stopped,
        ExplicitError::Refused(cause) => EngineError::Cannot(cause),
        error @ (ExplicitError::Memory { .. } | ExplicitError::Tier { .. }) => {
            EngineError::Memory(error.into())
        }
        error => EngineError::Cannot(error.into()),
    }
}

/// Only hears whether to stop.
struct Patient<'a>(&'a mut dyn Watcher);

impl<K: Key> Observer<K> for Patient<'_> {
    fn found(&mut self, _: usize, _: &Count, _: &[K], _: &CodeTable) -> Result<(), ExplicitError> {
        if self.0.stop() { Err(ExplicitError::Stopped) } else { Ok(()) }
    }
}

fn report(
    game: &Game,
    solution: &Solution,
    seconds: &BTreeMap<usize, f64>,
    measured: bool,
    distance: bool,
    ends: bool,
) -> Report {
    let how = if measured { "by a progress measure" } else { "as one tier, for want of a progress measure" };
    let mut report = Report::of(game, "explicit", how);
    report.positions = Some(solution.positions());
    report.layer_positions = report.positions;
    if let Some(mut value) = solution.value {
        if !distance {
            value.remoteness = winset_model::Remoteness::Unknown;
        } else {
            report.longest_win = solution.tiers.iter().filter_map(|tier| tier.longest_win).max();
        }
        report.set_value(value, ends);
    }
    let first = solution.tiers.first().map_or(0, |tier| tier.count.measure);
    for (number, tier) in solution.tiers.iter().enumerate() {
        let ended = || (0..).zip(tier.count.terminal_by_code.iter().copied());
        let mut layer = Layer {
            layer: number as u64,
            measure: measured.then_some(tier.count.measure - first),
            positions: tier.count.positions.into(),
            terminal: ended().map(|(_, n)| u128::from(n)).sum(),
            seconds: seconds.get(&number).copied().unwrap_or(0.0),
            ..Default::default()
        };
        let moving = tier.by_mover.iter().enumerate().flat_map(|(player, by_code)| {
            (0..).zip(by_code.iter().copied()).map(move |(code, n)| (player, code, n))
        });
        if solution.value.is_some() && game.is_win_draw_loss() {
            let [mut won, mut level, mut lost] = [0u128; 3];
            for (player, code, n) in moving {
                let n = u128::from(n);
                match solution.outcomes.standing(code, winset_model::Player::new(player)) {
                    Some(winset_model::Standing::Ahead) => won += n,
                    Some(winset_model::Standing::Behind) => lost += n,
                    _ => level += n,
                }
            }
            (layer.won, layer.level, layer.lost) = (Some(won), Some(level), Some(lost));
            let endless = distance.then_some(u128::from(tier.endless));
            layer.tell_ties_from_draws(if ends { Some(0) } else { endless });
        } else if solution.value.is_some() {
            let all = moving.map(|(_, code, n)| (code, n)).chain(ended());
            let rewards = all.map(|(code, n): (Code, u64)| (solution.outcomes.rewards(code), u128::from(n)));
            layer.rewards = RewardCount::all(rewards);
        }
        report.layers.push(layer);
    }
    report
}
