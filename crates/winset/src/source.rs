//! What the user means by GAME: a built-in game's name, or a file of rules.

use crate::args::{Baseline, GameArgs};
use crate::failure::Failure;
use anyhow::Context;
use std::path::Path;
use winset_games::Options;
use winset_gdl::GdlGame;
use winset_model::Game;

/// Builds the game that the user named.
pub fn game(args: &GameArgs) -> Result<Game, Failure> {
    if is_file(&args.game) {
        if let Some(size) = &args.size {
            return Err(Failure::wrong_use(format!("a file of rules takes no size, but {size:?} is given")));
        }
        return Ok(gdl(Path::new(&args.game))?.game);
    }
    let baseline = match args.baseline {
        Baseline::M1 => winset_games::Baseline::Made,
        Baseline::M2 => winset_games::Baseline::CanBeMade,
    };
    winset_games::build(&args.game, args.size.as_deref(), &Options { baseline }).map_err(Failure::wrong_use)
}

/// A file is meant where the word looks like a path.
fn is_file(name: &str) -> bool {
    name.ends_with(".kif") || name.contains(['/', '\\'])
}

/// Reads, checks and grounds a game in GDL. Findings go to standard error with their source lines.
pub fn gdl(path: &Path) -> Result<GdlGame, Failure> {
    let file = path.display().to_string();
    let source = std::fs::read(path).with_context(|| format!("cannot read {file}"))?;
    let name = path.file_stem().map_or_else(|| file.clone(), |stem| stem.to_string_lossy().into_owned());
    let compiled = winset_gdl::compile(&name, &source, &Default::default());
    compiled.map_err(|rejection| {
        Failure::wrong_use(format!("{file} is refused\n{}", rejection.render(&file, &source)))
    })
}
