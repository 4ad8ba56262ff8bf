//! Operators on values: every pair of cases that can meet gives a case of the result.

use crate::compile::Compiler;
use crate::diagnostic::{Checked, Code, Diagnostic};
use crate::syntax::Binary;
use crate::value::{Constant, Value, Word, conjoin, gather};
use rustc_hash::FxHashMap;
use winset_diagnostic::Span;
use winset_model::{ExprId, Exprs};

/// The conditions of former branches that are kept in one list.
const MOST_OPEN: usize = 64;

/// The most pairs of values that are compared or added one by one.
const PAIRS: usize = 4096;

/// Conjunction that leaves its operands closed.
fn nest(exprs: &mut Exprs, parts: [ExprId; 2]) -> ExprId {
    exprs.and(parts)
}

/// Conjunction that opens its operands.
fn open(exprs: &mut Exprs, parts: [ExprId; 2]) -> ExprId {
    conjoin(exprs, parts)
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
            Value::Word(_) | Value::Array(_) => {
                let message = format!("expected a Boolean, but this is {}", value.describe());
                Err(Diagnostic::error(Code::TypeError, span, message))
            }
            Value::Set(_) => {
                let message = "expected a Boolean, but this is a set of choices";
                let error = Diagnostic::error(Code::TypeError, span, message);
                Err(error.help("sets may be assigned, or stand to the right of `in`"))
            }
        }
    }

    pub fn integers(&mut self, value: &Value, span: Span) -> Checked<Vec<(i64, ExprId)>> {
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
        if matches!(a, Value::Word(_)) || matches!(b, Value::Word(_)) {
            return self.word_compute(operator, a, b, spans);
        }
        let span = spans.0.to(spans.1);
        let (a, b) = (self.integers(a, spans.0)?, self.integers(b, spans.1)?);
        if matches!(operator, Binary::Plus | Binary::Minus)
            && a.len().min(b.len()) > 1
            && a.len().saturating_mul(b.len()) > PAIRS
            && let Some(sum) = self.sum_many(&a, &b, operator == Binary::Minus, span)?
        {
            return Ok(sum);
        }
        let mut results = vec![];
        for (x, y, when) in self.pairs(&a, &b, span)? {
            let result = match operator {
                Binary::Plus => x.checked_add(y),
                Binary::Minus => x.checked_sub(y),
                Binary::Times => x.checked_mul(y),
                Binary::Divide | Binary::Modulo if y == 0 => {
                    let error = Diagnostic::error(Code::DivisionByZero, spans.1, "the divisor can be zero");
                    self.fails(when, error);
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
        let cases = gather(&mut self.exprs, results);
        self.families.add(&cases);
        Ok(Value::Cases(cases))
    }

    pub fn order(&mut self, operator: Binary, a: &Value, b: &Value, spans: (Span, Span)) -> Checked<Value> {
        if matches!(a, Value::Word(_)) || matches!(b, Value::Word(_)) {
            return self.word_order(operator, a, b, spans.0.to(spans.1));
        }
        let (a, b) = (self.integers(a, spans.0)?, self.integers(b, spans.1)?);
        let holds = |x: i64, y: i64| match operator {
            Binary::Less => x < y,
            Binary::LessEqual => x <= y,
            Binary::Greater => x > y,
            _ => x >= y,
        };
        if a.len().min(b.len()) > 1 && a.len().saturating_mul(b.len()) > PAIRS {
            return Ok(Value::Boolean(self.order_many(operator, a, b)));
        }
        let met = self.pairs(&a, &b, spans.0.to(spans.1))?;
        let yes: Vec<ExprId> =
            met.into_iter().filter(|(x, y, _)| holds(*x, *y)).map(|(.., when)| when).collect();
        Ok(Value::Boolean(self.exprs.or(yes)))
    }

    /// The same for many values on both sides: each of the smaller ones with whatever is large enough beside it, of which one
    /// is said by means of the next, so that there are as many conditions as values and not as many as pairs.
    fn order_many(&mut self, operator: Binary, a: Vec<(i64, ExprId)>, b: Vec<(i64, ExprId)>) -> ExprId {
        let (mut small, mut large) = match operator {
            Binary::Less | Binary::LessEqual => (a, b),
            _ => (b, a),
        };
        let strict = matches!(operator, Binary::Less | Binary::Greater);
        // From the largest down, so that those that are large enough only become more.
        small.sort_by_key(|(x, _)| std::cmp::Reverse(*x));
        large.sort_by_key(|(y, _)| std::cmp::Reverse(*y));
        let (mut yes, mut enough, mut at) = (vec![], Exprs::FALSE, 0);
        for (x, when) in small {
            while let Some((y, also)) = large.get(at)
                && (*y > x || !strict && *y == x)
            {
                enough = self.exprs.or([enough, *also]);
                at += 1;
            }
            yes.push(self.exprs.and([when, enough]));
        }
        self.exprs.or(yes)
    }

    /// Equality, or membership if the right is a set.
    pub fn equal(&mut self, a: &Value, b: &Value, spans: (Span, Span)) -> Checked<ExprId> {
        let span = spans.0.to(spans.1);
        match (a, b) {
            (Value::Word(_), Value::Set(set)) => return self.word_among(a, set, span),
            (Value::Word(_), _) | (_, Value::Word(_)) => return self.word_equal(a, b, span),
            (Value::Array(_), _) | (_, Value::Array(_)) => {
                return Err(Diagnostic::error(Code::TypeError, span, "whole arrays cannot be compared"));
            }
            _ => {}
        }
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

    /// The values under conditions of which the first that holds applies, one of the conditions must hold.
    pub fn choose(&mut self, branches: Vec<(ExprId, Value)>, span: Span) -> Checked<Value> {
        let mut left_over = Exprs::TRUE;
        let mut applying = vec![];
        for (condition, value) in branches {
            let applies = self.both(left_over, condition);
            let not = self.exprs.not(condition);
            left_over = self.both(left_over, not);
            applying.push((applies, value));
        }
        let message = "no branch of this `case` need apply";
        self.fails(left_over, Diagnostic::error(Code::CaseNotExhaustive, span, message));
        self.chosen(applying, span)
    }

    /// Conjunction, of which a long list of former conditions is closed and nested: opened each time, the branches of a
    /// large `case` would take space by their square.
    pub fn both(&mut self, left_over: ExprId, condition: ExprId) -> ExprId {
        let join = if self.exprs.operands(left_over).len() > MOST_OPEN { nest } else { open };
        join(&mut self.exprs, [left_over, condition])
    }

    /// The values under conditions that exclude each other.
    pub fn chosen(&mut self, branches: Vec<(ExprId, Value)>, span: Span) -> Checked<Value> {
        let is_word = |(_, value): &(ExprId, Value)| matches!(value, Value::Word(_));
        let is_array = |(_, value): &(ExprId, Value)| matches!(value, Value::Array(_));
        if branches.iter().any(is_array) {
            return self.chosen_array(branches, span);
        }
        if branches.iter().any(is_word) && !branches.iter().any(|(_, value)| value.is_set()) {
            return self.chosen_word(branches, span);
        }
        let (mut cases, mut all_boolean, mut any_set) = (vec![], true, false);
        for (applies, value) in branches {
            all_boolean &= matches!(value, Value::Boolean(_));
            any_set |= value.is_set();
            if let Value::Word(word) = &value
                && word.constant().is_none()
            {
                let message = "words that are not constant in sets are not supported";
                return Err(Diagnostic::error(Code::Unsupported, span, message));
            }
            let list = value.cases(&mut self.exprs);
            cases.extend(self.under(applies, list));
        }
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

    fn chosen_word(&mut self, branches: Vec<(ExprId, Value)>, span: Span) -> Checked<Value> {
        let mut words: Vec<(ExprId, &Word)> = vec![];
        for (applies, value) in &branches {
            match (value, words.first()) {
                (Value::Word(word), Some((_, first)))
                    if (word.signed, word.bits.len()) != (first.signed, first.bits.len()) =>
                {
                    let message = "the branches are words of different kinds";
                    return Err(Diagnostic::error(Code::TypeError, span, message));
                }
                (Value::Word(word), _) => words.push((*applies, word)),
                (other, _) => {
                    let message =
                        format!("a word and {} cannot be values of one expression", other.describe());
                    return Err(Diagnostic::error(Code::TypeError, span, message));
                }
            }
        }
        let (signed, width) = words.first().map_or((false, 0), |(_, word)| (word.signed, word.bits.len()));
        let mut bits = vec![];
        for i in 0..width {
            let ways: Vec<ExprId> =
                words.iter().map(|(applies, word)| self.exprs.and([*applies, word.bits[i]])).collect();
            let same = words.iter().all(|(_, word)| word.bits[i] == words[0].1.bits[i]);
            bits.push(if same { words[0].1.bits[i] } else { self.exprs.or(ways) });
        }
        Ok(Value::Word(Word { signed, bits }))
    }

    fn chosen_array(&mut self, branches: Vec<(ExprId, Value)>, span: Span) -> Checked<Value> {
        let mut lists = vec![];
        for (applies, value) in branches {
            let Value::Array(list) = value else {
                return Err(Diagnostic::error(Code::TypeError, span, "an array beside what is none"));
            };
            lists.push((applies, list));
        }
        let length = lists.iter().map(|(_, list)| list.len()).min().unwrap_or(0);
        if lists.iter().any(|(_, list)| list.len() != length) {
            return Err(Diagnostic::error(Code::TypeError, span, "arrays of different lengths"));
        }
        let element = |i: usize| lists.iter().map(|(applies, list)| (*applies, list[i].clone())).collect();
        let columns: Vec<Vec<(ExprId, Value)>> = (0..length).map(element).collect();
        Ok(Value::Array(columns.into_iter().map(|c| self.chosen(c, span)).collect::<Checked<_>>()?))
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
        if let Some(value) = self.word_call(name, arguments, span)? {
            return Ok(value);
        }
        match name {
            "toint" => {
                one(1)?;
                let (value, at) = &arguments[0];
                if let Value::Word(word) = value {
                    return self.counted(word, *at);
                }
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
                match &arguments[0].0 {
                    Value::Word(word) if word.bits.len() == 1 => Ok(Value::Boolean(word.bits[0])),
                    value => Ok(Value::Boolean(self.boolean(value, arguments[0].1)?)),
                }
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
