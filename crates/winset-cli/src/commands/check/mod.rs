//! `winset check`: do formulas hold in an SMV model or a game?

pub mod certificate;
mod parity;
mod show;
mod shown;
mod strategy;
mod task;
mod watch;

use crate::args::{DiagramArgs, GameArgs};
use crate::engines::failure;
use crate::failure::Failure;
use crate::memory;
use crate::output;
use crate::source::{self, Checkable};
use crate::target;
use clap::Args;
use std::path::PathBuf;
use task::Task;
use winset_aiger::Circuit;
use winset_mu::{Paths, Query, Report, Whole};
use winset_symbolic::{Options, Partition};

#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Instead of a game, a file can be given: an SMV model (.smv), a circuit in AIGER (.aag, .aig), or a parity game in
    /// the format of PGSolver (.pg, .gm)
    #[command(flatten)]
    pub game: GameArgs,
    /// A formula of the mu-calculus or CTL over the named sets; can be given several times
    #[arg(long, value_name = "FORMULA")]
    pub formula: Vec<String>,
    /// Look at every combination of values, not just at the reachable states
    #[arg(long)]
    pub all_states: bool,
    /// Only states where this formula holds count, and transitions out of them do not exist, as with INVAR in SMV; it
    /// says nothing about successors
    #[arg(long, value_name = "FORMULA")]
    pub constraint: Option<String>,
    /// As a constraint: no player has more than N pieces on the board; without N, no more than at the start
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    pub limit_pieces: Option<Option<usize>>,
    /// Join the transitions to N relations, of each of which the preimages are found apart; they are as many as the
    /// moves at most
    #[arg(long, value_name = "N", conflicts_with = "relation", value_parser = clap::value_parser!(u32).range(1..))]
    pub partition: Option<u32>,
    #[command(flatten)]
    pub diagram: DiagramArgs,
    /// Of a game and one formula that is a fixed point: write to this file, for every reachable state where
    /// it holds, the move that keeps the promise. Of a parity game: the winner and the winning move of every vertex
    #[arg(long, value_name = "FILE")]
    pub strategy: Option<PathBuf>,
    /// Of a circuit: write a path on which the first false property is violated to this file, as an AIGER witness
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Of an SMV model, a circuit or a game: write what proves the verdicts to this file; `winset verify MODEL --certificate
    /// FILE` checks it
    #[arg(long, value_name = "FILE", conflicts_with = "strategy")]
    pub certificate: Option<PathBuf>,
    /// Count states without the variables that no specification depends on; verdicts and paths are without them in any case
    #[arg(long, conflicts_with_all = ["certificate", "strategy", "witness", "all_states", "whole"])]
    pub cone: bool,
    /// Keep the variables that no specification depends on: paths show them, and all states are counted whatever that takes
    #[arg(long)]
    pub whole: bool,
    /// Show for every specification what its fixed points cost: iterations, nodes, time
    #[arg(long)]
    pub stats: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Checks every specification and says where it holds.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    deep(|| checked(args))
}

/// Diagrams are as deep as a model has bits, and what walks through them takes a frame of the stack a level.
fn deep(work: impl FnOnce() -> Result<(), Failure> + Send) -> Result<(), Failure> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(DEEP).spawn_scoped(scope, work);
        match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(Failure::Cannot(anyhow::anyhow!(
                "the system gives no thread with a stack of {} MiB: {error}; raise the limit of the address space (ulimit -v)",
                DEEP >> 20
            ))),
        }
    })
}

/// The stack for a walk through the diagrams of tens of thousands of bits; only what is used of it takes memory.
const DEEP: usize = 96 << 20;

fn checked(args: &CheckArgs) -> Result<(), Failure> {
    let file = args.strategy.as_deref().map(|path| target::file("--strategy", path)).transpose()?;
    let source = source::checkable(&args.game)?;
    if let Checkable::Parity(game) = &source {
        return parity::check(args, game, file);
    }
    let witness = args.witness.as_deref().map(|path| target::file("--witness", path)).transpose()?;
    if witness.is_some() && !matches!(source, Checkable::Circuit(_)) {
        return Err(Failure::wrong_use("--witness is of a circuit in AIGER (.aag, .aig)"));
    }
    let proofs = args.certificate.as_deref().map(|path| target::file("--certificate", path)).transpose()?;
    let memory = memory::left();
    let mut options =
        Options { memory, threads: args.game.threads.unwrap_or(1), ..crate::engines::options(&args.diagram) };
    if let Some(parts) = args.partition {
        options.partition = Partition::Parts(parts as usize);
    }
    let task = Task::new(args, &source, &options)?;
    let (report, strategy) = match &file {
        Some(_) => strategy::with_strategy(args, &source, &task, &options)?,
        None => (without_strategy(&task, &options, proofs.is_some())?, vec![]),
    };
    let answers = show::answers(args, &task, &report);
    if args.json {
        output::json(&answers)?;
    } else {
        show::show(args, &answers, &report, &task)?;
    }
    if let Some(file) = file {
        file.write(&strategy)?;
    }
    if let Some(file) = proofs {
        if report.verdicts.len() != task.specs.len() {
            return Err(Failure::Cannot(anyhow::anyhow!(
                "there is no initial state, and nothing to be proved"
            )));
        }
        file.write(&serde_json::to_vec(&certificate::certificate(args, &task, &report))?)?;
    }
    if let (Some(file), Checkable::Circuit(circuit)) = (witness, &source) {
        file.write(witness_of(circuit, &report).as_bytes())?;
    }
    let wrong = answers.specifications.iter().filter(|answer| !answer.holds).count();
    match (wrong, answers.specifications.len()) {
        (0, _) => Ok(()),
        (_, 1) => Err(Failure::False("the specification is false".to_owned())),
        (wrong, all) => Err(Failure::False(format!("{wrong} of {all} specifications are false"))),
    }
}

/// The first of the circuit's own properties that is false, and the path; or that there is none.
fn witness_of(circuit: &Circuit, report: &Report) -> String {
    let bad = circuit.must_not_be().len();
    let mut own = report.verdicts.iter().take(bad + circuit.justice.len()).enumerate();
    let name = |i: usize| if i < bad { format!("b{i}") } else { format!("j{}", i - bad) };
    match own.find(|(_, verdict)| !verdict.holds) {
        None => format!("0\n{}\n.\n", name(0)),
        Some((i, verdict)) => {
            let trace = &verdict.trace;
            let states = std::iter::once(&trace.start).chain(trace.steps.iter().map(|step| &step.state));
            winset_aiger::witness(circuit, &name(i), &states.cloned().collect::<Vec<_>>())
        }
    }
}

fn without_strategy(task: &Task, options: &Options, certify: bool) -> Result<Report, Failure> {
    let properties: Vec<_> = task.specs.iter().map(|spec| spec.property.clone()).collect();
    let paths = match &task.fairness {
        Some(fairness) => Paths::Fair(fairness),
        None => Paths::Maximal,
    };
    let names: Vec<&str> = task.specs.iter().map(|spec| spec.text.as_str()).collect();
    let checked = watch::watched(&names, |progress| {
        let order = Some(task.order.clone());
        let (system, scope) = (&task.system, task.scope);
        let whole = task.whole.as_ref().map(|system| Whole { system, at_any_cost: false });
        winset_mu::answer(&Query {
            system,
            properties: &properties,
            whole,
            paths,
            scope,
            order,
            options,
            certify,
            progress: Some(progress),
        })
    });
    checked.map_err(failure)?.map_err(Failure::wrong_use)
}
