//! The search for a measure.

use crate::changes::{Change, Form, changes};
use crate::equations::Equations;
use crate::inequalities;
use std::collections::{BTreeMap, BTreeSet};
use winset_model::{Game, State, VarId};

/// How strong a measure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every move raises it by the same amount.
    Incremental,
    /// Every move raises it.
    Strict,
    /// No move lowers it.
    Monotone,
}

/// By how much a move can change the measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delta {
    /// At least.
    pub least: i64,
    /// At most.
    pub greatest: i64,
}

/// A progress measure: a state's value is the sum of the weights of its variables' values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// A weight per variable and value.
    pub weights: Vec<Vec<i64>>,
    /// How strong it is.
    pub kind: Kind,
    /// By how much each move changes it, proved from guards and updates.
    pub deltas: Vec<Delta>,
}

impl Measure {
    /// The measure of a state.
    pub fn of(&self, state: &State) -> i64 {
        state.0.iter().zip(&self.weights).map(|(&value, weights)| weights[value as usize]).sum()
    }

    /// Every move changes it by an amount that does not depend on the state.
    pub fn is_constant_per_move(&self) -> bool {
        self.deltas.iter().all(|delta| delta.least == delta.greatest)
    }

    /// The measure with these weights, if it is one: it must never fall and sometimes rise.
    pub(crate) fn new(weights: Vec<Vec<i64>>, all: &[Vec<Change>]) -> Option<Measure> {
        let deltas: Vec<Delta> = all.iter().map(|changes| delta(&weights, changes)).collect();
        let least = deltas.iter().map(|d| d.least).min().unwrap_or(0);
        let greatest = deltas.iter().map(|d| d.greatest).max().unwrap_or(0);
        let kind = match least {
            1.. if least == greatest => Kind::Incremental,
            1.. => Kind::Strict,
            0 if greatest > 0 => Kind::Monotone,
            _ => return None,
        };
        Some(Measure { weights, kind, deltas })
    }
}

/// The bounds on a move's change of the measure, its variables taken one by one.
pub(crate) fn delta(weights: &[Vec<i64>], changes: &[Change]) -> Delta {
    let mut sum = Delta { least: 0, greatest: 0 };
    for change in changes {
        let steps = change.forms.iter().map(|form| {
            form.iter().map(|&(var, value, times)| times * weights[var.index()][value as usize]).sum::<i64>()
        });
        sum.least += steps.clone().min().unwrap_or(0);
        sum.greatest += steps.max().unwrap_or(0);
    }
    sum
}

/// Looks for a measure, the strongest first: every move raises it by one; every move but the passes
/// (fallback moves), which leave it alone; no move lowers it and as many as possible raise it. None: there
/// is no such measure, or it was not found.
pub fn find(game: &Game) -> Option<Measure> {
    let all = changes(game);
    let offsets: Vec<usize> = game
        .variables()
        .iter()
        .scan(0, |next, v| {
            let at = *next;
            *next += v.size();
            Some(at)
        })
        .collect();
    let unknowns: usize = game.variables().iter().map(|v| v.size()).sum();
    let targets: [&dyn Fn(usize) -> i128; 2] = [&|_| 1, &|id| i128::from(!game.moves()[id].fallback)];
    let by_equations = targets.iter().find_map(|target| {
        let equations = constraints(game, &all, &offsets, target)?;
        let values = equations.solve(unknowns)?;
        let weights =
            game.variables().iter().zip(&offsets).map(|(v, &at)| values[at..at + v.size()].to_vec());
        Measure::new(weights.collect(), &all)
    });
    by_equations.or_else(|| inequalities::find(game, &all, &offsets))
}

