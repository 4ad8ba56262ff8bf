//! `winset solve`: who wins every position that can arise.

use crate::allocation;
use crate::announce::Announcer;
use crate::args::{DiagramArgs, Engine, GameArgs, LayersArgs, OutputArgs, Symmetry};
use crate::commands::synthesis;
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
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::sync::Arc;
use winset::{Checkpoint, EngineError, Job, Report, StoreCheckpoint};

use winset_cluster::Figures;
use winset_serve::Tee;
use winset_store::OsDisk;

#[derive(Args, Debug)]
pub struct SolveArgs {
    #[command(flatten)]
    pub game: GameArgs,
    /// The engine
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,
    /// The BDD engine's algorithm: layer by layer, hybrid, or Alg 2 to Alg 5 of the Othello thesis
    #[arg(long, value_enum, default_value_t = Algorithm::Auto)]
    pub algorithm: Algorithm,
    /// BDD engine: look at states one by one, a few bits each, in this layer and those before it, whether or not the
    /// diagrams of their values would fit into memory
    #[arg(long, value_name = "LAYER")]
    pub switch_at: Option<usize>,
    /// BDD engine: cut every layer once more, by the values of this variable, or of one that is chosen (auto)
    #[arg(long, value_name = "VARIABLE")]
    pub split: Option<winset_symbolic::Split>,
    /// What a player wants where rewards are not just win, draw and loss [default: difference for two players, own for
    /// more]
    #[arg(long, value_enum)]
    pub opponent: Option<Opponent>,
    /// Keep the solution in this directory; the same command goes on where it was stopped. The layer engine numbers
    /// positions by its blocks, the BDD engine by the variables in their order: the files differ, the answers do not
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Explicit engine: count positions part by part, some bits each, and keep what is known in this directory; the same
    /// command goes on where it was stopped or killed. For games too large for --out
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "watch"])]
    pub checkpoint: Option<PathBuf>,
    /// Of a circuit in AIGER (.aag, .aig), a safety game whose inputs called controllable_... are the controller's: write
    /// the circuit with the controller inside to this file
    #[arg(long, value_name = "FILE")]
    pub controller: Option<PathBuf>,
    /// Show the work as a page: layers fill in as they are found and solved. With --out the solution can be explored
    /// there when it is done
    #[arg(long)]
    pub watch: bool,
    /// With --out: make the files as small as possible, even if that takes longer than solving
    #[arg(long, requires = "out")]
    pub compact: bool,
    /// BDD engine: write every layer's sets, one for each value, to this directory in DDDMP form
    #[arg(long, value_name = "DIR")]
    pub dddmp: Option<PathBuf>,
    /// Also find how many plies perfect play lasts; with --out of a game in which moves can go in circles that is
    /// always done
    #[arg(long)]
    pub distance: bool,
    /// Whether the layer engine and the explicit one leave out positions that are mirror images of others, or are taken
    /// to them by another symmetry, where that saves something; the results do not depend on it
    #[arg(long, value_enum, default_value_t = Symmetry::On)]
    pub symmetry: Symmetry,
    #[command(flatten)]
    pub layers: LayersArgs,
    #[command(flatten)]
    pub diagram: DiagramArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Algorithm {
    /// The best for the game
    Auto,
    /// Forward layers, then backward from the last
    Layered,
    /// Forward layers as diagrams, then backward as diagrams while they fit into --memory, and from the layer on where
    /// they do not with a few bits a state
    Hybrid,
    /// Reward matrix with strong preimages
    Matrix,
    /// Retrograde analysis of all states
    Alg2,
    /// Retrograde analysis of the reachable states
    Alg3,
    /// Retrograde analysis with a sweep line
    Alg4,
    /// Retrograde analysis of the reachable states with a sweep line
    Alg5,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Opponent {
    /// As much more than the other (the best of the others) as possible, then as much as possible
    Difference,
    /// As much as possible, then as little as possible for the other (the best of the others)
    Own,
}

impl From<Opponent> for winset_model::Opponent {
    fn from(opponent: Opponent) -> Self {
        match opponent {
            Opponent::Difference => winset_model::Opponent::Difference,
            Opponent::Own => winset_model::Opponent::Own,
        }
    }
}

/// Solves a game and shows the result.
pub fn run(args: &SolveArgs) -> Result<(), Failure> {
    #[cfg(feature = "mpi")]
    if winset_cluster::started_by_mpi() {
        return crate::commands::together::run(args);
    }
    if source::is_circuit(&args.game.game) {
        return synthesis::run(args);
    }
    if args.controller.is_some() {
        return Err(Failure::wrong_use("--controller is of a circuit in AIGER (.aag, .aig)"));
    }
    let outputs = Outputs::of(&args.output)?;
    for directory in [&args.out, &args.dddmp, &args.checkpoint].into_iter().flatten() {
        target::directory(directory)?;
    }
    let mut progress = Progress::new(args.output.progress);
    progress.step("read", 0, None, "reading the rules");
    let loaded = source::game(&args.game)?;
    let (engine, reason) = engines::engine(&loaded.rules.game, args)?;
    let job = Job {
        opponent: args
            .opponent
            .map_or(winset_model::Opponent::usual(loaded.rules.game.players().len()), Into::into),
        distance: args.distance,
        keep: args.out.is_some(),
        checkpoint: args.checkpoint.clone(),
        ..engines::job(&args.game)
    };
    let game = &loaded.rules.game;
    let watch = args.watch.then(|| Watch::start(&game.title())).transpose()?;
    // What is finished is not estimated again.
    let mut begun = [&args.out, &args.checkpoint].into_iter().flatten();
    let goes_on =
        begun.any(|directory| std::fs::read_dir(directory).is_ok_and(|mut files| files.next().is_some()));
    let mut run = |checkpoint: &mut dyn Checkpoint| {
        let mut announcer = Announcer::new(game, &job);
        if !goes_on {
            announcer.begin(&mut progress);
        }
        let mut both = Both::new(&mut progress, announcer, watch.as_ref());
        match &watch {
            None => winset::run(game, &*engine, &job, checkpoint, &mut both),
            Some(watch) => {
                let mut tee = Tee::new(checkpoint, watch.running.clone());
                winset::run(game, &*engine, &job, &mut tee, &mut both)
            }
        }
    };
    let solved = match &args.out {
        None => {
            if args.checkpoint.is_some() {
                interrupt::watch();
                allocation::results_are_kept();
            }
            run(&mut ())
        }
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
    let solved = solved.map_err(|error| match (error, args.out.as_ref().or(args.checkpoint.as_ref())) {
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
    let shown = show(loaded, report, None, &outputs);
    if let Some(watch) = watch {
        watch.end(args.out.as_deref(), None);
    }
    shown
}

/// Prints a solution, then writes the files that were asked for. If one of these fails, the others are done all the
/// same, so that the result is not lost.
pub fn show(
    loaded: Loaded,
    report: Report,
    cluster: Option<Figures>,
    outputs: &Outputs,
) -> Result<(), Failure> {
    let solution = Solution { report, cluster, warnings: loaded.warnings, peak_memory_bytes: memory::peak() };
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
