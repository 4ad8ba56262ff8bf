//! The engine that chooses.

use super::{Bdd, Layers};
use crate::checkpoint::Checkpoint;
use crate::engine::{Engine, EngineError, Finished, Job, Verdict, Watcher};
use winset_model::Game;

/// Begins with the layer engine, and goes over to diagrams where those do better and can do the job.
#[derive(Clone, Debug, Default)]
pub struct Auto {
    /// The first to try.
    pub layers: Layers,
    /// The other.
    pub bdd: Bdd,
}

impl Engine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn fits(&self, game: &Game, job: &Job) -> Verdict {
        self.layers.fits(game, job)
    }

    fn solve(
        &self,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<Finished, EngineError> {
        let may_yield = self.bdd.fits(game, job) == Verdict::Fits;
        let layers = Layers { may_yield, ..self.layers.clone() };
        let (mut finished, reason) = match layers.solve(game, job, checkpoint, watcher)? {
            Finished::Yields(why) => {
                (self.bdd.solve(game, job, checkpoint, watcher)?, format!("bdd, because {why}"))
            }
            done if may_yield => {
                (done, "layers, because it looks at every position once, 64 at a time".to_owned())
            }
            done => (done, "layers, because only it finds distances and keeps every position".to_owned()),
        };
        if let Finished::Done(report) = &mut finished {
            report.reason = reason;
        }
        Ok(finished)
    }
}
