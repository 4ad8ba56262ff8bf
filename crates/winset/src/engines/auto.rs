//! The engine that suits a game, chosen by trying.
//!
//! A small game is solved state by state before anything else could be prepared. Then the BDD engine has a moment, which is
//! enough for games whose positions look alike. Otherwise the layer engine begins. Most games it solves, because it finds a
//! position in fewer steps than it takes to look at one by itself; where it does not, and the positions can be looked at one
//! by one, that is done. What remains is left to the layer engine and the BDD engine by turns, and where states are too wide to be
//! looked at one by one, the BDD engine is first. All trials are counted in
//! steps and not in time, so that a game is always solved by the same engine.

use super::explicit::Attempt;
use super::{Bdd, ExplicitSearch, Layers, Rival};
use crate::checkpoint::Checkpoint;
use crate::engine::{Engine, EngineError, Finished, Job, Stage, Verdict, Watcher};
use crate::report::Report;
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use winset_model::Game;
use winset_work::{Turns, Work};

/// The layer engine's first turn: about a second.
const FIRST: u64 = 60_000_000;
/// Every other turn of the layer engine: about a third of a second.
const EACH: u64 = 20_000_000;
/// Every turn where positions are looked at one by one, more than a second: who is likely to come to an end works longer.
const EACH_EXPLICIT: u64 = 80_000_000;
/// Every turn of the BDD engine, whose steps take two to four times as long.
const EACH_BDD: u64 = 5_000_000;

/// The BDD engine's first turn, before anybody else's, where a state is too wide to be looked at by itself: about as long as
/// [`FIRST`]. Sets of such states have as many levels for the layer engine as there are variables, few of which matter at a
/// time; but who is faster is not known, so that nobody may have much more than the other.
const FIRST_OF_WIDE: u64 = 20_000_000;

/// The steps in which the positions of a small game are found one by one: about a third of a second.
const SMALL: u64 = 20_000_000;
/// The steps in which the BDD engine solves a game whose positions look alike: about a third of a second.
const AT_ONCE: u64 = 5_000_000;
/// The steps that finding positions one by one may take where the layer engine is slow: about half a minute.
const PATIENCE: u64 = 1_800_000_000;
/// The steps that the layer engine may take longer than looking at positions one by one would: about half a second.
const LAG: u64 = 30_000_000;
/// About the bytes that a position takes while it is solved one by one.
const BYTES: u64 = 80;

/// Of all memory the BDD engine gets a part while it is not alone, and at first no more than this: it cannot be
/// interrupted in the middle of an operation, which may go on until the memory is used up. When that does not do, it
/// begins again with this many times as much.
const PART: u64 = 4;
const LEAST: u64 = 64 << 20;
const MORE: u64 = 4;

/// Diagrams are walked by recursion.
const STACK: usize = 64 << 20;

/// Solves a game by the engine that suits it.
#[derive(Clone, Debug, Default)]
pub struct Auto {
    /// For games whose positions look alike.
    pub layers: Layers,
    /// For games with so many that they cannot be looked at one by one.
    pub bdd: Bdd,
    /// For games that are small, or whose positions do not look alike.
    pub explicit: ExplicitSearch,
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
        let (mut finished, reason) = match checkpoint.begun_by().as_deref() {
            None => self.choose(game, job, checkpoint, watcher)?,
            Some("explicit") => match self.small(game, job, checkpoint, watcher)? {
                Attempt::Done(report) => (Finished::Done(report), SMALL_REASON.to_owned()),
                Attempt::Large { .. } | Attempt::NoRoom => {
                    go_on(&self.explicit, game, job, checkpoint, watcher)?
                }
            },
            Some("bdd") => go_on(&self.bdd, game, job, checkpoint, watcher)?,
            Some(_) => go_on(&self.layers, game, job, checkpoint, watcher)?,
        };
        if let Finished::Done(report) = &mut finished {
            report.reason = reason;
        }
        Ok(finished)
    }
}

/// Why a game was solved state by state before anything else was tried.
const SMALL_REASON: &str = "explicit, because the game is small";

/// Why a game was solved by sets of positions before the layer engine was tried.
const REGULAR_REASON: &str = "bdd, because sets of positions are found at once";

/// The engine that began a store goes on with it.
fn go_on(
    engine: &dyn Engine,
    game: &Game,
    job: &Job,
    checkpoint: &mut dyn Checkpoint,
    watcher: &mut dyn Watcher,
) -> Result<(Finished, String), EngineError> {
    let finished = engine.solve(game, job, checkpoint, watcher)?;
    Ok((finished, format!("{}, because it began", engine.name())))
}

