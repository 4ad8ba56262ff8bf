//! `winset verify`: a stored solution checked against the rules.

use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::output::say;
use crate::progress::Progress;
use crate::report::table::grouped;
use crate::stored;
use anyhow::anyhow;
use winset_verify::{verify_full, verify_sample};

/// Re-derives stored values from the rules; fails if one does not hold.
pub fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let store = stored::open(&args.directory)?;
    let progress = Progress::new(args.progress);
    let watch = |done: u64, of: u64| progress.step("verify", done, Some(of), "");
    let report = match args.sample {
        Some(count) => verify_sample(&store, count, args.seed, &watch)?,
        None => verify_full(&store, &watch)?,
    };
    drop(progress);
    if args.record {
        winset_store::record_verdict(&args.directory, &store.manifest().digest, report.verdict())?;
    }
    if args.json {
        say!("{}\n", serde_json::to_string(&report.verdict())?)?;
    } else {
        say!("{report}\n")?;
        for fault in &report.examples {
            say!("{fault}\n")?;
        }
    }
    match report.holds() {
        true => Ok(()),
        false => Err(Failure::Cannot(anyhow!("{} faults were found", grouped(report.faults)))),
    }
}
