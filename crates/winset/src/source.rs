//! What the user means by GAME: a built-in game's name.

use crate::failure::Failure;
use winset_games::Options;
use winset_model::Game;

/// Builds the game that the user named.
pub fn game(name: &str, size: Option<&str>, options: &Options) -> Result<Game, Failure> {
    winset_games::build(name, size, options).map_err(Failure::wrong_use)
}
