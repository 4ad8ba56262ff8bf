//! Random specifications: CTL and nested fixed points.

use super::{Generator, STATE, Scope};
use crate::syntax::{Expr, Head, Item, binary, expr, name};

impl Generator {
    pub(super) fn spec(&mut self, scope: &Scope) -> Item {
        if self.random.one_in(8) {
            return Item::Section("INVARSPEC", self.condition(scope, STATE, 2));
        }
        let depth = 1 + self.random.below(5);
        let body = self.formula(scope, depth, true, &mut vec![]);
        Item::Section(self.random.pick(&["SPEC", "CTLSPEC", "MUSPEC"]), body)
    }

    /// A formula in which bound variables occur only with the sign of their binder.
    fn formula(
        &mut self,
        scope: &Scope,
        depth: usize,
        positive: bool,
        bound: &mut Vec<(String, bool)>,
    ) -> Expr {
        let usable: Vec<String> = bound.iter().filter(|b| b.1 == positive).map(|b| b.0.clone()).collect();
        if !usable.is_empty() && self.random.one_in(if depth == 0 { 2 } else { 5 }) {
            return name(self.random.pick(&usable));
        }
        if depth == 0 {
            return self.condition(scope, STATE, 1);
        }
        let deeper = depth - 1;
        let path = self.random.pick(&["E", "A"]);
        match self.random.below(16) {
            0 => expr(Head::Not, vec![self.formula(scope, deeper, !positive, bound)]),
            1 | 2 => {
                let operator = self.random.pick(&["&", "|"]);
                let left = self.formula(scope, deeper, positive, bound);
                binary(operator, left, self.formula(scope, deeper, positive, bound))
            }
            3 => {
                let left = self.formula(scope, deeper, !positive, bound);
                binary("->", left, self.formula(scope, deeper, positive, bound))
            }
            4 => {
                // Both signs: nothing bound may occur.
                let operator = self.random.pick(&["<->", "xor", "xnor", "=", "!="]);
                let left =
                    expr(Head::Temporal("EX"), vec![self.formula(scope, deeper, positive, &mut vec![])]);
                binary(operator, left, self.formula(scope, deeper, positive, &mut vec![]))
            }
            5 | 6 => {
                let hold = self.formula(scope, deeper, positive, bound);
                expr(Head::Until(path), vec![hold, self.formula(scope, deeper, positive, bound)])
            }
            7..12 => {
                let operator = self.random.pick(&["EX", "AX", "EF", "AF", "EG", "AG", "AG"]);
                expr(Head::Temporal(operator), vec![self.formula(scope, deeper, positive, bound)])
            }
            _ => {
                let (kind, variable) = (self.random.pick(&["mu", "nu"]), self.fresh("Z"));
                bound.push((variable.clone(), positive));
                let step = self.random.pick(&["EX", "AX"]);
                let around = self.formula(scope, deeper, positive, bound);
                let inner = self.formula(scope, deeper, positive, bound);
                bound.pop();
                let operator = self.random.pick(&["&", "|"]);
                let step = expr(Head::Temporal(step), vec![inner]);
                expr(Head::Fix(kind, variable), vec![binary(operator, around, step)])
            }
        }
    }
}
