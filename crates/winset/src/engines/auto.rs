//! Both engines by turns, where nobody knows which one suits the game.
//!
//! The layer engine begins. Most games it has solved before its first turn is over, and it keeps the turn as long
//! as it finds many positions with few steps. Turns are counted in steps and not in time, so that a game is always
//! solved by the same engine.

use super::{Bdd, Layers};
use crate::checkpoint::Checkpoint;
use crate::engine::{Engine, EngineError, Finished, Job, Stage, Verdict, Watcher};
use crate::error::{Short, is_memory};
use crate::report::Report;
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use winset_model::Game;
use winset_work::{Turns, Work};

/// The layer engine's first turn: about a second.
const FIRST: u64 = 60_000_000;
/// Every other turn of the layer engine: about a third of a second.
const EACH: u64 = 20_000_000;
/// Every turn of the BDD engine, whose steps take about four times as long.
const EACH_BDD: u64 = 5_000_000;

/// Of all memory the BDD engine gets a part while it is not alone, and at first no more than this: it cannot be
/// interrupted in the middle of an operation, which may go on until the memory is used up. When that does not do, it
/// begins again with this many times as much.
const PART: u64 = 4;
const LEAST: u64 = 64 << 20;
const MORE: u64 = 4;

/// Diagrams are walked by recursion.
const STACK: usize = 64 << 20;

/// Solves a game by the engine that is done first; by the layer engine alone where only that can do the job.
#[derive(Clone, Debug, Default)]
pub struct Auto {
    /// The one that begins.
    pub layers: Layers,
    /// The other one.
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
        let by_turns = job.solve && !job.keep && self.bdd.fits(game, job) == Verdict::Fits;
        let (mut finished, reason) = if by_turns {
            self.by_turns(game, job, checkpoint, watcher)?
        } else {
            let reason = match job.solve {
                true if job.distance => "layers, because only it finds distances",
                true => "layers, because it keeps the value of every position by its number",
                false => "layers, because it looks at every position once",
            };
            (self.layers.solve(game, job, checkpoint, watcher)?, reason.to_owned())
        };
        if let Finished::Done(report) = &mut finished {
            report.reason = reason;
        }
        Ok(finished)
    }
}

impl Auto {
    fn by_turns(
        &self,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<(Finished, String), EngineError> {
        let share = job.memory / PART;
        let turns = Turns::new(&[(FIRST, EACH), (EACH_BDD, EACH_BDD)]);
        let [first, second] = [0, 1].map(|number| turns.seat(number));
        let watcher = Mutex::new(watcher);
        let part = |memory: u64, work: Work| Job { memory, work, ..job.clone() };
        let (by_layers, by_bdd) = std::thread::scope(|scope| {
            let (turns, watcher) = (&turns, &watcher);
            let beside = Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
                let bdd = Bdd { may_yield: true, ..self.bdd.clone() };
                let (work, mut watch) = (second.work(), Shared(watcher));
                let mut memory = LEAST.min(share);
                let solved = loop {
                    match bdd.solve(game, &part(memory, work.clone()), &mut (), &mut watch) {
                        Ok(Finished::Yields(_)) if memory < share => memory = (memory * MORE).min(share),
                        solved => break solved,
                    }
                };
                if is_final(&solved) {
                    turns.end();
                }
                // Only now, so that the other does not go on before.
                drop(second);
                solved
            });
            let layers = Layers { may_yield: true, ..self.layers.clone() };
            let mut watch = Shared(watcher);
            let by_layers =
                layers.solve(game, &part(job.memory - share, first.work()), checkpoint, &mut watch);
            if is_final(&by_layers) {
                turns.end();
            }
            drop(first);
            let by_bdd = match beside.map(|thread| thread.join()) {
                Ok(Ok(solved)) => solved,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(error) => Ok(Finished::Yields(error.to_string())),
            };
            (by_layers, by_bdd)
        });
        let watcher = watcher.into_inner().unwrap_or_else(PoisonError::into_inner);
        let done = |report: Box<Report>, reason: String| Ok((Finished::Done(report), reason));
        match (by_layers?, by_bdd) {
            (Finished::Done(report), _) => {
                done(report, "layers, because it looks at every position once, 64 at a time".to_owned())
            }
            (Finished::Yields(why), Ok(Finished::Done(report))) => {
                done(report, format!("bdd, because {why}"))
            }
            (Finished::Exhausted, Ok(Finished::Done(report))) => {
                done(report, "bdd, because it was done first when both engines worked by turns".to_owned())
            }
            (Finished::Yields(why), Ok(_)) => match self.bdd.solve(game, job, checkpoint, watcher) {
                Ok(finished) => Ok((finished, format!("bdd, because {why}"))),
                Err(EngineError::Cannot(other)) => {
                    let said = format!("no engine can do it: {why}; the BDD engine says: {other}");
                    let short = is_memory(other.as_ref());
                    Err(EngineError::Cannot(if short { Short(said).into() } else { said.into() }))
                }
                Err(other) => Err(other),
            },
            (Finished::Exhausted, Ok(_)) => Ok((Finished::Exhausted, String::new())),
            (_, Err(error)) => Err(error),
        }
    }
}

/// Nothing that another engine does can change this.
fn is_final(solved: &Result<Finished, EngineError>) -> bool {
    matches!(solved, Ok(Finished::Done(_)) | Err(_))
}

/// Two engines tell one watcher.
struct Shared<'a, 'w>(&'a Mutex<&'w mut dyn Watcher>);

impl Watcher for Shared<'_, '_> {
    fn stage(&mut self, stage: &Stage<'_>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).stage(stage);
    }

    fn stop(&mut self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).stop()
    }
}
