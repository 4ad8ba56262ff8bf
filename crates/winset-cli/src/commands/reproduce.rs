//! `winset reproduce`: published tables and figures beside ours.

use crate::allocation;
use crate::engines;
use crate::failure::Failure;
use crate::memory;
use crate::memory::Bytes;
use crate::output::{self, say, tell};
use crate::progress::Mode;
use crate::progress::Progress;
use crate::report::table::seconds;
use crate::source;
use crate::target::Target;
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use winset_model::similar;
use winset_papers::{Comparison, EXPERIMENTS, Experiment, Listener, PapersError, Setting, Size};

#[derive(Args, Debug)]
pub struct ReproduceArgs {
    /// The experiment; without a name, all of them
    pub name: Option<String>,
    /// Run also what takes many minutes or gigabytes
    #[arg(long)]
    pub large: bool,
    /// Write the figures as SVG files into this directory
    #[arg(long, value_name = "DIR")]
    pub plots: Option<PathBuf>,
    /// gdl-oracle: the directory with oracle.tsv and games/ [default: ../shared/gdl]
    #[arg(long, value_name = "DIR")]
    pub games: Option<PathBuf>,
    /// gdl-oracle: how many seconds each game may take
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    pub limit: u64,
    /// How much memory the whole process may use, for example 4G [default: half of the machine's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
    /// Print JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// How to show progress on standard error
    #[arg(long, value_enum, default_value_t = Mode::Auto)]
    pub progress: Mode,
}

/// Runs one experiment, or all of them.
pub fn run(args: &ReproduceArgs) -> Result<(), Failure> {
    let chosen: Vec<&Experiment> = match &args.name {
        None => EXPERIMENTS.iter().collect(),
        Some(name) => vec![EXPERIMENTS.iter().find(|e| e.name == name).ok_or_else(|| {
            let all: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
            let hint = match similar(name, all.iter().copied()).as_slice() {
                [] => format!("there are: {}", all.join(", ")),
                near => format!("did you mean {}?", near.join(" or ")),
            };
            Failure::wrong_use(format!("there is no experiment {name:?}; {hint}"))
        })?],
    };
    if let Some(directory) = &args.plots {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot make the directory {}", directory.display()))?;
    }
    let program = std::env::current_exe().context("cannot find this program")?;
    let catalogue = source::catalogue();
    let memory = memory::left();
    let mut all = vec![];
    let mut left_out = None;
    for experiment in chosen {
        if output::is_closed() {
            break;
        }
        let progress = Progress::new(args.progress);
        progress.step(experiment.name, 0, None, "begins");
        let setting = Setting {
            size: if args.large { Size::Large } else { Size::Usual },
            falsify: false,
            memory,
            listener: &progress,
            catalogue: &catalogue,
            games: args.games.as_deref(),
            limit: Duration::from_secs(args.limit),
            used: Some(allocation::used),
            program: &program,
        };
        let compared = experiment.compare(&setting);
        drop(progress);
        let comparison = match compared {
            // The others are run all the same.
            Err(PapersError::WrongUse(message)) if args.name.is_none() => {
                tell!("{message}");
                left_out = Some(message);
                continue;
            }
            compared => compared.map_err(failure)?,
        };
        if let Some(directory) = &args.plots {
            for figure in &comparison.figures {
                let file = Target::new(&directory.join(format!("{}.svg", figure.name)))?;
                file.write(figure.svg.as_bytes())?;
            }
        }
        if !args.json {
            say!("{}({} s)\n\n", comparison.text(), seconds(comparison.seconds))?;
        }
        all.push(comparison);
    }
    if args.json {
        output::json(&all)?;
    }
    let faults: Vec<String> = all.iter().flat_map(Comparison::faults).collect();
    if !faults.is_empty() {
        let count = if faults.len() == 1 {
            "1 figure differs".to_owned()
        } else {
            format!("{} figures differ", faults.len())
        };
        return Err(anyhow::anyhow!("{count} that should match:\n{}", faults.join("\n")).into());
    }
    left_out.map_or(Ok(()), |message| Err(Failure::wrong_use(message)))
}

/// What was asked wrongly is told from what could not be done.
fn failure(error: PapersError) -> Failure {
    match error {
        PapersError::WrongUse(message) => Failure::Use(message),
        PapersError::Symbolic(error) => engines::failure(error),
        other => Failure::Cannot(other.into()),
    }
}

impl Listener for Progress {
    fn step(&self, phase: &str, done: u64, message: &str) {
        Progress::step(self, phase, done, None, message);
    }
}
