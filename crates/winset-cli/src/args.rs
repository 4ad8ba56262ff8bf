//! The commands, and the flags that several of them have; those of one alone are in its file in `commands`.

use crate::chosen::Chosen;
use crate::commands::{
    cache, check, cluster, count, emit_smv, estimate, explore, export, games, ground, lint, manual, order,
    play, player, query, reproduce, serve, solve, stats, verify,
};
use crate::memory::{Appetite, Bytes};
use crate::progress::Mode;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Strongly solves games of perfect information for one, two and more players.
#[derive(Parser, Debug)]
#[command(name = "winset", version, about, propagate_version = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the built-in games and what their sizes mean
    Games(games::GamesArgs),
    /// Solve a game: who wins every position that can arise
    Solve(solve::SolveArgs),
    /// Tell how many positions a game has and what solving it takes, within seconds: exactly, from a sample, or that there are more
    Estimate(estimate::EstimateArgs),
    /// Count the positions that can arise
    Count(count::CountArgs),
    /// Ground a game in GDL and print its sizes, or the ground game
    Ground(ground::GroundArgs),
    /// Show what is suspicious about a game in GDL: misspelt names and the like
    Lint(lint::LintArgs),
    /// Check formulas on an SMV model or a game
    ///
    /// Exit code: 0 if every specification is true; 3 if one is false; 1 if they could not be checked; 2 for wrong use.
    Check(check::CheckArgs),
    /// Write a game as an SMV model
    EmitSmv(emit_smv::EmitArgs),
    /// Search a good variable order for a game
    Order(order::OrderArgs),
    /// Ask a solution about a position
    Query(query::QueryArgs),
    /// Show positions and values per layer of a solution
    Stats(stats::StatsArgs),
    /// Check a solution against the rules
    ///
    /// What a full check proves: the sets have every position that can be reached and no other; terminal positions have
    /// the rules' rewards; every other value is the best that the moves offer, and rests on the game's end; distances
    /// fall with every move; every number of the manifest is the true one.
    ///
    /// Exit code: 0 if everything holds (a proof, or all of a sample); 1 if a fault was found or the solution cannot be
    /// read; 2 for wrong use; 4 if the solution is not finished and what is there holds.
    Verify(verify::VerifyArgs),
    /// Play against perfection
    Play(play::PlayArgs),
    /// Serve solutions over HTTP: a page to explore them, and an API
    Serve(serve::ServeArgs),
    /// Explore a game or a solution in the browser
    Explore(explore::ExploreArgs),
    /// Play on a game server that speaks the protocol of general game playing (GGP)
    Player(player::PlayerArgs),
    /// Show or clear the solutions that commands have kept for the next time
    Cache(cache::CacheArgs),
    /// Solve on many machines: print a job script, or show how far a job is
    Cluster(cluster::ClusterArgs),
    /// Print what a shell needs to complete commands and flags
    ///
    /// For example: winset completions bash > ~/.local/share/bash-completion/completions/winset
    Completions(manual::CompletionsArgs),
    /// Write a manual page for each command into a directory
    Man(manual::ManArgs),
    /// Write positions of a solution with their values
    Export(export::ExportArgs),
    /// Print published tables and figures beside ours, computed there and then
    Reproduce(reproduce::ReproduceArgs),
}

