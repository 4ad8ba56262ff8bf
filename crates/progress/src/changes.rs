//! What a move can do to each variable, from guards and updates.

use winset_model::{Facts, Game, Value, VarId};

/// A variable that a move updates, with every pair (before, after) that the rules do not exclude.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Change {
    /// The variable.
    pub var: VarId,
    /// Values before and after, sorted.
    pub pairs: Vec<(Value, Value)>,
}

/// For every move of the game its changes. A superset of what can happen in reachable states: guards are
/// looked at one variable at a time.
pub fn changes(game: &Game) -> Vec<Vec<Change>> {
    let mut list: Vec<Vec<Change>> = vec![vec![]; game.moves().len()];
    let mut facts = Facts::new(game.exprs());
    for (i, variable) in game.variables().iter().enumerate() {
        let var = VarId(i as u32);
        let mut pairs: Vec<Vec<(Value, Value)>> = vec![vec![]; game.moves().len()];
        for before in 0..variable.size() as Value {
            facts.assume(&[(var, before)], &[]);
            for (id, m) in game.moves().iter().enumerate() {
                let Some(update) = m.updates.iter().find(|u| u.var == var) else { continue };
                if facts.holds(m.guard) == Some(false)
                    || facts.holds(game.turn()[m.player.index()]) == Some(false)
                {
                    continue;
                }
                let mut open = true;
                for &(when, after) in &update.cases {
                    let holds = facts.holds(when);
                    if holds != Some(false) {
                        pairs[id].push((before, after));
                    }
                    open = holds != Some(true);
                    if !open {
                        break;
                    }
                }
                if open {
                    pairs[id].push((before, before));
                }
            }
        }
        for (id, mut pairs) in pairs.into_iter().enumerate() {
            pairs.sort_unstable();
            pairs.dedup();
            if !pairs.is_empty() {
                list[id].push(Change { var, pairs });
            }
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use winset_games::othello;
    use winset_model::Player;

    #[test]
    fn othello_flips_only_the_other_colour() {
        let game = othello(4, 4);
        let board = game.board().unwrap();
        let corner = game.moves().iter().position(|m| m.name == "a1" && m.player == Player(0)).unwrap();
        let all = changes(&game);
        let of = |row, column| all[corner].iter().find(|c| Some(c.var) == board.cell(row, column)).cloned();
        assert_eq!(of(0, 0).unwrap().pairs, [(0, 1)]);
        assert_eq!(of(0, 1).unwrap().pairs, [(0, 0), (1, 1), (2, 1), (2, 2)]);
        assert_eq!(of(1, 2), None);
    }
}
