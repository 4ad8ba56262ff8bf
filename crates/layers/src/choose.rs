//! Blocks chosen from the game.

use winset_model::{Game, VarId};

/// The most combinations of values that a chosen block may span.
const SPAN: usize = 64;

/// The game's own blocks, and one at the top for each variable that is in none; without own blocks, as
/// many variables one after the other as span few combinations.
pub fn choose_blocks(game: &Game) -> Vec<Vec<VarId>> {
    let all = || (0..game.variables.len() as u32).map(VarId);
    if !game.blocks.is_empty() {
        let placed: Vec<VarId> = game.blocks.iter().flatten().copied().collect();
        let mut blocks: Vec<Vec<VarId>> =
            all().filter(|var| !placed.contains(var)).map(|var| vec![var]).collect();
        blocks.extend(game.blocks.iter().filter(|block| !block.is_empty()).cloned());
        return blocks;
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
