//! What is solved: a directory, the file of a strategy, or a game that is solved on the way and kept for the next time.

use crate::announce;
use crate::chosen::Chosen;
use crate::commands::estimate::sentence;
use crate::engines;
use crate::failure::Failure;
use crate::interrupt;
use crate::memory::{self, Appetite, Bytes};
use crate::output::tell;
use crate::progress::{Mode, Progress};
use crate::report::table::{bytes, seconds};
use crate::source;
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Instant;
use winset::{CacheOrigin, Cached, CatalogueError, EngineError, Options, Rules, RulesText};
use winset_explore::strategy::Strategy;
use winset_explore::{Session, Solution};
use winset_model::Game;
use winset_store::{GameRecord, MANIFEST, Manifest, Store};

/// Distances are kept of games with no more positions than this.
const SMALL: u64 = 20_000_000;

/// Which solution.
#[derive(Args, Clone, Debug)]
pub struct SolutionArgs {
    /// The directory of a solution; or a game, which is solved first and kept in the user's cache: one with a name
    /// (`winset games` lists them), the path of a file of rules in GDL (.kif, .gdl), or - for rules from standard
    /// input
    #[arg(value_name = "SOLUTION|GAME")]
    pub solution: String,
    /// Of a game: the board's size in the order that the game's literature uses, for example 5x4
    pub size: Option<String>,
    #[command(flatten)]
    pub chosen: Chosen,
    #[command(flatten)]
    pub solving: SolvingArgs,
}

/// How a game is solved on the way.
#[derive(Args, Clone, Debug)]
pub struct SolvingArgs {
    /// Of a game: keep its solution in this directory and look for it there [default: winset in the user's cache]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// How much memory the whole process may use, for example 4G [default: 256M for a solution that is there; half of
    /// the machine's to solve a game]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
    /// The number of threads that solve a game [default: one for each core]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// How to show progress on standard error
    #[arg(long, value_enum, default_value_t = Mode::Auto)]
    pub progress: Mode,
}

impl SolutionArgs {
    /// A game is meant, not something that was solved before.
    pub fn is_game(&self) -> bool {
        is_game(&self.solution)
    }

    /// The memory that is asked for, and what is right if nothing is said.
    pub fn memory(&self) -> (Option<Bytes>, Appetite) {
        (self.solving.memory, if self.is_game() { Appetite::Work } else { Appetite::LookUp })
    }
}

/// A word means a game and not a directory or a strategy's file: there is none of that name, or it ends as files of
/// rules do.
pub fn is_game(word: &str) -> bool {
    let path = Path::new(word);
    if word == "-" {
        return true;
    }
    if path.is_dir() {
        // A directory of a game's name may have nothing to do with it.
        let has_solution = path.join(MANIFEST).exists();
        return !has_solution && !word.contains(['/', '\\']) && winset::Catalogue::family(word).is_ok();
    }
    RulesText::is_file_of_rules(word) || !(path.is_file() || word.contains(['/', '\\']))
}

/// What can be asked and played with.
pub enum Known {
    Solved(Box<Cached>),
    Store(Box<Store>),
    Strategy(Box<Strategy>),
}

impl Known {
    /// Opens whichever it is, or solves the game.
    pub fn of(args: &SolutionArgs) -> Result<Self, Failure> {
        if args.is_game() {
            return Ok(Known::Solved(Box::new(solve(args)?)));
        }
        no_size(args)?;
        let path = Path::new(&args.solution);
        if path.is_file() {
            return Ok(Known::Strategy(Box::new(Strategy::open(path, build)?)));
        }
        Ok(Known::Store(Box::new(open(path)?)))
    }

    /// The same where a strategy is of no use.
    pub fn store_of(args: &SolutionArgs) -> Result<Self, Failure> {
        if args.is_game() {
            return Known::of(args);
        }
        no_size(args)?;
        Ok(Known::Store(Box::new(open(Path::new(&args.solution))?)))
    }

    /// The store behind it.
    pub fn store(&self) -> Result<&Store, Failure> {
        match self {
            Known::Solved(cached) => Ok(cached.solved.store()),
            Known::Store(store) => Ok(store),
            Known::Strategy(_) => {
                Err(Failure::wrong_use("this is a strategy; the directory of a solution is needed"))
            }
        }
    }

