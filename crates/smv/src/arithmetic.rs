//! Operators on values: every pair of cases that can meet gives a case of the result.

use crate::compile::Compiler;
use crate::diagnostic::{Checked, Code, Diagnostic};
use crate::syntax::Binary;
use crate::value::{Constant, Value, conjoin, gather};
use rustc_hash::FxHashMap;
use winset_diagnostic::Span;
use winset_model::{ExprId, Exprs};

/// The conditions of former branches that are kept in one list.
const MOST_OPEN: usize = 64;

/// Conjunction that leaves its operands closed.
fn nest(exprs: &mut Exprs, parts: [ExprId; 2]) -> ExprId {
    exprs.and(parts)
}

impl Compiler<'_, '_> {
    /// A condition from a value; 0 and 1 count as false and true, as in older models.
    pub fn boolean(&mut self, value: &Value, span: Span) -> Checked<ExprId> {
        match value {
            Value::Boolean(yes) => Ok(*yes),
            Value::Cases(list) => {
                let mut yes = vec![];
                for (constant, when) in list {
                    match constant {
                        Constant::Boolean(true) | Constant::Integer(1) => yes.push(*when),
                        Constant::Boolean(false) | Constant::Integer(0) => {}
                        other => {
                            let message = format!("expected a Boolean, but this can be {other}");
                            return Err(Diagnostic::error(Code::TypeError, span, message));
                        }
                    }
                }
                Ok(self.exprs.or(yes))
            }
            Value::Set(_) => {
                let message = "expected a Boolean, but this is a set of choices";
                let error = Diagnostic::error(Code::TypeError, span, message);
                Err(error.help("sets may be assigned, or stand to the right of `in`"))
            }
        }
    }

    fn integers(&mut self, value: &Value, span: Span) -> Checked<Vec<(i64, ExprId)>> {
        let wrong = |what: &str| {
            let error =
                Diagnostic::error(Code::TypeError, span, format!("expected a number, but this is {what}"));
            if what == "a Boolean" { error.help("write `toint(...)` for 0 or 1") } else { error }
        };
        let Value::Cases(list) = value else { return Err(wrong(value.describe())) };
        let number = |(constant, when): &(Constant, ExprId)| match constant {
            Constant::Integer(n) => Some((*n, *when)),
            _ => None,
        };
        list.iter().map(number).collect::<Option<Vec<_>>>().ok_or_else(|| wrong(value.describe()))
    }

    /// Every pair of cases that can meet.
    fn pairs<A: Clone, B: Clone>(
        &mut self,
        a: &[(A, ExprId)],
        b: &[(B, ExprId)],
        span: Span,
    ) -> Checked<Vec<(A, B, ExprId)>> {
        if a.len().saturating_mul(b.len()) > 16 * self.limits.values {
            let message = format!("the operands have {} and {} values: too many together", a.len(), b.len());
            return Err(Diagnostic::error(Code::TooLarge, span, message));
        }
        let mut met = vec![];
        for (x, when) in a {
            for (y, also) in b {
                let both = conjoin(&mut self.exprs, [*when, *also]);
                if both != Exprs::FALSE {
                    met.push((x.clone(), y.clone(), both));
                }
            }
        }
        self.within_limits(span)?;
        Ok(met)
    }

    pub fn compute(&mut self, operator: Binary, a: &Value, b: &Value, spans: (Span, Span)) -> Checked<Value> {
        let span = spans.0.to(spans.1);
        let (a, b) = (self.integers(a, spans.0)?, self.integers(b, spans.1)?);
        let mut results = vec![];
        for (x, y, when) in self.pairs(&a, &b, span)? {
            let result = match operator {
                Binary::Plus => x.checked_add(y),
                Binary::Minus => x.checked_sub(y),
                Binary::Times => x.checked_mul(y),
                Binary::Divide | Binary::Modulo if y == 0 => {
                    self.impossible(when, Code::DivisionByZero, spans.1, "the divisor can be zero")?;
                    continue;
                }
                Binary::Divide => x.checked_div(y),
                _ => x.checked_rem(y),
            };
            let Some(result) = result else {
                return Err(Diagnostic::error(Code::TooLarge, span, "the result does not fit into 64 bits"));
            };
            results.push((Constant::Integer(result), when));
        }
        Ok(Value::Cases(gather(&mut self.exprs, results)))
    }

    pub fn order(&mut self, operator: Binary, a: &Value, b: &Value, spans: (Span, Span)) -> Checked<Value> {
        let (a, b) = (self.integers(a, spans.0)?, self.integers(b, spans.1)?);
        let holds = |x: i64, y: i64| match operator {
            Binary::Less => x < y,
            Binary::LessEqual => x <= y,
            Binary::Greater => x > y,
            _ => x >= y,
        };
        let met = self.pairs(&a, &b, spans.0.to(spans.1))?;
        let yes: Vec<ExprId> =
            met.into_iter().filter(|(x, y, _)| holds(*x, *y)).map(|(.., when)| when).collect();
        Ok(Value::Boolean(self.exprs.or(yes)))
    }

