//! `mpirun -n N winset solve GAME --out DIR` and `mpirun -n N winset verify DIR`: one of the processes of an MPI job.

use crate::allocation;
use crate::args::Engine;
use crate::commands::cluster::failure;
use crate::commands::solve::{SolveArgs, show};
use crate::commands::verify::{self, CheckBy, VerifyArgs};
use crate::engines;
use crate::failure::Failure;
use crate::interrupt;
use crate::memory;
use crate::progress::{Mode, Progress};
use crate::source::{self, Loaded};
use crate::stored::Known;
use crate::target::{self, Outputs};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use winset::{Checkpoint, Job, StoreCheckpoint};
use winset_cluster::{Checked, ClusterError, Done, Group, Mpi, Settings};
use winset_store::OsDisk;
use winset_verify::Fault;

/// Why this process ends without a result.
enum Ends {
    /// It failed itself.
    Failed(Failure),
    /// Another one did, and says so.
    Quietly,
}

impl From<Failure> for Ends {
    fn from(failure: Failure) -> Self {
        Ends::Failed(failure)
    }
}

/// Solves a game with the other processes. Process 0 shows the result.
pub fn run(args: &SolveArgs) -> Result<(), Failure> {
    interrupt::watch();
    interrupt::watch_termination();
    let (loaded, done, outputs) = one_of_a_job(|group| solve(args, group))?;
    match (done.report, loaded) {
        (Some(report), Some(loaded)) => show(loaded, report, Some(done.figures), &outputs),
        _ => Ok(()),
    }
}

/// Checks a stored solution with the other processes. Process 0 shows what was found.
pub fn verify(args: &VerifyArgs) -> Result<(), Failure> {
    let found = one_of_a_job(|group| {
        let (known, checked) = check(args, group)?;
        Ok((group.rank() == 0).then_some((known, checked)))
    })?;
    let Some((known, checked)) = found else { return Ok(()) };
    verify::tell(args, known, &checked.report, &checked.examples)
}

fn check(args: &VerifyArgs, group: &Group) -> Result<(Known, Checked), Ends> {
    let solution = &args.solution;
    if !Path::new(&solution.solution).is_dir() || args.by == CheckBy::Diagrams {
        return Err(Failure::wrong_use(
            "several processes check a directory that all of them see, and positions one by one",
        )
        .into());
    }
    let known = Known::store_of(solution)?;
    let store = known.store()?;
    let progress = Progress::new(if group.rank() == 0 { solution.solving.progress } else { Mode::None });
    let watch = |done: u64, of: u64| progress.step("verify", done, Some(of), "");
    let sample = args.sample.map(|count| (count, args.seed));
    let shown = |fault: &Fault| verify::shown(fault, store);
    let checked = winset_cluster::verify(group, store, sample, memory::budget(), shown, &watch);
    let checked = checked.map_err(|error| match error {
        ClusterError::Peer => Ends::Quietly,
        ClusterError::Check(error) => Ends::Failed(Failure::Cannot(verify::with_advice(error))),
        other => Ends::Failed(failure(other)),
    })?;
    drop(progress);
    Ok((known, checked))
}

/// Does this process's part of a job. Of several that fail one says why, and the process ends.
fn one_of_a_job<T>(work: impl FnOnce(&Group) -> Result<T, Ends>) -> Result<T, Failure> {
    let mpi = Mpi::start().map_err(failure)?;
    let mut group = Group::new(mpi.transport());
    group.delay = delay(group.rank());
    match work(&group) {
        Ok(done) => {
            drop(mpi);
            Ok(done)
        }
        // All stop at the same place, so that MPI ends in order.
        Err(Ends::Failed(stopped @ Failure::TryAgain(_))) => {
            let code = stopped.kind().0;
            if group.rank() == 0 {
                stopped.tell();
            }
            drop(mpi);
            std::process::exit(code.into())
        }
        Err(Ends::Failed(failed)) => {
            if group.transport.fail() {
                failed.tell();
            }
            // MPI does not end in order when a process fails: the job is over.
            std::process::exit(failed.kind().0.into())
        }
        Err(Ends::Quietly) => std::process::exit(1),
    }
}

fn solve(args: &SolveArgs, group: &Group) -> Result<(Option<Loaded>, Done, Outputs), Ends> {
    let Some(directory) = &args.out else {
        return Err(Failure::wrong_use(
            "several processes need a directory that all of them see: give --out",
        )
        .into());
    };
    if !matches!(args.engine, Engine::Auto | Engine::Layers) || args.watch || args.dddmp.is_some() {
        return Err(Failure::wrong_use(
            "several processes solve a game with --engine layers, without --watch and --dddmp",
        )
        .into());
    }
    let first = group.rank() == 0;
    let outputs = Outputs::of(&args.output)?;
    if first {
        target::directory(directory)?;
    }
    let loaded = source::game(&args.game)?;
    let game = &loaded.rules.game;
    let engine = engines::together(game, args)?;
    let usual = winset_model::Opponent::usual(game.players().len());
    let opponent = args.opponent.map_or(usual, Into::into);
    let job = Job { opponent, distance: args.distance, keep: true, ..engines::job(&args.game) };
    // One thread for each process, unless more are asked for: there may be a process for each core.
    let job = Job { threads: Some(job.threads.unwrap_or(1)), ..job };
    allocation::results_are_kept();
    let mut progress = Progress::new(if first { args.output.progress } else { Mode::None });
    let mut settings = Settings::new(directory);
    // For tests: pieces of small games, and layers that are shared although they are small.
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse().ok());
    settings.least = number("WINSET_CLUSTER_PIECE").unwrap_or(settings.least);
    settings.small = number("WINSET_CLUSTER_SMALL");
    let record = loaded.rules.record.clone();
    let threads = job.threads.unwrap_or(1);
    let mut store = first.then(|| {
        let disk = Arc::new(OsDisk);
        let mut store = StoreCheckpoint::new(disk, directory, game, record, opponent, job.memory, threads);
        store.compact = args.compact;
        store
    });
    let checkpoint = store.as_mut().map(|store| store as &mut dyn Checkpoint);
    let done = winset_cluster::solve(group, game, &engine, &job, checkpoint, &settings, &mut progress);
    let done = done.map_err(|error| match error {
        ClusterError::Peer => Ends::Quietly,
        other => Ends::Failed(failure(other)),
    })?;
    drop((store, progress));
    Ok((first.then_some(loaded), done, outputs))
}

/// For tests: how long this process dawdles, from `WINSET_CLUSTER_DELAY=RANK:MILLISECONDS`.
fn delay(rank: usize) -> Duration {
    let delay = std::env::var("WINSET_CLUSTER_DELAY").unwrap_or_default();
    let parsed = delay.split_once(':').and_then(|(who, ms)| Some((who.parse().ok()?, ms.parse().ok()?)));
    parsed
        .filter(|&(who, _): &(usize, u64)| who == rank)
        .map_or(Duration::ZERO, |(_, ms)| Duration::from_millis(ms))
}
