//! The flags of every command.

use crate::chosen::Chosen;
use crate::memory::{Appetite, Bytes};
use crate::progress::Mode;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Strongly solves games of perfect information for one, two and more players.
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
    /// Ground a game in GDL and print its sizes, or the ground game
    Ground(GroundArgs),
    /// Show what is suspicious about a game in GDL: misspelt names and the like
    Lint(LintArgs),
    /// Check formulas on an SMV model or a game
    Check(CheckArgs),
    /// Write a game as an SMV model
    EmitSmv(EmitArgs),
    /// Search a good variable order for a game
    Order(OrderArgs),
    /// Ask a stored solution about a position
    Query(QueryArgs),
    /// Show positions and values per layer of a stored solution
    Stats(StatsArgs),
    /// Check a stored solution against the rules
    ///
    /// What a full check proves: the sets have every position that can be reached and no other; terminal positions have
    /// the rules' rewards; every other value is the best that the moves offer, and rests on the game's end; distances
    /// fall with every move; every number of the manifest is the true one.
    ///
    /// Exit code: 0 if everything holds (a proof, or all of a sample); 1 if a fault was found or the solution cannot be
    /// read; 2 for wrong use; 4 if the solution is not finished and what is there holds.
    Verify(VerifyArgs),
    /// Play against a stored solution
    Play(PlayArgs),
    /// Serve stored solutions over HTTP: a page to explore them, and an API
    Serve(ServeArgs),
    /// Solve a small game, or take what was solved before, and explore it in the browser
    Explore(ExploreArgs),
    /// Write positions of a stored solution with their values
    Export(ExportArgs),
    /// Print published tables and figures beside ours, computed there and then
    Reproduce(ReproduceArgs),
}

impl Command {
    /// How much memory the user allows, and how much is right if nothing is said.
    pub fn memory(&self) -> (Option<Bytes>, Appetite) {
        match self {
            Command::Solve(args) => (args.game.memory, Appetite::Work),
            Command::Count(args) => (args.game.memory, Appetite::Work),
            Command::Check(args) => (args.game.memory, Appetite::Work),
            Command::EmitSmv(args) => (args.game.memory, Appetite::Work),
            Command::Order(args) => (args.game.memory, Appetite::Work),
            Command::Ground(args) => (args.memory, Appetite::Work),
            Command::Lint(args) => (args.memory, Appetite::Work),
            Command::Verify(args) => (Some(args.memory), Appetite::Work),
            Command::Reproduce(args) => (args.memory, Appetite::Work),
            Command::Query(args) => (args.memory, Appetite::LookUp),
            Command::Stats(args) => (args.memory, Appetite::LookUp),
            Command::Play(args) => (args.memory, Appetite::LookUp),
            Command::Export(args) => (args.memory, Appetite::LookUp),
            Command::Serve(args) => (args.memory.or(Some(Bytes(1 << 30))), Appetite::Work),
            Command::Explore(args) => (args.game.memory, Appetite::Work),
            Command::Games(_) => (None, Appetite::LookUp),
        }
    }
}

#[derive(Args, Debug)]
pub struct GamesArgs {
    /// A game: its sizes and options; none: all games
    pub name: Option<String>,
    /// Print the game's rules in GDL
    #[arg(long, requires = "name", conflicts_with = "json")]
    pub rules: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
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
}

impl LayersArgs {
    /// The user has asked for something special.
    pub fn is_special(&self) -> bool {
        self.blocks.is_some() || self.portable
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
    /// The BDD engine's algorithm: layer by layer, hybrid, or Alg 2 to Alg 5 of the Othello thesis
    #[arg(long, value_enum, default_value_t = Algorithm::Auto)]
    pub algorithm: Algorithm,
    /// BDD engine: look at states one by one, a few bits each, in this layer and those before it, whether or not the
    /// diagrams of their values would fit into memory
    #[arg(long, value_name = "LAYER")]
    pub switch_at: Option<usize>,
    /// BDD engine: cut every layer once more, by the values of this variable, or of one that is chosen (auto)
    #[arg(long, value_name = "VARIABLE")]
    pub split: Option<winset_symbolic::Split>,
    /// What a player wants where rewards are not just win, draw and loss [default: difference for two players, own for
    /// more]
    #[arg(long, value_enum)]
    pub opponent: Option<Opponent>,
    /// Keep the solution in this directory; the same command goes on where it was stopped. The layer engine numbers
    /// positions by its blocks, the BDD engine by the variables in their order: the files differ, the answers do not
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Show the work as a page: layers fill in as they are found and solved. With --out the solution can be explored
    /// there when it is done
    #[arg(long)]
    pub watch: bool,
    /// With --out: make the files as small as possible, even if that takes longer than solving
    #[arg(long, requires = "out")]
    pub compact: bool,
    /// BDD engine: write every layer's sets, one for each value, to this directory in DDDMP form
    #[arg(long, value_name = "DIR")]
    pub dddmp: Option<PathBuf>,
    /// Also find how many plies perfect play lasts; with --out of a game in which moves can go in circles that is
    /// always done
    #[arg(long)]
    pub distance: bool,
    #[command(flatten)]
    pub layers: LayersArgs,
    #[command(flatten)]
    pub diagram: DiagramArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args, Debug)]
