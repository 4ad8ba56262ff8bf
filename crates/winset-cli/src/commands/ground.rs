//! `winset ground`: a GDL game without variables, and how large it is.

use crate::args::{GroundArgs, LintArgs};
use crate::commands::lint;
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, say};
use crate::source;
use serde::Serialize;
use winset::RulesText;
use winset_diagnostic::Located;

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
