//! The command line: flags, progress, tables, plots. Everything else is in the libraries.

mod args;
mod commands;
mod failure;
mod memory;
mod progress;
mod report;
mod source;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.command {
        Command::Games(args) => commands::games::run(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("winset: {failure}");
            failure.exit_code()
        }
    }
}
