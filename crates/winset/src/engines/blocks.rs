//! The layer engine's blocks as people write them.

use crate::engine::EngineError;
use winset_model::{Board, Game, VarId};

/// The blocks that a text names, topmost first: the rows or columns of the board, or variables by name.
/// Variables that are not named get a block each, above the others.
pub fn parse_blocks(game: &Game, text: &str) -> Result<Vec<Vec<VarId>>, EngineError> {
    let board = || {
        let none = || EngineError::WrongUse(format!("{} has no board, so no {text}", game.name()));
        game.board().ok_or_else(none)
    };
    let named = match text {
        "rows" => rows(board()?),
        "columns" => columns(board()?),
        _ => text
            .split('/')
            .map(|block| block.split(',').map(|name| variable(game, name.trim())).collect())
            .collect::<Result<_, _>>()?,
    };
    let placed: Vec<VarId> = named.iter().flatten().copied().collect();
    if let Some(twice) = placed.iter().enumerate().find(|(i, var)| placed[..*i].contains(var)) {
        let name = &game.variables()[twice.1.index()].name;
        return Err(EngineError::WrongUse(format!("{name:?} is in more than one block")));
    }
    let all = (0..game.variables().len() as u32).map(VarId);
    let others = all.filter(|var| !placed.contains(var)).map(|var| vec![var]);
    Ok(others.chain(named.into_iter().filter(|block| !block.is_empty())).collect())
}

fn rows(board: &Board) -> Vec<Vec<VarId>> {
    board.cells.chunks(board.columns).map(|row| row.iter().copied().flatten().collect()).collect()
}

fn columns(board: &Board) -> Vec<Vec<VarId>> {
    let column = |c: usize| (0..board.rows).filter_map(|r| board.cells[r * board.columns + c]).collect();
    (0..board.columns).map(column).collect()
}

fn variable(game: &Game, name: &str) -> Result<VarId, EngineError> {
    let found = game.variables().iter().position(|v| v.name == name);
    let wrong = || EngineError::WrongUse(format!("{} has no variable {name:?} for a block", game.name()));
    found.map(|i| VarId(i as u32)).ok_or_else(wrong)
}
