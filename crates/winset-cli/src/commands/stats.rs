//! `winset stats`: positions and values per layer of a stored solution.

use crate::args::StatsArgs;
use crate::failure::Failure;
use crate::output::{self, say};
use crate::stored;
use anyhow::Context;
use winset_explore::stats;

/// Prints the table, as text, JSON or CSV, and draws the picture.
pub fn run(args: &StatsArgs) -> Result<(), Failure> {
    let store = stored::open(&args.directory)?;
    let stats = stats::stats(&store);
    if let Some(path) = &args.plot {
        let mut svg = vec![];
        stats::write_svg(&mut svg, &stats)?;
        std::fs::write(path, svg).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if args.json {
        return output::json(&stats);
    }
    let mut text = vec![];
    if args.csv {
        stats::write_csv(&mut text, &stats)?;
    } else {
        stats::write_table(&mut text, &stats)?;
    }
    say!("{}", String::from_utf8_lossy(&text))?;
    Ok(())
}