pub struct CountArgs {
    #[command(flatten)]
    pub game: GameArgs,
    /// Instead of searching: count the states of every set in a file that solve --dddmp has written, with the same
    /// encoding, order, turn and kind of diagram
    #[arg(long, value_name = "FILE", conflicts_with_all = ["engine", "blocks", "portable", "plot"])]
    pub dddmp: Option<PathBuf>,
    /// The engine
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,
    #[command(flatten)]
    pub layers: LayersArgs,
    #[command(flatten)]
    pub diagram: DiagramArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

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

#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Instead of a game, an SMV model can be given: a file that ends in .smv
    #[command(flatten)]
    pub game: GameArgs,
    /// A formula of the mu-calculus or CTL over the named sets; can be given several times
    #[arg(long, value_name = "FORMULA")]
    pub formula: Vec<String>,
    /// Look at every combination of values, not just at the reachable states
    #[arg(long)]
    pub all_states: bool,
    /// Only states where this formula holds count, and transitions out of them do not exist, as with INVAR in SMV; it
    /// says nothing about successors
    #[arg(long, value_name = "FORMULA")]
    pub constraint: Option<String>,
    /// As a constraint: no player has more than N pieces on the board; without N, no more than at the start
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    pub limit_pieces: Option<Option<usize>>,
    /// Join the transitions to N relations, of each of which the preimages are found apart; they are as many as the
    /// moves at most
    #[arg(long, value_name = "N", conflicts_with = "relation", value_parser = clap::value_parser!(u32).range(1..))]
    pub partition: Option<u32>,
    #[command(flatten)]
    pub diagram: DiagramArgs,
    /// Of a game and one formula that is a fixed point: write to this file, for every reachable state where
    /// it holds, the move that keeps the promise
    #[arg(long, value_name = "FILE")]
    pub strategy: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct EmitArgs {
    #[command(flatten)]
    pub game: GameArgs,
    /// Boolean variables only: x, y and z of each square and m for the turn, as in the checkers paper
    #[arg(long)]
    pub boolean: bool,
    /// Write what each player can force as MUSPEC, which winset checks and other model checkers refuse, not as a comment
    #[arg(long)]
    pub mu: bool,
}

#[derive(Args, Debug)]
pub struct OrderArgs {
    #[command(flatten)]
    pub game: GameArgs,
    /// What is to become small: the transition relation, the set of the states that can be reached, or both
    #[arg(long, value_enum, default_value_t = Sifted::Relation, conflicts_with = "all")]
    pub on: Sifted,
    /// The order to begin with, as for solve
    #[arg(long, default_value = "auto")]
    pub order: winset_symbolic::Order,
    /// How long to sift, in seconds
    #[arg(long, default_value_t = 30.0, value_parser = positive)]
    pub seconds: f64,
    /// How far the diagram may grow on the way, in percent
    #[arg(long, default_value_t = 150, value_parser = clap::value_parser!(u16).range(100..))]
    pub growth: u16,
    /// Try every order (checkers 3 and 4); ranked by the peak of black's fixed point, its largest intermediate result
    #[arg(long)]
    pub all: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What `order` makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Sifted {
    Relation,
    Reached,
    Both,
}

/// A number of seconds that makes sense.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds < 1e7 => Ok(seconds),
        _ => Err("a positive number of seconds is needed".to_owned()),
    }
}

#[derive(Args, Debug)]
pub struct QueryArgs {
    /// The directory of the solution, or the file of a strategy
    pub directory: PathBuf,
    /// A position as the game writes it, or - to read many from standard input; none: the start
    pub position: Option<String>,
    /// The moves from the start, as players write them
    #[arg(long, value_name = "MOVES", conflicts_with = "position")]
    pub moves: Option<String>,
    /// Show one perfect line to the end
    #[arg(long)]
    pub line: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// How much memory the whole process may use, for example 4G [default: 256M]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
}

#[derive(Args, Debug)]
pub struct StatsArgs {
    /// The directory of the solution
    pub directory: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Write a picture to an SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// How much memory the whole process may use, for example 4G [default: 256M]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
}

