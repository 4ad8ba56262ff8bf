//! Sums of numbers that have many values: bit by bit, so that there are as many conditions as sums and not as many as pairs.

use crate::compile::Compiler;
use crate::diagnostic::Checked;
use crate::value::{Constant, Value, gather};
use crate::words::Circuit;
use winset_diagnostic::Span;
use winset_model::{Expr, ExprId, Exprs, VarId};

/// The most sums, and the most pairs of values with gaps between them that are looked at.
const MOST: u64 = 1 << 22;

/// A number's values, each with when it is that.
type Numbers = [(i64, ExprId)];

impl Compiler<'_, '_> {
    /// The sum of two numbers, or their difference. None where pairs say it better: values far apart from each other, of which
    /// most distances are no sum, and two numbers that are known to be one variable's, of which most pairs never meet.
    pub(crate) fn sum_many(
        &mut self,
        a: &Numbers,
        b: &Numbers,
        minus: bool,
        span: Span,
    ) -> Checked<Option<Value>> {
        let (Some((least_a, wide_a)), Some((least_b, wide_b))) = (extent(a), extent(b)) else {
            return Ok(None);
        };
        // Distances from the least value are never negative, and of a difference the largest subtrahend gives the least.
        let base_b = if minus { least_b.checked_add_unsigned(wide_b) } else { Some(least_b) };
        let base = base_b.and_then(|b| if minus { least_a.checked_sub(b) } else { least_a.checked_add(b) });
        let steps =
            wide_a.checked_add(wide_b).filter(|&steps| steps < MOST && steps < (a.len() * b.len()) as u64);
        let (Some(base_b), Some(base), Some(steps)) = (base_b, base, steps) else { return Ok(None) };
        let whose = |list| self.variable_of(list);
        if base.checked_add_unsigned(steps).is_none() || whose(a).is_some_and(|var| whose(b) == Some(var)) {
            return Ok(None);
        }
        let Some(sums) = self.which(a, b, steps, |x, y| x.abs_diff(least_a) + y.abs_diff(base_b)) else {
            return Ok(None);
        };
        let width = (u64::BITS - steps.leading_zeros()) as usize;
        let x = self.bits(a, width, least_a);
        let y = self.bits(b, width, base_b);
        let (bits, _) = Circuit(&mut self.exprs).add(&x, &y, Exprs::FALSE);
        // Where an operand has no value, neither has the sum.
        let some = [a, b].map(|list| self.exprs.or(list.iter().map(|(_, when)| *when)));
        // From the highest bit down, so that all sums that begin alike have that in common.
        let mut begun = vec![(0u64, self.exprs.and(some))];
        for (place, &bit) in bits.iter().enumerate().rev() {
            let not = self.exprs.not(bit);
            let mut longer = Vec::with_capacity(2 * begun.len());
            for (beginning, when) in begun {
                for (number, bit) in [(beginning, not), (beginning | 1 << place, bit)] {
                    if number <= steps {
                        longer.push((number, self.exprs.and([when, bit])));
                    }
                }
            }
            begun = longer;
            self.within_limits(span)?;
        }
        begun.retain(|(number, _)| sums[*number as usize]);
        let cases = begun.into_iter().map(|(number, when)| (Constant::Integer(base + number as i64), when));
        let cases = gather(&mut self.exprs, cases.collect());
        self.families.add(&cases);
        Ok(Some(Value::Cases(cases)))
    }

    /// Which of the numbers from 0 on are sums at all; None if there are too many pairs to look at.
    fn which(
        &self,
        a: &Numbers,
        b: &Numbers,
        steps: u64,
        sum: impl Fn(i64, i64) -> u64,
    ) -> Option<Vec<bool>> {
        let without_gaps = |list: &Numbers| extent(list).is_some_and(|(_, wide)| wide < list.len() as u64);
        if without_gaps(a) && without_gaps(b) {
            return Some(vec![true; steps as usize + 1]);
        }
        if a.len().saturating_mul(b.len()) as u64 > MOST {
            return None;
        }
        let mut found = vec![false; steps as usize + 1];
        for (x, _) in a {
            for (y, _) in b {
                found[sum(*x, *y) as usize] = true;
            }
        }
        Some(found)
    }

    /// A number's distance from one of its values, as bits, the lowest first.
    fn bits(&mut self, list: &Numbers, width: usize, base: i64) -> Vec<ExprId> {
        (0..width)
            .map(|bit| {
                let set = list.iter().filter(|(n, _)| n.abs_diff(base) >> bit & 1 == 1);
                self.exprs.or(set.map(|(_, when)| *when))
            })
            .collect()
    }

    /// The variable, in this state or in the next, that the number's conditions are the values of.
    fn variable_of(&self, list: &Numbers) -> Option<(VarId, bool)> {
        let atom = |when: ExprId| match self.exprs.get(when) {
            Expr::Is(var, _) => Some((*var, false)),
            Expr::Next(var, _) => Some((*var, true)),
            _ => None,
        };
        let first = atom(list.first()?.1)?;
        list.iter().all(|(_, when)| atom(*when) == Some(first)).then_some(first)
    }
}

/// The least value, and how far the greatest lies above it.
fn extent(list: &Numbers) -> Option<(i64, u64)> {
    let least = list.iter().map(|(n, _)| *n).min()?;
    let most = list.iter().map(|(n, _)| *n).max()?;
    Some((least, most.abs_diff(least)))
}
