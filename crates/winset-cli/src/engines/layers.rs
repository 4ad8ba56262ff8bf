//! The layer engine.

use crate::allocation;
use crate::args::{CountArgs, GameArgs, LayersArgs, Opponent, SolveArgs};
use crate::engines::blocks;
use crate::engines::keep::Keep;
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
    Summary,
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
#[derive(Debug, Error)]
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
            found: None,
        }
    }

    fn done(&mut self, number: usize) {
        *self.seconds.entry(number).or_default() += self.clock.elapsed().as_secs_f64();
        self.clock = Instant::now();
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
        let decided =
            |rank: &usize| keep.is_decided(values.get(*rank as u64)) && distances[*rank] != NEVER_ENDS;
        let longest = (0..distances.len()).filter(decided).map(|rank| u64::from(distances[rank])).max();
        self.longest_win = self.longest_win.max(longest);
        Ok((values, distances))
    }

    fn takes_values(&self) -> bool {
        self.keep.is_some()
    }

    fn stop(&mut self) -> bool {
        interrupt::requested()
    }

    fn reached(&mut self, layer: &Reached<'_>) -> Result<(), Refusal> {
        self.done(layer.number);
        self.layers = layer.number + 1;
        let message = format!("{} positions", grouped(layer.summary.positions));
        self.progress.step("forward", layer.number as u64, None, &message);
        if let Some(found) = &mut self.found {
            found.positions += u128::from(layer.summary.positions);
            found.nodes += u128::from(layer.summary.nodes);
            if found.is_reached() {
                return Err(Regular { ..*found }.into());
            }
        }
        self.keep.as_mut().map_or(Ok(()), |keep| keep.put_set(layer))
    }

    fn solved(&mut self, layer: &Solved<'_>) -> Result<(), Refusal> {
        self.done(layer.number);
        self.longest_win = self.longest_win.max(longest_win(layer)?);
        let message = format!("{} positions", grouped(layer.summary.positions));
        self.progress.step("backward", layer.number as u64, Some(self.layers as u64), &message);
        self.keep.as_mut().map_or(Ok(()), |keep| keep.put_values(layer))
    }
}

/// The most moves to the end of a layer's states that are won by either player.
pub fn longest_win(layer: &Solved<'_>) -> Result<Option<u64>, LayersError> {
    let mut longest = None;
    layer.each_distance(|code, distance| {
        if layer.outcomes.rewards(code).leader().is_some() && distance != NEVER_ENDS {
            longest = longest.max(Some(u64::from(distance)));
        }
    })?;
    Ok(longest)
}

/// Solves a game, and keeps the solution if the user gave a directory. It may yield to the other engine.
pub fn solve(
    game: &Game,
    record: GameRecord,
    args: &SolveArgs,
    progress: &Progress,
    may_yield: bool,
) -> Result<Solution, Failure> {
    let mut options = with_flags(options(&args.game, args.opponent), game, &args.layers)?;
    options.distance = args.distance;
    let mut watch = Watch::new(progress);
    watch.found = may_yield.then_some(Regular { positions: 0, nodes: 0 });
    if let Some(directory) = &args.out {
        let flags = [args.distance, args.compact];
        watch.keep = Some(Keep::new(directory, game, record, args.opponent.into(), flags, options.memory));
        // The store compresses on this pool. It can be there already only if something else made it so.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build_global();
        interrupt::watch();
        allocation::results_are_kept();
    }
    let solved = winset_layers::solve(game, &options, &mut watch).map_err(|error| failure(error, args))?;
    if let (Some(keep), Some(rewards)) = (&mut watch.keep, solved.value) {
        keep.finish(rewards)?;
    }
    Ok(report(game, &solved, &watch))
}

/// Says how to go on after an interruption.
fn failure(error: LayersError, args: &SolveArgs) -> Failure {
    match (&error, &args.out) {
        (LayersError::Stopped, Some(directory)) => Failure::Cannot(anyhow::anyhow!(
            "stopped; every finished layer is safe in {}, and the same command goes on",
            directory.display()
        )),
        _ => error.into(),
    }
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
    if let Some(rewards) = solved.value {
        let ends = match &solved.layering {
            Layering::Measure(weights) => winset_progress::all_raise(game, weights),
            Layering::Plies => true,
            Layering::OneTier => false,
        };
        report.set_value(Valuation { rewards, remoteness: Remoteness::Unknown }, ends);
    }
    report.positions = Some(solved.positions());
    report.longest_win = watch.longest_win;
    let simple = game.is_win_draw_loss();
    report.layers = solved
        .layers
        .iter()
        .enumerate()
        .map(|(number, summary)| Layer {
            layer: number as i64,
            seconds: watch.seconds.get(&number).copied().unwrap_or(0.0),
            ..layer(summary, &solved.outcomes, solved.value.is_some(), simple)
        })
        .collect();
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
        let [lost, drawn, won] = summary.lost_level_won(outcomes).map(u128::from);
        (layer.won, layer.drawn, layer.lost) = (Some(won), Some(drawn), Some(lost));
    } else if solved {
        let moving = summary.movers.iter().flat_map(|m| (0..).zip(m.by_code.iter().copied()));
        let all = moving.chain(summary.terminal.iter().copied());
        layer.rewards = RewardCount::all(all.map(|(code, n)| (outcomes.rewards(code), u128::from(n))));
    }
    layer
}
