//! Random expressions of a wanted type.

use super::{Generator, Place, Scope, Type};
use crate::syntax::{Expr, Head, binary, boolean, expr, integer};

/// The numbers that a type spans, if it has only numbers.
fn span(kind: &Type) -> Option<(i64, i64)> {
    match kind {
        Type::Boolean => None,
        Type::Integer(low, high) => Some((*low, *high)),
        Type::Listed(list) => {
            let number = |e: &Expr| if let Head::Integer(n) = e.head { Some(n) } else { None };
            let numbers: Vec<i64> = list.iter().map(number).collect::<Option<_>>()?;
            Some((*numbers.iter().min()?, *numbers.iter().max()?))
        }
    }
}

impl Generator {
    /// Something with a name and a type that suits, now or in the next state.
    fn named(&mut self, scope: &Scope, place: Place, suits: impl Fn(&Type) -> bool) -> Option<(Expr, Type)> {
        let mut all = vec![];
        for known in scope.known.iter().filter(|known| suits(&known.kind)) {
            if place.plain && (known.always || known.derived) {
                continue;
            }
            if (place.transition || !known.transition) && (place.before == usize::MAX || !known.ahead) {
                all.push((known.path.clone(), known.kind.clone()));
            }
            if place.transition && place.before > known.next_from {
                all.push((expr(Head::Next, vec![known.path.clone()]), known.kind.clone()));
            }
        }
        if all.is_empty() { None } else { Some(self.random.pick(&all)) }
    }

    /// An element of an array by a computed index.
    fn element(
        &mut self,
        scope: &Scope,
        place: Place,
        depth: usize,
        suits: impl Fn(&Type) -> bool,
    ) -> Option<(Expr, Type)> {
        let rows: Vec<_> = scope.rows.iter().filter(|row| suits(&row.kind)).cloned().collect();
        if rows.is_empty() || place.plain {
            return None;
        }
        let row = self.random.pick(&rows);
        let (index, low, high) = self.number(scope, place, depth);
        let inside = low >= row.low && high <= row.high;
        let index = if inside || self.random.one_in(12) {
            index
        } else {
            let count = row.high - row.low + 1;
            let rest = binary("mod", expr(Head::Call("abs".into()), vec![index]), integer(count));
            if row.low == 0 { rest } else { binary("+", rest, integer(row.low)) }
        };
        Some((expr(Head::Index, vec![row.path, index]), row.kind))
    }

    pub(super) fn condition(&mut self, scope: &Scope, place: Place, depth: usize) -> Expr {
        let is_condition = |kind: &Type| *kind == Type::Boolean || *kind == Type::Integer(0, 1);
        if depth == 0 || self.random.one_in(5) {
            if let Some((path, _)) = self.named(scope, place, is_condition)
                && self.random.one_in(2)
            {
                return path;
            }
            return if self.random.one_in(10) {
                boolean(self.random.one_in(2))
            } else {
                self.comparison(scope, place, 0)
            };
        }
        let deeper = depth - 1;
        match self.random.below(12) {
            0 => expr(Head::Not, vec![self.condition(scope, place, deeper)]),
            1..5 => {
                let operator = self.random.pick(&["&", "|", "&", "|", "xor", "xnor", "->", "<->", "=", "!="]);
                let left = self.condition(scope, place, deeper);
                binary(operator, left, self.condition(scope, place, deeper))
            }
            5 => {
                let operands = (0..3).map(|_| self.condition(scope, place, deeper)).collect();
                expr(Head::If, operands)
            }
            6 => self.case(scope, place, deeper, &mut |this, deeper| this.condition(scope, place, deeper)),
            7 => match self.element(scope, place, deeper, is_condition) {
                Some((element, _)) => element,
                None => self.comparison(scope, place, deeper),
            },
            8 => {
                let (number, low, high) = self.number(scope, place, deeper);
                let digit = low >= 0 && high <= 1;
                if digit {
                    expr(Head::Call("bool".into()), vec![number])
                } else {
                    binary(">", number, integer(low))
                }
            }
            _ => self.comparison(scope, place, deeper),
        }
    }

    /// `case` with a last branch that always applies, or rarely without one.
    fn case(
        &mut self,
        scope: &Scope,
        place: Place,
        depth: usize,
        value: &mut dyn FnMut(&mut Self, usize) -> Expr,
    ) -> Expr {
        let mut operands = vec![];
        for _ in 0..1 + self.random.below(2) {
            operands.push(self.condition(scope, place, depth));
            operands.push(value(self, depth));
        }
        if !self.random.one_in(40) {
            operands.push(boolean(true));
            operands.push(value(self, depth));
        }
        expr(Head::Case, operands)
    }

