//! Formulas over linear time that say the same as one over branching time.
//!
//! Where every choice that a formula leaves is decided by the state at which it is made, it does not matter whether a path is
//! chosen as a whole or step by step (Maidl, The common fragment of CTL and LTL, 2000). So `G (p -> F q)` holds on all paths
//! exactly where `AG (p -> AF q)` holds, and a fixed point or two tell, without a tableau. The same is true if only fair
//! paths count: what fairness asks for does not depend on how a path begins.

use crate::formula::{Formula, Path};
use crate::property::{Bounds, Linear};
use winset_model::{ExprId, Exprs};

/// Bounded operators are a step each; with more than n a tableau is as good.
const MOST_STEPS: u32 = 100;

impl Linear {
    /// The formula over branching time that holds exactly where this one holds on all infinite paths; none if it is not
    /// seen to have one.
    pub fn branching(&self, exprs: &mut Exprs) -> Option<Formula> {
        translate(self, false, exprs)
    }

    /// The set where it holds, if it speaks of one state only.
    fn state(&self, exprs: &mut Exprs) -> Option<ExprId> {
        Some(match self {
            Linear::Set(set) => *set,
            Linear::Not(a) => {
                let a = a.state(exprs)?;
                exprs.not(a)
            }
            Linear::And(a, b) => {
                let both = [a.state(exprs)?, b.state(exprs)?];
                exprs.and(both)
            }
            Linear::Or(a, b) => {
                let both = [a.state(exprs)?, b.state(exprs)?];
                exprs.or(both)
            }
            Linear::Implies(a, b) => {
                let (a, b) = (a.state(exprs)?, b.state(exprs)?);
                let not_a = exprs.not(a);
                exprs.or([not_a, b])
            }
            Linear::Iff(a, b) => {
                let (a, b) = (a.state(exprs)?, b.state(exprs)?);
                let not_b = exprs.not(b);
                exprs.ite(a, b, not_b)
            }
            _ => return None,
        })
    }
}

type Translated = Option<Formula>;

fn all(operator: fn(Path, Box<Formula>) -> Formula, a: Formula) -> Formula {
    operator(Path::All, Box::new(a))
}

fn state(formula: &Linear, negated: bool, exprs: &mut Exprs) -> Option<ExprId> {
    let set = formula.state(exprs)?;
    Some(if negated { exprs.not(set) } else { set })
}

