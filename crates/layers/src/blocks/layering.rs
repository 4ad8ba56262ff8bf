//! Which layer a state belongs to.

use winset_model::{Expr, Game, Value, VarId};

/// How the states are cut into layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layering {
    /// The number of moves made. A state that is reached after different numbers of moves is in several
    /// layers. Only for games that always end.
    Plies,
    /// The sum of a weight per variable and value. No move may lower it; moves that keep it stay inside
    /// their layer, which is then solved by iteration.
    Measure(Vec<Vec<i64>>),
    /// All states in one layer, solved by iteration. Always possible.
    OneTier,
}

impl Layering {
    /// By a progress measure if one is found, else all states in one tier.
    pub fn find(game: &Game) -> Self {
        winset_progress::find(game).map_or(Layering::OneTier, |measure| Layering::Measure(measure.weights))
    }

    /// Weights for every variable of the game, all 0 if the layers do not depend on the state.
    pub(crate) fn weights(&self, game: &Game) -> Vec<Vec<i64>> {
        match self {
            Layering::Measure(weights) => weights.clone(),
            _ => game.variables().iter().map(|v| vec![0; v.size()]).collect(),
        }
    }

    /// What every move adds apart from the weights.
    pub(crate) fn per_move(&self) -> i64 {
        i64::from(*self == Layering::Plies)
    }

    /// For a measure that every move raises: the same with the layers also cut by whose turn it is, so
    /// that all states of a layer have the same player to move. Needs a turn variable.
    pub(crate) fn split_by_turn(weights: &[Vec<i64>], game: &Game) -> Option<Vec<Vec<i64>>> {
        let turn = turn_variable(game)?;
        let mut split: Vec<Vec<i64>> =
            weights.iter().map(|values| values.iter().map(|w| w * 2).collect()).collect();
        for (player, weight) in split[turn.index()].iter_mut().enumerate() {
            *weight += player as i64;
        }
        Some(split)
    }
}

/// The variable whose value is the player to move, if there is one.
pub(crate) fn turn_variable(game: &Game) -> Option<VarId> {
    let mut vars = game.turn().iter().enumerate().map(|(player, &turn)| match game.exprs().get(turn) {
        &Expr::Is(var, value) if value == player as Value => Some(var),
        _ => None,
    });
    let first = vars.next()??;
    vars.all(|var| var == Some(first)).then_some(first)
}