impl Auto {
    /// State by state, if there are few of them.
    fn small(
        &self,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<Attempt, EngineError> {
        self.explicit.attempt(Some(SMALL), game, job, checkpoint, watcher)
    }

    /// By sets of positions, if those are found at once: where positions look alike, nothing else is as fast, and little
    /// is lost where they do not.
    fn regular(
        &self,
        game: &Game,
        job: &Job,
        watcher: &mut dyn Watcher,
    ) -> Result<Option<Box<Report>>, EngineError> {
        if !self.may_use_bdd(game, job) {
            return Ok(None);
        }
        let bdd = Bdd { may_yield: true, ..self.bdd.clone() };
        let trial = Job { memory: LEAST.min(job.memory), work: job.work.part(AT_ONCE), ..job.clone() };
        match bdd.solve(game, &trial, &mut (), watcher) {
            Ok(Finished::Done(report)) => Ok(Some(report)),
            Ok(_) | Err(EngineError::Cannot(_) | EngineError::Memory(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn choose(
        &self,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<(Finished, String), EngineError> {
        let wide = self.explicit.fits(game, job) != Verdict::Fits;
        if !wide {
            match self.small(game, job, checkpoint, watcher)? {
                Attempt::Done(report) => return Ok((Finished::Done(report), SMALL_REASON.to_owned())),
                Attempt::Large { each } => {
                    if let Some(report) = self.regular(game, job, watcher)? {
                        return Ok((Finished::Done(report), REGULAR_REASON.to_owned()));
                    }
                    let rival =
                        Rival { steps: each, positions: (job.memory / BYTES).min(PATIENCE / each.max(1)) };
                    if let Some(done) = self.against(rival, game, job, checkpoint, watcher)? {
                        return Ok(done);
                    }
                }
                Attempt::NoRoom => {}
            }
        }
        if self.may_use_bdd(game, job) {
            return self.by_turns(wide, game, job, checkpoint, watcher);
        }
        let reason = match job.solve {
            true if job.distance => "layers, because it finds distances, 64 at a time",
            true => "layers, because it keeps the value of every position by its number",
            false => "layers, because it looks at every position once",
        };
        Ok((self.layers.solve(game, job, checkpoint, watcher)?, reason.to_owned()))
    }

    /// The layer engine as long as it takes fewer steps than looking at positions one by one would; then that. None if
    /// neither comes to an end.
    fn against(
        &self,
        rival: Rival,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<Option<(Finished, String)>, EngineError> {
        let beside = self.may_use_bdd(game, job);
        // Sets of positions that look alike are kept by the BDD engine, where nobody could look at them one by one.
        let may_yield = job.solve && self.bdd.fits(game, job) == Verdict::Fits;
        let layers = Layers { rival: Some(rival), may_yield, ..self.layers.clone() };
        let trial = Job { work: job.work.part(LAG), ..job.clone() };
        match layers.solve(game, &trial, checkpoint, watcher)? {
            Finished::Done(report) => {
                let reason = "layers, because it finds positions faster than one by one";
                return Ok(Some((Finished::Done(report), reason.to_owned())));
            }
            Finished::Exhausted => {}
            Finished::Yields(why) => return self.only_bdd(why, game, job, checkpoint, watcher).map(Some),
        }
        let one_by_one = |job: &Job, watcher: &mut dyn Watcher| match self.explicit.attempt(
            Some(PATIENCE),
            game,
            job,
            checkpoint,
            watcher,
        )? {
            Attempt::Done(report) => Ok(Finished::Done(report)),
            Attempt::Large { .. } | Attempt::NoRoom => Ok(Finished::Exhausted),
        };
        let turns = [(EACH_EXPLICIT, EACH_EXPLICIT), (EACH_BDD, EACH_BDD)];
        let (explicit, bdd) = match beside {
            true => self.beside_bdd(turns, LEAST, game, job, watcher, one_by_one),
            false => ({ one_by_one }(job, watcher), Ok(Finished::Exhausted)),
        };
        let (finished, reason) = match (explicit?, bdd?) {
            (done @ Finished::Done(_), _) => {
                (done, "explicit, because positions are found faster one by one")
            }
            (_, done @ Finished::Done(_)) => {
                (done, "bdd, because it was done first when engines worked by turns")
            }
            _ => return Ok(None),
        };
        Ok(Some((finished, reason.to_owned())))
    }

    /// The BDD engine knows sets of positions, but neither distances nor numbers of positions.
    fn may_use_bdd(&self, game: &Game, job: &Job) -> bool {
        job.solve && !job.keep && self.bdd.fits(game, job) == Verdict::Fits
    }

    /// The layer engine and the BDD engine by turns; where states are wide, the BDD engine has the first long one.
    fn by_turns(
        &self,
        wide: bool,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<(Finished, String), EngineError> {
        let layers = Layers { may_yield: true, ..self.layers.clone() };
        // Who is first need not begin again because the memory was not enough.
        let (turns, least) = match wide {
            false => ([(FIRST, EACH), (EACH_BDD, EACH_BDD)], LEAST),
            true => ([(0, EACH), (FIRST_OF_WIDE, EACH_BDD)], u64::MAX),
        };
        let (by_layers, by_bdd) = self.beside_bdd(turns, least, game, job, watcher, |job, watcher| {
            // Even its preparations take long for nothing if the BDD engine is done before.
            match job.work.spend(0) {
                Ok(()) => layers.solve(game, job, checkpoint, watcher),
                Err(_) => Ok(Finished::Exhausted),
            }
        });
        let done = |report: Box<Report>, reason: String| Ok((Finished::Done(report), reason));
        match (by_layers?, by_bdd) {
            (Finished::Done(report), _) => {
                done(report, "layers, because it looks at every position once, 64 at a time".to_owned())
            }
            (Finished::Yields(why), Ok(Finished::Done(report))) => {
                done(report, format!("bdd, because {why}"))
            }
            (Finished::Exhausted, Ok(Finished::Done(report))) => {
                done(report, "bdd, because it was done first when engines worked by turns".to_owned())
            }
            (Finished::Yields(why), Ok(_)) => self.only_bdd(why, game, job, checkpoint, watcher),
            (Finished::Exhausted, Ok(_)) => Ok((Finished::Exhausted, String::new())),
            (_, Err(error)) => Err(error),
        }
    }

    /// The BDD engine alone, because no other can do it.
    fn only_bdd(
        &self,
        why: String,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<(Finished, String), EngineError> {
        match self.bdd.solve(game, job, checkpoint, watcher) {
            Ok(finished) => Ok((finished, format!("bdd, because {why}"))),
            Err(error) => {
                let said = |other| format!("no engine can do it: {why}; the BDD engine says: {other}").into();
                Err(match error {
                    EngineError::Cannot(other) => EngineError::Cannot(said(other)),
                    EngineError::Memory(other) => EngineError::Memory(said(other)),
                    other => other,
                })
            }
        }
    }

    /// An engine and the BDD engine by turns, the other one first, until one is done; with the steps of the first turn and of
    /// each further one, and the memory that the BDD engine begins with. If the other one yields, the BDD engine goes on
    /// alone; if it gives up, so does the BDD engine.
    fn beside_bdd(
        &self,
        turns: [(u64, u64); 2],
        least: u64,
        game: &Game,
        job: &Job,
        watcher: &mut dyn Watcher,
        other: impl FnOnce(&Job, &mut dyn Watcher) -> Result<Finished, EngineError>,
    ) -> (Result<Finished, EngineError>, Result<Finished, EngineError>) {
        let share = job.memory / PART;
        let turns = Turns::new(&turns);
        let [first, second] = [0, 1].map(|number| turns.seat(number));
        let watcher = Mutex::new(watcher);
        let part = |memory: u64, work: Work| Job { memory, work, ..job.clone() };
        std::thread::scope(|scope| {
            let (turns, watcher) = (&turns, &watcher);
            let beside = Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
                let bdd = Bdd { may_yield: true, ..self.bdd.clone() };
                let (work, mut watch) = (second.work(), Shared(watcher));
                let mut memory = least.min(share);
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
            let mut watch = Shared(watcher);
            let solved = other(&part(job.memory - share, first.work()), &mut watch);
            if is_final(&solved) || matches!(solved, Ok(Finished::Exhausted)) {
                turns.end();
            }
            drop(first);
            let by_bdd = match beside.map(|thread| thread.join()) {
                Ok(Ok(solved)) => solved,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(error) => Ok(Finished::Yields(error.to_string())),
            };
            (solved, by_bdd)
        })
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
