//! The BDD engine.

use crate::args::{Algorithm, Diagram, DiagramArgs, Encoding, GameArgs, Relation, SolveArgs, Turn};
use crate::failure::Failure;
use crate::memory;
use crate::progress::Progress;
use crate::report::solution::{Iteration, Layer, Partition, RewardCount, Solution};
use crate::report::table::grouped;
use std::collections::HashMap;
use winset_model::Game;
use winset_symbolic::{
    Kind, LayerCounts, Observer, Options, Phase, SolveOptions, SymbolicError, TurnPlace, retrograde, solve,
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
