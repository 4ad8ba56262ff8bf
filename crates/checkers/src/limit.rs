//! The paper's formula that rules out states with more pieces than a player begins with.

use winset_model::{ExprId, Exprs, GameBuilder};

/// At most as many black and white pieces as at the start; a piece that must go on capturing belongs to
/// the mover. No transition leaves this set.
pub fn piece_limit(game: &mut GameBuilder) -> ExprId {
    let cells: Vec<_> =
        game.board.as_ref().map(|board| board.cells.iter().copied().flatten().collect()).unwrap_or_default();
    let glyphs = game.board.as_ref().map(|board| board.glyphs.clone()).unwrap_or_default();
    let glyph = |c: char| glyphs.iter().position(|&other| other == c).unwrap_or(0) as u16;
    let mut within = vec![];
    for player in 0..2 {
        let own = ['b', 'B', 'w', 'W'].map(glyph);
        let own = [own[2 * player], own[2 * player + 1]];
        let limit = cells.iter().filter(|&&cell| own.contains(&game.initial[cell])).count();
        let mut pairs = vec![];
        for &cell in &cells {
            let going_on = ['m', 'M'].map(|c| game.exprs.is(cell, glyph(c)));
            let going_on = game.exprs.or(going_on);
            let mine = game.exprs.and([game.turn[player], going_on]);
            let [man, king] = own.map(|value| game.exprs.is(cell, value));
            pairs.push((game.exprs.or([man, king, mine]), Exprs::FALSE));
        }
        let more = game.exprs.majority(&pairs, limit as i32);
        within.push(game.exprs.not(more));
    }
    game.exprs.and(within)
}