/// Each move raises the sum by its target; each variable's part of it is the same whatever happens.
fn constraints(
    game: &Game,
    all: &[Vec<Change>],
    offsets: &[usize],
    target: &dyn Fn(usize) -> i128,
) -> Option<Equations> {
    let mut equations = Equations::default();
    let step = |form: &Form| {
        let unknown = |&(var, value, times): &(VarId, u16, i64)| {
            (offsets[var.index()] + value as usize, i128::from(times))
        };
        form.iter().map(unknown).collect::<BTreeMap<usize, i128>>()
    };
    let mut seen: BTreeSet<(Vec<(usize, i128)>, i128)> = BTreeSet::new();
    let mut add = |row: BTreeMap<usize, i128>, right: i128| {
        let fresh = seen.insert((row.iter().map(|(&i, &c)| (i, c)).collect(), right));
        !fresh || equations.add(&row, right)
    };
    // What a value weighs is only known up to a constant per variable.
    for &at in offsets {
        if !add(BTreeMap::from([(at, 1)]), 0) {
            return None;
        }
    }
    for (id, changes) in all.iter().enumerate() {
        // A move without anything that can happen to one of its variables can never be made.
        let updates = &game.moves()[id].updates;
        if !updates.iter().all(|update| changes.iter().any(|change| change.var == update.var)) {
            continue;
        }
        let mut whole: BTreeMap<usize, i128> = BTreeMap::new();
        for change in changes {
            let first = step(&change.forms[0]);
            for form in &change.forms[1..] {
                let mut row = step(form);
                first.iter().for_each(|(&i, &c)| *row.entry(i).or_default() -= c);
                if !add(row, 0) {
                    return None;
                }
            }
            first.into_iter().for_each(|(i, c)| *whole.entry(i).or_default() += c);
        }
        if !add(whole, target(id)) {
            return None;
        }
    }
    Some(equations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use winset_games::build;
    use winset_model::Explicit;

    fn measure(name: &str, size: &str) -> (Game, Option<Measure>) {
        let game = build(name, Some(size), &Default::default()).unwrap();
        let measure = find(&game);
        (game, measure)
    }

    #[test]
    fn kinds_of_the_built_in_games() {
        assert_eq!(measure("tictactoe", "3x3").1.unwrap().kind, Kind::Incremental);
        assert_eq!(measure("connect4", "4x4").1.unwrap().kind, Kind::Incremental);
        assert_eq!(measure("othello", "4x5").1.unwrap().kind, Kind::Monotone);
        assert_eq!(measure("breakthrough", "4x3").1.unwrap().kind, Kind::Strict);
    }

    /// A push moves squares around, and can only take blank ones away.
    #[test]
    fn quixo_has_fewer_and_fewer_blank_squares() {
        for size in ["2", "3", "4"] {
            let (game, measure) = measure("quixo", size);
            let measure = measure.unwrap();
            assert_eq!(measure.kind, Kind::Monotone);
            let squares = game.variables().len() - 1;
            let steps: BTreeSet<i64> = measure.weights[..squares].iter().map(|w| w[1] - w[0]).collect();
            assert!(steps.len() == 1 && steps.first() > Some(&0), "{steps:?}");
            assert!(measure.weights[..squares].iter().all(|w| w[1] == w[2]));
        }
    }

    #[test]
    fn deltas_hold_along_playouts() {
        for (name, size) in [
            ("tictactoe", "3x3"),
            ("connect4", "5x4"),
            ("othello", "4x5"),
            ("breakthrough", "6x4"),
            ("quixo", "3"),
        ] {
            let (game, measure) = measure(name, size);
            let measure = measure.unwrap();
            assert_eq!(measure.is_constant_per_move(), !["breakthrough", "quixo"].contains(&name));
            let mut explicit = Explicit::new(&game);
            let mut state = game.initial().clone();
            let mut choice = 7usize;
            for _ in 0..1000 {
                let next = explicit.successors(&state);
                if next.is_empty() {
                    break;
                }
                choice = choice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
                let (id, after) = next[(choice >> 33) % next.len()].clone();
                let Delta { least, greatest } = measure.deltas[id.index()];
                assert!((least..=greatest).contains(&(measure.of(&after) - measure.of(&state))));
                state = after;
            }
        }
    }
}