    fn comparison(&mut self, scope: &Scope, place: Place, depth: usize) -> Expr {
        if self.random.one_in(2)
            && let Some(list) = self.some_listed(scope, place)
        {
            let left = self.listed(scope, place, &list, depth);
            return match self.random.below(4) {
                0 => {
                    let right = self.listed(scope, place, &list, depth);
                    binary(self.random.pick(&["=", "!="]), left, right)
                }
                1 => binary(self.random.pick(&["=", "!="]), left, self.random.pick(&list)),
                _ => {
                    let set = (0..1 + self.random.below(3)).map(|_| self.random.pick(&list)).collect();
                    binary("in", left, expr(Head::Set, set))
                }
            };
        }
        if self.named(scope, place, |kind| span(kind).is_some()).is_none() && !self.random.one_in(20) {
            let condition = self.named(scope, place, |kind| *kind == Type::Boolean);
            return condition.map_or(boolean(true), |(path, _)| path);
        }
        let (left, low, high) = self.number(scope, place, depth);
        let near = |this: &mut Self| low + this.random.below((high - low + 1).clamp(1, 60) as usize) as i64;
        match self.random.below(6) {
            0 => {
                let (from, to) = (near(self), near(self));
                binary("in", left, expr(Head::Range, vec![integer(from.min(to)), integer(from.max(to))]))
            }
            1 => {
                let (one, other) = (integer(near(self)), integer(near(self)));
                let set = expr(Head::Set, vec![one]);
                binary("in", left, binary("union", set, other))
            }
            2 => {
                let (right, ..) = self.number(scope, place, depth);
                binary(self.random.pick(&["=", "!=", "<", "<=", ">", ">=", "in"]), left, right)
            }
            _ => binary(self.random.pick(&["=", "!=", "<", "<=", ">", ">="]), left, integer(near(self))),
        }
    }

    /// A number, and bounds that it keeps to.
    pub(super) fn number(&mut self, scope: &Scope, place: Place, depth: usize) -> (Expr, i64, i64) {
        let is_number = |kind: &Type| span(kind).is_some();
        if depth == 0 || self.random.one_in(4) {
            if !self.random.one_in(8)
                && let Some((path, kind)) = self.named(scope, place, is_number)
            {
                let (low, high) = span(&kind).expect("a number");
                return (path, low, high);
            }
            let n = self.random.below(12) as i64 - 3;
            return (integer(n), n, n);
        }
        let deeper = depth - 1;
        match self.random.below(12) {
            0..4 => {
                let ((a, a0, a1), (b, b0, b1)) =
                    (self.number(scope, place, deeper), self.number(scope, place, deeper));
                match self.random.below(4) {
                    0 | 1 => (binary("+", a, b), a0 + b0, a1 + b1),
                    2 => (binary("-", a, b), a0 - b1, a1 - b0),
                    _ => {
                        let all = [a0 * b0, a0 * b1, a1 * b0, a1 * b1];
                        (
                            binary("*", a, b),
                            *all.iter().min().expect("four"),
                            *all.iter().max().expect("four"),
                        )
                    }
                }
            }
            4 | 5 => {
                let (a, a0, a1) = self.number(scope, place, deeper);
                let most = a0.abs().max(a1.abs());
                let by = self.random.pick(&[-3, -2, -1, 1, 2, 3, 4, 5]);
                let divisor =
                    if self.random.one_in(10) { self.number(scope, place, 0).0 } else { integer(by) };
                let operator = self.random.pick(&["/", "mod"]);
                let low = if a0 >= 0 && operator == "mod" { 0 } else { -most };
                let high = if operator == "mod" { most.min(by.abs().max(5) - 1) } else { most };
                (binary(operator, a, divisor), low, high)
            }
            6 => {
                let (a, a0, a1) = self.number(scope, place, deeper);
                (expr(Head::Negative, vec![a]), -a1, -a0)
            }
            7 => {
                let (a, a0, a1) = self.number(scope, place, deeper);
                (expr(Head::Call("abs".into()), vec![a]), 0, a0.abs().max(a1.abs()))
            }
            8 => {
                let ((a, a0, a1), (b, b0, b1)) =
                    (self.number(scope, place, deeper), self.number(scope, place, deeper));
                let function = self.random.pick(&["max", "min"]);
                (expr(Head::Call(function.into()), vec![a, b]), a0.min(b0), a1.max(b1))
            }
            9 => {
                let condition = self.condition(scope, place, deeper);
                if self.random.one_in(2) {
                    return (expr(Head::Call("toint".into()), vec![condition]), 0, 1);
                }
                let others = (0..self.random.below(3)).map(|_| self.condition(scope, place, 0));
                let operands: Vec<Expr> = std::iter::once(condition).chain(others).collect();
                let count = operands.len() as i64;
                (expr(Head::Call("count".into()), operands), 0, count)
            }
            10 => match self.element(scope, place, deeper, is_number) {
                Some((element, kind)) => {
                    let (low, high) = span(&kind).expect("a number");
                    (element, low, high)
                }
                None => self.number(scope, place, deeper),
            },
            _ => {
                let (mut least, mut most) = (i64::MAX, i64::MIN);
                let mut branch = |this: &mut Self, depth: usize| {
                    let (number, low, high) = this.number(scope, place, depth);
                    (least, most) = (least.min(low), most.max(high));
                    number
                };
                let case = if self.random.one_in(2) {
                    self.case(scope, place, deeper, &mut branch)
                } else {
                    let condition = self.condition(scope, place, deeper);
                    let yes = branch(self, deeper);
                    let no = branch(self, deeper);
                    expr(Head::If, vec![condition, yes, no])
                };
                (case, least, most)
            }
        }
    }

