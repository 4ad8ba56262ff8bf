//! The layer engine.

use crate::allocation;
use crate::args::{CountArgs, GameArgs, LayersArgs, Opponent, SolveArgs};
use crate::engines::keep::Keep;
use crate::engines::{Unsolved, Within, blocks};
use crate::failure::Failure;
use crate::interrupt;
use crate::memory;
use crate::progress::Progress;
use crate::report::solution::{Layer, RewardCount, Solution};
use crate::report::table::grouped;
use std::collections::BTreeMap;
use std::time::Instant;
use thiserror::Error;
use winset_index::{Index, Planes};
use winset_layers::{
    Distance, Layering, LayersError, NEVER_ENDS, Observer, Options, Past, Plan, Reached, Refusal, Solved,
    Stage, Summary,
};
use winset_model::{CodeTable, Game, Remoteness, Valuation};
use winset_store::GameRecord;

/// About the memory that the process takes before the engine begins.
const PROCESS: u64 = 6 << 20;

/// The layer engine's options from the flags.
pub fn options(args: &GameArgs, opponent: Opponent) -> Options {
    Options {
        threads: args.threads_or_cores(),
        opponent: opponent.into(),
        memory: Some(memory::left().saturating_sub(PROCESS)),
        directory: Some(std::env::temp_dir()),
        ..Options::default()
    }
}

/// The options with what the flags for this engine say.
fn with_flags(options: Options, game: &Game, flags: &LayersArgs) -> Result<Options, Failure> {
    let blocks = flags.blocks.as_ref().map(|text| blocks::parse(game, text)).transpose()?;
    Ok(Options { blocks, portable: flags.portable, ..options })
}

/// More positions than can be looked at one by one, in diagrams so small that they need not be.
#[derive(Clone, Copy, Debug, Error)]
#[error("there are more than {} positions in diagrams of {} nodes", grouped(*positions), grouped(*nodes))]
pub struct Regular {
    positions: u128,
    nodes: u128,
}

impl Regular {
    /// Fewer positions are looked at one by one in minutes.
    const MANY: u128 = 10_000_000_000;
    /// Positions that look alike: Connect Four 7x6 has a hundred thousand a node.
    const PER_NODE: u128 = 1_000_000;

    fn is_reached(&self) -> bool {
        self.positions > Self::MANY && self.positions / self.nodes.max(1) > Self::PER_NODE
    }
}

/// Shows each layer as it is done, and how long it took.
pub struct Watch<'p> {
    progress: &'p Progress,
    clock: Instant,
    seconds: BTreeMap<usize, f64>,
    layers: usize,
    keep: Option<Keep<'p>>,
    /// The most moves that a win takes, if distances are asked for.
    longest_win: Option<u64>,
    /// How many positions of each layer play never has to end from, if distances are asked for.
    endless: BTreeMap<usize, u64>,
    /// What has been found so far, if another engine may go on where positions are too many and too regular.
    found: Option<Regular>,
}

impl<'p> Watch<'p> {
    pub fn new(progress: &'p Progress) -> Self {
        Watch {
            progress,
            clock: Instant::now(),
            seconds: BTreeMap::new(),
            layers: 0,
            keep: None,
            longest_win: None,
            endless: BTreeMap::new(),
            found: None,
        }
    }

    fn done(&mut self, number: usize) {
        *self.seconds.entry(number).or_default() += self.clock.elapsed().as_secs_f64();
        self.clock = Instant::now();
    }

    fn take(&mut self, number: usize, seen: &Lengths) {
        self.longest_win = self.longest_win.max(seen.longest_win);
        self.endless.insert(number, seen.endless);
    }
}

