//! Formulas over linear time on one path that goes round for ever, position by position: what traces are checked
//! with before they are shown.

use crate::property::{Bounds, Fairness, Linear};
use winset_model::ExprId;

/// A path that returns from its last position to an earlier one, for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The number of positions.
    pub length: usize,
    /// The position that follows the last one.
    pub back_to: usize,
}

/// Says at which positions of a path a set holds.
pub type Truth<'t> = dyn FnMut(ExprId) -> Vec<bool> + 't;

impl Lasso {
    /// Whether the formula holds at the first position.
    pub fn satisfies(&self, formula: &Linear, truth: &mut Truth<'_>) -> bool {
        // What a formula remembers goes round only after the loop was walked through as often as it looks back.
        let around = self.length - self.back_to;
        let copies = rounds(formula, around);
        let unrolled = Unrolled { lasso: *self, length: self.length + copies * around, around };
        unrolled.evaluate(formula, truth)[0]
    }

    /// Whether the path is fair: what holds again and again holds in the loop.
    pub fn is_fair(&self, fairness: &Fairness, truth: &mut Truth<'_>) -> bool {
        let mut recurs = |set: ExprId| truth(set)[self.back_to..self.length].contains(&true);
        fairness.justice.iter().all(|&set| recurs(set))
            && fairness.compassion.iter().all(|&(when, then)| !recurs(when) || recurs(then))
    }
}

/// The rounds through the loop after which the values of a formula repeat.
fn rounds(formula: &Linear, around: usize) -> usize {
    let of = |a: &Linear| rounds(a, around);
    let back = |bounds: &Bounds| bounds.to.unwrap_or(bounds.from).max(bounds.from) as usize / around + 2;
    match formula {
        Linear::Set(_) => 0,
        Linear::Not(a) | Linear::Next(a) | Linear::Finally(a) | Linear::Globally(a) => of(a),
        Linear::FinallyWithin(_, a) | Linear::GloballyWithin(_, a) => of(a),
        Linear::And(a, b) | Linear::Or(a, b) | Linear::Implies(a, b) | Linear::Iff(a, b) => of(a).max(of(b)),
        Linear::Until(a, b) | Linear::Release(a, b) => of(a).max(of(b)),
        Linear::Yesterday(a) | Linear::WeakYesterday(a) | Linear::Once(a) | Linear::Historically(a) => {
            of(a) + 1
        }
        Linear::Since(a, b) | Linear::Triggered(a, b) => of(a).max(of(b)) + 1,
        Linear::OnceWithin(bounds, a) | Linear::HistoricallyWithin(bounds, a) => of(a) + back(bounds),
    }
}

/// The lasso with its loop written out a few times.
struct Unrolled {
    lasso: Lasso,
    length: usize,
    around: usize,
}

impl Unrolled {
    /// The position n steps on.
    fn after(&self, at: usize, steps: usize) -> usize {
        let to = at + steps;
        if to < self.length { to } else { self.length - self.around + (to - self.length) % self.around }
    }

    /// Where the formula holds.
    fn evaluate(&self, formula: &Linear, truth: &mut Truth<'_>) -> Vec<bool> {
        let positions = 0..self.length;
        let mut of = |a: &Linear| self.evaluate(a, truth);
        let always = || vec![true; self.length];
        let not = |a: Vec<bool>| -> Vec<bool> { a.into_iter().map(|a| !a).collect() };
        let zip = |a: Vec<bool>, b: Vec<bool>, join: fn(bool, bool) -> bool| -> Vec<bool> {
            a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect()
        };
        match formula {
            Linear::Set(set) => {
                let (once, lasso) = (truth(*set), self.lasso);
                let fold = |i: usize| {
                    if i < lasso.length { i } else { lasso.back_to + (i - lasso.back_to) % self.around }
                };
                positions.map(|i| once[fold(i)]).collect()
            }
            Linear::Not(a) => not(of(a)),
            Linear::And(a, b) => zip(of(a), of(b), |a, b| a && b),
            Linear::Or(a, b) => zip(of(a), of(b), |a, b| a || b),
            Linear::Implies(a, b) => zip(of(a), of(b), |a, b| !a || b),
            Linear::Iff(a, b) => zip(of(a), of(b), |a, b| a == b),
            Linear::Next(a) => {
                let a = of(a);
                positions.map(|i| a[self.after(i, 1)]).collect()
            }
            Linear::Finally(a) => self.until(&always(), &of(a)),
            Linear::Globally(a) => not(self.until(&always(), &not(of(a)))),
            Linear::Until(a, b) => self.until(&of(a), &of(b)),
            Linear::Release(a, b) => not(self.until(&not(of(a)), &not(of(b)))),
            Linear::FinallyWithin(bounds, a) => self.soon(*bounds, &of(a)),
            Linear::GloballyWithin(bounds, a) => not(self.soon(*bounds, &not(of(a)))),
            Linear::Yesterday(a) => {
                let a = of(a);
                positions.map(|i| i > 0 && a[i - 1]).collect()
            }
            Linear::WeakYesterday(a) => {
                let a = of(a);
                positions.map(|i| i == 0 || a[i - 1]).collect()
            }
            Linear::Once(a) => self.since(&always(), &of(a)),
            Linear::Historically(a) => not(self.since(&always(), &not(of(a)))),
            Linear::Since(a, b) => self.since(&of(a), &of(b)),
            Linear::Triggered(a, b) => not(self.since(&not(of(a)), &not(of(b)))),
            Linear::OnceWithin(bounds, a) => self.lately(*bounds, &of(a)),
            Linear::HistoricallyWithin(bounds, a) => not(self.lately(*bounds, &not(of(a)))),
        }
    }

    fn until(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
        let mut holds = vec![false; self.length];
        // The second time the last position knows of the loop's first.
        for _ in 0..2 {
            for i in (0..self.length).rev() {
                holds[i] = b[i] || a[i] && holds[self.after(i, 1)];
            }
        }
        holds
    }

    fn since(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
        let mut holds: Vec<bool> = vec![];
        for i in 0..self.length {
            holds.push(b[i] || a[i] && i > 0 && holds[i - 1]);
        }
        holds
    }

    fn soon(&self, bounds: Bounds, a: &[bool]) -> Vec<bool> {
        let from = bounds.from as usize;
        // After a round through everything nothing new comes.
        let to = bounds.to.map_or(from + self.length, |to| (to as usize).min(from + self.length));
        let within = |i: usize| (from..=to).any(|steps| a[self.after(i, steps)]);
        match bounds.to {
            Some(to) if to < bounds.from => vec![false; self.length],
            _ => (0..self.length).map(within).collect(),
        }
    }

    fn lately(&self, bounds: Bounds, a: &[bool]) -> Vec<bool> {
        let from = bounds.from as usize;
        let to = |i: usize| bounds.to.map_or(i, |to| (to as usize).min(i));
        (0..self.length).map(|i| (from..=to(i)).any(|steps| a[i - steps])).collect()
    }
}
