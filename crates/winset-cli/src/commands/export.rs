//! `winset export`: positions with their values, or a layer's diagram.

use crate::failure::Failure;
use crate::output::{stream, unless_closed};
use crate::stored::{Known, SolutionArgs};
use clap::{Args, ValueEnum};
use std::io::Write;
use winset_explore::export;
use winset_model::Notation;

#[derive(Args, Debug)]
pub struct ExportArgs {
    #[command(flatten)]
    pub solution: SolutionArgs,
    /// A layer, by its number in the order of play as solve and stats give it; can be given several times; none:
    /// all of them
    #[arg(long)]
    pub layer: Vec<usize>,
    /// What to write
    #[arg(long, value_enum, default_value_t = ExportAs::Csv)]
    pub format: ExportAs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportAs {
    /// One position a line, with commas
    Csv,
    /// One JSON object a line
    Jsonl,
    /// The diagram of one layer's set, for Graphviz
    Dot,
}

/// Writes the chosen layers to standard output.
pub fn run(args: &ExportArgs) -> Result<(), Failure> {
    let known = Known::store_of(&args.solution)?;
    let store = known.store()?;
    let all = 0..store.manifest().layers.len();
    let layers = if args.layer.is_empty() { all.clone().collect() } else { args.layer.clone() };
    if let Some(missing) = layers.iter().find(|layer| !all.contains(layer)) {
        return Err(Failure::wrong_use(format!(
            "there is no layer {missing} in this store; it has {}, numbered from 0",
            all.len()
        )));
    }
    let json = args.format == ExportAs::Jsonl;
    let mut out = stream(if json { Notation::Json } else { Notation::Text });
    match args.format {
        ExportAs::Csv => drop(unless_closed(export::write_csv(&mut out, store, &layers))?),
        ExportAs::Jsonl => drop(unless_closed(export::write_json_lines(&mut out, store, &layers))?),
        ExportAs::Dot => match layers.as_slice() {
            [layer] => unless_closed(export::write_dot(&mut out, store, *layer))?,
            _ => return Err(Failure::wrong_use("a diagram is of one layer: choose it with --layer")),
        },
    }
    unless_closed(out.flush())?;
    Ok(())
}
