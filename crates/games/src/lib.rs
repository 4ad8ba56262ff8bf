//! The built-in games: each a builder that states the rules once, as a [`winset_model::Game`].
//!
//! ```
//! let game = winset_games::build("tictactoe", None, &Default::default()).unwrap();
//! assert_eq!(game.draw(game.initial()), "  3  . . .\n  2  . . .\n  1  . . .\n     a b c   turn: x\n");
//! ```

mod breakthrough;
mod catalogue;
mod checkers;
mod connect4;
mod line;
mod othello;
mod tictactoe;

pub use breakthrough::{Baseline, breakthrough, usual_pawns};
pub use catalogue::{CATALOGUE, Entry, GameError, build};
pub use checkers::checkers;
pub use connect4::connect4;
pub use othello::othello;
pub use tictactoe::tictactoe;