    /// Asks it.
    pub fn session(&self) -> Box<dyn Solution<'_> + '_> {
        match self {
            Known::Solved(cached) => Box::new(Session::new(cached.solved.store())),
            Known::Store(store) => Box::new(Session::new(store)),
            Known::Strategy(strategy) => Box::new(strategy.session()),
        }
    }
}

/// Opens a store.
pub fn open(directory: &Path) -> Result<Store, Failure> {
    Ok(Store::open(directory, |manifest: &Manifest| build(&manifest.header.game))?)
}

/// What is solved has its size.
pub fn no_size(args: &SolutionArgs) -> Result<(), Failure> {
    winset::Catalogue::takes_nothing("a solution", args.size.as_deref(), &args.chosen.0)
        .map_err(Failure::of_rules)
}

/// Finds a game solved, or solves it and says so.
pub fn solve(args: &SolutionArgs) -> Result<Cached, Failure> {
    let found = source::catalogue().find(&args.solution, args.size.as_deref(), &args.chosen.0);
    let rules = found.map_err(|error| match error {
        CatalogueError::NoGame(word, hint) => {
            Failure::wrong_use(format!("there is neither a solution nor a game {word:?}; {hint}"))
        }
        other => Failure::of_rules(other),
    })?;
    source::warn(&rules.suspicions);
    solve_rules(rules, &args.solving)
}

/// The same with rules that have been read.
pub fn solve_rules(rules: Rules, args: &SolvingArgs) -> Result<Cached, Failure> {
    let (clock, title) = (Instant::now(), rules.game.title());
    let cache = engines::cache(args.cache.as_deref())?;
    if let Some(found) = cache.as_ref().and_then(|cache| cache.find(&rules)) {
        return Ok(found);
    }
    let mut progress = Progress::new(args.progress);
    progress.step("estimate", 0, None, "how large the game is");
    let estimate = match winset::looks_large(&rules.game, memory::left()) {
        true => winset::estimate_roughly(&rules.game, memory::left()),
        false => winset::estimate_within(&rules.game, memory::left()),
    };
    if !estimate.exact {
        progress.aside(|| tell!("winset: {title} is solved first: {}", sentence(&estimate)));
        announce::warn(&rules.game, &estimate, memory::left(), memory::left() / 2, &progress);
    }
    let options = Options {
        distance: estimate.is_at_most(SMALL),
        memory: Some(memory::left()),
        threads: args.threads.map(|threads| threads as usize),
        ..Options::default()
    };
    let solved = match &cache {
        Some(cache) => {
            interrupt::watch();
            cache.solve(rules, &options, &mut progress)
        }
        None => winset::solve_uncached(rules, &options, &mut progress),
    };
    drop(progress);
    interrupt::over();
    let cached = solved.map_err(|error| match error {
        winset::Error::Engine(EngineError::Stopped) => {
            Failure::Cannot(anyhow::anyhow!("stopped; the same command goes on with what is finished"))
        }
        winset::Error::Engine(error) => Failure::of_engine(error),
        other => Failure::Cannot(other.into()),
    })?;
    let took = seconds(clock.elapsed().as_secs_f64());
    match (&cached.origin, &cached.directory) {
        (CacheOrigin::Solved, Some(directory)) => {
            let size: u64 = cached.solved.store().manifest().layers.iter().map(stored_bytes).sum();
            tell!("winset: {title} solved in {took} s and kept ({}) in {}", bytes(size), directory.display());
        }
        (CacheOrigin::InMemory(why), _) => {
            tell!("winset: {title} solved in {took} s and kept in memory only: {why}");
        }
        _ => {}
    }
    Ok(cached)
}

fn stored_bytes(layer: &winset_store::LayerRecord) -> u64 {
    layer.set.bytes + layer.values.as_ref().map_or(0, |values| values.file.bytes)
}

fn build(record: &GameRecord) -> Result<Game, CatalogueError> {
    Ok(source::catalogue().recorded(record)?.game)
}