impl Observer for Watch<'_> {
    fn begin(&mut self, plan: &Plan<'_>) -> Result<(), Refusal> {
        self.keep.as_mut().map_or(Ok(()), |keep| keep.open(plan))
    }

    fn past(&mut self) -> Result<Past, Refusal> {
        let past = self.keep.as_ref().map_or_else(Past::default, Keep::past);
        self.layers = past.layers.len();
        Ok(past)
    }

    fn past_set(&mut self, number: usize) -> Result<Index, Refusal> {
        self.progress.step("read", number as u64, None, "from an earlier run");
        self.keep.as_ref().ok_or("nothing is kept")?.past_set(number)
    }

    fn past_values(&mut self, number: usize, index: &Index) -> Result<(Planes, Vec<Distance>), Refusal> {
        let keep = self.keep.as_mut().ok_or("nothing is kept")?;
        let (values, distances) = keep.past_values(number, index)?;
        let mut seen = Lengths::default();
        for (rank, &distance) in distances.iter().enumerate() {
            seen.add(keep.is_decided(values.get(rank as u64)), distance);
        }
        self.take(number, &seen);
        Ok((values, distances))
    }

    fn takes_values(&self) -> bool {
        self.keep.is_some()
    }

    fn stop(&mut self) -> bool {
        interrupt::requested() || self.found.as_ref().is_some_and(Regular::is_reached)
    }

    fn begins(&mut self, stage: Stage) {
        let (phase, number, message) = match stage {
            Stage::Measure => ("measure", 0, "looking for a progress measure"),
            Stage::Blocks(number) => ("blocks", number, "trying which variables are taken together"),
            Stage::Rules => ("rules", 0, "compiling the moves"),
        };
        self.progress.step(phase, number as u64, None, message);
    }

    fn reached(&mut self, layer: &Reached<'_>) -> Result<(), Refusal> {
        self.done(layer.number);
        self.layers = layer.number + 1;
        let message = format!("{} positions", grouped(layer.summary.positions));
        self.progress.step("forward", layer.number as u64, None, &message);
        if let Some(found) = &mut self.found {
            found.positions += u128::from(layer.summary.positions);
            found.nodes += u128::from(layer.summary.nodes);
        }
        self.keep.as_mut().map_or(Ok(()), |keep| keep.put_set(layer))
    }

    fn solved(&mut self, layer: &Solved<'_>) -> Result<(), Refusal> {
        self.done(layer.number);
        self.take(layer.number, &Lengths::of(layer)?);
        let message = format!("{} positions", grouped(layer.summary.positions));
        self.progress.step("backward", layer.number as u64, Some(self.layers as u64), &message);
        self.keep.as_mut().map_or(Ok(()), |keep| keep.put_values(layer))
    }
}

/// What the distances of a layer's states say.
#[derive(Default)]
pub struct Lengths {
    /// The most moves to the end of states that are won by either player.
    pub longest_win: Option<u64>,
    /// States from which play never has to end.
    pub endless: u64,
}

impl Lengths {
    /// Those of a layer, if distances are asked for.
    pub fn of(layer: &Solved<'_>) -> Result<Self, LayersError> {
        let mut seen = Lengths::default();
        layer.each_distance(|code, distance| {
            seen.add(layer.outcomes.rewards(code).leader().is_some(), distance);
        })?;
        Ok(seen)
    }

    fn add(&mut self, decided: bool, distance: Distance) {
        if distance == NEVER_ENDS {
            self.endless += 1;
        } else if decided {
            self.longest_win = self.longest_win.max(Some(distance.into()));
        }
    }
}

/// Solves a game, and keeps the solution if the user gave a directory. It yields if it is not alone and the
/// positions are too many and too regular.
pub fn solve(
    game: &Game,
    record: GameRecord,
    args: &SolveArgs,
    progress: &Progress,
    within: Option<Within>,
) -> Result<Solution, Unsolved> {
    let mut options = with_flags(options(&args.game, args.opponent), game, &args.layers)?;
    let layering = Layering::find(game);
    // Where play can go in circles a win is only won by coming nearer to it, so a store keeps how near it is.
    let needed = args.out.is_some() && !ends(game, &layering);
    options.layering = Some(layering);
    options.distance = args.distance || needed;
    let mut watch = Watch::new(progress);
    if let Some(Within { memory, work }) = within {
        options.memory = Some(memory.saturating_sub(PROCESS));
        options.work = work;
        watch.found = Some(Regular { positions: 0, nodes: 0 });
    }
    if let Some(directory) = &args.out {
        let flags = [options.distance, args.compact];
        watch.keep = Some(Keep::new(directory, game, record, args.opponent.into(), flags, options.memory));
        // The store compresses on this pool. It can be there already only if something else made it so.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build_global();
        interrupt::watch();
        allocation::results_are_kept();
    }
    let solved = match winset_layers::solve(game, &options, &mut watch) {
        Err(LayersError::Stopped) => {
            let regular = watch.found.filter(Regular::is_reached);
            return Err(regular.map_or_else(
                || unsolved(LayersError::Stopped, args),
                |regular| Unsolved::Unfit(regular.into()),
            ));
        }
        solved => solved.map_err(|error| unsolved(error, args))?,
    };
    if let (Some(keep), Some(rewards)) = (&mut watch.keep, solved.value) {
        keep.finish(rewards)?;
    }
    let mut report = report(game, &solved, &watch);
    report.distances_needed = needed && !args.distance;
    Ok(report)
}

