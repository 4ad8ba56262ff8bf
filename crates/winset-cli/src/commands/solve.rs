//! `winset solve`: who wins every position that can arise.

use crate::allocation;
use crate::args::SolveArgs;
use crate::engines;
use crate::failure::Failure;
use crate::interrupt;
use crate::memory;
use crate::output::{self, say};
use crate::progress::Progress;
use crate::report::solution::Solution;
use crate::source::{self, Loaded};
use crate::target::{self, Csv, Outputs};
use crate::watch::{Both, Watch};
use anyhow::anyhow;
use std::sync::Arc;
use winset::{Checkpoint, EngineError, Job, Report, StoreCheckpoint};
use winset_model::Opponent;
use winset_serve::Tee;
use winset_store::OsDisk;

/// Solves a game and shows the result.
pub fn run(args: &SolveArgs) -> Result<(), Failure> {
    let outputs = Outputs::of(&args.output)?;
    for directory in [&args.out, &args.dddmp].into_iter().flatten() {
        target::directory(directory)?;
    }
    let mut progress = Progress::new(args.output.progress);
    progress.step("read", 0, None, "reading the rules");
    let loaded = source::game(&args.game)?;
    let (engine, reason) = engines::engine(&loaded.rules.game, args)?;
    let job = Job {
        opponent: args.opponent.map_or(Opponent::usual(loaded.rules.game.players().len()), Into::into),
        distance: args.distance,
        keep: args.out.is_some(),
        ..engines::job(&args.game)
    };
    let game = &loaded.rules.game;
    let watch = args.watch.then(|| Watch::start(&game.title())).transpose()?;
    let mut run = |checkpoint: &mut dyn Checkpoint| {
        let mut both = Both::new(&mut progress, watch.as_ref());
        match &watch {
            None => winset::run(game, &*engine, &job, checkpoint, &mut both),
            Some(watch) => {
                let mut tee = Tee::new(checkpoint, watch.running.clone());
                winset::run(game, &*engine, &job, &mut tee, &mut both)
            }
        }
    };
    let solved = match &args.out {
        None => run(&mut ()),
        Some(directory) => {
            interrupt::watch();
            allocation::results_are_kept();
            let (record, threads) = (loaded.rules.record.clone(), args.game.threads_or_cores());
            let mut store = StoreCheckpoint::new(
                Arc::new(OsDisk),
                directory,
                game,
                record,
                job.opponent,
                job.memory,
                threads,
            );
            store.compact = args.compact;
            run(&mut store)
        }
    };
    let solved = solved.map_err(|error| match (error, &args.out) {
        (EngineError::Stopped, Some(directory)) => Failure::Cannot(anyhow!(
            "stopped; every finished layer is safe in {}, and the same command goes on",
            directory.display()
        )),
        (other, _) => Failure::of_engine(other),
    });
    let mut report = match solved {
        Ok(report) => report,
        Err(failure) => {
            if let Some(watch) = watch {
                watch.end(None, Some(&failure));
            }
            return Err(failure);
        }
    };
    if !reason.is_empty() {
        report.reason = reason.to_owned();
    }
    report.seconds = progress.seconds();
    drop(progress);
    let shown = show(loaded, report, &outputs);
    if let Some(watch) = watch {
        watch.end(args.out.as_deref(), None);
    }
    shown
}

/// Prints a solution, then writes the files that were asked for. If one of these fails, the others are done all the
/// same, so that the result is not lost.
pub fn show(loaded: Loaded, report: Report, outputs: &Outputs) -> Result<(), Failure> {
    let solution = Solution { report, warnings: loaded.warnings, peak_memory_bytes: memory::peak() };
    let printed = match &outputs.csv {
        Csv::Output => say!("{}", solution.table().csv()).map_err(Failure::from),
        _ if outputs.json => output::json(&solution),
        _ => say!("{}", solution.text(loaded.rules.game.players())).map_err(Failure::from),
    };
    let table = match &outputs.csv {
        Csv::File(file) => file.write(solution.table().csv().as_bytes()),
        Csv::None | Csv::Output => Ok(()),
    };
    let plotted = outputs.plot.as_ref().map_or(Ok(()), |plot| plot.write(&solution.figure()));
    printed.and(table).and(plotted)
}
