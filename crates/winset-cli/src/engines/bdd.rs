//! The BDD engine.

use crate::args::{
    Algorithm, CountArgs, Diagram, DiagramArgs, Encoding, GameArgs, Relation, SolveArgs, Turn,
};
use crate::engines::reorder::or_in_better_order;
use crate::engines::{Unsolved, Within};
use crate::failure::Failure;
use crate::memory;
use crate::progress::Progress;
use crate::report::solution::{Iteration, Layer, Partition, RewardCount, Solution};
use crate::report::table::grouped;
use anyhow::Context;
use std::path::Path;
use winset_model::{Game, Remoteness, Rewards, Valuation};
use winset_symbolic::{
    Job, Kind, LayerCounts, Layering, Observer, Options, Outcomes, Phase, SolveOptions, Symbolic,
    SymbolicError, SymbolicGame, TurnPlace, Variant, reach, retrograde, solve as solve_game, solve_with,
    with_kind,
};

/// The symbolic engine's options from the flags.
pub fn options(game: &GameArgs, diagram: &DiagramArgs) -> Options {
    Options {
        kind: match diagram.diagram {
            Diagram::Bcdd => Kind::Complement,
            Diagram::Bdd => Kind::Plain,
        },
        encoding: match diagram.encoding {
            Encoding::Standard => winset_symbolic::Encoding::Standard,
            Encoding::ShortEmpty => winset_symbolic::Encoding::ShortEmpty,
            Encoding::Binary => winset_symbolic::Encoding::Binary,
        },
        order: diagram.order.clone(),
        turn: match diagram.turn {
            Turn::Top => TurnPlace::Top,
            Turn::Bottom => TurnPlace::Bottom,
        },
        partition: match diagram.relation {
            Relation::Clustered => winset_symbolic::Partition::Clustered,
            Relation::PerMove => winset_symbolic::Partition::PerMove,
            Relation::Monolithic => winset_symbolic::Partition::Monolithic,
        },
        memory: memory::left(),
        threads: game.threads.unwrap_or(1),
        ..Options::default()
    }
}

/// A wrong order is wrong use; everything else could not be done.
pub fn failure(error: SymbolicError) -> Failure {
    match error {
        SymbolicError::OrderUnknown(_)
        | SymbolicError::OrderTwice(_)
        | SymbolicError::OrderMissing(_)
        | SymbolicError::OrderNeedsBoard(_)
        | SymbolicError::OrderName(..)
        | SymbolicError::NotWinDrawLoss(_) => Failure::wrong_use(error),
        other => Failure::Cannot(other.into()),
    }
}

/// Whether another engine may do what this one has not done.
fn unsolved(error: SymbolicError) -> Unsolved {
    match error {
        SymbolicError::Exhausted(_) => Unsolved::Exhausted,
        SymbolicError::OutOfMemory { .. }
        | SymbolicError::Budget(..)
        | SymbolicError::CountOverflow
        | SymbolicError::Endless(_)
        | SymbolicError::Cyclic => Unsolved::Unfit(failure(error)),
        other => Unsolved::Failed(failure(other)),
    }
}

/// Says that the diagrams of the rules are being made.
fn compiling(progress: &Progress) {
    progress.step("relation", 0, None, "compiling the moves");
}

/// Shows each iteration as it is done, and keeps it.
pub struct Watch<'p> {
    progress: &'p Progress,
    pub iterations: Vec<winset_symbolic::Iteration>,
}

impl<'p> Watch<'p> {
    pub fn new(progress: &'p Progress) -> Self {
        Watch { progress, iterations: vec![] }
    }
}

impl Observer for Watch<'_> {
    fn iteration(&mut self, it: &winset_symbolic::Iteration) {
        let message = format!("{} states, {} nodes", grouped(it.states), grouped(it.nodes as u64));
        self.progress.step(phase_name(it.phase), it.index.max(0) as u64, None, &message);
        self.iterations.push(it.clone());
    }
}

fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Forward => "forward",
        Phase::Backward => "backward",
    }
}

