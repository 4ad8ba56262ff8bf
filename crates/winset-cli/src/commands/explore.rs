//! `winset explore`: from a game's name to its page.

use crate::commands::serve::{self, WebArgs};
use crate::failure::Failure;
use crate::interrupt;
use crate::stored::{self, SolutionArgs};
use clap::Args;
use std::path::Path;
use winset_serve::Site;

#[derive(Args, Debug)]
pub struct ExploreArgs {
    #[command(flatten)]
    pub solution: SolutionArgs,
    #[command(flatten)]
    pub web: WebArgs,
    /// Do not open the browser
    #[arg(long)]
    pub no_open: bool,
}

/// Solves the game or finds it solved, and serves it.
pub fn run(args: &ExploreArgs) -> Result<(), Failure> {
    let (solved, _held) = match args.solution.is_game() {
        true => {
            let cached = stored::solve(&args.solution)?;
            (cached.solved.clone(), Some(cached))
        }
        false => {
            stored::no_size(&args.solution)?;
            (winset::open(Path::new(&args.solution.solution))?, None)
        }
    };
    interrupt::over();
    let site = Site::new(serve::config(&args.web));
    let id = site.add(solved);
    serve::serve(&site, &args.web, &format!("g/{id}"), !args.no_open)
}
