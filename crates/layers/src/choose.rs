//! Blocks chosen from the game.

use crate::error::LayersError;
use crate::forward::Forward;
use crate::layering::Layering;
use crate::outcomes::Outcomes;
use crate::rules::Rules;
use winset_model::{Game, VarId};

/// The most combinations of values that a chosen block may span.
const SPAN: usize = 128;

/// The most combinations of values of variables that are tried as a block because moves change them together.
const WIDEST: usize = 1 << 13;

/// Other blocks than the game's own must save at least a fifth of the work.
const WORTH: (u64, u64) = (4, 5);

/// The blocks are tried on so many states.
const TRIED_STATES: u64 = 20_000;

/// The game's own blocks, or if they prove better on the first layers those of a board's other direction, or
/// of variables that moves change together. The choice depends on nothing but the game.
pub fn choose_blocks(game: &Game, layering: &Layering) -> Vec<Vec<VarId>> {
    let own = own_blocks(game);
    let others = other_direction(game).into_iter().chain(changed_together(game));
    let others: Vec<Vec<Vec<VarId>>> = others.filter(|other| *other != own).collect();
    if others.is_empty() {
        return own;
    }
    // What no reachable state fulfils does not matter here, and can be large as a condition.
    let game = &Game { forbidden: vec![], ..game.clone() };
    let work = |blocks: &[Vec<VarId>]| try_blocks(game, blocks.to_vec(), layering).ok().flatten();
    let Some(own_work) = work(&own) else { return own };
    let tried = others.into_iter().filter_map(|other| Some((work(&other)?, other)));
    match tried.min_by_key(|(work, _)| *work) {
        Some((work, other)) if work * WORTH.1 < own_work * WORTH.0 => other,
        _ => own,
    }
}

/// About how much work the first layers are; none if they are all there is.
fn try_blocks(game: &Game, blocks: Vec<Vec<VarId>>, layering: &Layering) -> Result<Option<u64>, LayersError> {
    let rules = Rules::new(game, blocks, Outcomes::new(game, Default::default()))?;
    let mut forward = Forward::new(game, rules, layering)?;
    let mut states = 0;
    while let Some(layer) = forward.next_layer(game, None)? {
        states += layer.positions;
        if states > TRIED_STATES {
            return Ok(Some(forward.work));
        }
    }
    Ok(None)
}

/// The game's own blocks, and one at the top for each variable that is in none; without own blocks, as
/// many variables one after the other as span few combinations.
fn own_blocks(game: &Game) -> Vec<Vec<VarId>> {
    let all = || (0..game.variables.len() as u32).map(VarId);
    if !game.blocks.is_empty() {
        return with_others(game, game.blocks.iter().filter(|block| !block.is_empty()).cloned());
    }
    let mut blocks: Vec<Vec<VarId>> = vec![];
    let mut span = SPAN + 1;
    for var in all() {
        let size = game.variables[var.index()].size();
        span = span.saturating_mul(size);
        match blocks.last_mut() {
            Some(block) if span <= SPAN => block.push(var),
            _ => {
                blocks.push(vec![var]);
                span = size;
            }
        }
    }
    blocks
}

/// A block for every group of variables that a move changes together, such as the squares onto which a
/// stone can fall: their local states are then far fewer than all combinations. Variables that most moves
/// change, such as whose turn it is, say nothing. None if there are no such groups or only large ones.
fn changed_together(game: &Game) -> Option<Vec<Vec<VarId>>> {
    if !game.blocks.is_empty() {
        return None;
    }
    let mut changed_by = vec![0usize; game.variables.len()];
    game.moves.iter().flat_map(|m| &m.updates).for_each(|update| changed_by[update.var.index()] += 1);
    let tells = |var: VarId| changed_by[var.index()] * 2 <= game.moves.len();
    let mut group: Vec<usize> = (0..game.variables.len()).collect();
    for m in &game.moves {
        let mut together = m.updates.iter().map(|update| update.var).filter(|&var| tells(var));
        let Some(first) = together.next() else { continue };
        for var in together {
            let (from, to) = (group[var.index()], group[first.index()]);
            let (from, to) = (from.max(to), from.min(to));
            group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
        }
    }
    let mut blocks: Vec<Vec<VarId>> = vec![vec![]; group.len()];
    (0..group.len()).for_each(|var| blocks[group[var]].push(VarId(var as u32)));
    let span = |block: &Vec<VarId>| {
        block.iter().map(|var| game.variables[var.index()].size()).fold(1, usize::saturating_mul)
    };
    blocks.retain(|block| block.len() > 1);
    let fits = !blocks.is_empty() && blocks.iter().all(|block| span(block) <= WIDEST);
    fits.then(|| with_others(game, blocks.into_iter()))
}

/// The columns of a board whose rows are the game's own blocks, or the other way round.
fn other_direction(game: &Game) -> Option<Vec<Vec<VarId>>> {
    let board = game.board.as_ref()?;
    let mut placed: Vec<VarId> = game.blocks.iter().flatten().copied().collect();
    let mut cells: Vec<VarId> = board.cells.iter().flatten().copied().collect();
    placed.sort_unstable();
    cells.sort_unstable();
    if placed != cells {
        return None;
    }
    let row = |r: usize| (0..board.columns).filter_map(|c| board.cells[r * board.columns + c]).collect();
    let column = |c: usize| (0..board.rows).filter_map(|r| board.cells[r * board.columns + c]).collect();
    let rows: Vec<Vec<VarId>> = (0..board.rows).map(row).collect();
    let columns: Vec<Vec<VarId>> = (0..board.columns).map(column).collect();
    let same = |a: &[VarId], b: &[VarId]| a.iter().all(|var| b.contains(var)) && a.len() == b.len();
    let by_rows = game.blocks.iter().zip(&rows).all(|(a, b)| same(a, b)) && game.blocks.len() == rows.len();
    let other = if by_rows { columns } else { rows };
    Some(with_others(game, other.into_iter().filter(|block| !block.is_empty())))
}

/// The blocks below one for each variable that is in none.
fn with_others(game: &Game, blocks: impl Iterator<Item = Vec<VarId>>) -> Vec<Vec<VarId>> {
    let below: Vec<Vec<VarId>> = blocks.collect();
    let placed: Vec<VarId> = below.iter().flatten().copied().collect();
    let all = (0..game.variables.len() as u32).map(VarId);
    let others = all.filter(|var| !placed.contains(var)).map(|var| vec![var]);
    others.chain(below).collect()
}