/// Counts the reachable positions of a game.
pub fn count(game: &Game, args: &CountArgs, progress: &Progress) -> Result<Solution, Failure> {
    struct Reach<'a>(&'a Game, &'a Options, &'a mut dyn Observer);
    impl Job for Reach<'_> {
        type Output = Result<(), SymbolicError>;

        fn run<F: winset_symbolic::Diagram>(self) -> Self::Output {
            reach(&Symbolic::<F>::from_game(self.0, self.1)?, self.2).map(|_| ())
        }
    }
    let mut watch = Watch::new(progress);
    let options = options(&args.game, &args.diagram);
    compiling(progress);
    or_in_better_order(game, &options, progress, |options| {
        watch.iterations.clear();
        with_kind(options.kind, Reach(game, options, &mut watch))
    })
    .map_err(failure)?;
    let mut report = Solution::of(game, "bdd", "forward reachability (Alg 1)");
    report.positions = watch.iterations.last().map(|it| it.states);
    report.iterations = watch.iterations.iter().map(|it| iteration("reachable", it)).collect();
    Ok(report)
}

/// Solves a game by retrograde analysis: Alg 2 to Alg 5.
fn solve_retrograde(
    game: &Game,
    variant: Variant,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Solution, Failure> {
    struct Analyse<'a, 'w>(&'a Game, &'a Options, Variant, &'a mut Watch<'w>);
    impl Job for Analyse<'_, '_> {
        /// The partition, and how many iterations the first player's part took.
        type Output = Result<(Outcomes, usize), SymbolicError>;

        fn run<F: winset_symbolic::Diagram>(self) -> Self::Output {
            let mut symbolic = SymbolicGame::<F>::new(self.0, self.1)?;
            let (outcomes, _) = retrograde(&mut symbolic, self.2, self.3)?;
            let backward = self.3.iterations.iter().filter(|it| it.phase == Phase::Backward);
            // Each player's part begins with iteration 0.
            let first = backward.skip(1).take_while(|it| it.index != 0).count() + 1;
            Ok((outcomes, first))
        }
    }
    let job = Analyse(game, options, variant, watch);
    let (outcomes, first) = with_kind(options.kind, job).map_err(failure)?;
    let number = Variant::ALL.iter().position(|&v| v == variant).map_or(0, |i| i + 2);
    let mut report = Solution::of(game, "bdd", &format!("retrograde analysis (Alg {number})"));
    let rewards = outcomes.winner.map_or(Rewards::endless(2), |winner| Rewards::win_of(winner, 2));
    report.set_value(Valuation { rewards, remoteness: Remoteness::Unknown }, ends(game));
    let [first_wins, second_wins] = outcomes.won;
    report.partition = Some(Partition { first: first_wins, second: second_wins, level: outcomes.drawn });
    if variant.is_limited() {
        report.positions = Some(first_wins + second_wins + outcomes.drawn);
    }
    let mut backward = 0;
    for it in &watch.iterations {
        let phase = match it.phase {
            Phase::Forward => "reachable".to_owned(),
            Phase::Backward => {
                backward += 1;
                format!("won by {}", game.players()[usize::from(backward > first)])
            }
        };
        report.iterations.push(iteration(&phase, it));
    }
    Ok(report)
}

fn iteration(phase: &str, it: &winset_symbolic::Iteration) -> Iteration {
    Iteration {
        phase: phase.to_owned(),
        iteration: it.index,
        states: it.states,
        nodes: it.nodes as u64,
        peak_nodes: it.peak as u64,
        seconds: it.time.as_secs_f64(),
    }
}

/// Solves a game by the algorithm that the user chose. If it is not alone, it looks for no better order.
pub fn solve(
    game: &Game,
    args: &SolveArgs,
    progress: &Progress,
    within: Option<Within>,
) -> Result<Solution, Unsolved> {
    let variant = match args.algorithm {
        Algorithm::Alg2 => Some(Variant::Plain),
        Algorithm::Alg3 => Some(Variant::Reachable),
        Algorithm::Alg4 => Some(Variant::Sweep),
        Algorithm::Alg5 => Some(Variant::SweepReachable),
        Algorithm::Auto | Algorithm::Layered | Algorithm::Matrix => None,
    };
    let mut options = options(&args.game, &args.diagram);
    let alone = within.is_none();
    if let Some(Within { memory, work }) = within {
        work.spend(0).map_err(|_| Unsolved::Exhausted)?;
        (options.memory, options.work) = (memory, work);
    }
    compiling(progress);
    let mut watch = Watch::new(progress);
    if let Some(variant) = variant {
        if args.dddmp.is_some() {
            return Err(
                Failure::wrong_use("--dddmp goes with the algorithms layered, matrix and auto").into()
            );
        }
        return Ok(solve_retrograde(game, variant, &options, &mut watch)?);
    }
    let how = SolveOptions {
        algorithm: match args.algorithm {
            Algorithm::Layered => winset_symbolic::Algorithm::Layered,
            Algorithm::Matrix => winset_symbolic::Algorithm::Matrix,
            _ => winset_symbolic::Algorithm::Auto,
        },
        opponent: args.opponent.into(),
    };
    let solved = match &args.dddmp {
        Some(directory) => {
            with_kind(options.kind, Dump { game, options: &options, how, watch: &mut watch, directory })?
        }
        None if !alone => solve_game(game, &options, how, &mut watch).map_err(unsolved)?,
        None => or_in_better_order(game, &options, progress, |options| {
            watch.iterations.clear();
            solve_game(game, options, how, &mut watch)
        })
        .map_err(unsolved)?,
    };
    let mut report = Solution::of(game, "bdd", layering_name(solved.layering));
    let value = Valuation { rewards: solved.rewards, remoteness: Remoteness::Unknown };
    let every_play_ends = solved.layering == Layering::Breadth || ends(game);
    report.set_value(value, every_play_ends);
    report.positions = Some(solved.positions);
    report.layer_positions = Some(solved.layer_positions);
    let simple = game.is_win_draw_loss();
    let first = solved.layers.first().map_or(0, |counts| counts.index);
    for (number, counts) in solved.layers.iter().enumerate() {
        let mut layer = layer(counts, simple, &watch);
        layer.layer = number as u64;
        layer.measure = (solved.layering == Layering::Measure).then_some(counts.index - first);
        layer.tell_ties_from_draws(every_play_ends.then_some(0));
        report.layers.push(layer);
    }
    Ok(report)
}

/// The rules show that every play comes to an end.
fn ends(game: &Game) -> bool {
    winset_progress::find(game)
        .is_some_and(|measure| winset_progress::every_play_ends(game, &measure.weights))
}

/// Solves a game and writes every layer's sets in DDDMP form.
struct Dump<'a, 'w> {
    game: &'a Game,
    options: &'a Options,
    how: SolveOptions,
    watch: &'a mut Watch<'w>,
    directory: &'a Path,
}

impl Job for Dump<'_, '_> {
    type Output = Result<winset_symbolic::Solution, Failure>;

    fn run<F: winset_symbolic::Diagram>(self) -> Self::Output {
        let Dump { game, options, how, watch, directory } = self;
        let (solution, solved) = solve_with::<F>(game, options, how, watch, true).map_err(failure)?;
        std::fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
        let space = &solved.game.symbolic.space;
        space.name_bits(game.variables());
        for (index, (_, values)) in solved.layers.iter().enumerate() {
            let path = directory.join(format!("layer-{index}.dddmp"));
            let name = |rewards: &[u8]| rewards.iter().map(u8::to_string).collect::<Vec<_>>().join(":");
            let sets: Vec<(&F, String)> = values.iter().map(|(rewards, set)| (set, name(rewards))).collect();
            let title = format!("{}-{}-layer-{index}", game.name(), game.size());
            let mut text = vec![];
            space.write_dddmp(&mut text, &title, &sets)?;
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(solution)
    }
}

fn layering_name(layering: Layering) -> &'static str {
    match layering {
        Layering::Measure => "layers of a progress measure",
        Layering::Breadth => "breadth-first layers",
        Layering::One => "reward matrix",
    }
}

fn layer(counts: &LayerCounts, simple: bool, watch: &Watch<'_>) -> Layer {
    let mine = watch.iterations.iter().filter(|it| it.index == counts.index);
    let nodes = mine.clone().filter(|it| it.phase == Phase::Forward).map(|it| it.nodes as u64).max();
    let [lost, level, won] = counts.by_mover();
    let mut layer = Layer {
        positions: counts.positions,
        terminal: counts.terminal,
        nodes: nodes.unwrap_or(0),
        seconds: mine.map(|it| it.time.as_secs_f64()).sum(),
        ..Default::default()
    };
    if simple {
        (layer.won, layer.level, layer.lost) = (Some(won), Some(level), Some(lost));
    } else {
        layer.rewards = RewardCount::all(counts.shares.iter().map(|share| (share.rewards, share.positions)));
    }
    layer
}
