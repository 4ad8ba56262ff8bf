//! What never comes back, beyond the measure: values that no move changes but those that raise the measure.

use crate::changes::{changes, steps};
use crate::find::delta;
use winset_model::{Game, Value};

/// For every variable a class of each of its values, numbered from 0: a move that leaves the measure as it is changes no
/// variable's class. So the states with one measure fall into parts, one for each combination of classes, and no play goes
/// from one of these parts to another without raising the measure.
///
/// In checkers these are the squares of the men: only kings move without progress.
///
/// ```
/// let game = winset_games::build("checkers", Some("4"), &Default::default()).unwrap();
/// let weights = winset_progress::find(&game).unwrap().weights;
/// let parts = winset_progress::parts(&game, &weights);
/// // Empty, man, king, man, king, and pieces that go on capturing.
/// let square = game.variables().iter().position(|variable| variable.size() == 7).unwrap();
/// assert_eq!(parts[square][0], parts[square][2]);
/// assert_ne!(parts[square][0], parts[square][1]);
/// ```
pub fn parts(game: &Game, weights: &[Vec<i64>]) -> Vec<Vec<Value>> {
    let mut same: Vec<Vec<Value>> = game
        .variables()
        .iter()
        .map(|variable| (0..variable.size()).map(|value| value as Value).collect())
        .collect();
    for (changes, steps) in changes(game).iter().zip(steps(game)) {
        if delta(weights, changes).least > 0 {
            continue;
        }
        let change = |var: usize, &(before, after): &(Value, Value)| {
            weights[var][usize::from(after)] - weights[var][usize::from(before)]
        };
        let least = |var: usize, pairs: &[(Value, Value)]| {
            pairs.iter().map(|pair| change(var, pair)).min().unwrap_or(0)
        };
        let sum: i64 = steps.iter().map(|step| least(step.var.index(), &step.pairs)).sum();
        for step in &steps {
            let var = step.var.index();
            let others = sum - least(var, &step.pairs);
            // Whatever the others do, the measure is raised where this is above 0.
            for pair in step.pairs.iter().filter(|pair| others + change(var, pair) <= 0) {
                unite(&mut same[var], pair.0, pair.1);
            }
        }
    }
    same.into_iter().map(numbered).collect()
}

/// Makes one class of the classes of two values; a class is named by its least value.
fn unite(classes: &mut [Value], a: Value, b: Value) {
    let [a, b] = [classes[usize::from(a)], classes[usize::from(b)]];
    let (to, from) = (a.min(b), a.max(b));
    classes.iter_mut().filter(|class| **class == from).for_each(|class| *class = to);
}

/// Classes numbered from 0 in the order in which they occur.
fn numbered(classes: Vec<Value>) -> Vec<Value> {
    let mut names: Vec<Value> = vec![];
    let number = |name: Value| {
        let at = names.iter().position(|&other| other == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        at as Value
    };
    classes.into_iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use winset_model::Explicit;

    /// The claim itself, looked at: every move of every position that raises nothing keeps the classes.
    #[test]
    fn moves_without_progress_stay_in_their_part() {
        let mut cut = vec![];
        for (name, size) in [
            ("checkers", "4"),
            ("dodgem", "3"),
            ("quixo", "3"),
            ("othello", "4x3"),
            ("achi", "3"),
            ("hexapawn", "3"),
            ("krk", "4"),
            ("kpk", "4"),
        ] {
            let Ok(game) = winset_games::build(name, Some(size), &Default::default()) else { continue };
            let Some(measure) = crate::find(&game) else { continue };
            let parts = parts(&game, &measure.weights);
            if parts.iter().flatten().any(|&class| class > 0) {
                cut.push(name);
            }
            let mut explicit = Explicit::new(&game);
            let mut seen = HashSet::from([game.initial().clone()]);
            let mut open = vec![game.initial().clone()];
            while let Some(state) = open.pop().filter(|_| seen.len() < 20_000) {
                for (_, next) in explicit.successors(&state) {
                    let classes = |state: &winset_model::State| -> Vec<Value> {
                        parts
                            .iter()
                            .zip(&state.0)
                            .map(|(classes, &value)| classes[usize::from(value)])
                            .collect()
                    };
                    let stays = measure.of(&next) == measure.of(&state);
                    assert!(!stays || classes(&next) == classes(&state), "{name}: {}", game.print(&state));
                    if seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        assert!(cut.contains(&"checkers"), "{cut:?}");
    }

    /// A king that may also turn into a man without progress would join what the squares of men keep apart.
    #[test]
    fn classes_are_joined() {
        let mut classes = vec![0, 1, 2, 3, 4];
        unite(&mut classes, 4, 2);
        unite(&mut classes, 3, 4);
        assert_eq!(numbered(classes), [0, 1, 2, 2, 2]);
    }
}