/// The rules show that every play comes to an end.
fn ends(game: &Game, layering: &Layering) -> bool {
    match layering {
        Layering::Measure(weights) => winset_progress::every_play_ends(game, weights),
        Layering::Plies => true,
        Layering::OneTier => false,
    }
}

/// Whether another engine may do it; how to go on after an interruption; what to do if no memory would do.
fn unsolved(error: LayersError, args: &SolveArgs) -> Unsolved {
    match (&error, &args.out) {
        (LayersError::Stopped, Some(directory)) => Unsolved::Failed(Failure::Cannot(anyhow::anyhow!(
            "stopped; every finished layer is safe in {}, and the same command goes on",
            directory.display()
        ))),
        (&LayersError::Memory { needed, .. }, _) if memory::total().is_some_and(|total| needed > total) => {
            let flags = if needs_only_values(args) { "" } else { " without --out and --distance" };
            let hint = format!(
                "the machine has less: here no engine can look at so many positions one by one, but --engine bdd{flags} \
                 looks at sets of them"
            );
            Unsolved::Unfit(Failure::Cannot(anyhow::anyhow!("{error}; {hint}")))
        }
        (LayersError::Exhausted(_), _) => Unsolved::Exhausted,
        (
            LayersError::BlockTooLarge { .. }
            | LayersError::ConditionTooLarge
            | LayersError::ConditionsDoNotFit { .. }
            | LayersError::TooManyEdges
            | LayersError::Index(_)
            | LayersError::Memory { .. },
            _,
        ) => Unsolved::Unfit(error.into()),
        _ => Unsolved::Failed(error.into()),
    }
}

/// Nothing is asked for that the other engine does not have.
fn needs_only_values(args: &SolveArgs) -> bool {
    args.out.is_none() && !args.distance
}

/// Counts the positions of a game.
pub fn count(game: &Game, args: &CountArgs, progress: &Progress) -> Result<Solution, Failure> {
    let mut watch = Watch::new(progress);
    let options = with_flags(options(&args.game, Opponent::Difference), game, &args.layers)?;
    let counted = winset_layers::count(game, &options, &mut watch)?;
    Ok(report(game, &counted, &watch))
}

fn report(game: &Game, solved: &winset_layers::Solution, watch: &Watch<'_>) -> Solution {
    let how = match solved.layering {
        Layering::Measure(_) => "by a progress measure",
        Layering::Plies => "by plies",
        Layering::OneTier => "as one tier, for want of a progress measure",
    };
    let mut report = Solution::of(game, "layers", how);
    report.layer_positions = Some(solved.layers.iter().map(|layer| u128::from(layer.positions)).sum());
    let every_play_ends = ends(game, &solved.layering);
    if let Some(rewards) = solved.value {
        report.set_value(Valuation { rewards, remoteness: solved.remoteness }, every_play_ends);
    }
    report.positions = Some(solved.positions());
    report.longest_win = watch.longest_win;
    let simple = game.is_win_draw_loss();
    let first = solved.layers.first().map_or(0, |summary| summary.measure);
    let measured = matches!(solved.layering, Layering::Measure(_));
    report.layers = solved
        .layers
        .iter()
        .enumerate()
        .map(|(number, summary)| Layer {
            layer: number as u64,
            measure: measured.then_some(summary.measure - first),
            seconds: watch.seconds.get(&number).copied().unwrap_or(0.0),
            ..layer(summary, &solved.outcomes, solved.value.is_some(), simple)
        })
        .collect();
    for layer in &mut report.layers {
        let endless = match solved.remoteness {
            _ if every_play_ends => Some(0),
            Remoteness::Unknown => None,
            _ => watch.endless.get(&(layer.layer as usize)).copied().map(u128::from),
        };
        layer.tell_ties_from_draws(endless);
    }
    report
}

fn layer(summary: &Summary, outcomes: &CodeTable, solved: bool, simple: bool) -> Layer {
    let mut layer = Layer {
        positions: summary.positions.into(),
        terminal: summary.ended().into(),
        nodes: summary.nodes,
        ..Default::default()
    };
    if solved && simple {
        let [lost, level, won] = summary.lost_level_won(outcomes).map(u128::from);
        (layer.won, layer.level, layer.lost) = (Some(won), Some(level), Some(lost));
    } else if solved {
        let moving = summary.movers.iter().flat_map(|m| (0..).zip(m.by_code.iter().copied()));
        let all = moving.chain(summary.terminal.iter().copied());
        layer.rewards = RewardCount::all(all.map(|(code, n)| (outcomes.rewards(code), u128::from(n))));
    }
    layer
}
