//! Why a position cannot arise, as far as that can be said in a sentence.

use crate::error::ExploreError;
use crate::session::Session;
use winset_model::{Board, Game, State, Value, VarId};

/// Positions that may be looked up for one explanation.
const LOOKS: usize = 2000;

/// Says why a position cannot arise: the other player would have to be to move, a part of the board never looks like
/// this, no position has made this much progress, or what single change would help. None if nothing of that is found.
pub fn why_not(session: &mut Session<'_>, state: &State) -> Result<Option<String>, ExploreError> {
    let store = session.store();
    let game = store.game();
    let mut looks = LOOKS;
    let mut repairs = vec![];
    // The turn first: that is what people forget.
    let mut order: Vec<usize> = (0..game.variables().len()).collect();
    order.sort_by_key(|&i| (on_board(game, VarId(i as u32)), i));
    'all: for i in order {
        let var = VarId(i as u32);
        for value in 0..game.variables()[i].size() as Value {
            if value == state[var] {
                continue;
            }
            looks = match looks.checked_sub(1) {
                Some(left) => left,
                None => break 'all,
            };
            let mut other = state.clone();
            other[var] = value;
            if session.arises(&other)? == Some(true) {
                repairs.push(said(game, var, value));
                if repairs.len() == 3 {
                    break 'all;
                }
                // One way for each variable is enough.
                break;
            }
        }
    }
    if !repairs.is_empty() {
        return Ok(Some(format!("It could arise {}", repairs.join(", or "))));
    }
    let blocks = store.blocks()?;
    for block in &blocks.blocks {
        let values: Vec<Value> = block.vars.iter().map(|&var| state[var]).collect();
        if block.digit(&values).is_none() && block.vars.len() > 1 {
            let parts = block.vars.iter().map(|&var| name(game, var)).collect::<Vec<_>>().join(" ");
            return Ok(Some(format!("{parts} never hold this together")));
        }
    }
    if let Some(layer) = store.manifest().header.layering.layer(state) {
        let known = store.manifest().layers.iter().any(|record| i64::from(record.layer) == layer);
        if !known {
            return Ok(Some("No position of the game has made exactly this much progress".to_owned()));
        }
    }
    // That is what it means, and all that is left to say: two rows at once, for example.
    Ok((state != game.initial()).then(|| "No move from a position that can arise leads to it".to_owned()))
}

fn on_board(game: &Game, var: VarId) -> bool {
    game.board().is_some_and(|board| board.cells.contains(&Some(var)))
}

/// What a square or another variable is called.
fn name(game: &Game, var: VarId) -> String {
    let square = game.board().and_then(|board| {
        let at = board.cells.iter().position(|&cell| cell == Some(var))?;
        Some(Board::square_name(board.rows, board.origin, at / board.columns, at % board.columns))
    });
    square.unwrap_or_else(|| game.variables()[var.index()].name.clone())
}

/// A change in words.
fn said(game: &Game, var: VarId, value: Value) -> String {
    let variable = &game.variables()[var.index()];
    let is_turn = game.players().iter().all(|player| variable.values.contains(player))
        && variable.values.len() == game.players().len();
    let to = &variable.values[value as usize];
    match on_board(game, var) {
        _ if is_turn => format!("with {to} to move"),
        true if value == 0 => format!("if {} were empty", name(game, var)),
        true => {
            let glyph = game.board().and_then(|board| board.glyphs.get(value as usize));
            format!("with {} on {}", glyph.copied().unwrap_or('?'), name(game, var))
        }
        false if to.is_empty() => format!("without {}", variable.name),
        false => format!("with {to}"),
    }
}
