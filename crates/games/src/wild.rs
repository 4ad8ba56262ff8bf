//! Wild tic-tac-toe: both players may set both marks.

use crate::entry::{Entry, Known, MISERE, PLAIN, any, number, preset};
use crate::kit::{Kit, empty};
use crate::line::lines;
use winset_model::{Family, GameBuilder, Origin, Player, Update};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "wild-tictactoe",
        size: "COLUMNSxROWS[xK]",
        default: "3x3",
        about: "each move sets a cross or a nought; who makes three (or K) in a row of either wins",
        numbers: &[number("columns", 1, 8), number("rows", 1, 8), preset("in a row", 1, 8, 3)],
        choices: &[MISERE],
    },
    aliases: &["wild-tic-tac-toe"],
    rules: "A move sets a cross or a nought, as the player likes, on a free square. \
            Who makes three (or K) of a kind in a row wins; a full board is a tie.",
    known: &[
        Known::win(
            "3x3",
            "Gardner, Mathematical Games: the middle, then the same mark or the other opposite",
        ),
        Known::tie("3x3", PLAIN).with(&[("misere", "yes")]),
    ],
    make: |n, _| rules(n[0], n[1], n[2]),
    fit: any,
};

fn rules(columns: usize, rows: usize, k: usize) -> GameBuilder {
    let mut game = GameBuilder::new("wild-tictactoe", ["first", "second"]);
    game.add_board((rows, columns), Origin::Bottom, ".xo", |_, _| true);
    let turn = game.add_turn();
    for cell in game.cells() {
        let free = game.exprs.is(cell, 0);
        for (mark, value) in [("x", 1), ("o", 2)] {
            for player in Player::all(2) {
                let updates = [Update::set(cell, value), game.hand_over(turn, player)];
                game.add_move(format!("{mark}-{}", game.called(&[cell])), player, free, updates);
            }
        }
    }
    let made: Vec<_> = [1, 2].into_iter().flat_map(|value| lines(&mut game, k, value)).collect();
    for player in Player::all(2) {
        let waits = game.turn[player.other().index()];
        let won: Vec<_> = made.iter().map(|&line| game.both(line, waits)).collect();
        game.wins(player, won);
    }
    let cells = game.cells();
    let full = game.none(&cells, 0);
    game.else_ties(full);
    game.begin(&empty(rows, columns));
    game
}
