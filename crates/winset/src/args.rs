//! The flags of every command.

use crate::memory::Bytes;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Strongly solves two-player games of perfect information.
#[derive(Parser, Debug)]
#[command(version, about, propagate_version = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the built-in games and what their sizes mean
    Games(GamesArgs),
}

#[derive(Args, Debug)]
pub struct GamesArgs {
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
}
