//! What all engines have in common: a job in, layers out, a report at the end.

use crate::checkpoint::Checkpoint;
use crate::report::Report;
use std::path::PathBuf;
use thiserror::Error;
use winset_model::{Game, Opponent};
use winset_work::Work;

/// What is asked of an engine, whichever it is. What only one engine knows is said to that engine.
#[derive(Clone, Debug)]
pub struct Job {
    /// The value of every position is to be found; otherwise positions are only counted.
    pub solve: bool,
    /// What the players want.
    pub opponent: Opponent,
    /// Also how long perfect play lasts.
    pub distance: bool,
    /// Every position's value is to be given to the [`Checkpoint`].
    pub keep: bool,
    /// The memory that the process may take, in bytes.
    pub memory: u64,
    /// The number of threads; none: what suits the engine.
    pub threads: Option<usize>,
    /// Where what does not fit into memory may wait.
    pub scratch: PathBuf,
    /// The explicit engine: positions are solved part by part, and what is known of them is kept in this directory, so that
    /// a run that was stopped or killed goes on.
    pub checkpoint: Option<PathBuf>,
    /// The steps that may be made, for engines that work by turns.
    pub work: Work,
}

impl Default for Job {
    /// Solve with half of the machine's memory.
    fn default() -> Self {
        Job {
            solve: true,
            opponent: Opponent::default(),
            distance: false,
            keep: false,
            memory: crate::memory::default_budget(),
            threads: None,
            scratch: std::env::temp_dir(),
            checkpoint: None,
            work: Work::default(),
        }
    }
}

/// Whether an engine can do a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It can try.
    Fits,
    /// It cannot, and this is why.
    Unfit(String),
}

/// How an engine's work came to its end.
#[derive(Debug)]
pub enum Finished {
    /// The job is done.
    Done(Box<Report>),
    /// The game does not suit this engine, or does not fit: another may do better. Says why.
    Yields(String),
    /// It has made all the steps that it may.
    Exhausted,
}

/// A way to solve games. A new engine is an implementation of this.
pub trait Engine {
    /// Its name, as users choose it.
    fn name(&self) -> &'static str;

    /// Whether it can do the job. Quick: nothing is computed that grows with the game.
    fn fits(&self, game: &Game, job: &Job) -> Verdict;

    /// Does the job. Layers go to the checkpoint as they are finished, and what it has of an earlier run is not
    /// found again; the watcher hears of progress and can stop the work between two layers.
    fn solve(
        &self,
        game: &Game,
        job: &Job,
        checkpoint: &mut dyn Checkpoint,
        watcher: &mut dyn Watcher,
    ) -> Result<Finished, EngineError>;
}

/// A piece of work that has been done, or is about to be begun.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// What is done: "forward", "backward", "choosing blocks", ...
    pub phase: &'a str,
    /// How many layers, or other pieces.
    pub done: u64,
    /// Of how many, where that is known.
    pub of: Option<u64>,
    /// The positions of a layer that was found ("forward") or whose values were ("backward"), where they are counted.
    pub positions: Option<u128>,
    /// More about it.
    pub message: &'a str,
}

/// Hears of progress, and can stop the work.
pub trait Watcher: Send {
    /// Something is about to be done, or was done.
    fn stage(&mut self, stage: &Stage<'_>) {
        let _ = stage;
    }

    /// The work is to stop. Asked after every layer; who has said so once goes on saying so.
    fn stop(&mut self) -> bool {
        false
    }
}

/// Lets everything happen.
impl Watcher for () {}

/// Anything that an engine or a checkpoint may meet.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why an engine did not do its job.
#[derive(Debug, Error)]
pub enum EngineError {
    /// It was asked for something that makes no sense.
    #[error("{0}")]
    WrongUse(String),
    /// The watcher asked to stop.
    #[error("stopped on request")]
    Stopped,
    /// It takes more memory than it may: more of it, or less to do, would help.
    #[error(transparent)]
    Memory(Cause),
    /// It could not be done.
    #[error(transparent)]
    Cannot(Cause),
}
