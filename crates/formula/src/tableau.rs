//! The symbolic tableau of a formula over linear time (Clarke, Grumberg and Hamaguchi 1994; with the past as Kesten,
//! Pnueli and Raviv 1998 have it): a Boolean variable for what each formula `X a` promises of the next state and for what
//! each `Y a` remembers of the last one. Paths on which all promises are kept are those where the variables are right.

use crate::error::FormulaError;
use crate::property::{Bounds, Linear};
use rustc_hash::FxHashMap;
use winset_diagnostic::Span;
use winset_model::{ExprId, Exprs, VarId};

/// The most variables that a formula may take: bounded operators take one for each step.
const MOST: usize = 1000;

/// A formula's tableau, its sets as expressions over the system's variables and those of the tableau.
#[derive(Clone, Debug)]
pub struct Tableau {
    /// Promises: the variable is true where the set holds in the next state.
    pub promises: Vec<(VarId, ExprId)>,
    /// Memories: the variable is true where the set held in the last state, and false at the start.
    pub memories: Vec<(VarId, ExprId)>,
    /// Where the formula holds.
    pub holds: ExprId,
    /// Each of these holds again and again, or something would be promised for ever and never come. What is only ever denied
    /// needs none: where it is promised for ever and never comes, too much is taken for true, and that helps nobody.
    pub justice: Vec<ExprId>,
}

impl Linear {
    /// The formula's tableau, with variables from the given one on.
    pub fn tableau(&self, exprs: &mut Exprs, first: VarId) -> Result<Tableau, FormulaError> {
        let tableau = Tableau { promises: vec![], memories: vec![], holds: Exprs::TRUE, justice: vec![] };
        let mut builder = Builder { exprs, next: first, tableau, known: FxHashMap::default() };
        builder.tableau.holds = builder.set(self, Side::Claimed)?;
        Ok(builder.tableau)
    }
}

impl Tableau {
    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.promises.len() + self.memories.len()
    }
}

/// What a variable stands for, so that equal ones are made once.
#[derive(PartialEq, Eq, Hash)]
enum Elementary {
    Next(ExprId),
    Yesterday(ExprId),
    Until(ExprId, ExprId),
    Since(ExprId, ExprId),
}

/// Whether a formula below the whole one helps it by being true, by being false, or by both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Claimed,
    Denied,
    Both,
}

impl Side {
    fn negated(self) -> Side {
        match self {
            Side::Claimed => Side::Denied,
            Side::Denied => Side::Claimed,
            Side::Both => Side::Both,
        }
    }
}

struct Builder<'e> {
    exprs: &'e mut Exprs,
    next: VarId,
    tableau: Tableau,
    known: FxHashMap<Elementary, ExprId>,
}

type Built = Result<ExprId, FormulaError>;

