//! What a move can do to a sum of weights, from guards and updates.

use std::collections::BTreeMap;
use winset_model::{Expr, Exprs, Facts, Game, Move, Update, Value, VarId};

/// A sum of weights of (variable, value), each with how often it is added; sorted, and none 0 times. Empty: nothing changes.
pub type Form = Vec<(VarId, Value, i64)>;

/// What a variable adds to the change of a sum of weights when a move is made: one of these, whichever its value and
/// other variables are. The rules exclude nothing else.
///
/// A variable that is set from one value to another adds the weight of the one and takes that of the other. Where a value
/// is copied to another variable, as in a row of squares that is pushed along, what it adds there is counted here, with
/// the variable that it comes from: so a sum over all squares is seen not to change when values only change places.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Change {
    /// The variable.
    pub var: VarId,
    /// What can happen, sorted.
    pub forms: Vec<Form>,
}

/// For every move of the game its changes. A superset of what can happen in reachable states: guards are
/// looked at one variable at a time.
pub fn changes(game: &Game) -> Vec<Vec<Change>> {
    let mut list: Vec<Vec<Change>> = vec![vec![]; game.moves().len()];
    let copies: Vec<Vec<(VarId, VarId)>> = game.moves().iter().map(|m| copies(game, m)).collect();
    let mut facts = Facts::new(game.exprs());
    for (i, variable) in game.variables().iter().enumerate() {
        let var = VarId(i as u32);
        let mut forms: Vec<Vec<Form>> = vec![vec![]; game.moves().len()];
        for before in 0..variable.size() as Value {
            facts.assume(&[(var, before)], &[]);
            for (id, m) in game.moves().iter().enumerate() {
                let update = m.updates.iter().find(|u| u.var == var);
                let copied = || copies[id].iter().filter(|(_, from)| *from == var);
                if update.is_none() && copied().next().is_none()
                    || facts.holds(m.guard) == Some(false)
                    || facts.holds(game.turn()[m.player.index()]) == Some(false)
                {
                    continue;
                }
                let elsewhere: Form = copied().map(|&(to, _)| (to, before, 1)).collect();
                let with = |more: &[(VarId, Value, i64)]| summed(elsewhere.iter().chain(more));
                match update {
                    None => forms[id].push(with(&[])),
                    // What it becomes is counted where that comes from.
                    Some(_) if copies[id].iter().any(|(to, _)| *to == var) => {
                        forms[id].push(with(&[(var, before, -1)]));
                    }
                    Some(update) => {
                        let becomes = |after| with(&[(var, after, 1), (var, before, -1)]);
                        forms[id].extend(possible(&mut facts, update, before).into_iter().map(becomes));
                    }
                }
            }
        }
        for (id, mut forms) in forms.into_iter().enumerate() {
            forms.sort_unstable();
            forms.dedup();
            if !forms.is_empty() {
                list[id].push(Change { var, forms });
            }
        }
    }
    list
}

/// A variable that a move updates, with every pair (before, after) that the rules do not exclude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The variable.
    pub var: VarId,
    /// Values before and after, sorted.
    pub pairs: Vec<(Value, Value)>,
}

/// For every move of the game what it can do to each variable that it updates, looked at like [`changes`].
pub fn steps(game: &Game) -> Vec<Vec<Steps>> {
    let mut list: Vec<Vec<Steps>> = vec![vec![]; game.moves().len()];
    let mut facts = Facts::new(game.exprs());
    for (i, variable) in game.variables().iter().enumerate() {
        let var = VarId(i as u32);
        let mut pairs: Vec<Vec<(Value, Value)>> = vec![vec![]; game.moves().len()];
        for before in 0..variable.size() as Value {
            facts.assume(&[(var, before)], &[]);
            for (id, m) in game.moves().iter().enumerate() {
                let Some(update) = m.updates.iter().find(|u| u.var == var) else { continue };
                if facts.holds(m.guard) != Some(false)
                    && facts.holds(game.turn()[m.player.index()]) != Some(false)
                {
                    pairs[id].extend(
                        possible(&mut facts, update, before).into_iter().map(|after| (before, after)),
                    );
                }
            }
        }
        for (id, mut pairs) in pairs.into_iter().enumerate() {
            pairs.sort_unstable();
            pairs.dedup();
            if !pairs.is_empty() {
                list[id].push(Steps { var, pairs });
            }
        }
    }
    list
}

/// What a variable can become by an update, from a value that the facts assume.
fn possible(facts: &mut Facts<'_>, update: &Update, before: Value) -> Vec<Value> {
    let mut list = vec![];
    for &(when, after) in &update.cases {
        let holds = facts.holds(when);
        if holds != Some(false) {
            list.push(after);
        }
        if holds == Some(true) {
            return list;
        }
    }
    list.push(before);
    list
}

/// The variables that get the value of another one by a move, and of which.
fn copies(game: &Game, m: &Move) -> Vec<(VarId, VarId)> {
    let copied = m.updates.iter().filter_map(|update| Some((update.var, source(game, update)?)));
    copied.collect()
}

/// The variable whose value this update copies, whatever that is.
fn source(game: &Game, update: &Update) -> Option<VarId> {
    let is = |exprs: &Exprs, when| match exprs.get(when) {
        &Expr::Is(var, value) => Some((var, value)),
        _ => None,
    };
    let (from, _) = is(game.exprs(), update.cases.first()?.0)?;
    let values = update.cases.iter().map(|&(when, after)| {
        let (var, value) = is(game.exprs(), when)?;
        (var == from && value == after).then_some(value)
    });
    let mut values: Vec<Value> = values.collect::<Option<_>>()?;
    values.sort_unstable();
    values.dedup();
    (from != update.var && values.len() == game.variables()[from.index()].size()).then_some(from)
}

fn summed<'a>(terms: impl Iterator<Item = &'a (VarId, Value, i64)>) -> Form {
    let mut sums: BTreeMap<(VarId, Value), i64> = BTreeMap::new();
    terms.for_each(|&(var, value, times)| *sums.entry((var, value)).or_default() += times);
    sums.into_iter()
        .filter(|(_, times)| *times != 0)
        .map(|((var, value), times)| (var, value, times))
        .collect()
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
        let first = of(0, 0).unwrap();
        assert_eq!(first.forms, [[(first.var, 0, -1), (first.var, 1, 1)]]);
        let flipped = of(0, 1).unwrap();
        assert_eq!(flipped.forms, [vec![], vec![(flipped.var, 1, 1), (flipped.var, 2, -1)]]);
        assert_eq!(of(1, 2), None);
    }
}
