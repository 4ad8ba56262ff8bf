//! Hexapawn.

use crate::entry::{Entry, Known, MISERE, PLAIN, any, number};
use crate::kit::{Kit, filled};
use winset_model::{Family, GameBuilder, Origin, Player, Update};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "hexapawn",
        size: "ROWSxCOLUMNS",
        default: "3x3",
        about: "a row of chess pawns each; who gets through or leaves no move wins; white begins",
        numbers: &[number("rows", 3, 12), number("columns", 1, 12)],
        choices: &[MISERE],
    },
    aliases: &["octopawn"],
    rules: "A pawn steps straight ahead to a free square, or captures one square diagonally ahead. \
            Who reaches the far row wins, and who cannot move loses.",
    known: &[
        Known::loss("3x3", "Gardner, How to build a game-learning machine, Scientific American 1962"),
        Known::win("3x4", PLAIN),
        Known::win("4x4", PLAIN),
    ],
    make: |n, _| rules(n[0], n[1]),
    fit: any,
};

fn rules(rows: usize, columns: usize) -> GameBuilder {
    let mut game = GameBuilder::new("hexapawn", ["white", "black"]);
    game.add_board((rows, columns), Origin::Bottom, ".wb", |_, _| true);
    let turn = game.add_turn();
    let board = game.squares();
    for player in Player::all(2) {
        let (own, other) = (1 + player.value(), 2 - player.value());
        let (ahead, far) = if player == Player(0) { (-1, 0) } else { (1, rows as isize - 1) };
        for (row, column) in game.places() {
            for aside in [-1, 0, 1] {
                let to = board.cell(row + ahead, column + aside);
                let (Some(from), Some(to)) = (board.cell(row, column), to) else { continue };
                let open = game.exprs.is(to, if aside == 0 { 0 } else { other });
                let mine = game.exprs.is(from, own);
                let guard = game.both(mine, open);
                let updates = [Update::set(from, 0), Update::set(to, own), game.hand_over(turn, player)];
                game.add_move(game.called(&[from, to]), player, guard, updates);
            }
        }
        let through: Vec<_> = (0..columns as isize).filter_map(|column| board.cell(far, column)).collect();
        let through: Vec<_> = through.into_iter().map(|cell| game.exprs.is(cell, own)).collect();
        game.wins(player, through);
    }
    game.who_cannot_move_loses();
    game.begin(&filled(rows, columns, |row, _| match row {
        0 => 'b',
        _ if row + 1 == rows => 'w',
        _ => '.',
    }));
    game
}
