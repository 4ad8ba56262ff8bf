//! Connect Four.

use crate::entry::{Effort, Entry, Known, MISERE, any, number, preset};
use crate::line::end_by_lines;
use winset_model::{Exprs, Family, Game, GameBuilder, Origin, Owner, Player, Update, VarId};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "connect4",
        size: "COLUMNSxROWS[xK]",
        default: "5x4",
        about: "stones fall down their column; four (or K) in a row win",
        numbers: &[number("columns", 1, 16), number("rows", 1, 16), preset("in a row", 1, 16, 4)],
        choices: &[MISERE],
    },
    aliases: &["connect-four", "four-in-a-row"],
    rules: "A stone falls to the lowest free square of its column. The first with four in a row, in any direction, wins; a \
            full board is a tie.",
    known: &[
        Known::tie("4x4", TROMP).positions(161_029),
        Known::tie("5x4", TROMP).positions(3_945_711),
        Known::tie("4x5", TROMP).positions(1_706_255),
        Known::tie("5x5", TROMP).positions(69_763_700).takes(Effort::Minutes),
        Known::win("7x6", "Allen 1988; Allis 1988").positions(4_531_985_219_092).takes(Effort::Beyond),
    ],
    make: |n, _| rules(n[0], n[1], n[2]),
    fit: any,
};

const TROMP: &str = "Tromp, John's Connect Four Playground";

/// `columns` x `rows` squares; a stone falls to the lowest free square of its column; the first with `k`
/// in a row wins.
///
/// Panics for a size that the catalogue does not have.
pub fn connect4(columns: usize, rows: usize, k: usize) -> Game {
    rules(columns, rows, k).build().expect("the rules are a game")
}

pub(crate) fn rules(columns: usize, rows: usize, k: usize) -> GameBuilder {
    let mut game = GameBuilder::new("connect4", ["x", "o"]);
    game.add_board((rows, columns), Origin::Bottom, ".xo", |_, _| true);
    game.owns(Owner::Player(Player(0)), "x");
    game.owns(Owner::Player(Player(1)), "o");
    let turn = game.add_turn();
    for column in 0..columns {
        for row in (0..rows).rev() {
            let cell = game.cell(row, column);
            let free = game.exprs.is(cell, 0);
            let supported = if row + 1 < rows {
                let below = game.exprs.is(game.cell(row + 1, column), 0);
                game.exprs.not(below)
            } else {
                Exprs::TRUE
            };
            let guard = game.exprs.and([free, supported]);
            for player in Player::all(2) {
                let updates = [Update::set(cell, player.value() + 1), game.hand_over(turn, player)];
                game.add_move((column + 1).to_string(), player, guard, updates);
            }
        }
    }
    let top: Vec<_> = (0..columns)
        .map(|column| {
            let free = game.exprs.is(game.cell(0, column), 0);
            game.exprs.not(free)
        })
        .collect();
    let full = game.exprs.and(top);
    end_by_lines(&mut game, turn, k, full);
    game.blocks = (0..columns)
        .map(|column| (0..rows).rev().map(|row| game.cell(row, column)).collect::<Vec<VarId>>())
        .collect();
    game.initial = game.state(vec![0; game.variables.len()]);
    game
}
