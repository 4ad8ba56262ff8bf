//! `winset lint`: what is suspicious about a game in GDL, and nothing else.

use crate::args::LintArgs;
use crate::failure::Failure;
use crate::output::{self, say};
use crate::report::excerpt::Warning;
use crate::rules_file::RulesFile;
use serde::Serialize;

#[derive(Serialize)]
struct Found {
    file: String,
    warnings: Vec<Warning>,
}

/// Prints the warnings about a file that can be used; one that cannot is refused as everywhere.
pub fn run(args: &LintArgs) -> Result<(), Failure> {
    let file = RulesFile::read(&args.file)?;
    let found = file.lint()?;
    if args.json {
        let warnings = found.into_iter().map(|(warning, _)| warning).collect();
        return output::json(&Found { file: args.file.clone(), warnings });
    }
    for (_, shown) in &found {
        say!("{shown}\n")?;
    }
    match found.len() {
        0 => say!("nothing is suspicious\n")?,
        1 => say!("1 warning\n")?,
        n => say!("{n} warnings\n")?,
    }
    Ok(())
}
