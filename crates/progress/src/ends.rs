//! Whether every play comes to an end, as far as the rules show it.

use crate::changes::changes;
use crate::find::delta;
use winset_model::{Expr, ExprId, Exprs, Game, Player, VarId};

/// Whether the rules show that every play comes to an end: every move raises the sum of these weights; or every
/// move but the passes does, a pass does not lower it, and no pass follows a pass.
///
/// ```
/// let game = winset_games::build("tictactoe", None, &Default::default()).unwrap();
/// let weights = winset_progress::find(&game).unwrap().weights;
/// assert!(winset_progress::every_play_ends(&game, &weights));
/// let none: Vec<Vec<i64>> = weights.iter().map(|w| vec![0; w.len()]).collect();
/// assert!(!winset_progress::every_play_ends(&game, &none));
/// ```
pub fn every_play_ends(game: &Game, weights: &[Vec<i64>]) -> bool {
    let least: Vec<i64> = changes(game).iter().map(|changes| delta(weights, changes).least).collect();
    let raises = |id: usize| least[id] > 0;
    let is_pass = |id: usize| game.moves()[id].fallback && least[id] == 0;
    let all = 0..game.moves().len();
    all.clone().all(raises) || (all.clone().all(|id| raises(id) || is_pass(id)) && passes_alternate(game))
}

/// No pass follows a pass: a pass does nothing but give the turn to the other, on whom no other rule depends,
/// and the game has ended where nobody has a move other than a pass.
fn passes_alternate(game: &Game) -> bool {
    let Some(turn) = turn_variable(game) else { return false };
    let hands_over = |player: Player, var: VarId, cases: &[(ExprId, u16)]| {
        var == turn && matches!(cases, [(Exprs::TRUE, to)] if *to == player.other().value())
    };
    let passes = game.moves().iter().filter(|m| m.fallback);
    let others = game.moves().iter().filter(|m| !m.fallback);
    let mut guards: Vec<ExprId> = others.map(|m| m.guard).filter(|&guard| guard != Exprs::FALSE).collect();
    guards.sort_unstable();
    guards.dedup();
    let ended = game.terminal().iter().any(|&when| denies_all(game, when, &guards));
    let rules = || game.exprs().cone(guards.iter().chain(game.terminal()).copied());
    let is_turn = |expr: &ExprId| matches!(game.exprs().get(*expr), Expr::Is(var, _) if *var == turn);
    ended
        && passes.into_iter().all(
            |m| matches!(m.updates.as_slice(), [update] if hands_over(m.player, update.var, &update.cases)),
        )
        && !rules().iter().any(is_turn)
}

/// Whether the expression is the negation of the disjunction of these, which are sorted.
fn denies_all(game: &Game, expr: ExprId, all: &[ExprId]) -> bool {
    let &Expr::Not(denied) = game.exprs().get(expr) else { return false };
    match game.exprs().get(denied) {
        Expr::Or(list) => **list == *all,
        _ => *all == [denied],
    }
}

/// The variable whose value is the one of two players who is to move, if there is one.
fn turn_variable(game: &Game) -> Option<VarId> {
    let of = |player: Player| match game.exprs().get(game.turn()[player.index()]) {
        &Expr::Is(var, value) if usize::from(value) == player.index() => Some(var),
        _ => None,
    };
    (game.players().len() == 2 && of(Player(0)) == of(Player(1))).then(|| of(Player(0))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use winset_model::{Explicit, State};

    fn ends(game: &Game) -> bool {
        crate::find(game).is_some_and(|measure| every_play_ends(game, &measure.weights))
    }

    #[test]
    fn built_in_games_end_but_for_checkers() {
        let made =
            |name: &str, size: &str| winset_games::build(name, Some(size), &Default::default()).unwrap();
        for (name, size) in
            [("tictactoe", "3x3"), ("connect4", "5x4"), ("othello", "4x4"), ("othello", "5x6")]
        {
            assert!(ends(&made(name, size)), "{name} {size}");
        }
        assert!(!ends(&made("checkers", "4")));
    }

    /// Othello in which passing twice goes on.
    #[test]
    fn passes_that_can_follow_each_other_are_circles() {
        let mut game = winset_games::othello(4, 4).into_builder();
        game.terminal.clear();
        let full = game.exprs.is(VarId(0), 1);
        game.terminal.push(full);
        let game = game.build().unwrap();
        assert!(!ends(&game));
    }

    /// The claim itself, looked at: no position repeats on any play of the smallest Othello.
    #[test]
    fn no_play_of_othello_passes_twice() {
        let game = winset_games::othello(4, 4);
        let mut explicit = Explicit::new(&game);
        let (mut seen, mut open) = (std::collections::HashSet::<State>::new(), vec![game.initial().clone()]);
        while let Some(state) = open.pop() {
            for (id, next) in explicit.successors(&state) {
                let again = explicit.successors(&next);
                let twice =
                    game.move_at(id).fallback && again.iter().any(|(id, _)| game.move_at(*id).fallback);
                assert!(!twice, "{}", game.print(&state));
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
}