    /// The values of some name that is neither a Boolean nor a range.
    pub(super) fn some_listed(&mut self, scope: &Scope, place: Place) -> Option<Vec<Expr>> {
        match self.named(scope, place, |kind| matches!(kind, Type::Listed(_)))?.1 {
            Type::Listed(list) => Some(list),
            _ => None,
        }
    }

    /// One of the listed values.
    pub(super) fn listed(&mut self, scope: &Scope, place: Place, list: &[Expr], depth: usize) -> Expr {
        let within = |kind: &Type| match kind {
            Type::Listed(own) => own.iter().all(|value| list.contains(value)),
            _ => false,
        };
        if depth == 0 || self.random.one_in(3) {
            return match self.named(scope, place, within) {
                Some((path, _)) if !self.random.one_in(4) => path,
                _ => self.random.pick(list),
            };
        }
        let deeper = depth - 1;
        match self.random.below(4) {
            0 => match self.element(scope, place, deeper, within) {
                Some((element, _)) => element,
                None => self.listed(scope, place, list, deeper),
            },
            1 => {
                let condition = self.condition(scope, place, deeper);
                let yes = self.listed(scope, place, list, deeper);
                expr(Head::If, vec![condition, yes, self.listed(scope, place, list, deeper)])
            }
            _ => self.case(scope, place, deeper, &mut |this, deeper| this.listed(scope, place, list, deeper)),
        }
    }

    pub(super) fn literal(&mut self, kind: &Type) -> Expr {
        match kind {
            Type::Boolean if self.random.one_in(12) => integer(self.random.below(2) as i64),
            Type::Boolean => boolean(self.random.one_in(2)),
            Type::Integer(low, high) => integer(low + self.random.below((high - low + 1) as usize) as i64),
            Type::Listed(list) => self.random.pick(list),
        }
    }

    /// What a variable of the type can be assigned: a value or a choice of values.
    pub(super) fn value(&mut self, scope: &Scope, place: Place, kind: &Type) -> Expr {
        match self.random.below(8) {
            0 => {
                let count = 1 + self.random.below(3);
                let elements: Vec<Expr> = (0..count).map(|_| self.single(scope, place, kind, 1)).collect();
                expr(Head::Set, elements)
            }
            1 => {
                let left = expr(Head::Set, vec![self.single(scope, place, kind, 1)]);
                binary("union", left, self.single(scope, place, kind, 0))
            }
            2 => match (kind, self.literal(kind), self.literal(kind)) {
                (
                    Type::Integer(..),
                    Expr { head: Head::Integer(a), .. },
                    Expr { head: Head::Integer(b), .. },
                ) => expr(Head::Range, vec![integer(a.min(b)), integer(a.max(b))]),
                (_, a, b) => expr(Head::Set, vec![a, b]),
            },
            3 => {
                let condition = self.condition(scope, place, 1);
                let yes = expr(Head::Set, vec![self.literal(kind), self.single(scope, place, kind, 0)]);
                let no = self.single(scope, place, kind, 1);
                expr(Head::Case, vec![condition, yes, boolean(true), no])
            }
            _ => self.single(scope, place, kind, 2),
        }
    }

    fn single(&mut self, scope: &Scope, place: Place, kind: &Type, depth: usize) -> Expr {
        match kind {
            Type::Boolean => self.condition(scope, place, depth),
            Type::Listed(list) => self.listed(scope, place, list, depth),
            &Type::Integer(low, high) => {
                let (number, from, to) = self.number(scope, place, depth);
                if (from >= low && to <= high) || self.random.one_in(24) {
                    return number;
                }
                if self.random.one_in(2) {
                    let size = integer(high - low + 1);
                    let rest = binary("mod", expr(Head::Call("abs".into()), vec![number]), size);
                    return if low == 0 { rest } else { binary("+", integer(low), rest) };
                }
                let inside =
                    binary("in", number.clone(), expr(Head::Range, vec![integer(low), integer(high)]));
                expr(Head::Case, vec![inside, number, boolean(true), self.literal(kind)])
            }
        }
    }
}
