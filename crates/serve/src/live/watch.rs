//! What an engine says, told to whoever watches.

use super::{LayerNow, Running};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use winset::{Cause, Checkpoint, FoundLayer, Past, Plan, SolvedLayer, Stage, Valuation, Watcher, WholeLayer};
use winset_index::{Index, LeafReader, Planes, ValueDiagram};
use winset_model::{Rewards, VarId, visible};

/// Hears of progress for the page, and stops the work when it is asked to.
pub struct Watched {
    running: Arc<Running>,
}

impl Watched {
    /// Tells of this work.
    pub fn new(running: Arc<Running>) -> Self {
        Watched { running }
    }
}

impl Watcher for Watched {
    fn stage(&mut self, stage: &Stage<'_>) {
        let memory = resident();
        self.running.change(|now| {
            now.phase = stage.phase.to_owned();
            now.message = visible(stage.message).into_owned();
            now.memory = memory;
        });
    }

    fn stop(&mut self) -> bool {
        self.running.stop.load(Ordering::Relaxed) || self.running.is_too_large()
    }
}

/// Passes layers on to a checkpoint, and tells of them.
pub struct Tee<'a> {
    inner: &'a mut dyn Checkpoint,
    running: Arc<Running>,
    /// When values began to come.
    backward: Option<Instant>,
    /// Positions whose values an earlier run has found.
    past: u64,
}

impl<'a> Tee<'a> {
    /// Passes on to this checkpoint.
    pub fn new(inner: &'a mut dyn Checkpoint, running: Arc<Running>) -> Self {
        Tee { inner, running, backward: None, past: 0 }
    }

    fn found(&self, layer: LayerNow) {
        let seconds = self.running.start.elapsed().as_secs_f64();
        self.running.change(|now| {
            if now.layers.iter().all(|known| known.layer != layer.layer) {
                now.positions += layer.positions;
                now.layers.push(layer);
            }
            now.per_second = (seconds > 0.05).then(|| (now.positions as f64 / seconds) as u64);
        });
    }
}

impl Tee<'_> {
    /// The values of a layer are there.
    fn solved(&self, number: usize) {
        let seconds = self.backward.map_or(0.0, |begun| begun.elapsed().as_secs_f64());
        let past = self.past;
        self.running.change(|now| {
            let Some(known) = now.layers.iter_mut().find(|known| known.layer == number) else { return };
            if !std::mem::replace(&mut known.solved, true) {
                now.solved += known.positions;
            }
            let done = now.solved.saturating_sub(past);
            if seconds > 0.05 && done > 0 {
                let each = seconds / done as f64;
                now.per_second = Some((1.0 / each) as u64);
                now.seconds_left = Some(now.positions.saturating_sub(now.solved) as f64 * each);
            }
        });
    }
}

impl Checkpoint for Tee<'_> {
    fn begun_by(&self) -> Option<String> {
        self.inner.begun_by()
    }

    fn blocks_of(&self, engine: &str) -> Option<Vec<Vec<VarId>>> {
        self.inner.blocks_of(engine)
    }

    fn begin(&mut self, plan: &Plan<'_>) -> Result<Past, Cause> {
        let past = self.inner.begin(plan)?;
        for (number, layer) in past.layers.iter().enumerate() {
            let solved = layer.solved.is_some();
            let terminal = layer.terminal_by_code.iter().sum();
            self.found(LayerNow { layer: number, positions: layer.positions, terminal, nodes: None, solved });
            if solved {
                self.past += layer.positions;
            }
        }
        let known = self.past;
        self.running.change(|now| now.solved = known);
        Ok(past)
    }

    fn takes_values(&self) -> bool {
        self.inner.takes_values()
    }

    fn put_set(&mut self, layer: &FoundLayer<'_>) -> Result<(), Cause> {
        // The nodes are counted as the set passes by: to make it once more would take as long again.
        let nodes = Cell::new(None);
        let index = || {
            let index = (layer.index)()?;
            nodes.set(Some(index.levels().iter().map(|level| level.nodes() as u64).sum::<u64>()));
            Ok(index)
        };
        let terminal_by_code = layer.terminal_by_code.clone();
        let terminal = terminal_by_code.iter().sum();
        self.inner.put_set(&FoundLayer { index: &index, terminal_by_code, ..*layer })?;
        let (layer, positions, nodes) = (layer.number, layer.positions, nodes.get());
        self.found(LayerNow { layer, positions, terminal, nodes, solved: false });
        Ok(())
    }

    fn put_values(&mut self, layer: &SolvedLayer<'_>) -> Result<(), Cause> {
        self.backward.get_or_insert_with(Instant::now);
        self.inner.put_values(layer)?;
        self.solved(layer.number);
        Ok(())
    }

    fn put_whole_values(&mut self, layer: &WholeLayer<'_>) -> Result<(), Cause> {
        self.backward.get_or_insert_with(Instant::now);
        self.inner.put_whole_values(layer)?;
        self.solved(layer.number);
        Ok(())
    }

    fn diagram(&mut self, number: usize, index: &Index) -> Result<ValueDiagram, Cause> {
        self.inner.diagram(number, index)
    }

    fn set(&mut self, number: usize) -> Result<Index, Cause> {
        self.inner.set(number)
    }

    fn values(&mut self, number: usize, index: &Index) -> Result<(Planes, Option<Planes>), Cause> {
        self.inner.values(number, index)
    }

    fn leaves(&mut self, number: usize) -> Result<Option<Box<dyn LeafReader>>, Cause> {
        self.inner.leaves(number)
    }

    fn finish(&mut self, rewards: Rewards) -> Result<Option<Valuation>, Cause> {
        self.inner.finish(rewards)
    }
}

/// What the process takes of the machine's memory, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = status.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