    /// Equality, or membership if the right is a set.
    pub fn equal(&mut self, a: &Value, b: &Value, spans: (Span, Span)) -> Checked<ExprId> {
        let span = spans.0.to(spans.1);
        let (mut left, mut right) = (a.cases(&mut self.exprs), b.cases(&mut self.exprs));
        let boolean =
            |list: &[(Constant, ExprId)]| list.iter().any(|(c, _)| matches!(c, Constant::Boolean(_)));
        let digits = |list: &[(Constant, ExprId)]| {
            list.iter().all(|(c, _)| matches!(c, Constant::Boolean(_) | Constant::Integer(0 | 1)))
        };
        if boolean(&left) != boolean(&right) && !(digits(&left) && digits(&right)) {
            let message = format!("{} cannot be compared with {}", a.describe(), b.describe());
            return Err(Diagnostic::error(Code::TypeError, span, message));
        }
        // Beside Booleans, on whichever side they stand, 0 and 1 are Booleans too.
        if boolean(&left) || boolean(&right) {
            for (constant, _) in left.iter_mut().chain(&mut right) {
                if let Constant::Integer(n @ (0 | 1)) = constant {
                    *constant = Constant::Boolean(*n == 1);
                }
            }
        }
        if a.is_set() {
            return Err(Diagnostic::error(Code::TypeError, spans.0, "a set of choices cannot be compared"));
        }
        let mut by_value: FxHashMap<&Constant, Vec<ExprId>> = FxHashMap::default();
        for (y, also) in &right {
            by_value.entry(y).or_default().push(*also);
        }
        if !left.iter().any(|(x, _)| by_value.contains_key(x)) {
            let warning = Diagnostic::warning(Code::NeverEqual, span, "these are never equal");
            self.found.add(warning);
        }
        let mut same = vec![];
        for (x, when) in &left {
            for also in by_value.get(x).into_iter().flatten() {
                same.push(conjoin(&mut self.exprs, [*when, *also]));
            }
        }
        Ok(self.exprs.or(same))
    }

    /// The values under conditions of which the first that holds applies.
    pub fn choose(&mut self, branches: Vec<(ExprId, Value)>, span: Span) -> Checked<Value> {
        let mut left_over = Exprs::TRUE;
        let (mut cases, mut all_boolean, mut any_set) = (vec![], true, false);
        for (condition, value) in branches {
            // A long list of conditions is closed and nested: opened each time, the branches of a large `case` would
            // take space by their square.
            let join: fn(&mut Exprs, [ExprId; 2]) -> ExprId =
                if self.exprs.operands(left_over).len() > MOST_OPEN { nest } else { conjoin };
            let applies = join(&mut self.exprs, [left_over, condition]);
            let not = self.exprs.not(condition);
            left_over = join(&mut self.exprs, [left_over, not]);
            all_boolean &= matches!(value, Value::Boolean(_));
            any_set |= value.is_set();
            for (constant, when) in value.cases(&mut self.exprs) {
                cases.push((constant, conjoin(&mut self.exprs, [applies, when])));
            }
        }
        self.impossible(left_over, Code::CaseNotExhaustive, span, "no branch of this `case` need apply")?;
        self.within_limits(span)?;
        let cases = gather(&mut self.exprs, cases);
        if any_set {
            return Ok(Value::Set(cases));
        }
        if all_boolean {
            let yes = cases.iter().find(|(c, _)| *c == Constant::Boolean(true)).map_or(Exprs::FALSE, |c| c.1);
            return Ok(Value::Boolean(yes));
        }
        Ok(Value::Cases(cases))
    }

    /// Built-in functions.
    pub fn call(&mut self, name: &str, arguments: &[(Value, Span)], span: Span) -> Checked<Value> {
        let one = |wanted: usize| {
            if arguments.len() == wanted {
                return Ok(());
            }
            let message = format!("`{name}` takes {wanted} arguments, {} are given", arguments.len());
            Err(Diagnostic::error(Code::Parameters, span, message))
        };
        let zero = Value::Cases(vec![(Constant::Integer(0), Exprs::TRUE)]);
        match name {
            "toint" => {
                one(1)?;
                let (value, at) = &arguments[0];
                if let Value::Cases(_) = value {
                    self.integers(value, *at)?;
                    return Ok(value.clone());
                }
                let yes = self.boolean(value, *at)?;
                let no = self.exprs.not(yes);
                Ok(Value::Cases(vec![(Constant::Integer(0), no), (Constant::Integer(1), yes)]))
            }
            "bool" => {
                one(1)?;
                Ok(Value::Boolean(self.boolean(&arguments[0].0, arguments[0].1)?))
            }
            "count" => {
                let mut sum = zero;
                for (value, at) in arguments {
                    let yes = self.boolean(value, *at)?;
                    let no = self.exprs.not(yes);
                    let bit = Value::Cases(vec![(Constant::Integer(0), no), (Constant::Integer(1), yes)]);
                    sum = self.compute(Binary::Plus, &sum, &bit, (span, *at))?;
                }
                Ok(sum)
            }
            "max" | "min" => {
                one(2)?;
                let [(a, a_span), (b, b_span)] = arguments else { unreachable!("two arguments") };
                let less = self.order(Binary::Less, a, b, (*a_span, *b_span))?;
                let less = self.boolean(&less, span)?;
                let (first, second) = if name == "min" { (a, b) } else { (b, a) };
                self.choose(vec![(less, first.clone()), (Exprs::TRUE, second.clone())], span)
            }
            "abs" => {
                one(1)?;
                let (a, at) = &arguments[0];
                let negative = self.order(Binary::Less, a, &zero, (*at, span))?;
                let negative = self.boolean(&negative, span)?;
                let minus = self.compute(Binary::Minus, &zero, a, (span, *at))?;
                self.choose(vec![(negative, minus), (Exprs::TRUE, a.clone())], span)
            }
            _ => Err(Diagnostic::error(
                Code::Unsupported,
                span,
                format!("the function `{name}` is not supported"),
            )),
        }
    }
}
