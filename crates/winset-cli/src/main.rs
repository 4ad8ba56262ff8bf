//! The command line: flags, progress, tables, plots. Everything else is in the libraries.

mod allocation;
mod announce;
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
mod resident;
mod source;
mod stored;
mod target;
mod watch;

use args::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use output::tell;
use std::process::ExitCode;

fn main() -> ExitCode {
    interrupt::outlive_file_limits();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(asked) => return explain(&asked),
    };
    let (allowed, appetite) = arguments.command.memory();
    let held = memory::hold(allowed, appetite);
    let done = held.and_then(|()| match &arguments.command {
        Command::Games(args) => commands::games::run(args),
        Command::Solve(args) => commands::solve::run(args),
        Command::Estimate(args) => commands::estimate::run(args),
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
        Command::Serve(args) => commands::serve::run(args),
        Command::Explore(args) => commands::explore::run(args),
        Command::Player(args) => commands::player::run(args),
        Command::Completions(args) => commands::manual::completions(args),
        Command::Man(args) => commands::manual::man(args),
        Command::Cache(args) => commands::cache::run(args),
        Command::Cluster(args) => commands::cluster::run(args),
        Command::Export(args) => commands::export::run(args),
        Command::Reproduce(args) => commands::reproduce::run(args),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            failure.exit_code()
        }
    }
}

/// Help that was asked for, or what is wrong with the arguments: they too may hold anything.
fn explain(asked: &clap::Error) -> ExitCode {
    if asked.use_stderr() {
        let text = asked.to_string();
        // What the help says without a command is not wrong in any one way.
        match failure::wants_json()
            && asked.kind() != clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        {
            true => Failure::wrong_use(text.trim_end()).tell(),
            false => tell!("{}", text.trim_end()),
        }
        return ExitCode::from(2);
    }
    match output::write(format_args!("{asked}")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell!("winset: {error}");
            ExitCode::FAILURE
        }
    }
}
