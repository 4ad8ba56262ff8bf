//! Tic-tac-toe on m x n squares with k in a row: the m,n,k-game.

use crate::line::end_by_lines;
use winset_model::{Game, GameBuilder, Origin, Player, Update};

/// `columns` x `rows` squares; `x` begins; the first with `k` in a row wins.
///
/// Panics for a size that the catalogue does not have.
pub fn tictactoe(columns: usize, rows: usize, k: usize) -> Game {
    rules(columns, rows, k).build().expect("the rules are a game")
}

pub(crate) fn rules(columns: usize, rows: usize, k: usize) -> GameBuilder {
    let mut game = GameBuilder::new("tictactoe", ["x", "o"]);
    game.add_board((rows, columns), Origin::Bottom, ".xo", |_, _| true);
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
