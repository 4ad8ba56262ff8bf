//! Sums that never change without progress, such as the number of kings.

use crate::changes::{Form, changes};
use crate::equations::Equations;
use std::collections::{BTreeMap, BTreeSet};
use winset_model::{Game, Value};

/// Beyond n values of all variables the search is not worth its time.
const LARGEST: usize = 1_500;

/// Heavier weights than these say nothing that could be counted.
const HEAVIEST: i64 = 64;

/// Sums of weights of (variable, value) that every move keeps which leaves the measure as it is: a basis of those that are not
/// known from the classes of values alone (see [`crate::parts`]). In each class of a variable the least weight is 0.
///
/// In checkers these are the numbers of kings of either side: only kings move without progress.
///
/// ```
/// let game = winset_games::build("checkers", Some("4"), &Default::default()).unwrap();
/// let weights = winset_progress::find(&game).unwrap().weights;
/// let classes = winset_progress::parts(&game, &weights);
/// let kept = winset_progress::kept(&game, &weights, &classes);
/// assert_eq!(kept.len(), 2);
/// // Empty, man, king, man, king, and pieces that go on capturing.
/// let square = game.variables().iter().position(|variable| variable.size() == 7).unwrap();
/// assert_eq!(kept[0][square], [0, 0, 1, 0, 0, 0, 0]);
/// ```
pub fn kept(game: &Game, weights: &[Vec<i64>], classes: &[Vec<Value>]) -> Vec<Vec<Vec<i64>>> {
    let sizes = game.variables().iter().map(|variable| variable.size());
    let offsets: Vec<usize> = sizes
        .scan(0, |next, size| {
            *next += size;
            Some(*next - size)
        })
        .collect();
    let unknowns: usize = classes.iter().map(Vec::len).sum();
    if unknowns > LARGEST {
        return vec![];
    }
    equations(game, weights, classes, &offsets)
        .and_then(|equations| equations.homogeneous(unknowns))
        .unwrap_or_default()
        .into_iter()
        .filter_map(|values| {
            let cut = offsets.iter().zip(classes).map(|(&at, classes)| &values[at..at + classes.len()]);
            let sum: Vec<Vec<i64>> =
                cut.zip(classes).map(|(values, classes)| least_0(values, classes)).collect();
            sum.iter().flatten().all(|&weight| weight <= HEAVIEST).then_some(sum)
        })
        .collect()
}

/// What the weights of a sum must fulfil. Of every variable that a move changes, whatever can happen to it without progress
/// changes the sum by the same amount, and these amounts cancel out.
fn equations(
    game: &Game,
    weights: &[Vec<i64>],
    classes: &[Vec<Value>],
    offsets: &[usize],
) -> Option<Equations> {
    let mut rows: BTreeSet<Vec<(usize, i128)>> = BTreeSet::new();
    let mut add = |row: BTreeMap<usize, i128>| {
        rows.insert(row.into_iter().filter(|(_, times)| *times != 0).collect());
    };
    // The classes themselves are kept, and so is everything that follows from them.
    for (classes, &at) in classes.iter().zip(offsets) {
        let firsts = (0..classes.len()).filter(|&value| !classes[..value].contains(&classes[value]));
        firsts.for_each(|value| add(BTreeMap::from([(at + value, 1)])));
    }
    let raises = |form: &Form| -> i64 {
        form.iter().map(|&(var, value, times)| times * weights[var.index()][usize::from(value)]).sum()
    };
    'moves: for changes in changes(game) {
        let least = |forms: &[Form]| forms.iter().map(raises).min().unwrap_or(0);
        let sum: i64 = changes.iter().map(|change| least(&change.forms)).sum();
        let mut whole: BTreeMap<usize, i128> = BTreeMap::new();
        let mut apart = vec![];
        for change in &changes {
            let others = sum - least(&change.forms);
            // Whatever the others do, the measure is raised where this is above 0.
            let mut silent = change.forms.iter().filter(|form| others + raises(form) <= 0);
            let Some(first) = silent.next() else { continue 'moves };
            let row = |form: &Form, sign: i128, row: &mut BTreeMap<usize, i128>| {
                for &(var, value, times) in form {
                    *row.entry(offsets[var.index()] + usize::from(value)).or_default() +=
                        sign * i128::from(times);
                }
            };
            for other in silent {
                let mut difference = BTreeMap::new();
                row(first, 1, &mut difference);
                row(other, -1, &mut difference);
                apart.push(difference);
            }
            row(first, 1, &mut whole);
        }
        apart.into_iter().chain([whole]).for_each(&mut add);
    }
    let mut equations = Equations::default();
    let all = rows.into_iter().all(|row| equations.add(&row.into_iter().collect(), 0));
    all.then_some(equations)
}

/// The same weights, with 0 as the least in each class.
fn least_0(values: &[i64], classes: &[Value]) -> Vec<i64> {
    let of = |class: Value| values.iter().zip(classes).filter(move |(_, other)| **other == class);
    let least = |class| of(class).map(|(&value, _)| value).min().unwrap_or(0);
    values.iter().zip(classes).map(|(&value, &class)| value - least(class)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use winset_model::{Explicit, State};

    /// The claim itself, looked at: every move of every position that raises nothing keeps the sums.
    #[test]
    fn moves_without_progress_keep_the_sums() {
        let mut found = vec![];
        for (name, size) in [
            ("checkers", "4"),
            ("dodgem", "3"),
            ("quixo", "3"),
            ("achi", "3"),
            ("hexapawn", "3"),
            ("kpk", "4"),
        ] {
            let Ok(game) = winset_games::build(name, Some(size), &Default::default()) else { continue };
            let Some(measure) = crate::find(&game) else { continue };
            let classes = crate::parts(&game, &measure.weights);
            let kept = kept(&game, &measure.weights, &classes);
            found.push((name, kept.len()));
            let sums = |state: &State| -> Vec<i64> {
                let sum = |sum: &Vec<Vec<i64>>| {
                    sum.iter().zip(&state.0).map(|(weights, &value)| weights[usize::from(value)]).sum()
                };
                kept.iter().map(sum).collect()
            };
            let mut explicit = Explicit::new(&game);
            let mut seen = HashSet::from([game.initial().clone()]);
            let mut open = vec![game.initial().clone()];
            while let Some(state) = open.pop().filter(|_| seen.len() < 20_000) {
                for (_, next) in explicit.successors(&state) {
                    let stays = measure.of(&next) == measure.of(&state);
                    assert!(!stays || sums(&next) == sums(&state), "{name}: {}", game.print(&state));
                    if seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        assert!(found.contains(&("checkers", 2)) && found.contains(&("quixo", 2)), "{found:?}");
    }
}