impl Command {
    /// How much memory the user allows, and how much is right if nothing is said.
    pub fn memory(&self) -> (Option<Bytes>, Appetite) {
        match self {
            Command::Solve(args) => (args.game.memory, Appetite::Work),
            Command::Count(args) => (args.game.memory, Appetite::Work),
            Command::Estimate(args) => (args.game.memory, Appetite::Work),
            Command::Check(args) => (args.game.memory, Appetite::Work),
            Command::EmitSmv(args) => (args.game.memory, Appetite::Work),
            Command::Order(args) => (args.game.memory, Appetite::Work),
            Command::Ground(args) => (args.memory, Appetite::Work),
            Command::Lint(args) => (args.memory, Appetite::Work),
            Command::Verify(args) if args.certificate.certificate.is_some() => {
                (args.solution.solving.memory, Appetite::Work)
            }
            Command::Verify(args) => args.solution.memory(),
            Command::Reproduce(args) => (args.memory, Appetite::Work),
            Command::Query(args) => args.solution.memory(),
            Command::Stats(args) => args.solution.memory(),
            Command::Play(args) => args.solution.memory(),
            Command::Export(args) => args.solution.memory(),
            Command::Serve(args) => (args.solving.memory.or(Some(Bytes(1 << 30))), Appetite::Work),
            Command::Explore(args) => (args.solution.solving.memory, Appetite::Work),
            Command::Player(args) => (args.memory, Appetite::Work),
            Command::Cluster(args) => (args.memory(), Appetite::Work),
            Command::Games(_) | Command::Cache(_) | Command::Completions(_) | Command::Man(_) => {
                (None, Appetite::LookUp)
            }
        }
    }
}

/// Which game, and how much of the machine it may use.
#[derive(Args, Debug)]
pub struct GameArgs {
    /// A built-in game (`winset games` lists them), the path of a file of rules in GDL (.kif), or - for rules
    /// from standard input
    pub game: String,
    /// The board's size in the order that the game's literature uses, for example 5x4
    pub size: Option<String>,
    #[command(flatten)]
    pub chosen: Chosen,
    /// How much memory the whole process may use, for example 4G [default: half of the machine's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
    /// The number of threads [default: one for each core; the BDD engine: 1]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
}

impl GameArgs {
    /// The number of threads for work that is shared well.
    pub fn threads_or_cores(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, |threads| threads as usize)
    }
}

/// How the layer engine works; the results do not depend on it.
#[derive(Args, Debug)]
pub struct LayersArgs {
    /// The layer engine's blocks: rows, columns, or variables like a1,a2/b1,b2, topmost block first
    /// [default: the game's own, or others that prove better on the first layers: the board's other direction,
    /// lines, halves]
    #[arg(long, value_name = "BLOCKS")]
    pub blocks: Option<String>,
    /// Do without the processor's bit instructions
    #[arg(long)]
    pub portable: bool,
    /// Layer engine: solve and keep values by rank, one after the other, also where leaves of bits would do better; so do
    /// several processes under mpirun, and the files are then the same
    #[arg(long)]
    pub by_rank: bool,
}

impl LayersArgs {
    /// The user has asked for something special.
    pub fn is_special(&self) -> bool {
        self.blocks.is_some() || self.portable || self.by_rank
    }
}

/// How diagrams are built; the results do not depend on it.
#[derive(Args, Debug)]
pub struct DiagramArgs {
    /// Complement-edge diagrams or plain ones
    #[arg(long, value_enum, default_value_t = Diagram::Bcdd)]
    pub diagram: Diagram,
    /// How a square becomes bits: every value one code, the unused ones after the empty square's (standard) or
    /// last (binary) or first (unused-first), or the empty square (3T) or the last content (short-last) known after one bit
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

impl DiagramArgs {
    /// The user has asked for something special.
    pub fn is_special(&self) -> bool {
        let DiagramArgs { diagram, encoding, order, turn, relation } = self;
        *diagram != Diagram::Bcdd
            || *encoding != Encoding::ShortEmpty
            || *order != winset_symbolic::Order::default()
            || *turn != Turn::Top
            || *relation != Relation::Clustered
    }
}

/// What is printed and written.
#[derive(Args, Debug)]
pub struct OutputArgs {
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Write the table to a CSV file; - prints it instead of the table
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw the table to a file that ends in .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// How to show progress on standard error
    #[arg(long, value_enum, default_value_t = Mode::Auto)]
    pub progress: Mode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// The best for the game
    Auto,
    /// Decision diagrams on OxiDD
    Bdd,
    /// Levelled diagrams, one layer streamed against the next
    Layers,
    /// State by state, in memory: for games whose positions do not look alike
    Explicit,
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
    Binary,
    ShortLast,
    UnusedFirst,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Symmetry {
    On,
    Off,
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
