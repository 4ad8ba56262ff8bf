//! "Solving Breakthrough using BDDs and retrograde analysis" (2022): winners, reachable states and diagram sizes (Tables 5.1
//! and 5.2, Figure 5.1), encodings and orders.

mod boards;
mod orders;

pub(crate) use boards::boards;
pub(crate) use orders::orders;

use crate::setting::{Setting, Watch};
use winset_games::{Baseline, breakthrough};
use winset_model::Game;
use winset_symbolic::{Bcdd, Encoding, Options, Order, Symbolic, SymbolicError, TurnPlace, reach};

/// The thesis's program's order of the squares: row by row from white's home row.
fn upward(game: &Game, rows: usize, columns: usize) -> Vec<String> {
    let squares = (0..rows).rev().flat_map(|row| (0..columns).map(move |column| (row, column)));
    names(game, squares)
}

/// The names of squares.
fn names(game: &Game, squares: impl Iterator<Item = (usize, usize)>) -> Vec<String> {
    squares.map(|(row, column)| game.variables()[game.cell(row, column).index()].name.clone()).collect()
}

/// The options of the thesis's program: white's home row first, the turn last, the unused code word 11.
fn options(setting: &Setting<'_>, order: Vec<String>) -> Options {
    Options {
        encoding: Encoding::Binary,
        order: Order::List(order),
        turn: TurnPlace::Bottom,
        memory: setting.memory,
        ..Options::default()
    }
}

/// The nodes of the visited set after each step, by M2 as in the thesis's program.
fn visited(
    setting: &Setting<'_>,
    rows: usize,
    columns: usize,
    options: &Options,
) -> Result<Vec<u64>, SymbolicError> {
    let game = breakthrough(rows, columns, Baseline::CanBeMade);
    let symbolic = Symbolic::<Bcdd>::from_game(&game, options)?;
    let mut watch = Watch::new(setting);
    reach(&symbolic, &mut watch)?;
    Ok(watch.iterations.iter().map(|it| it.nodes as u64).collect())
}
