//! How many pieces there are: a condition on states that no play breaks, and that engines cannot know.

use crate::board::Owner;
use crate::expr::{ExprId, Exprs};
use crate::game::{Game, Player};
use crate::variable::{Value, VarId};

impl Game {
    /// No player has more than `most` pieces on the board; none: no more than at the start. None for a game that
    /// does not say whose its pieces are. The expression is made in `exprs`, which began as the game's own.
    ///
    /// ```
    /// # use winset_model::*;
    /// let mut game = GameBuilder::new("two squares", ["x", "o"]);
    /// game.add_board((1, 2), Origin::Top, ".xo", |_, _| true);
    /// game.owns(Owner::Player(Player(0)), "x");
    /// game.owns(Owner::Player(Player(1)), "o");
    /// game.initial = game.state([1, 0]);
    /// let game = game.build().unwrap();
    /// let mut exprs = game.exprs().clone();
    /// let limit = game.piece_limit(&mut exprs, None).unwrap();
    /// let mut lanes = Lanes::new(&exprs, game.variables(), [limit]);
    /// let allowed = [[1, 0], [0, 1], [1, 1], [1, 2], [0, 0]].map(|cells| {
    ///     lanes.load(&[State(cells.into())]);
    ///     lanes.holds(limit, 0)
    /// });
    /// assert_eq!(allowed, [true, true, false, false, true]);
    /// ```
    pub fn piece_limit(&self, exprs: &mut Exprs, most: Option<usize>) -> Option<ExprId> {
        let board = self.board().filter(|board| board.owners.iter().any(|&owner| owner != Owner::Nobody))?;
        let cells: Vec<VarId> = board.cells.iter().copied().flatten().collect();
        let values = |owner: Owner| {
            let owners = board.owners.iter().enumerate();
            owners.filter(move |&(_, &other)| other == owner).map(|(value, _)| value as Value)
        };
        let mut within = vec![];
        for player in Player::all(self.players().len()) {
            let own: Vec<Value> = values(Owner::Player(player)).collect();
            let at_start =
                || cells.iter().filter(|cell| own.contains(&self.initial().0[cell.index()])).count();
            let most = most.unwrap_or_else(at_start);
            let mut pieces = vec![];
            for &cell in &cells {
                let movers: Vec<ExprId> = values(Owner::Mover).map(|value| exprs.is(cell, value)).collect();
                let movers = exprs.or(movers);
                let mut mine: Vec<ExprId> = own.iter().map(|&value| exprs.is(cell, value)).collect();
                mine.push(exprs.and([self.turn()[player.index()], movers]));
                pieces.push((exprs.or(mine), Exprs::FALSE));
            }
            let more = exprs.majority(&pieces, i32::try_from(most).unwrap_or(i32::MAX));
            within.push(exprs.not(more));
        }
        Some(exprs.and(within))
    }
}
