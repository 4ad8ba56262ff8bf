//! Sets of boards by what lies on them.

use std::collections::BTreeMap;
use winset_model::Value;
use winset_symbolic::{Bcdd, SymbolicError, SymbolicGame};

/// All boards by how many more squares are the first player's than the other's. An unused code word counts
/// as the first player's stone.
pub fn by_lead(game: &SymbolicGame<'_, Bcdd>) -> Result<BTreeMap<i32, Bcdd>, SymbolicError> {
    let space = &game.symbolic.space;
    let mut boards = BTreeMap::from([(0, space.all().clone())]);
    let cells = game.game.board().into_iter().flat_map(|board| board.cells.iter().flatten());
    for &cell in cells.rev() {
        let [empty, other] = [0, 2].map(|value| space.is(cell, value));
        let own = space.diff(&space.diff(space.all(), empty)?, other)?;
        let mut more = BTreeMap::new();
        for (&lead, set) in &boards {
            for (by, content) in [(0, empty), (1, &own), (-1, other)] {
                let here = space.and(set, content)?;
                let known = more.entry(lead + by).or_insert_with(|| space.none().clone());
                *known = space.or(known, &here)?;
            }
        }
        boards = more;
    }
    Ok(boards)
}

/// Those of the boards on which no square has this content.
pub fn without(game: &SymbolicGame<'_, Bcdd>, boards: &Bcdd, content: Value) -> Result<Bcdd, SymbolicError> {
    let space = &game.symbolic.space;
    let mut left = boards.clone();
    for &cell in game.game.board().iter().flat_map(|board| board.cells.iter().flatten()) {
        left = space.diff(&left, space.is(cell, content))?;
    }
    Ok(left)
}
