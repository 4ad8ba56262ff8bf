//! `winset ground`: a GDL game without variables, and how large it is.

use crate::commands::lint::{self, LintArgs};
use crate::failure::Failure;
use crate::memory;
use crate::memory::Bytes;
use crate::output::{self, say};
use crate::source;
use clap::Args;
use serde::Serialize;
use winset::RulesText;
use winset_diagnostic::Located;

#[derive(Args, Debug)]
pub struct GroundArgs {
    /// The rules, in KIF notation; - reads standard input
    pub file: String,
    /// Print the whole ground game
    #[arg(long)]
    pub full: bool,
    /// Show the warnings alone, as `winset lint` does
    #[arg(long, conflicts_with = "full")]
    pub check: bool,
    /// Print the sizes as JSON, or with --check the warnings
    #[arg(long, conflicts_with = "full")]
    pub json: bool,
    /// How much memory the whole process may use, for example 4G [default: half of the machine's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
}

#[derive(Serialize)]
struct Sizes {
    file: String,
    fluents: usize,
    variables: usize,
    groups: usize,
    moves: usize,
    expressions: usize,
    atoms: usize,
    rules: usize,
    seconds: f64,
    warnings: Vec<Located>,
}

/// Grounds a file and prints its sizes, or the whole ground game.
pub fn run(args: &GroundArgs) -> Result<(), Failure> {
    if args.check {
        return lint::run(&LintArgs { file: args.file.clone(), json: args.json, memory: args.memory });
    }
    let grounded = RulesText::read(&args.file).and_then(|text| text.ground(&memory::gdl_options()));
    let (ground, suspicions) = grounded.map_err(Failure::of_rules)?;
    let warnings = source::warn(&suspicions);
    if args.full {
        say!("{ground}")?;
    } else if args.json {
        let s = &ground.summary;
        let sizes = Sizes {
            file: args.file.clone(),
            fluents: s.fluents,
            variables: s.variables,
            groups: s.groups,
            moves: s.moves,
            expressions: s.expressions,
            atoms: s.atoms,
            rules: s.rules,
            seconds: s.time.as_secs_f64(),
            warnings,
        };
        output::json(&sizes)?;
    } else {
        say!("{}", ground.summary)?;
    }
    Ok(())
}
