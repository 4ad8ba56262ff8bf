//! The command line: flags, progress, tables, plots. Everything else is in the libraries.

mod args;
mod chosen;
mod commands;
mod engines;
mod failure;
mod interrupt;
mod memory;
mod output;
mod progress;
mod report;
mod reproduce;
mod rules_file;
mod source;
mod stored;
mod target;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    memory::give_back_what_is_freed(0);
    let arguments = Arguments::parse();
    let done = match &arguments.command {
        Command::Games(args) => commands::games::run(args),
        Command::Solve(args) => commands::solve::run(args),
        Command::Count(args) => commands::count::run(args),
        Command::Ground(args) => commands::ground::run(args),
        Command::Lint(args) => commands::lint::run(args),
        Command::Check(args) => commands::check::run(args),
        Command::EmitSmv(args) => commands::emit_smv::run(args),
        Command::Order(args) => commands::order::run(args),
        Command::Query(args) => commands::query::run(args),
        Command::Stats(args) => commands::stats::run(args),
        Command::Verify(args) => commands::verify::run(args),
        Command::Play(args) => commands::play::run(args),
        Command::Export(args) => commands::export::run(args),
        Command::Reproduce(args) => commands::reproduce::run(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("winset: {failure}");
            failure.exit_code()
        }
    }
}
