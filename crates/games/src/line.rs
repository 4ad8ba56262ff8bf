//! Straight lines on a board.

use winset_model::{ExprId, GameBuilder, Player, Value, VarId};

/// The game ends when who has just moved has a line of `k`, and wins, or when the board is full: a draw.
/// Player p's stones are the value p + 1.
pub fn end_by_lines(game: &mut GameBuilder, turn: VarId, k: usize, full: ExprId) {
    let mut any_line = vec![];
    for player in Player::all(2) {
        let just_moved = game.exprs.is(turn, player.other().value());
        let lines = lines(game, k, player.value() + 1);
        let parts: Vec<ExprId> = lines.into_iter().map(|line| game.exprs.and([just_moved, line])).collect();
        let won = game.exprs.or(parts.iter().copied());
        any_line.push(won);
        game.reward_winner(player, won);
        game.terminal.extend(parts);
    }
    game.terminal.push(full);
    let any_line = game.exprs.or(any_line);
    let no_line = game.exprs.not(any_line);
    game.reward_draw(no_line);
}

/// For every line of `k` squares on the board: that all of them hold `value`.
pub fn lines(game: &mut GameBuilder, k: usize, value: Value) -> Vec<ExprId> {
    let board = game.board.clone().expect("the game has a board");
    let mut all = vec![];
    for row in 0..board.rows as isize {
        for column in 0..board.columns as isize {
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let squares = (0..k as isize).map(|i| board.cell(row + i * down, column + i * right));
                let Some(line) = squares.collect::<Option<Vec<_>>>() else { continue };
                let held: Vec<ExprId> = line.into_iter().map(|cell| game.exprs.is(cell, value)).collect();
                all.push(game.exprs.and(held));
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}
