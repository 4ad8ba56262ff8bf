//! The flags of every command.

use crate::memory::Bytes;
use crate::progress::Mode;
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
    /// Solve a game: who wins every position that can arise
    Solve(SolveArgs),
    /// Count the positions that can arise
    Count(CountArgs),
    /// Print published tables and figures beside ours, computed there and then
    Reproduce(ReproduceArgs),
}

#[derive(Args, Debug)]
pub struct GamesArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

/// Which game, and how much of the machine it may use.
#[derive(Args, Debug)]
pub struct GameArgs {
    /// A built-in game (`winset games` lists them)
    pub game: String,
    /// The board's size in the order that the game's literature uses, for example 5x4
    pub size: Option<String>,
    /// Breakthrough: a position counts as won when the winning move has been made (m1) or can be made (m2)
    #[arg(long, value_enum, default_value_t = Baseline::M1)]
    pub baseline: Baseline,
    /// How much memory the whole process may use, for example 4G [default: half of the machine's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
    /// The number of threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
}

/// How diagrams are built; the results do not depend on it.
#[derive(Args, Debug)]
pub struct DiagramArgs {
    /// Complement-edge diagrams or plain ones
    #[arg(long, value_enum, default_value_t = Diagram::Bcdd)]
    pub diagram: Diagram,
    /// How a square becomes bits: every value one code, or the empty square known after one bit (3T)
    #[arg(long, value_enum, default_value_t = Encoding::ShortEmpty)]
    pub encoding: Encoding,
    /// The variable order: auto, model, rows (VO_a), rings-in (VO_b), rings-out (VO_c), columns, diagonal,
    /// or all variables in your order, separated by commas
    #[arg(long, default_value = "auto")]
    pub order: winset_symbolic::Order,
    /// Where the turn goes in the order
    #[arg(long, value_enum, default_value_t = Turn::Top)]
    pub turn: Turn,
    /// How the transition relation is cut
    #[arg(long, value_enum, default_value_t = Relation::Clustered)]
    pub relation: Relation,
}

/// What is printed and written.
#[derive(Args, Debug)]
pub struct OutputArgs {
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Write the table to a CSV file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write a plot with a logarithmic axis to an SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// How to show progress on standard error
    #[arg(long, value_enum, default_value_t = Mode::Auto)]
    pub progress: Mode,
}

#[derive(Args, Debug)]
pub struct SolveArgs {
    #[command(flatten)]
    pub game: GameArgs,
    /// The engine
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,
    /// The BDD engine's algorithm: layer by layer, or Alg 2 to Alg 5 of the Othello thesis
    #[arg(long, value_enum, default_value_t = Algorithm::Auto)]
    pub algorithm: Algorithm,
    /// What a player wants where rewards are not just win, draw and loss
    #[arg(long, value_enum, default_value_t = Opponent::Difference)]
    pub opponent: Opponent,
    #[command(flatten)]
    pub diagram: DiagramArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args, Debug)]
pub struct CountArgs {
    #[command(flatten)]
    pub game: GameArgs,
    /// The engine
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,
    #[command(flatten)]
    pub diagram: DiagramArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args, Debug)]
pub struct ReproduceArgs {
    /// The experiment; without a name, all of them
    pub name: Option<String>,
    /// Run also what takes many minutes or gigabytes
    #[arg(long)]
    pub large: bool,
    /// Write the figures as SVG files into this directory
    #[arg(long, value_name = "DIR")]
    pub plots: Option<PathBuf>,
    /// How much memory the whole process may use, for example 4G [default: half of the machine's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
    /// Print JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// How to show progress on standard error
    #[arg(long, value_enum, default_value_t = Mode::Auto)]
    pub progress: Mode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Baseline {
    M1,
    M2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// The best for the game
    Auto,
    /// Decision diagrams on OxiDD
    Bdd,
    /// Levelled diagrams, one layer streamed against the next
    Layers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Algorithm {
    /// The best for the game
    Auto,
    /// Forward layers, then backward from the last
    Layered,
    /// Reward matrix with strong preimages
    Matrix,
    /// Retrograde analysis of all states
    Alg2,
    /// Retrograde analysis of the reachable states
    Alg3,
    /// Retrograde analysis with a sweep line
    Alg4,
    /// Retrograde analysis of the reachable states with a sweep line
    Alg5,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Opponent {
    /// As much more than the other as possible, then as much as possible
    Difference,
    /// As much as possible, then as little as possible for the other
    Own,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Diagram {
    Bcdd,
    Bdd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    Standard,
    #[value(alias = "3t")]
    ShortEmpty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Turn {
    Top,
    Bottom,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Relation {
    /// Moves joined while the joint relation stays small
    Clustered,
    /// One relation per move
    PerMove,
    /// One relation per player
    Monolithic,
}
