//! Weights by linear programming: no move lowers the measure, and as many as possible raise it.

use crate::changes::Change;
use crate::find::Measure;
use crate::unknowns::{Row, Unknowns};
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use std::collections::{BTreeMap, BTreeSet};
use winset_model::Game;

/// Beyond n inequalities the search is not worth its time: these take up to half a second.
const LARGEST: usize = 2_000;

/// A cost per unit of weight, so that the measure takes few different values.
const COST: f64 = 1e-4;

/// What a change is worth that raises the measure, but of which it is not proved that it happens.
const CHANCE: f64 = 1e-2;

/// No weight is larger than this.
const HEAVIEST: f64 = 1_000.0;

/// Finds weights such that no move lowers the sum and as many kinds of moves as possible raise it by at
/// least one; if no move is proved to, such that as many changes as possible raise it where they happen. A
/// stone that falls onto one of several squares is an example: some square gets it, but none for sure. The
/// program's solution is rounded and then proved exactly. Where there are too many inequalities, variables that
/// change alike weigh the same, so that moves of the same kind on other squares say the same.
pub fn find(game: &Game, all: &[Vec<Change>], offsets: &[usize]) -> Option<Measure> {
    let each = Unknowns::each(game, offsets);
    let alike = || Unknowns::alike(game, all, offsets);
    let few = |unknowns: &Unknowns<'_>| inequalities(&kinds(all, unknowns)) <= LARGEST;
    let unknowns = Some(each).filter(few).or_else(|| Some(alike()).filter(few))?;
    let ways = [Chance { worth: 0.0, beyond_least: false }, Chance { worth: CHANCE, beyond_least: false }];
    let last = Chance { worth: CHANCE, beyond_least: true };
    ways.into_iter().chain([last]).find_map(|chance| search(game, all, &unknowns, chance))
}

/// Moves that change the same things are one kind.
fn kinds(all: &[Vec<Change>], unknowns: &Unknowns<'_>) -> BTreeSet<Vec<Row>> {
    all.iter().filter(|changes| !changes.is_empty()).map(|changes| unknowns.rows(changes)).collect()
}

/// What a variable can do that is not the same in all cases, and in how many kinds of moves it does so.
fn choices(kinds: &BTreeSet<Vec<Row>>) -> BTreeMap<&Row, usize> {
    let mut count = BTreeMap::new();
    for row in kinds.iter().flatten().filter(|row| row.only().is_none()) {
        *count.entry(row).or_default() += 1;
    }
    count
}

fn inequalities(kinds: &BTreeSet<Vec<Row>>) -> usize {
    kinds.len() + choices(kinds).keys().map(|row| row.forms.len()).sum::<usize>()
}

/// What a change is worth that may happen.
#[derive(Clone, Copy)]
struct Chance {
    worth: f64,
    /// It counts by how much more it is than the least that its variable adds; or else by how much it is more than
    /// nothing.
    beyond_least: bool,
}

/// The same with a given worth of changes that may happen.
fn search(game: &Game, all: &[Vec<Change>], unknowns: &Unknowns<'_>, chance: Chance) -> Option<Measure> {
    let mut program = Problem::new(OptimizationDirection::Maximize);
    let weights: Vec<Variable> =
        (0..unknowns.len()).map(|_| program.add_var(-COST, (0.0, HEAVIEST))).collect();
    let kinds = kinds(all, unknowns);
    let least: BTreeMap<&Row, Variable> = choices(&kinds)
        .into_iter()
        .map(|(row, times)| (row, add_least(&mut program, &weights, row, chance, times)))
        .collect();
    for kind in &kinds {
        add_kind(&mut program, &weights, &least, kind);
    }
    let solution = program.solve().ok()?;
    let values: Vec<f64> = weights.iter().map(|&weight| solution[weight]).collect();
    // Vertices of the program are rational with small denominators; the smallest that works is taken.
    (1..=12).find_map(|scale| {
        let whole: Vec<i64> = values.iter().map(|value| (value * f64::from(scale)).round() as i64).collect();
        Measure::new(unknowns.weights(game, &whole), all)
    })
}

/// A new unknown that is at most what the variable adds in any case. Whatever it does in many kinds of moves is stated
/// once: kinds that differ elsewhere only would say the same again.
fn add_least(
    program: &mut Problem,
    weights: &[Variable],
    row: &Row,
    chance: Chance,
    kinds: usize,
) -> Variable {
    let moving = row.forms.iter().filter(|form| !form.is_empty());
    let most = if row.forms.iter().any(|form| form.is_empty()) { 0.0 } else { HEAVIEST };
    let least = program.add_var(0.0, (-HEAVIEST, most));
    for form in moving {
        let mut beyond = terms(weights, form);
        beyond.push((least, -1.0));
        program.add_constraint(beyond.as_slice(), ComparisonOp::Ge, 0.0);
        if chance.worth > 0.0 {
            let gain = program.add_var(chance.worth * kinds as f64, (0.0, 1.0));
            let mut row = if chance.beyond_least { beyond } else { terms(weights, form) };
            row.push((gain, -1.0));
            program.add_constraint(row.as_slice(), ComparisonOp::Ge, 0.0);
        }
    }
    least
}

/// `0 <= raise <= 1`, and the kind's least change of the measure is at least `raise`.
fn add_kind(program: &mut Problem, weights: &[Variable], least: &BTreeMap<&Row, Variable>, kind: &[Row]) {
    let raise = program.add_var(1.0, (0.0, 1.0));
    let mut sum: Vec<(Variable, f64)> = vec![(raise, -1.0)];
    for row in kind {
        match row.only() {
            Some(form) => sum.extend(terms(weights, form)),
            None => sum.push((least[row], 1.0)),
        }
    }
    program.add_constraint(merged(sum).as_slice(), ComparisonOp::Ge, 0.0);
}

fn terms(weights: &[Variable], form: &[(usize, i64)]) -> Vec<(Variable, f64)> {
    form.iter().map(|&(unknown, times)| (weights[unknown], times as f64)).collect()
}

/// One term per variable: the solver does not take a variable twice.
fn merged(mut terms: Vec<(Variable, f64)>) -> Vec<(Variable, f64)> {
    terms.sort_by_key(|(variable, _)| variable.idx());
    let mut one: Vec<(Variable, f64)> = vec![];
    for (variable, factor) in terms {
        match one.last_mut().filter(|(last, _)| *last == variable) {
            Some((_, sum)) => *sum += factor,
            None => one.push((variable, factor)),
        }
    }
    one
}

#[cfg(test)]
mod tests {
    use crate::find::{Kind, find};
    use winset_model::{GameBuilder, Player, Update};

    #[test]
    fn a_stone_that_falls_somewhere_is_progress() {
        let mut game = GameBuilder::new("tower", ["only"]);
        let lower = game.add_variable("lower", ["empty", "stone"]);
        let upper = game.add_variable("upper", ["empty", "stone"]);
        let [free, taken] = [0, 1].map(|value| game.exprs.is(lower, value));
        let room = game.exprs.is(upper, 0);
        let when = |var, condition| Update { var, cases: vec![(condition, 1)] };
        game.add_move("drop", Player(0), room, [when(lower, free), when(upper, taken)]);
        game.initial = game.state([0, 0]);
        let game = game.build().unwrap();
        let measure = find(&game).expect("the number of stones, for one");
        assert_eq!(measure.kind, Kind::Monotone);
        let stones = |state: [u16; 2]| measure.of(&state.into());
        assert!(stones([0, 0]) < stones([1, 0]) && stones([1, 0]) < stones([1, 1]));
    }
}
