//! `winset reproduce`: published tables and figures beside ours.

use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, say};
use crate::progress::Progress;
use crate::report::comparison::Comparison;
use crate::report::table::seconds;
use crate::reproduce::{EXPERIMENTS, Experiment, Setting};
use anyhow::Context;
use std::time::{Duration, Instant};
use winset_model::similar;

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
    let memory = memory::left();
    let mut all = vec![];
    for experiment in chosen {
        if output::is_closed() {
            break;
        }
        let comparison = {
            let progress = Progress::new(args.progress);
            progress.step(experiment.name, 0, None, "begins");
            let plots = args.plots.as_deref();
            let setting = Setting {
                large: args.large,
                memory,
                plots,
                progress: &progress,
                games: args.games.as_deref(),
                limit: Duration::from_secs(args.limit),
            };
            let mut comparison = Comparison::new(experiment.name, experiment.source);
            let clock = Instant::now();
            (experiment.run)(&setting, &mut comparison)?;
            comparison.seconds = clock.elapsed().as_secs_f64();
            comparison
        };
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
    Ok(())
}
