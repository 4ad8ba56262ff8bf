//! `mpirun -n N winset solve GAME --out DIR`: one of the processes of an MPI job.

use crate::allocation;
use crate::args::Engine;
use crate::commands::cluster::failure;
use crate::commands::solve::{SolveArgs, show};
use crate::engines;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::{Mode, Progress};
use crate::source::{self, Loaded};
use crate::target::{self, Outputs};
use std::sync::Arc;
use std::time::Duration;
use winset::{Checkpoint, Job, StoreCheckpoint};
use winset_cluster::{ClusterError, Done, Group, Mpi, Settings};
use winset_store::OsDisk;

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

/// Solves a game with the other processes. Process 0 shows the result; of several that fail one says why.
pub fn run(args: &SolveArgs) -> Result<(), Failure> {
    interrupt::watch();
    interrupt::watch_termination();
    let mpi = Mpi::start().map_err(failure)?;
    let mut group = Group::new(mpi.transport());
    group.delay = delay(group.rank());
    match solve(args, &group) {
        Ok((loaded, done, outputs)) => {
            drop(mpi);
            match (done.report, loaded) {
                (Some(report), Some(loaded)) => show(loaded, report, Some(done.figures), &outputs),
                _ => Ok(()),
            }
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
    // For tests: pieces of small games.
    if let Some(least) = std::env::var("WINSET_CLUSTER_PIECE").ok().and_then(|n| n.parse().ok()) {
        settings.least = least;
    }
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
