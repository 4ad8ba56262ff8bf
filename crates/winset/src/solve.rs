//! Solving: rules in, a solution out that can be asked.

use crate::catalogue::Rules;
use crate::checkpoint::{Checkpoint, StoreCheckpoint};
use crate::engine::{Engine, EngineError, Finished, Job, Watcher};
use crate::engines::Auto;
use crate::error::Error;
use crate::report::Report;
use crate::solved::Solved;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use winset_model::{Game, Opponent};
use winset_store::{Disk, OsDisk, RamDisk};

/// How a game is solved. The default chooses an engine and keeps the solution in memory.
#[derive(Default)]
pub struct Options {
    /// The engine; none: the best for the game that keeps every position.
    pub engine: Option<Box<dyn Engine>>,
    /// What the players want; none: what the game's number of players usually do ([`Opponent::usual`]).
    pub opponent: Option<Opponent>,
    /// Also find how long perfect play lasts.
    pub distance: bool,
    /// Keep the solution in this directory, and go on with what is there; none: keep it in memory.
    pub out: Option<PathBuf>,
    /// Make the files as small as possible, even if that takes longer than solving.
    pub compact: bool,
    /// The memory that the process may take, in bytes; none: half of the machine's.
    pub memory: Option<u64>,
    /// The number of threads; none: what suits the engine.
    pub threads: Option<usize>,
}

impl Options {
    /// What is asked of the engine about a game.
    pub fn job(&self, game: &Game) -> Job {
        let job = Job::default();
        Job {
            opponent: self.opponent.unwrap_or(Opponent::usual(game.players().len())),
            distance: self.distance,
            keep: true,
            memory: self.memory.unwrap_or(job.memory),
            threads: self.threads,
            ..job
        }
    }
}

/// Solves a game: finds the value of every position that can arise, and keeps it in memory or in a directory.
///
/// ```
/// use winset::{Catalogue, Options};
/// let rules = Catalogue::default().game("tictactoe", None, &Default::default())?;
/// let solved = winset::solve(rules, &Options::default())?;
/// assert_eq!(solved.answer(solved.start())?.position_value, Some("tie"));
/// # Ok::<(), winset::Error>(())
/// ```
pub fn solve(rules: Rules, options: &Options) -> Result<Solved, Error> {
    solve_watched(rules, options, &mut ())
}

/// The same with somebody who hears of progress and can stop the work.
pub fn solve_watched(rules: Rules, options: &Options, watcher: &mut dyn Watcher) -> Result<Solved, Error> {
    let (disk, directory): (Arc<dyn Disk>, &Path) = match &options.out {
        Some(directory) => (Arc::new(OsDisk), directory),
        None => (Arc::new(RamDisk::default()), Path::new("memory")),
    };
    let job = options.job(&rules.game);
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = job.threads.unwrap_or_else(cores);
    let record = rules.record.clone();
    let mut checkpoint =
        StoreCheckpoint::new(disk.clone(), directory, &rules.game, record, job.opponent, job.memory, threads);
    checkpoint.compact = options.compact;
    let chosen = Auto::default();
    let engine = options.engine.as_deref().unwrap_or(&chosen);
    let report = run(&rules.game, engine, &job, &mut checkpoint, watcher)?;
    drop(checkpoint);
    Solved::open_on(disk, directory, rules, Some(report))
}

/// Lets an engine do a job, and says how long it took: for whoever wants the figures and not the positions, or
/// keeps them in a way of their own.
pub fn run(
    game: &Game,
    engine: &dyn Engine,
    job: &Job,
    checkpoint: &mut dyn Checkpoint,
    watcher: &mut dyn Watcher,
) -> Result<Report, EngineError> {
    let clock = Instant::now();
    match engine.solve(game, job, checkpoint, watcher)? {
        Finished::Done(mut report) => {
            report.seconds = clock.elapsed().as_secs_f64();
            if game.players().len() > 2 && report.rewards.is_some() {
                report.opponent = Some(job.opponent.word());
            }
            Ok(*report)
        }
        Finished::Yields(why) => Err(EngineError::Cannot(why.into())),
        Finished::Exhausted => Err(EngineError::Cannot("it takes more steps than it may".into())),
    }
}
