//! `winset verify`: a stored solution checked against the rules.

use crate::commands::check::certificate::{self, CertificateArgs};
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, say};
use crate::progress::Progress;
use crate::report::table::grouped;
use crate::stored::{Known, SolutionArgs};
use anyhow::{Error, anyhow};
use clap::{Args, ValueEnum};
use serde_json::json;
use winset_store::{Store, StoreError};
use winset_verify::{Fault, Report, VerifyError, verify_by_diagrams, verify_full, verify_sample};

#[derive(Args, Debug)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub solution: SolutionArgs,
    /// Check every position (the default)
    #[arg(long, conflicts_with = "sample")]
    pub full: bool,
    /// How every position is checked; both show the same
    #[arg(long, value_enum, default_value_t = CheckBy::Auto, conflicts_with = "sample")]
    pub by: CheckBy,
    /// Check N positions, chosen at random
    #[arg(long, value_name = "N")]
    pub sample: Option<u64>,
    /// The seed of the sample
    #[arg(long, default_value_t = 1, requires = "sample")]
    pub seed: u64,
    #[command(flatten)]
    pub certificate: CertificateArgs,
    /// Write the verdict into the solution's manifest
    #[arg(long)]
    pub record: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// How every position is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckBy {
    /// One by one, unless there are more than 2^32 and all values are kept as diagrams
    Auto,
    /// One by one
    Positions,
    /// Sets of them at a time, as diagrams
    Diagrams,
}

/// Re-derives stored values from the rules; fails if one does not hold.
pub fn run(args: &VerifyArgs) -> Result<(), Failure> {
    if let Some(file) = &args.certificate.certificate {
        if args.solution.size.is_some() || !args.solution.chosen.0.0.is_empty() {
            return Err(Failure::wrong_use(
                "the certificate says which size and options it is about: leave them out",
            ));
        }
        return certificate::verify(&args.solution.solution, file, args.json);
    }
    #[cfg(feature = "mpi")]
    if winset_cluster::started_by_mpi() {
        return crate::commands::together::verify(args);
    }
    let known = Known::store_of(&args.solution)?;
    let store = known.store()?;
    let memory = memory::budget();
    let progress = Progress::new(args.solution.solving.progress);
    let watch = |done: u64, of: u64| progress.step("verify", done, Some(of), "");
    let report = match args.sample {
        Some(count) => verify_sample(store, count, args.seed, memory, &watch),
        None => {
            let diagrams = match args.by {
                CheckBy::Auto => winset_verify::suits_diagrams(store.manifest()),
                by => by == CheckBy::Diagrams,
            };
            let check = if diagrams { verify_by_diagrams } else { verify_full };
            check(store, memory, &watch)
        }
    }
    .map_err(with_advice)?;
    drop(progress);
    let examples = report.examples.iter().map(|fault| shown(fault, store)).collect::<Vec<_>>();
    tell(args, known, &report, &examples)
}

/// A fault as people read it: layers are numbered as everywhere, not by the measure that names their files.
pub fn shown(fault: &Fault, store: &Store) -> String {
    let mut fault = fault.clone();
    let layers = &store.manifest().layers;
    fault.layer = layers.iter().position(|l| l.layer == fault.layer).map_or(fault.layer, |n| n as u32);
    fault.to_string()
}

/// Says what was found, and records it if that is asked for.
pub fn tell(args: &VerifyArgs, known: Known, report: &Report, examples: &[String]) -> Result<(), Failure> {
    if args.json {
        output::json(&as_json(report)?)?;
    } else {
        say!("{report}\n")?;
        for fault in examples {
            say!("{fault}\n")?;
        }
    }
    if args.record {
        let store = known.store()?;
        let (directory, digest) = (store.directory().to_owned(), store.manifest().digest.clone());
        if matches!(&known, Known::Solved(cached) if cached.directory.is_none()) {
            return Err(Failure::wrong_use(
                "--record: there is no file to write the verdict to; solve with --out first",
            ));
        }
        // Who reads a solution in the cache keeps others from writing there.
        drop(known);
        winset_store::record_verdict(&directory, &digest, report.verdict())?;
    }
    match (report.faults, report.is_complete()) {
        (0, true) => Ok(()),
        (0, false) => Err(Failure::Unfinished("the solution is not finished: it is not proved".to_owned())),
        (1, _) => Err(Failure::Cannot(anyhow!("a fault was found"))),
        (faults, _) => Err(Failure::Cannot(anyhow!("{} faults were found", grouped(faults)))),
    }
}

/// What is recorded in a manifest, and what is missing.
fn as_json(report: &Report) -> Result<serde_json::Value, serde_json::Error> {
    let mut object = serde_json::to_value(report.verdict())?;
    object["missing"] = json!(report.missing);
    Ok(object)
}

/// What to do where memory is short.
pub fn with_advice(error: VerifyError) -> Error {
    match error {
        VerifyError::Memory { .. } | VerifyError::Store(StoreError::TooLarge { .. }) => {
            anyhow!("{error}; give it more with --memory, or check a part with --sample")
        }
        VerifyError::Circles => anyhow!("{error}; --by positions can"),
        other => other.into(),
    }
}
