//! "Solving Othello using BDDs" (2019): encodings (Table 7.1), algorithms (Table 7.2, Figure 7.2), orders (Figures 7.6 and
//! 7.7), storage (Table 7.3), formula 5.3.

mod algorithms;
mod boards;
mod encodings;
mod moves;
mod orders;
mod storage;

pub(crate) use algorithms::algorithms;
pub(crate) use encodings::encodings;
pub(crate) use moves::moves;
pub(crate) use orders::{orders, turn};
pub(crate) use storage::storage;

use crate::setting::Setting;
use winset_model::Player;
use winset_symbolic::{Options, Order};

/// The thesis's setting: complement edges, row by row, the turn at the top.
fn options(setting: &Setting<'_>) -> Options {
    Options { order: Order::Rows, memory: setting.memory, ..Options::default() }
}

/// The thesis's program looks for white's won states; black begins.
const WHITE: Player = Player(1);

/// The player whose stones have the code words of the thesis's white: 10, with 11 for the other.
const FIRST_CODE: Player = Player(0);