/// The formula or its negation.
fn translate(formula: &Linear, negated: bool, exprs: &mut Exprs) -> Translated {
    if let Some(set) = state(formula, negated, exprs) {
        return Some(Formula::Set(set));
    }
    match (formula, negated) {
        (Linear::Not(a), _) => translate(a, !negated, exprs),
        (Linear::And(a, b), false) => both(a, b, false, exprs),
        (Linear::Or(a, b), true) => both(a, b, true, exprs),
        (Linear::Or(a, b), false) => either((a, false), (b, false), exprs),
        (Linear::And(a, b), true) => either((a, true), (b, true), exprs),
        (Linear::Implies(a, b), false) => either((a, true), (b, false), exprs),
        (Linear::Implies(a, b), true) => {
            let (a, b) = (translate(a, false, exprs)?, translate(b, true, exprs)?);
            Some(Formula::And(Box::new(a), Box::new(b)))
        }
        // Which of the two it has to be is decided by the side that is a state's.
        (Linear::Iff(a, b), _) => {
            let (known, other) = if a.state(exprs).is_some() { (a, b) } else { (b, a) };
            let set = known.state(exprs)?;
            let not_set = exprs.not(set);
            let mut unless = |set: ExprId, negated: bool| {
                let other = translate(other, negated, exprs)?;
                Some(Formula::Or(Box::new(Formula::Set(set)), Box::new(other)))
            };
            let (one, two) = (unless(not_set, negated)?, unless(set, !negated)?);
            Some(Formula::And(Box::new(one), Box::new(two)))
        }
        (Linear::Next(a), _) => Some(all(Formula::Next, translate(a, negated, exprs)?)),
        (Linear::Globally(a), false) => Some(all(Formula::Globally, translate(a, false, exprs)?)),
        (Linear::Finally(a), true) => Some(all(Formula::Globally, translate(a, true, exprs)?)),
        (Linear::Finally(a), false) => Some(all(Formula::Finally, Formula::Set(state(a, false, exprs)?))),
        (Linear::Globally(a), true) => Some(all(Formula::Finally, Formula::Set(state(a, true, exprs)?))),
        // Where b holds it is over, and nowhere else.
        (Linear::Until(a, b), false) => {
            let (a, b) = (translate(a, false, exprs)?, Formula::Set(b.state(exprs)?));
            Some(Formula::Until(Path::All, Box::new(a), Box::new(b)))
        }
        (Linear::Release(a, b), true) => {
            let (a, b) = (translate(a, true, exprs)?, Formula::Set(state(b, true, exprs)?));
            Some(Formula::Until(Path::All, Box::new(a), Box::new(b)))
        }
        (Linear::Until(a, b), true) => no_path_until((a, false), (b, false), exprs),
        (Linear::Release(a, b), false) => no_path_until((a, true), (b, true), exprs),
        (Linear::GloballyWithin(bounds, a), false) | (Linear::FinallyWithin(bounds, a), true) => {
            let a = translate(a, negated, exprs)?;
            let later = |later| Formula::And(Box::new(a.clone()), Box::new(later));
            within(*bounds, a.clone(), Formula::Globally, later)
        }
        (Linear::FinallyWithin(bounds, a), false) | (Linear::GloballyWithin(bounds, a), true) => {
            let a = Formula::Set(state(a, negated, exprs)?);
            let later = |later| Formula::Or(Box::new(a.clone()), Box::new(later));
            within(*bounds, a.clone(), Formula::Finally, later)
        }
        _ => None,
    }
}

fn both(a: &Linear, b: &Linear, negated: bool, exprs: &mut Exprs) -> Translated {
    let (a, b) = (translate(a, negated, exprs)?, translate(b, negated, exprs)?);
    Some(Formula::And(Box::new(a), Box::new(b)))
}

/// One of two: the other one matters where the one that is a state's does not hold.
fn either(a: (&Linear, bool), b: (&Linear, bool), exprs: &mut Exprs) -> Translated {
    if state(a.0, a.1, exprs).is_none() && state(b.0, b.1, exprs).is_none() {
        return None;
    }
    let (a, b) = (translate(a.0, a.1, exprs)?, translate(b.0, b.1, exprs)?);
    Some(Formula::Or(Box::new(a), Box::new(b)))
}

/// Of states only: no path is one of `a U b`.
fn no_path_until(a: (&Linear, bool), b: (&Linear, bool), exprs: &mut Exprs) -> Translated {
    let (a, b) = (state(a.0, a.1, exprs)?, state(b.0, b.1, exprs)?);
    let some = Formula::Until(Path::Some, Box::new(Formula::Set(a)), Box::new(Formula::Set(b)));
    Some(Formula::Not(Box::new(some)))
}

/// During, or at one of, some steps from now.
fn within(
    bounds: Bounds,
    a: Formula,
    for_ever: fn(Path, Box<Formula>) -> Formula,
    and_later: impl Fn(Formula) -> Formula,
) -> Translated {
    let mut formula = match bounds.to {
        Some(to) if to < bounds.from || to > MOST_STEPS => return None,
        None if bounds.from > MOST_STEPS => return None,
        Some(to) => (bounds.from..to).fold(a, |later, _| and_later(all(Formula::Next, later))),
        None => all(for_ever, a),
    };
    for _ in 0..bounds.from {
        formula = all(Formula::Next, formula);
    }
    Some(formula)
}
