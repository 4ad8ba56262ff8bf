//! `winset cluster`: job scripts for many machines, and how far a job is. Neither needs MPI.

use crate::args::GameArgs;
use crate::commands::estimate::sentence;
use crate::failure::Failure;
use crate::memory::{self, Bytes};
use crate::output::{self, say};
use crate::report::table::{bytes, grouped};
use crate::source;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use winset_cluster::{ClusterError, Request};

#[derive(Args, Debug)]
pub struct ClusterArgs {
    #[command(subcommand)]
    pub what: What,
}

#[derive(Subcommand, Debug)]
pub enum What {
    /// Print a job script that solves a game on many machines, and goes on after its time limit
    Script(Box<ScriptArgs>),
    /// Show how far a job is, from the files in its directory
    Status(StatusArgs),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scheduler {
    /// Slurm (sbatch)
    Slurm,
    /// PBS Professional, OpenPBS (qsub)
    Pbs,
}

#[derive(Args, Debug)]
pub struct ScriptArgs {
    /// Who runs the job
    #[arg(value_enum)]
    pub scheduler: Scheduler,
    #[command(flatten)]
    pub game: GameArgs,
    /// The directory of the solution, which all machines must see [default: the game's name and size]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The number of machines
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub nodes: u32,
    /// Processes on each machine; --memory and --threads are for each of them
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub processes: u32,
    /// The longest time that one run may take, as HOURS:MINUTES
    #[arg(long, default_value = "24:00", value_parser = minutes)]
    pub time: u64,
    /// Also find how many plies perfect play lasts
    #[arg(long)]
    pub distance: bool,
}

#[derive(Args, Debug)]
pub struct StatusArgs {
    /// The directory that the job's --out names
    pub directory: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

impl ClusterArgs {
    /// What is said about memory is about another machine's.
    pub fn memory(&self) -> Option<Bytes> {
        None
    }
}

/// A time as people write it for schedulers.
fn minutes(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is not a time; write it like 24:00, hours and minutes");
    let (hours, minutes) = text.split_once(':').ok_or_else(wrong)?;
    let [hours, minutes] = [hours, minutes].map(|n| n.parse::<u64>().ok().filter(|&n| n < 100_000));
    let (hours, minutes) = hours.zip(minutes.filter(|&minutes| minutes < 60)).ok_or_else(wrong)?;
    Some(hours * 60 + minutes).filter(|&all| all > 0).ok_or_else(wrong)
}

/// Prints what was asked for.
pub fn run(args: &ClusterArgs) -> Result<(), Failure> {
    match &args.what {
        What::Script(args) => script(args),
        What::Status(args) => status(args),
    }
}

fn script(args: &ScriptArgs) -> Result<(), Failure> {
    let loaded = source::game(&args.game)?;
    let game = &loaded.rules.game;
    let title = game.title();
    let estimate = winset::estimate_within(game, memory::left());
    let name: String = title.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let name = name.trim_matches('-').to_owned();
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(&name));
    let budget = args.game.memory.map_or(memory::default_budget().0, |bytes| bytes.0);
    let threads = args.game.threads.unwrap_or(1);
    let mut words = vec!["winset".to_owned(), "solve".to_owned(), args.game.game.clone()];
    words.extend(args.game.size.clone());
    for (name, value) in &args.game.chosen.0.0 {
        match value.as_str() {
            "yes" => words.push(format!("--{name}")),
            value => words.extend([format!("--{name}"), value.to_owned()]),
        }
    }
    words.extend(["--out".to_owned(), out.display().to_string()]);
    words.extend(["--memory".to_owned(), format!("{}M", budget >> 20), "--threads".to_owned()]);
    words.extend([threads.to_string(), "--progress".to_owned(), "json".to_owned()]);
    words.extend(args.distance.then(|| "--distance".to_owned()));
    let mut remarks = vec![format!("{title}: {}", sentence(&estimate))];
    let cost = estimate.cost.filter(|_| estimate.exact || estimate.expected.is_some());
    if let Some(cost) = cost {
        let all = u64::from(args.nodes) * u64::from(args.processes);
        let hours = cost.seconds / 3600.0 / (all * u64::from(threads)) as f64;
        remarks.push(format!(
            "Divided among {all} processes of {threads} threads: about {hours:.1} h if they never wait, and {} of disk, \
             twice that while it runs.",
            bytes(cost.disk as u64)
        ));
    }
    let request = Request {
        command: words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
        name,
        nodes: args.nodes,
        processes: args.processes,
        threads,
        memory: budget,
        minutes: args.time,
        remarks,
    };
    let scheduler = match args.scheduler {
        Scheduler::Slurm => winset_cluster::Scheduler::Slurm,
        Scheduler::Pbs => winset_cluster::Scheduler::Pbs,
    };
    Ok(say!("{}", winset_cluster::script(scheduler, &request))?)
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn status(args: &StatusArgs) -> Result<(), Failure> {
    let found = winset_cluster::status(&args.directory).map_err(failure)?;
    if args.json {
        return output::json(&found);
    }
    let share = |done: u64, of: u64| if of == 0 { 0.0 } else { 100.0 * done as f64 / of as f64 };
    let mut text = match found.phase {
        "finished" => "finished\n".to_owned(),
        phase => format!("{phase}\n"),
    };
    let more = if found.forward_complete { "all of them" } else { "so far" };
    text.push_str(&format!("layers: {} ({more}), {} positions\n", found.layers, grouped(found.positions)));
    if found.units > 0 {
        text.push_str(&format!(
            "pieces: {} of {} solved, {:.1} % of the positions that have values; {} of pieces\n",
            grouped(found.solved as u64),
            grouped(found.units as u64),
            share(found.solved_states, found.states),
            bytes(found.bytes)
        ));
    }
    text.push_str(&format!(
        "in the store: {} sets, values of {} layers\n",
        found.sets_written, found.values_written
    ));
    Ok(say!("{text}")?)
}

/// A directory that is no job's is wrong use.
pub fn failure(error: ClusterError) -> Failure {
    match error {
        ClusterError::Stopped => Failure::TryAgain(error.to_string()),
        ClusterError::Other { .. } | ClusterError::Unlike(_) => Failure::wrong_use(error),
        other => Failure::Cannot(other.into()),
    }
}
