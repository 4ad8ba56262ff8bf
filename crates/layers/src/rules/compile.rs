//! From expressions to conditions.

use crate::rules::condition::{Cond, Conditions, FALSE, TRUE, TooLarge};
use rustc_hash::FxHashMap;
use winset_model::{Expr, ExprId, Exprs, SystemId};

/// The most new nodes that one expression may take before it is kept as a list of its operands.
const BUDGET: usize = 4_000;

/// A condition that may be too large for one diagram: the conjunction of a list, or its negation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compound {
    /// The conditions that all hold, or not.
    pub all: Vec<Cond>,
    /// The compound holds where not all of them hold.
    pub negated: bool,
}

/// Compiles expressions, each at most once.
pub struct Compiler<'g> {
    exprs: &'g Exprs,
    /// The position of each variable.
    positions: Vec<u32>,
    done: FxHashMap<ExprId, Result<Cond, TooLarge>>,
    /// How many of these are too large.
    failed: usize,
    /// Members of systems being solved, by their current approximation.
    open: FxHashMap<SystemId, Vec<Cond>>,
    solved: FxHashMap<SystemId, Vec<Cond>>,
}

impl<'g> Compiler<'g> {
    /// A compiler of these expressions, with variables at these positions.
    pub fn new(exprs: &'g Exprs, positions: Vec<u32>) -> Self {
        let (done, open, solved) = Default::default();
        Compiler { exprs, positions, done, failed: 0, open, solved }
    }

    /// The expression as one condition, however large.
    pub fn whole(&mut self, conds: &mut Conditions, id: ExprId) -> Result<Cond, TooLarge> {
        if std::mem::take(&mut self.failed) > 0 {
            self.done.retain(|_, result| result.is_ok());
        }
        self.eval(conds, id, &mut FxHashMap::default()).map(|(cond, _)| cond)
    }

    /// The expression as one condition if that is small, else as a list.
    pub fn compound(&mut self, conds: &mut Conditions, id: ExprId) -> Result<Compound, TooLarge> {
        let attempt = conds
            .with_budget(BUDGET, |conds| self.eval(conds, id, &mut FxHashMap::default()).map(|(c, _)| c));
        match attempt {
            Ok(cond) => return Ok(Compound { all: vec![cond], negated: false }),
            Err(TooLarge::Work) => return Err(TooLarge::Work),
            Err(_) => {}
        }
        self.done.insert(id, Err(TooLarge::default()));
        self.failed += 1;
        match self.exprs.get(id) {
            Expr::Not(a) => {
                let inner = self.compound(conds, *a)?;
                Ok(Compound { negated: !inner.negated, ..inner })
            }
            Expr::And(list) => self.conjunction(conds, list, false),
            Expr::Or(list) => {
                let none = self.conjunction(conds, list, true)?;
                Ok(Compound { negated: !none.negated, ..none })
            }
            _ => Ok(Compound { all: vec![self.whole(conds, id)?], negated: false }),
        }
    }

    /// The conjunction of operands, each negated if `negate`.
    fn conjunction(
        &mut self,
        conds: &mut Conditions,
        list: &[ExprId],
        negate: bool,
    ) -> Result<Compound, TooLarge> {
        let mut all = vec![];
        for &operand in list {
            let part = self.compound(conds, operand)?;
            match (part.negated != negate, part.all.as_slice()) {
                (false, _) => all.extend(part.all),
                (true, &[only]) => all.push(conds.not(only)?),
                (true, _) => {
                    let whole = self.whole(conds, operand)?;
                    all.push(if negate { conds.not(whole)? } else { whole });
                }
            }
        }
        Ok(Compound { all, negated: false })
    }

    /// The condition, and whether it depends on a system that is still being solved.
    fn eval(
        &mut self,
        conds: &mut Conditions,
        id: ExprId,
        round: &mut FxHashMap<ExprId, Cond>,
    ) -> Result<(Cond, bool), TooLarge> {
        if let Some(&done) = self.done.get(&id) {
            return done.map(|cond| (cond, false));
        }
        if let Some(&cond) = round.get(&id) {
            return Ok((cond, true));
        }
        conds.work.spend(1)?;
        let (cond, unsettled) = match self.exprs.get(id) {
            Expr::False | Expr::Next(..) => (FALSE, false),
            Expr::True => (TRUE, false),
            &Expr::Is(var, value) => (conds.is(self.positions[var.index()], value)?, false),
            Expr::Not(a) => {
                let (a, unsettled) = self.eval(conds, *a, round)?;
                (conds.not(a)?, unsettled)
            }
            Expr::And(list) => {
                let mut operands = vec![];
                let mut unsettled = false;
                for &operand in list {
                    let (cond, open) = self.eval(conds, operand, round)?;
                    operands.push(cond);
                    unsettled |= open;
                }
                (balanced(conds, operands, Conditions::and, TRUE)?, unsettled)
            }
            Expr::Or(list) => {
                let mut operands = vec![];
                let mut unsettled = false;
                for &operand in list {
                    let (cond, open) = self.eval(conds, operand, round)?;
                    operands.push(cond);
                    unsettled |= open;
                }
                (balanced(conds, operands, Conditions::or, FALSE)?, unsettled)
            }
            &Expr::Fix(system, member) => match self.open.get(&system) {
                Some(approximation) => (approximation[member as usize], true),
                None => (self.solve(conds, system)?[member as usize], !self.open.is_empty()),
            },
        };
        if unsettled {
            round.insert(id, cond);
        } else {
            self.done.insert(id, Ok(cond));
        }
        Ok((cond, unsettled))
    }

    /// The least solution of a system of definitions.
    fn solve(&mut self, conds: &mut Conditions, system: SystemId) -> Result<Vec<Cond>, TooLarge> {
        if let Some(solution) = self.solved.get(&system) {
            return Ok(solution.clone());
        }
        let outermost = self.open.is_empty();
        let bodies = self.exprs.bodies(system);
        let mut approximation = vec![FALSE; bodies.len()];
        loop {
            self.open.insert(system, approximation.clone());
            let mut round = FxHashMap::default();
            let next: Result<Vec<Cond>, TooLarge> =
                bodies.iter().map(|&body| self.eval(conds, body, &mut round).map(|(cond, _)| cond)).collect();
            self.open.remove(&system);
            let next = next?;
            if next == approximation {
                break;
            }
            approximation = next;
        }
        if outermost {
            self.solved.insert(system, approximation.clone());
        }
        Ok(approximation)
    }
}

/// Combines neighbours first, which keeps intermediate results small.
pub(crate) fn balanced(
    conds: &mut Conditions,
    mut operands: Vec<Cond>,
    combine: fn(&mut Conditions, Cond, Cond) -> Result<Cond, TooLarge>,
    neutral: Cond,
) -> Result<Cond, TooLarge> {
    while operands.len() > 1 {
        let mut next = Vec::with_capacity(operands.len().div_ceil(2));
        for pair in operands.chunks(2) {
            next.push(match *pair {
                [a, b] => combine(conds, a, b)?,
                _ => pair[0],
            });
        }
        operands = next;
    }
    Ok(operands.first().copied().unwrap_or(neutral))
}
