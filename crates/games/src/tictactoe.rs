//! Tic-tac-toe on m x n squares with k in a row: the m,n,k-game.

use crate::entry::{Entry, Known, MISERE, any, number, preset};
use crate::line::end_by_lines;
use winset_model::{Family, Game, GameBuilder, Origin, Owner, Player, Update};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "tictactoe",
        size: "COLUMNSxROWS[xK]",
        default: "3x3",
        about: "the m,n,k-game: three (or K) in a row win",
        numbers: &[number("columns", 1, 16), number("rows", 1, 16), preset("in a row", 1, 16, 3)],
        choices: &[MISERE],
    },
    aliases: &["gomoku", "mnk", "noughts-and-crosses"],
    rules: "The players set their marks on free squares in turn. The first with three (or K) in a row wins; a full board is a \
            tie.",
    known: &[
        Known::tie("3x3", "folklore; Gardner, Mathematical Games").positions(5_478),
        Known::tie("3x3", "folklore: the centre, then reflection through it").with(&[("misere", "yes")]),
        Known::win("4x3", "Uiterwijk and van den Herik, The Advantage of the Initiative"),
        Known::tie("4x4x4", "Uiterwijk and van den Herik, The Advantage of the Initiative"),
    ],
    make: |n, _| rules(n[0], n[1], n[2]),
    fit: any,
};

/// `columns` x `rows` squares; `x` begins; the first with `k` in a row wins.
///
/// Panics for a size that the catalogue does not have.
pub fn tictactoe(columns: usize, rows: usize, k: usize) -> Game {
    rules(columns, rows, k).build().expect("the rules are a game")
}

pub(crate) fn rules(columns: usize, rows: usize, k: usize) -> GameBuilder {
    let mut game = GameBuilder::new("tictactoe", ["x", "o"]);
    game.add_board((rows, columns), Origin::Bottom, ".xo", |_, _| true);
    game.owns(Owner::Player(Player(0)), "x");
    game.owns(Owner::Player(Player(1)), "o");
    let turn = game.add_turn();
    let board = game.board.clone().expect("just added");
    let mut filled = vec![];
    for cell in board.cells.iter().flatten().copied() {
        let empty = game.exprs.is(cell, 0);
        filled.push(game.exprs.not(empty));
        for player in Player::all(2) {
            let name = game.variables[cell.index()].name.clone();
            let updates = [Update::set(cell, player.value() + 1), game.hand_over(turn, player)];
            game.add_move(name, player, empty, updates);
        }
    }
    let full = game.exprs.and(filled);
    end_by_lines(&mut game, turn, k, full);
    game.blocks = board.cells.chunks(columns).map(|row| row.iter().copied().flatten().collect()).collect();
    game.initial = game.state(vec![0; game.variables.len()]);
    game
}
