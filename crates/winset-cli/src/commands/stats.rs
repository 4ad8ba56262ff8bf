//! `winset stats`: positions and values per layer of a stored solution.

use crate::failure::Failure;
use crate::output::{self, say};
use crate::stored::{Known, SolutionArgs};
use crate::target::Plot;
use clap::Args;
use std::path::PathBuf;
use winset_explore::{figures, stats};

#[derive(Args, Debug)]
pub struct StatsArgs {
    #[command(flatten)]
    pub solution: SolutionArgs,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Draw values per layer, distances and file sizes to a file that ends in .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

/// Prints the table, as text, JSON or CSV, and draws the picture.
pub fn run(args: &StatsArgs) -> Result<(), Failure> {
    let plot = args.plot.as_deref().map(Plot::new).transpose()?;
    let known = Known::store_of(&args.solution)?;
    let store = known.store()?;
    let stats = stats::stats(store);
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
        plot.write(&figures::figure(store)?)?;
    }
    Ok(())
}
