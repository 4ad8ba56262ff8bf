//! What follows at once from values and expressions that are taken to hold.

use crate::expr::{Expr, ExprId, Exprs};
use crate::variable::{Value, VarId};
use std::collections::BTreeMap;

/// Evaluates expressions as far as some facts decide them: true, false, or open. Parts of a condition come
/// back inside other conditions as the very same expressions, so that this settles much without a diagram.
///
/// ```
/// use winset_model::{Exprs, Facts, VarId};
/// let mut exprs = Exprs::new();
/// let [a, b] = [exprs.is(VarId(0), 1), exprs.is(VarId(1), 1)];
/// let either = exprs.or([a, b]);
/// let mut facts = Facts::new(&exprs);
/// facts.assume(&[], &[a]);
/// assert_eq!((facts.holds(either), facts.holds(b)), (Some(true), None));
/// facts.assume(&[(VarId(0), 0), (VarId(1), 0)], &[]);
/// assert_eq!(facts.holds(either), Some(false));
/// ```
pub struct Facts<'g> {
    exprs: &'g Exprs,
    values: BTreeMap<VarId, Value>,
    known: Vec<Option<Option<bool>>>,
    /// What is known, to be forgotten when something else is assumed.
    touched: Vec<ExprId>,
}

impl<'g> Facts<'g> {
    /// Nothing is assumed.
    pub fn new(exprs: &'g Exprs) -> Self {
        let known = vec![None; exprs.len()];
        Facts { exprs, values: BTreeMap::new(), known, touched: vec![] }
    }

    /// These variables have these values, and all of these expressions hold; nothing else is assumed any
    /// more.
    pub fn assume(&mut self, values: &[(VarId, Value)], hold: &[ExprId]) {
        self.touched.drain(..).for_each(|id| self.known[id.index()] = None);
        self.values = values.iter().copied().collect();
        let exprs = self.exprs;
        let mut open = hold.to_vec();
        while let Some(id) = open.pop() {
            self.note(id, Some(true));
            match exprs.get(id) {
                Expr::Is(var, value) => {
                    self.values.insert(*var, *value);
                }
                Expr::And(list) => open.extend(list),
                Expr::Not(a) => self.note(*a, Some(false)),
                _ => {}
            }
        }
    }

    /// True, false, or open.
    pub fn holds(&mut self, root: ExprId) -> Option<bool> {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.known[id.index()].is_none() {
                let result = self.combine(id);
                let before = stack.len();
                if result.is_none() {
                    let missing = self.exprs.operands(id).iter().filter(|a| self.known[a.index()].is_none());
                    stack.extend(missing);
                }
                if stack.len() > before {
                    continue;
                }
                self.note(id, result);
            }
            stack.pop();
        }
        self.known[root.index()].flatten()
    }

    fn note(&mut self, id: ExprId, holds: Option<bool>) {
        self.known[id.index()] = Some(holds);
        self.touched.push(id);
    }

    /// What is known of the operands decides the expression.
    fn combine(&self, id: ExprId) -> Option<bool> {
        let of = |a: &ExprId| self.known[a.index()].flatten();
        match self.exprs.get(id) {
            Expr::False => Some(false),
            Expr::True => Some(true),
            Expr::Is(var, value) => self.values.get(var).map(|known| known == value),
            Expr::Next(..) | Expr::Fix(..) => None,
            Expr::Not(a) => of(a).map(|holds| !holds),
            Expr::And(list) if list.iter().any(|a| of(a) == Some(false)) => Some(false),
            Expr::And(list) => list.iter().all(|a| of(a) == Some(true)).then_some(true),
            Expr::Or(list) if list.iter().any(|a| of(a) == Some(true)) => Some(true),
            Expr::Or(list) => list.iter().all(|a| of(a) == Some(false)).then_some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disjunct_decides_what_is_made_of_it() {
        let mut exprs = Exprs::new();
        let [a, b] = [VarId(0), VarId(1)];
        let [a0, a1, b1] = [exprs.is(a, 0), exprs.is(a, 1), exprs.is(b, 1)];
        let either = exprs.or([a1, b1]);
        let neither = exprs.not(either);
        let both = exprs.and([a0, b1]);
        let mut facts = Facts::new(&exprs);
        facts.assume(&[], &[a1]);
        assert_eq!(facts.holds(either), Some(true));
        assert_eq!(facts.holds(neither), Some(false));
        assert_eq!(facts.holds(both), Some(false));
        assert_eq!(facts.holds(b1), None);
        facts.assume(&[], &[neither]);
        assert_eq!(facts.holds(a1), None, "not looked into");
        facts.assume(&[], &[both]);
        assert_eq!(facts.holds(either), Some(true));
        facts.assume(&[(a, 0)], &[]);
        assert_eq!((facts.holds(a1), facts.holds(either)), (Some(false), None), "the rest is forgotten");
    }
}
