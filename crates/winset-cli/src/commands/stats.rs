//! `winset stats`: positions and values per layer of a stored solution.

use crate::failure::Failure;
use crate::output::{self, say};
use crate::stored::{Known, SolutionArgs};
use crate::target::{Csv, Outputs};
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
    /// Write the table to a CSV file; - or no name prints it instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub csv: Option<PathBuf>,
    /// Draw values per layer, distances and file sizes to a file that ends in .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

/// Prints the table, as text, JSON or CSV, and draws the picture.
pub fn run(args: &StatsArgs) -> Result<(), Failure> {
    let StatsArgs { solution, json, csv, plot } = args;
    let outputs = Outputs::new(*json, csv.as_deref(), plot.as_deref())?;
    let known = Known::store_of(solution)?;
    let store = known.store()?;
    let stats = stats::stats(store);
    let (mut text, mut table) = (vec![], vec![]);
    stats::write_csv(&mut table, &stats)?;
    match &outputs.csv {
        _ if outputs.json => output::json(&stats)?,
        Csv::Output => text.clone_from(&table),
        _ => stats::write_table(&mut text, &stats)?,
    }
    say!("{}", String::from_utf8_lossy(&text))?;
    if let Csv::File(file) = outputs.csv {
        file.write(&table)?;
    }
    if let Some(plot) = outputs.plot {
        plot.write(&figures::figure(store)?)?;
    }
    Ok(())
}
