//! Linear equations, solved exactly by elimination; every operation is checked, so that an overflow ends the search
//! instead of the truth.

use num_rational::Ratio;
use num_traits::{CheckedDiv, CheckedMul, CheckedSub, Zero};
use std::collections::BTreeMap;

type Fraction = Ratio<i128>;

/// A row: coefficients by unknown, and the right-hand side.
#[derive(Clone, Debug)]
struct Row {
    left: BTreeMap<usize, Fraction>,
    right: Fraction,
}

/// Equations collected so far, in echelon form.
#[derive(Clone, Debug, Default)]
pub struct Equations {
    /// By its leading unknown, with coefficient 1.
    rows: BTreeMap<usize, Row>,
}

impl Equations {
    /// Adds an equation. False: it contradicts the others, or the numbers became too large.
    pub fn add(&mut self, left: &BTreeMap<usize, i128>, right: i128) -> bool {
        self.try_add(left, right).unwrap_or(false)
    }

    fn try_add(&mut self, left: &BTreeMap<usize, i128>, right: i128) -> Option<bool> {
        let left =
            left.iter().filter(|(_, c)| **c != 0).map(|(&at, &c)| (at, Fraction::from_integer(c))).collect();
        let mut row = Row { left, right: Fraction::from_integer(right) };
        let mut next = row.left.keys().next().copied();
        while let Some(at) = next {
            if let Some(pivot) = self.rows.get(&at) {
                let factor = row.left[&at];
                for (&i, c) in &pivot.left {
                    let old = row.left.get(&i).copied().unwrap_or_default();
                    let new = old.checked_sub(&factor.checked_mul(c)?)?;
                    if new.is_zero() {
                        row.left.remove(&i)
                    } else {
                        row.left.insert(i, new)
                    };
                }
                row.right = row.right.checked_sub(&factor.checked_mul(&pivot.right)?)?;
            }
            next = row.left.range(at + 1..).next().map(|(&i, _)| i);
        }
        let Some((&lead, &coefficient)) = row.left.iter().next() else {
            return Some(row.right.is_zero());
        };
        for c in row.left.values_mut() {
            *c = c.checked_div(&coefficient)?;
        }
        row.right = row.right.checked_div(&coefficient)?;
        self.rows.insert(lead, row);
        Some(true)
    }

    /// A solution in whole numbers of the same equations with all right-hand sides multiplied by one
    /// positive number; unknowns that nothing determines are 0.
    pub fn solve(&self, unknowns: usize) -> Option<Vec<i64>> {
        let mut values = vec![Fraction::default(); unknowns];
        self.substitute(&mut values, |row| row.right)?;
        whole(&values)
    }

    /// A basis of the solutions of the same equations with 0 on every right-hand side, in whole numbers: one solution for
    /// each unknown that nothing determines. None: numbers became too large.
    pub fn homogeneous(&self, unknowns: usize) -> Option<Vec<Vec<i64>>> {
        let free = (0..unknowns).filter(|at| !self.rows.contains_key(at));
        let solution = |at: usize| {
            let mut values = vec![Fraction::default(); unknowns];
            values[at] = Fraction::from_integer(1);
            self.substitute(&mut values, |_| Fraction::default())?;
            whole(&values)
        };
        free.map(solution).collect()
    }

    /// Finds the unknowns that the others determine, from the last on.
    fn substitute(&self, values: &mut [Fraction], right: impl Fn(&Row) -> Fraction) -> Option<()> {
        for (&lead, row) in self.rows.iter().rev() {
            let mut value = right(row);
            for (&i, c) in row.left.range(lead + 1..) {
                value = value.checked_sub(&c.checked_mul(&values[i])?)?;
            }
            values[lead] = value;
        }
        Some(())
    }
}

/// The least multiple in whole numbers.
fn whole(values: &[Fraction]) -> Option<Vec<i64>> {
    let mut scale = 1i128;
    for value in values {
        scale = scale.checked_mul(value.denom() / num_integer::gcd(scale, *value.denom()))?;
    }
    let whole = |v: &Fraction| i64::try_from(v.numer().checked_mul(&(scale / v.denom()))?).ok();
    values.iter().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_finds_contradictions() {
        let mut equations = Equations::default();
        assert!(equations.add(&BTreeMap::from([(0, 2), (1, 1)]), 1));
        assert!(equations.add(&BTreeMap::from([(0, 1), (1, -1)]), 1));
        assert_eq!(equations.solve(2), Some(vec![2, -1]));
        assert!(equations.add(&BTreeMap::from([(0, 3)]), 2));
        assert!(!equations.add(&BTreeMap::from([(0, 3)]), 1));
    }

    #[test]
    fn numbers_that_become_too_large_end_the_search() {
        let large = i128::MAX / 2;
        let mut equations = Equations::default();
        assert!(equations.add(&BTreeMap::from([(0, large), (1, 1)]), 1));
        assert!(!equations.add(&BTreeMap::from([(0, 1), (1, large - 1)]), large - 2));
    }
}