impl Builder<'_> {
    /// Where the formula holds.
    fn set(&mut self, formula: &Linear, side: Side) -> Built {
        match formula {
            &Linear::Set(set) => Ok(set),
            Linear::Not(a) => {
                let a = self.set(a, side.negated())?;
                Ok(self.exprs.not(a))
            }
            Linear::And(a, b) => {
                let both = [self.set(a, side)?, self.set(b, side)?];
                Ok(self.exprs.and(both))
            }
            Linear::Or(a, b) => {
                let both = [self.set(a, side)?, self.set(b, side)?];
                Ok(self.exprs.or(both))
            }
            Linear::Implies(a, b) => {
                let (a, b) = (self.set(a, side.negated())?, self.set(b, side)?);
                let not_a = self.exprs.not(a);
                Ok(self.exprs.or([not_a, b]))
            }
            Linear::Iff(a, b) => {
                let (a, b) = (self.set(a, Side::Both)?, self.set(b, Side::Both)?);
                let not_b = self.exprs.not(b);
                Ok(self.exprs.ite(a, b, not_b))
            }
            Linear::Next(a) => {
                let a = self.set(a, side)?;
                self.next(a)
            }
            Linear::Finally(a) => {
                let a = self.set(a, side)?;
                self.until(Exprs::TRUE, a, side)
            }
            Linear::Globally(a) => self.negated(a, side, |t, not_a, side| t.until(Exprs::TRUE, not_a, side)),
            Linear::Until(a, b) => {
                let (a, b) = (self.set(a, side)?, self.set(b, side)?);
                self.until(a, b, side)
            }
            Linear::Release(a, b) => {
                let a = self.set(a, side)?;
                let not_a = self.exprs.not(a);
                self.negated(b, side, |t, not_b, side| t.until(not_a, not_b, side))
            }
            Linear::FinallyWithin(bounds, a) => {
                let a = self.set(a, side)?;
                self.within(*bounds, a, Self::next, |t, a| t.until(Exprs::TRUE, a, side))
            }
            Linear::GloballyWithin(bounds, a) => self.negated(a, side, |t, not_a, side| {
                t.within(*bounds, not_a, Self::next, |t, a| t.until(Exprs::TRUE, a, side))
            }),
            Linear::Yesterday(a) => {
                let a = self.set(a, side)?;
                self.yesterday(a)
            }
            Linear::WeakYesterday(a) => self.negated(a, side, |t, not_a, _| t.yesterday(not_a)),
            Linear::Once(a) => {
                let a = self.set(a, side)?;
                self.since(Exprs::TRUE, a)
            }
            Linear::Historically(a) => self.negated(a, side, |t, not_a, _| t.since(Exprs::TRUE, not_a)),
            Linear::Since(a, b) => {
                let (a, b) = (self.set(a, side)?, self.set(b, side)?);
                self.since(a, b)
            }
            Linear::Triggered(a, b) => {
                let a = self.set(a, side)?;
                let not_a = self.exprs.not(a);
                self.negated(b, side, |t, not_b, _| t.since(not_a, not_b))
            }
            Linear::OnceWithin(bounds, a) => {
                let a = self.set(a, side)?;
                self.within(*bounds, a, Self::yesterday, |t, a| t.since(Exprs::TRUE, a))
            }
            Linear::HistoricallyWithin(bounds, a) => self.negated(a, side, |t, not_a, _| {
                t.within(*bounds, not_a, Self::yesterday, |t, a| t.since(Exprs::TRUE, a))
            }),
        }
    }

    /// An operator as the negation of its dual, which is on the other side.
    fn negated(
        &mut self,
        a: &Linear,
        side: Side,
        dual: impl FnOnce(&mut Self, ExprId, Side) -> Built,
    ) -> Built {
        let a = self.set(a, side)?;
        let not_a = self.exprs.not(a);
        let broken = dual(self, not_a, side.negated())?;
        Ok(self.exprs.not(broken))
    }

    /// A new variable, and where it is true.
    fn variable(&mut self) -> Result<(VarId, ExprId), FormulaError> {
        if self.tableau.variables() >= MOST {
            return Err(FormulaError::TooManySteps { limit: MOST, span: Span::default() });
        }
        let var = self.next;
        self.next = VarId(var.0 + 1);
        Ok((var, self.exprs.is(var, 1)))
    }

    fn next(&mut self, a: ExprId) -> Built {
        if let Some(&known) = self.known.get(&Elementary::Next(a)) {
            return Ok(known);
        }
        let (var, set) = self.variable()?;
        self.tableau.promises.push((var, a));
        self.known.insert(Elementary::Next(a), set);
        Ok(set)
    }

    fn yesterday(&mut self, a: ExprId) -> Built {
        if let Some(&known) = self.known.get(&Elementary::Yesterday(a)) {
            return Ok(known);
        }
        let (var, set) = self.variable()?;
        self.tableau.memories.push((var, a));
        self.known.insert(Elementary::Yesterday(a), set);
        Ok(set)
    }

    /// `a U b` is b, or a and the promise of the same, which comes true at last where it is claimed.
    fn until(&mut self, a: ExprId, b: ExprId, side: Side) -> Built {
        if b == Exprs::FALSE || b == Exprs::TRUE {
            return Ok(b);
        }
        let set = match self.known.get(&Elementary::Until(a, b)) {
            Some(&known) => known,
            None => {
                let (var, promised) = self.variable()?;
                let on = self.exprs.and([a, promised]);
                let set = self.exprs.or([b, on]);
                self.tableau.promises.push((var, set));
                self.known.insert(Elementary::Until(a, b), set);
                set
            }
        };
        if side != Side::Denied {
            let over = self.exprs.not(set);
            let kept = self.exprs.or([over, b]);
            if !self.tableau.justice.contains(&kept) {
                self.tableau.justice.push(kept);
            }
        }
        Ok(set)
    }

    /// `a S b` is b, or a and the memory of the same.
    fn since(&mut self, a: ExprId, b: ExprId) -> Built {
        if b == Exprs::FALSE || b == Exprs::TRUE {
            return Ok(b);
        }
        if let Some(&known) = self.known.get(&Elementary::Since(a, b)) {
            return Ok(known);
        }
        let (var, remembered) = self.variable()?;
        let on = self.exprs.and([a, remembered]);
        let set = self.exprs.or([b, on]);
        self.tableau.memories.push((var, set));
        self.known.insert(Elementary::Since(a, b), set);
        Ok(set)
    }

    /// Within some steps: from the last of them inwards.
    fn within(
        &mut self,
        bounds: Bounds,
        a: ExprId,
        step: fn(&mut Self, ExprId) -> Built,
        for_ever: impl FnOnce(&mut Self, ExprId) -> Built,
    ) -> Built {
        let mut set = match bounds.to {
            Some(to) if to < bounds.from => return Ok(Exprs::FALSE),
            Some(to) => {
                let mut set = a;
                for _ in bounds.from..to {
                    let later = step(self, set)?;
                    set = self.exprs.or([a, later]);
                }
                set
            }
            None => for_ever(self, a)?,
        };
        for _ in 0..bounds.from {
            set = step(self, set)?;
        }
        Ok(set)
    }
}
