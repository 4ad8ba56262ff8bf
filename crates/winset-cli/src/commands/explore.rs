//! `winset explore`: from a game's name to its page.

use crate::args::GameArgs;
use crate::commands::serve::{self, WebArgs};
use crate::engines;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::tell;
use crate::progress::Mode;
use crate::progress::Progress;
use crate::source;
use clap::Args;
use std::path::{Path, PathBuf};
use winset::{EngineError, Options, Rules, Solved};
use winset_serve::{Site, folder};

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

/// Solves the game or finds it solved, and serves it.
pub fn run(args: &ExploreArgs) -> Result<(), Failure> {
    let loaded = source::game(&args.game)?;
    let cache = args.cache.clone().or_else(user_cache);
    let directory = cache.map(|cache| cache.join(folder(&loaded.rules)));
    let known = directory.as_deref().and_then(|directory| winset::open(directory).ok());
    let solved = match known.filter(|solved| solved.store().is_complete()) {
        Some(solved) => solved,
        None => solve(args, loaded.rules, directory.as_deref())?,
    };
    interrupt::over();
    let site = Site::new(serve::config(&args.web));
    let id = site.add(solved);
    serve::serve(&site, &args.web, &format!("g/{id}"), !args.no_open)
}

/// Solves it: into the cache if that can be written, else in memory. Distances make the page.
fn solve(args: &ExploreArgs, rules: Rules, directory: Option<&Path>) -> Result<Solved, Failure> {
    let writable = |directory: &&Path| match std::fs::create_dir_all(directory) {
        Ok(()) => true,
        Err(error) => {
            tell!("winset: {}: {error}; the solution is kept in memory only", directory.display());
            false
        }
    };
    let out = directory.filter(writable).map(Path::to_owned);
    let job = engines::job(&args.game);
    let options = Options {
        distance: true,
        out: out.clone(),
        memory: Some(job.memory),
        threads: job.threads,
        ..Options::default()
    };
    if out.is_some() {
        interrupt::watch();
    }
    let mut progress = Progress::new(args.progress);
    winset::solve_watched(rules, &options, &mut progress).map_err(|error| match error {
        winset::Error::Engine(EngineError::Stopped) => {
            Failure::Cannot(anyhow::anyhow!("stopped; the same command goes on with what is finished"))
        }
        winset::Error::Engine(error) => Failure::of_engine(error),
        other => Failure::Cannot(other.into()),
    })
}

/// Where the system keeps what can be made again.
pub fn user_cache() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let cache = match std::env::consts::OS {
        "windows" => set("LOCALAPPDATA"),
        "macos" => set("HOME").map(|home| home.join("Library/Caches")),
        _ => set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache"))),
    };
    Some(cache?.join("winset"))
}
