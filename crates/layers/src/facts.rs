//! What follows at once from an expression that holds.

use rustc_hash::FxHashMap;
use winset_model::{Expr, ExprId, Exprs, Value, VarId};

/// Evaluates expressions as far as some that hold decide them. The disjuncts of a terminal condition come
/// back inside the rewards' conditions as the very same expressions, so that this settles most of them
/// without a diagram.
pub struct Facts<'g> {
    exprs: &'g Exprs,
    values: FxHashMap<VarId, Value>,
    known: FxHashMap<ExprId, Option<bool>>,
}

impl<'g> Facts<'g> {
    /// All of these hold.
    pub fn new(exprs: &'g Exprs, hold: &[ExprId]) -> Self {
        let mut facts = Facts { exprs, values: FxHashMap::default(), known: FxHashMap::default() };
        let mut open = hold.to_vec();
        while let Some(id) = open.pop() {
            facts.known.insert(id, Some(true));
            match exprs.get(id) {
                Expr::Is(var, value) => {
                    facts.values.insert(*var, *value);
                }
                Expr::And(list) => open.extend(list),
                Expr::Not(a) => {
                    facts.known.insert(*a, Some(false));
                }
                _ => {}
            }
        }
        facts
    }

    /// True, false, or open.
    pub fn holds(&mut self, root: ExprId) -> Option<bool> {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            let before = stack.len();
            if !self.known.contains_key(&id) && self.combine(id).is_none() {
                stack.extend(self.exprs.operands(id).iter().filter(|a| !self.known.contains_key(a)));
            }
            if stack.len() == before {
                if !self.known.contains_key(&id) {
                    self.known.insert(id, self.combine(id));
                }
                stack.pop();
            }
        }
        self.known[&root]
    }

    /// What is known of the operands decides the expression.
    fn combine(&self, id: ExprId) -> Option<bool> {
        let of = |a: &ExprId| self.known.get(a).copied().flatten();
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
    use winset_model::Game;

    #[test]
    fn a_disjunct_decides_what_is_made_of_it() {
        let mut game = Game::new("facts", ["only"]);
        let [a, b] = ["a", "b"].map(|name| game.add_variable(name, ["0", "1", "2"]));
        let exprs = &mut game.exprs;
        let [a0, a1, b1] = [exprs.is(a, 0), exprs.is(a, 1), exprs.is(b, 1)];
        let either = exprs.or([a1, b1]);
        let neither = exprs.not(either);
        let both = exprs.and([a0, b1]);
        let mut facts = Facts::new(exprs, &[a1]);
        assert_eq!(facts.holds(either), Some(true));
        assert_eq!(facts.holds(neither), Some(false));
        assert_eq!(facts.holds(both), Some(false));
        assert_eq!(facts.holds(b1), None);
        assert_eq!(Facts::new(exprs, &[neither]).holds(a1), None, "not looked into");
        assert_eq!(Facts::new(exprs, &[both]).holds(either), Some(true));
    }
}
