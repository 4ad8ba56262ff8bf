//! What the user means by GAME: a built-in game's name.

use crate::args::{Baseline, GameArgs};
use crate::failure::Failure;
use winset_games::Options;
use winset_model::Game;

/// Builds the game that the user named.
pub fn game(args: &GameArgs) -> Result<Game, Failure> {
    let baseline = match args.baseline {
        Baseline::M1 => winset_games::Baseline::Made,
        Baseline::M2 => winset_games::Baseline::CanBeMade,
    };
    winset_games::build(&args.game, args.size.as_deref(), &Options { baseline }).map_err(Failure::wrong_use)
}
