//! `winset export`: positions with their values, or a layer's diagram.

use crate::args::{ExportArgs, ExportAs};
use crate::failure::Failure;
use crate::stored;
use std::io::{BufWriter, Write};
use winset_explore::export;

/// Writes the chosen layers to standard output.
pub fn run(args: &ExportArgs) -> Result<(), Failure> {
    let store = stored::open(&args.directory)?;
    let all = 0..store.manifest().layers.len();
    let layers = if args.layer.is_empty() { all.clone().collect() } else { args.layer.clone() };
    if let Some(missing) = layers.iter().find(|layer| !all.contains(layer)) {
        return Err(Failure::wrong_use(format!(
            "there is no layer {missing} in this store; it has {}, numbered from 0",
            all.len()
        )));
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    match args.format {
        ExportAs::Csv => drop(export::write_csv(&mut out, &store, &layers)?),
        ExportAs::Jsonl => drop(export::write_json_lines(&mut out, &store, &layers)?),
        ExportAs::Dot => match layers.as_slice() {
            [layer] => export::write_dot(&mut out, &store, *layer)?,
            _ => return Err(Failure::wrong_use("a diagram is of one layer: choose it with --layer")),
        },
    }
    out.flush()?;
    Ok(())
}
