//! `winset lint`: what is suspicious about a game in GDL, and nothing else.

use crate::failure::Failure;
use crate::memory;
use crate::memory::Bytes;
use crate::output::{self, say};
use clap::Args;
use serde::Serialize;
use winset::RulesText;
use winset_diagnostic::Located;

#[derive(Args, Debug)]
pub struct LintArgs {
    /// The rules, in KIF notation; - reads standard input
    pub file: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// How much memory the whole process may use, for example 4G [default: half of the machine's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
}

#[derive(Serialize)]
struct Found {
    file: String,
    warnings: Vec<Located>,
}

/// Prints the warnings about a file that can be used; one that cannot is refused as everywhere.
pub fn run(args: &LintArgs) -> Result<(), Failure> {
    let grounded = RulesText::read(&args.file).and_then(|text| text.ground(&memory::gdl_options()));
    let (_, found) = grounded.map_err(Failure::of_rules)?;
    if args.json {
        let warnings = found.into_iter().map(|suspicion| suspicion.warning).collect();
        return output::json(&Found { file: args.file.clone(), warnings });
    }
    for suspicion in &found {
        say!("{}\n", suspicion.shown)?;
    }
    match found.len() {
        0 => say!("nothing is suspicious\n")?,
        1 => say!("1 warning\n")?,
        n => say!("{n} warnings\n")?,
    }
    Ok(())
}
