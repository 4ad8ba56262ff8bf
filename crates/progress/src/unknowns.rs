//! Which weights a linear program looks for: one for each value of each variable, or fewer.

use crate::changes::Change;
use std::collections::{BTreeMap, BTreeSet};
use winset_model::{Game, Value};

/// What one variable can add to the change of the sum, over unknowns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// The first unknown of the variable, or of those like it.
    first: usize,
    /// One of these, each a sum of unknowns with how often each is added; none 0 times.
    pub forms: Vec<Vec<(usize, i64)>>,
}

impl Row {
    /// What the variable adds, where that is always the same.
    pub fn only(&self) -> Option<&[(usize, i64)]> {
        match self.forms.as_slice() {
            [form] => Some(form),
            _ => None,
        }
    }
}

/// The unknown that stands for each value of each variable.
pub struct Unknowns<'a> {
    /// Where a variable's values begin among all values.
    offsets: &'a [usize],
    /// Of each value the unknown.
    of: Vec<usize>,
    len: usize,
}

impl<'a> Unknowns<'a> {
    /// Every value has its own.
    pub fn each(game: &Game, offsets: &'a [usize]) -> Self {
        let len = game.variables().iter().map(|variable| variable.size()).sum();
        Unknowns { offsets, of: (0..len).collect(), len }
    }

    /// Variables that moves change alike have theirs in common: the same number of values, and the same changes of
    /// these. Men that wander over a board and are taken from it are found so by a few unknowns.
    pub fn alike(game: &Game, all: &[Vec<Change>], offsets: &'a [usize]) -> Self {
        let mut signs: Vec<BTreeSet<Vec<(bool, Value, i64)>>> = vec![BTreeSet::new(); game.variables().len()];
        for change in all.iter().flatten() {
            let sign =
                |form: &Vec<_>| form.iter().map(|&(var, value, n)| (var == change.var, value, n)).collect();
            signs[change.var.index()].extend(change.forms.iter().map(sign));
        }
        let (mut classes, mut of, mut len) = (BTreeMap::new(), vec![], 0);
        for (variable, sign) in game.variables().iter().zip(signs) {
            let first = *classes.entry((variable.size(), sign)).or_insert(len);
            of.extend(first..first + variable.size());
            len = len.max(first + variable.size());
        }
        Unknowns { offsets, of, len }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// A move's changes over the unknowns. Changes of different variables that are alike stay apart.
    pub fn rows(&self, changes: &[Change]) -> Vec<Row> {
        let mut rows: Vec<Row> = changes.iter().map(|change| self.row(change)).collect();
        rows.sort_unstable();
        rows
    }

    fn row(&self, change: &Change) -> Row {
        let forms = change.forms.iter().map(|form| {
            let mut sums: BTreeMap<usize, i64> = BTreeMap::new();
            for &(var, value, times) in form {
                *sums.entry(self.of[self.offsets[var.index()] + value as usize]).or_default() += times;
            }
            sums.into_iter().filter(|(_, times)| *times != 0).collect()
        });
        let mut forms: Vec<Vec<(usize, i64)>> = forms.collect();
        forms.sort_unstable();
        forms.dedup();
        Row { first: self.of[self.offsets[change.var.index()]], forms }
    }

    /// The weights of all values, from those of the unknowns.
    pub fn weights(&self, game: &Game, found: &[i64]) -> Vec<Vec<i64>> {
        let values = |(variable, &at): (&winset_model::Variable, &usize)| {
            self.of[at..at + variable.size()].iter().map(|&unknown| found[unknown]).collect()
        };
        game.variables().iter().zip(self.offsets).map(values).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::find::{Kind, find};

    /// Of too many moves for every square to have its own weights: men are placed, wander and are taken.
    #[test]
    fn nine_mens_morris_has_men_to_place_and_to_lose() {
        for men in ["3", "5", "9"] {
            let game = winset_games::build("nine-mens-morris", Some(men), &Default::default()).unwrap();
            let measure = find(&game).unwrap();
            assert_eq!(measure.kind, Kind::Monotone);
            let least = |name: &str| {
                let found = game.moves().iter().zip(&measure.deltas).filter(|(m, _)| m.name == name);
                found.map(|(_, delta)| delta.least).collect::<Vec<_>>()
            };
            assert_eq!([least("a1"), least("x-a1")].map(|least| least.iter().all(|&n| n > 0)), [true; 2]);
            assert_eq!(
                [least("a1").len(), least("x-a1").len(), least("a1d1").len()],
                [2; 3],
                "of both players"
            );
            assert_eq!(least("a1d1"), [0, 0]);
        }
    }
}
