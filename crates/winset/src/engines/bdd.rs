//! The BDD engine.

use crate::args::{Algorithm, Diagram, DiagramArgs, Encoding, GameArgs, Opponent, Relation, SolveArgs, Turn};
use crate::failure::Failure;
use crate::memory;
use crate::progress::Progress;
use crate::report::solution::{Layer, RewardCount, Solution};
use crate::report::table::grouped;
use std::collections::BTreeMap;
use winset_model::Game;
use winset_symbolic::{
    Kind, LayerCounts, Layering, Observer, Options, Phase, SolveOptions, SymbolicError, TurnPlace,
    solve as solve_game,
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
        memory: game.memory.unwrap_or_else(memory::default_budget).0,
        threads: game.threads,
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

/// Solves a game layer by layer or with the reward matrix.
pub fn solve(game: &Game, args: &SolveArgs, progress: &Progress) -> Result<Solution, Failure> {
    let how = SolveOptions {
        algorithm: match args.algorithm {
            Algorithm::Layered => winset_symbolic::Algorithm::Layered,
            Algorithm::Matrix => winset_symbolic::Algorithm::Matrix,
            _ => winset_symbolic::Algorithm::Auto,
        },
        opponent: match args.opponent {
            Opponent::Difference => winset_symbolic::Opponent::Difference,
            Opponent::Own => winset_symbolic::Opponent::Own,
        },
    };
    let mut watch = Watch::new(progress);
    let options = options(&args.game, &args.diagram);
    let solved = solve_game(game, &options, how, &mut watch).map_err(failure)?;
    let mut report = Solution::of(game, "bdd", layering_name(solved.layering));
    report.set_rewards(&solved.rewards);
    report.positions = Some(solved.positions);
    report.layer_positions = Some(solved.layer_positions);
    let simple = game.is_win_draw_loss();
    report.layers = solved.layers.iter().map(|counts| layer(counts, simple, &watch)).collect();
    Ok(report)
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
    let [lost, drawn, won] = counts.by_mover();
    let mut layer = Layer {
        layer: counts.index,
        positions: counts.positions,
        terminal: counts.terminal,
        nodes: nodes.unwrap_or(0),
        seconds: mine.map(|it| it.time.as_secs_f64()).sum(),
        ..Default::default()
    };
    if simple {
        (layer.won, layer.drawn, layer.lost) = (Some(won), Some(drawn), Some(lost));
    } else {
        let mut by_rewards: BTreeMap<&[u8], u128> = BTreeMap::new();
        for share in &counts.shares {
            *by_rewards.entry(&share.rewards).or_default() += share.positions;
        }
        let count =
            |(rewards, positions): (&[u8], u128)| RewardCount { rewards: rewards.to_vec(), positions };
        layer.rewards = by_rewards.into_iter().map(count).collect();
    }
    layer
}
