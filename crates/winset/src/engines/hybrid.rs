//! Layers as diagrams, kept as they are finished; where diagrams do not fit, the rest one by one.

use super::bdd::{Bdd, BddAlgorithm, Refused, Watch};
use super::reorder::or_in_better_order;
use crate::checkpoint::{Checkpoint, FoundLayer, Plan, WholeLayer};
use crate::engine::{EngineError, Job, Watcher};
use winset_index::{Index, Planes, ValueDiagram};
use winset_model::Game;
use winset_store::{Layering, WholeValues};
use winset_symbolic::hybrid::{
    Cause, Drive, DriveError, Driven, Keeper, KeptLayer, KeptPast, KeptPlan, KeptSet, KeptValues, Switch,
    Why, drive,
};
use winset_symbolic::{Algorithm, Iteration, Options, SymbolicError};

/// Whoever keeps layers, as the search wants it.
struct Bridge<'a> {
    checkpoint: &'a mut dyn Checkpoint,
    keeps: bool,
}

impl Keeper for Bridge<'_> {
    fn keeps(&self) -> bool {
        self.keeps
    }

    fn begin(&mut self, plan: &KeptPlan<'_>) -> Result<KeptPast, Cause> {
        let layering = match plan.measure {
            Some((weights, base)) => Layering::Measure { weights: weights.to_vec(), base },
            None => Layering::Bfs,
        };
        let (blocks, codes) = (plan.blocks, plan.codes);
        let past =
            self.checkpoint.begin(&Plan { engine: "bdd", blocks, layering, codes, distance: false })?;
        let layer = |layer: crate::checkpoint::PastLayer| KeptLayer {
            measure: layer.measure,
            positions: layer.positions,
            terminal_by_code: layer.terminal_by_code,
            mover: layer.mover,
            solved: layer.solved,
        };
        Ok(KeptPast {
            codes: past.codes,
            layers: past.layers.into_iter().map(layer).collect(),
            complete: past.complete,
        })
    }

    fn put_set(&mut self, layer: &KeptSet<'_>) -> Result<(), Cause> {
        self.checkpoint.put_set(&FoundLayer {
            number: layer.number,
            measure: layer.measure,
            positions: layer.index.len(),
            terminal_by_code: layer.terminal_by_code.clone(),
            mover: layer.mover,
            unclear: false,
            codes: layer.codes,
            index: &|| Ok(layer.index.clone()),
        })
    }

    fn put_values(&mut self, layer: &KeptValues<'_>) -> Result<(), Cause> {
        self.checkpoint.put_whole_values(&WholeLayer {
            number: layer.number,
            measure: layer.measure,
            by_code: layer.by_code.clone(),
            codes: layer.codes,
            index: layer.index,
            values: match layer.values {
                Ok(diagram) => WholeValues::Diagram(diagram),
                Err(planes) => WholeValues::Planes(planes),
            },
        })
    }

    fn set(&mut self, number: usize) -> Result<Index, Cause> {
        self.checkpoint.set(number)
    }

    fn diagram(&mut self, number: usize, index: &Index) -> Result<ValueDiagram, Cause> {
        self.checkpoint.diagram(number, index)
    }

    fn planes(&mut self, number: usize, index: &Index) -> Result<Planes, Cause> {
        Ok(self.checkpoint.values(number, index)?.0)
    }
}

impl Bdd {
    /// Solves layer by layer; none if the layers do not come to an end and nobody wants to keep them.
    pub(super) fn by_hybrid(
        &self,
        game: &Game,
        job: &Job,
        options: &Options,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<Option<(Driven, Vec<Iteration>)>, Refused> {
        let hybrid = self.algorithm == BddAlgorithm::Hybrid;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let how = Drive {
            algorithm: if self.algorithm == BddAlgorithm::Layered {
                Algorithm::Layered
            } else {
                Algorithm::Auto
            },
            opponent: job.opponent,
            switch: self.switch_at.map_or(Switch::WhenFull, Switch::At),
            reserve: hybrid,
            threads: job.threads.unwrap_or_else(cores),
        };
        let mut keeping = None;
        let mut work = |options: &Options, watcher: &mut dyn Watcher| {
            let mut watch = Watch::new(watcher);
            let mut bridge = Bridge { checkpoint: &mut *checkpoint, keeps: job.keep };
            match drive(game, options, how, &mut bridge, &mut watch) {
                Ok(driven) => Ok(Some((driven, watch.iterations))),
                Err(DriveError::Symbolic(error)) => Err(error),
                Err(DriveError::Keeping(cause)) => {
                    keeping = Some(cause);
                    Ok(None)
                }
            }
        };
        // What is kept is cut in one order, which a search under a clock would not find again.
        let solved = match job.keep {
            true => work(options, watcher),
            false => or_in_better_order(game, options, watcher, work),
        };
        match (solved, keeping) {
            (_, Some(cause)) => Err(Refused::Other(EngineError::Cannot(cause))),
            (Err(SymbolicError::Endless(_)), _) if job.keep => Err(Refused::Other(EngineError::Cannot(
                "play can go on for ever, so that a solution must have distances: --engine layers keeps them"
                    .into(),
            ))),
            (Err(SymbolicError::Endless(_)), _) if self.algorithm == BddAlgorithm::Auto => Ok(None),
            (solved, None) => Ok(solved?),
        }
    }
}

/// How a game was solved, in a line.
pub(super) fn named(how: &str, driven: &Driven) -> String {
    let Some((last, why)) = driven.switched else { return how.to_owned() };
    let (layers, bits) = (driven.solution.layers.len(), driven.bits);
    let why = match why {
        Why::Full => ", because the diagrams do not fit into memory",
        Why::Asked => "",
    };
    match last + 1 == layers {
        true => format!("{how}, hybrid: all values at {bits} bits a state by rank{why}"),
        false => format!(
            "{how}, hybrid: values as diagrams down to layer {}, at {bits} bits a state by rank from layer {last} on{why}",
            last + 1
        ),
    }
}