#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// The directory of the solution
    pub directory: PathBuf,
    /// Check every position (the default)
    #[arg(long, conflicts_with = "sample")]
    pub full: bool,
    /// How every position is checked; both show the same
    #[arg(long, value_enum, default_value_t = CheckBy::Auto, conflicts_with = "sample")]
    pub by: CheckBy,
    /// Check N positions, chosen at random
    #[arg(long, value_name = "N")]
    pub sample: Option<u64>,
    /// The seed of the sample
    #[arg(long, default_value_t = 1, requires = "sample")]
    pub seed: u64,
    /// Write the verdict into the solution's manifest
    #[arg(long)]
    pub record: bool,
    /// How much memory the whole process may use, for example 4G
    #[arg(long, value_name = "SIZE", default_value = "256M")]
    pub memory: Bytes,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// How to show progress on standard error
    #[arg(long, value_enum, default_value_t = Mode::Auto)]
    pub progress: Mode,
}

/// How every position is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckBy {
    /// One by one, unless there are more than 2^32 and all values are kept as diagrams
    Auto,
    /// One by one
    Positions,
    /// Sets of them at a time, as diagrams
    Diagrams,
}

#[derive(Args, Debug)]
pub struct PlayArgs {
    /// The directory of the solution, or the file of a strategy
    pub directory: PathBuf,
    /// Which side people play; all others are played perfectly
    #[arg(long, value_enum, default_value_t = PlayAs::First)]
    pub side: PlayAs,
    /// Show every move's value without being asked
    #[arg(long)]
    pub hints: bool,
    /// Plain text even on a terminal
    #[arg(long)]
    pub plain: bool,
    /// How much memory the whole process may use, for example 4G [default: 256M]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlayAs {
    /// The one who begins
    First,
    /// The second player
    Second,
    /// The third player, and so on
    Third,
    /// The fourth player
    Fourth,
    /// The fifth player
    Fifth,
    /// The sixth player
    Sixth,
    /// The seventh player
    Seventh,
    /// The eighth player
    Eighth,
    /// All players are people
    #[value(alias = "all")]
    Both,
}

/// Where and how to serve.
#[derive(Args, Debug)]
pub struct WebArgs {
    /// The address and port to serve at; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8017")]
    pub bind: std::net::SocketAddr,
    /// A name by which clients may know this machine, besides localhost and addresses; can be given several times
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Tell of every request on standard error
    #[arg(long)]
    pub log: bool,
}

#[derive(Args, Debug)]
pub struct ServeArgs {
    /// Directories of solutions, or of directories of them
    #[arg(value_name = "DIR", required = true)]
    pub directories: Vec<PathBuf>,
    #[command(flatten)]
    pub web: WebArgs,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Let the page solve small games into this directory [default: winset in the user's cache; if the address is not
    /// this machine's alone, nowhere]
    #[arg(long, value_name = "DIR")]
    pub solve_into: Option<PathBuf>,
    /// How much memory the whole process may use, for example 4G [default: 1G]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
}

#[derive(Args, Debug)]
pub struct ExploreArgs {
    #[command(flatten)]
    pub game: GameArgs,
    #[command(flatten)]
    pub web: WebArgs,
    /// Do not open the browser
    #[arg(long)]
    pub no_open: bool,
    /// Keep solutions in this directory and look for them there [default: winset in the user's cache]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// How to show progress on standard error
    #[arg(long, value_enum, default_value_t = Mode::Auto)]
    pub progress: Mode,
}

#[derive(Args, Debug)]
pub struct ExportArgs {
    /// The directory of the solution
    pub directory: PathBuf,
    /// A layer, by its number in the order of play as solve and stats give it; can be given several times; none:
    /// all of them
    #[arg(long)]
    pub layer: Vec<usize>,
    /// What to write
    #[arg(long, value_enum, default_value_t = ExportAs::Csv)]
    pub format: ExportAs,
    /// How much memory the whole process may use, for example 4G [default: 256M]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportAs {
    /// One position a line, with commas
    Csv,
    /// One JSON object a line
    Jsonl,
    /// The diagram of one layer's set, for Graphviz
    Dot,
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
    /// gdl-oracle: the directory with oracle.tsv and games/ [default: ../shared/gdl]
    #[arg(long, value_name = "DIR")]
    pub games: Option<PathBuf>,
    /// gdl-oracle: how many seconds each game may take
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    pub limit: u64,
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
    /// Forward layers as diagrams, then backward as diagrams while they fit into --memory, and from the layer on where
    /// they do not with a few bits a state
    Hybrid,
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
    /// As much more than the other (the best of the others) as possible, then as much as possible
    Difference,
    /// As much as possible, then as little as possible for the other (the best of the others)
    Own,
}

impl From<Opponent> for winset_model::Opponent {
    fn from(opponent: Opponent) -> Self {
        match opponent {
            Opponent::Difference => winset_model::Opponent::Difference,
            Opponent::Own => winset_model::Opponent::Own,
        }
    }
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
