//! The built-in games: each a builder that states the rules once, as a [`winset_model::Game`].
//!
//! ```
//! let game = winset_games::build("tictactoe", None, &Default::default()).unwrap();
//! assert_eq!(game.draw(game.initial()), "  3  . . .\n  2  . . .\n  1  . . .\n     a b c   turn: x\n");
//! ```

mod amazons;
mod awari;
mod breakthrough;
mod bridg_it;
mod catalogue;
mod checkers;
mod chess;
mod chomp;
mod clobber;
mod col;
mod connect4;
mod dodgem;
mod domineering;
mod dots_and_boxes;
mod entry;
mod fair_shares;
mod gobblet;
mod hex;
mod hexapawn;
mod hunts;
mod isolation;
mod kalah;
mod kayles;
mod kit;
mod konane;
mod l_game;
mod line;
mod loa;
mod merels;
mod morris;
mod nim;
mod notakto;
mod order_and_chaos;
mod othello;
mod pentago;
mod quarto;
mod quixo;
mod rings;
mod sim;
mod tac_tix;
mod teeko;
mod tictactoe;
mod toads_and_frogs;
mod treblecross;
mod wild;

pub use breakthrough::{Baseline, breakthrough, usual_pawns};
pub use catalogue::{CATALOGUE, GameError, build, entry};
pub use checkers::checkers;
pub use connect4::connect4;
pub use entry::{Effort, Entry, Known};
pub use othello::othello;
pub use tictactoe::tictactoe;
