//! `winset stats`: positions and values per layer of a stored solution.

use crate::args::StatsArgs;
use crate::failure::Failure;
use crate::output::{self, say};
use crate::stored;
use crate::target::Plot;
use winset_explore::{figures, stats};

/// Prints the table, as text, JSON or CSV, and draws the picture.
pub fn run(args: &StatsArgs) -> Result<(), Failure> {
    let plot = args.plot.as_deref().map(Plot::new).transpose()?;
    let store = stored::open(&args.directory)?;
    let stats = stats::stats(&store);
    let mut text = vec![];
    if args.json {
        output::json(&stats)?;
    } else if args.csv {
        stats::write_csv(&mut text, &stats)?;
    } else {
        stats::write_table(&mut text, &stats)?;
    }
    say!("{}", String::from_utf8_lossy(&text))?;
    if let Some(plot) = plot {
        plot.write(&figures::figure(&store)?)?;
    }
    Ok(())
}
