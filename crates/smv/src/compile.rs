//! Expressions: names resolved, types checked, meaning as values under conditions.

use crate::diagnostic::{Checked, Code, Diagnostic, Diagnostics, Limits};
use crate::exclusive::Families;
use crate::inputs::Record;
use crate::instance::{Flat, INPUTS, Target};
use crate::resolve::Resolved;
use crate::satisfy::Diagrams;
use crate::syntax::{Binary, Expr, ExprKind, Storage};
use crate::value::{Constant, Value, Word, gather};
use crate::words::Bitwise;
use rustc_hash::FxHashMap;
use winset_diagnostic::Span;
use winset_model::{ExprId, Exprs};

/// From here on, values are not looked at one by one for each comparison.
const MANY: usize = 64;

/// An expression speaks of the next state.
pub(crate) const OF_NEXT: u8 = 1;
/// An expression speaks of inputs.
pub(crate) const OF_INPUTS: u8 = 2;

/// What is known of a definition.
#[derive(Clone)]
pub(crate) struct Known {
    pub value: Checked<Value>,
    pub failures: Vec<(ExprId, Diagnostic)>,
    /// It speaks of the next state, of inputs.
    pub next: bool,
    pub inputs: bool,
}

pub(crate) struct Compiler<'f, 'd> {
    pub text: &'d str,
    pub flat: &'d Flat<'f>,
    pub exprs: Exprs,
    pub limits: &'d Limits,
    pub found: &'d mut Diagnostics,
    pub diagrams: Diagrams,
    pub families: Families,
    /// What states have in addition.
    pub records: Vec<Record>,
    /// What each expression speaks of, as far as that was asked for.
    speaks: Vec<u8>,
    /// What must not be: where an expression has no value, and why. Whoever uses the expression knows more about when
    /// that matters; see [`Compiler::settle`].
    pub failures: Vec<(ExprId, Diagnostic)>,
    pub defines: FxHashMap<(usize, bool), Known>,
    /// Of variables with many values: where each value is.
    places: FxHashMap<usize, FxHashMap<Constant, u16>>,
    /// The definitions being compiled.
    pub open: Vec<usize>,
    pub parameters: usize,
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub scope: usize,
    /// Inside `next(...)`, or to be read in the next state.
    pub shifted: bool,
    pub next_allowed: bool,
    pub inputs_allowed: bool,
}

impl Place {
    /// About one state only.
    pub fn state(scope: usize) -> Place {
        Place { scope, shifted: false, next_allowed: false, inputs_allowed: false }
    }

    /// About a transition.
    pub fn transition(scope: usize) -> Place {
        Place { scope, shifted: false, next_allowed: true, inputs_allowed: true }
    }
}

impl<'f, 'd> Compiler<'f, 'd> {
    pub fn new(text: &'d str, flat: &'d Flat<'f>, limits: &'d Limits, found: &'d mut Diagnostics) -> Self {
        Compiler {
            text,
            flat,
            exprs: Exprs::new(),
            limits,
            found,
            diagrams: Diagrams::default(),
            families: Families::default(),
            records: vec![],
            speaks: vec![],
            failures: vec![],
            defines: FxHashMap::default(),
            places: FxHashMap::default(),
            open: vec![],
            parameters: 0,
        }
    }

    /// An expression as it is written.
    pub fn text_of(&self, expr: &Expr) -> &'d str {
        &self.text[expr.span.start..expr.span.end]
    }

    /// A condition.
    pub fn condition(&mut self, expr: &Expr, place: Place) -> Checked<ExprId> {
        let value = self.value(expr, place)?;
        self.boolean(&value, expr.span)
    }

    pub fn value(&mut self, expr: &Expr, place: Place) -> Checked<Value> {
        let constant = |c| Value::Cases(vec![(c, Exprs::TRUE)]);
        match &expr.kind {
            ExprKind::Boolean(value) => Ok(Value::Boolean(if *value { Exprs::TRUE } else { Exprs::FALSE })),
            ExprKind::Integer(n) => Ok(constant(Constant::Integer(*n))),
            ExprKind::Word(signed, bits) => Ok(Value::Word(Word::of(*signed, bits))),
            ExprKind::Myself => {
                Err(Diagnostic::error(Code::TypeError, expr.span, "an instance has no value of its own"))
            }
            ExprKind::Array(list) => {
                let list = list.iter().map(|e| self.value(e, place)).collect::<Checked<_>>()?;
                Ok(Value::Array(list))
            }
            ExprKind::Bits(word, high, low) => {
                let bound = |compiler: &mut Self, e: &Expr| {
                    let wrong =
                        || Diagnostic::error(Code::Bounds, e.span, "bits are selected by constant numbers");
                    compiler.value(e, place)?.number().ok_or_else(wrong)
                };
                let (high, low) = (bound(self, high)?, bound(self, low)?);
                let word = self.value(word, place)?;
                self.select(&word, high, low, expr.span)
            }
            ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::Index(..) => self.reference(expr, place),
            ExprKind::Next(inner) => {
                let wrong = |message| Err(Diagnostic::error(Code::MisplacedNext, expr.span, message));
                if place.shifted {
                    return wrong("`next` inside `next`");
                }
                if !place.next_allowed {
                    return wrong("there is no next state here");
                }
                self.value(inner, Place { shifted: true, ..place })
            }
            ExprKind::Not(inner) => match self.value(inner, place)? {
                Value::Word(word) => Ok(self.word_not(&word)),
                value => {
                    let inner = self.boolean(&value, inner.span)?;
                    Ok(Value::Boolean(self.exprs.not(inner)))
                }
            },
            ExprKind::Negative(inner) => {
                let value = self.value(inner, place)?;
                if let Value::Word(word) = &value {
                    return Ok(self.word_negative(word));
                }
                let zero = constant(Constant::Integer(0));
                self.compute(Binary::Minus, &zero, &value, (expr.span, inner.span))
            }
            ExprKind::And(list) | ExprKind::Or(list) => {
                self.junction(list, matches!(expr.kind, ExprKind::And(_)), place)
            }
            ExprKind::Binary(operator, a, b) => self.binary(*operator, a, b, place),
            ExprKind::Range(low, high) => self.range(low, high, place),
            ExprKind::Set(list) => {
                let mut all = vec![];
                for element in list {
                    let value = self.value(element, place)?;
                    self.listable(&value, element.span)?;
                    all.extend(value.cases(&mut self.exprs));
                }
                Ok(Value::Set(gather(&mut self.exprs, all)))
            }
            ExprKind::Case(branches) => {
                let branches: Vec<_> =
                    branches.iter().map(|(condition, value)| (Some(condition), value)).collect();
                self.case(&branches, place, expr.span)
            }
            ExprKind::If(condition, yes, no) => {
                self.case(&[(Some(condition), yes), (None, no)], place, expr.span)
            }
            ExprKind::Call(name, list) => {
                let mut arguments = vec![];
                for argument in list {
                    arguments.push((self.value(argument, place)?, argument.span));
                }
                self.call(name, &arguments, expr.span)
            }
            ExprKind::Temporal(..)
            | ExprKind::Until(..)
            | ExprKind::Bounded(..)
            | ExprKind::BoundedUntil(..)
            | ExprKind::Along(..)
            | ExprKind::Between(..)
            | ExprKind::Fix { .. } => {
                let message = "temporal operators belong into specifications";
                Err(Diagnostic::error(Code::MisplacedTemporal, expr.span, message))
            }
        }
    }

    fn binary(&mut self, operator: Binary, a: &Expr, b: &Expr, place: Place) -> Checked<Value> {
        let spans = (a.span, b.span);
        if matches!(operator, Binary::Equal)
            && let Some(same) = self.unchanged(a, b, place)?
        {
            return Ok(Value::Boolean(same));
        }
        if matches!(operator, Binary::Equal | Binary::Unequal)
            && let Some(is) = self.literal(a, b, place)
        {
            return Ok(Value::Boolean(if operator == Binary::Equal { is } else { self.exprs.not(is) }));
        }
        if operator == Binary::Implies {
            return self.implication(a, b, place);
        }
        let (x, y) = (self.value(a, place)?, self.value(b, place)?);
        let words = matches!(x, Value::Word(_)) && matches!(y, Value::Word(_));
        match operator {
            Binary::Iff | Binary::Xor if words => {
                let how = if operator == Binary::Iff { Bitwise::Iff } else { Bitwise::Xor };
                self.bitwise(&x, &y, a.span.to(b.span), how)
            }
            Binary::Iff | Binary::Xor => {
                let (x, y) = (self.boolean(&x, a.span)?, self.boolean(&y, b.span)?);
                let not = self.exprs.not(y);
                let (yes, no) = if operator == Binary::Iff { (y, not) } else { (not, y) };
                Ok(Value::Boolean(self.exprs.ite(x, yes, no)))
            }
            Binary::Concatenate => self.concatenate(&x, &y, spans),
            Binary::ShiftLeft | Binary::ShiftRight | Binary::RotateLeft | Binary::RotateRight => {
                self.shift(operator, &x, &y, spans)
            }
            Binary::Implies => unreachable!("implications were taken care of"),
            Binary::Equal | Binary::In => Ok(Value::Boolean(self.equal(&x, &y, spans)?)),
            Binary::Unequal => {
                let same = self.equal(&x, &y, spans)?;
                Ok(Value::Boolean(self.exprs.not(same)))
            }
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => {
                self.order(operator, &x, &y, spans)
            }
            Binary::Union => {
                self.listable(&x, a.span)?;
                self.listable(&y, b.span)?;
                let all = [x.cases(&mut self.exprs), y.cases(&mut self.exprs)].concat();
                Ok(Value::Set(gather(&mut self.exprs, all)))
            }
            Binary::Plus | Binary::Minus | Binary::Times | Binary::Divide | Binary::Modulo => {
                self.compute(operator, &x, &y, spans)
            }
        }
    }

    /// What can be an element of a set.
    fn listable(&self, value: &Value, span: Span) -> Checked<()> {
        match value {
            Value::Word(word) if word.constant().is_none() => Err(Diagnostic::error(
                Code::Unsupported,
                span,
                "words that are not constant in sets are not supported",
            )),
            Value::Array(_) => {
                Err(Diagnostic::error(Code::TypeError, span, "an array is no element of a set"))
            }
            _ => Ok(()),
        }
    }

    /// Any number of operands. What fails in one of them matters only where the others do not decide.
    fn junction(&mut self, list: &[Expr], and: bool, place: Place) -> Checked<Value> {
        let mut values = vec![];
        for operand in list {
            let mark = self.failures.len();
            values.push((self.value(operand, place)?, operand.span, mark..self.failures.len()));
        }
        if let Some((Value::Word(_), ..)) = values.first() {
            let mut values = values.into_iter();
            let (mut all, start, _) = values.next().expect("operands");
            for (value, span, _) in values {
                let how = if and { Bitwise::And } else { Bitwise::Or };
                all = self.bitwise(&all, &value, start.to(span), how)?;
            }
            return Ok(all);
        }
        let mut parts = vec![];
        for (value, span, failures) in values {
            parts.push((self.boolean(&value, span)?, failures));
        }
        // Where each leaves the result to the others: there it does not decide, or has no value itself.
        let mut open: Vec<ExprId> = vec![];
        if parts.iter().any(|(_, failures)| !failures.is_empty()) {
            for (part, failures) in &parts {
                let neutral = if and { *part } else { self.exprs.not(*part) };
                let failing: Vec<ExprId> = self.failures[failures.clone()].iter().map(|f| f.0).collect();
                open.push(self.exprs.or(failing.into_iter().chain([neutral])));
            }
        }
        for (i, (_, failures)) in parts.iter().enumerate().filter(|(_, (_, failures))| !failures.is_empty()) {
            let others = open.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, open)| *open);
            let others = self.exprs.and(others.collect::<Vec<_>>());
            self.only_where(others, failures.clone());
        }
        let parts = parts.into_iter().map(|(part, _)| part);
        Ok(Value::Boolean(if and { self.exprs.and(parts) } else { self.exprs.or(parts) }))
    }

    fn implication(&mut self, a: &Expr, b: &Expr, place: Place) -> Checked<Value> {
        let first = self.failures.len();
        let x = self.value(a, place)?;
        let second = self.failures.len();
        let y = self.value(b, place)?;
        if let (Value::Word(_), Value::Word(_)) = (&x, &y) {
            return self.bitwise(&x, &y, a.span.to(b.span), Bitwise::Implies);
        }
        let (x, y) = (self.boolean(&x, a.span)?, self.boolean(&y, b.span)?);
        let (failing, third) = (self.failures.iter().map(|f| f.0).collect::<Vec<_>>(), self.failures.len());
        let not = self.exprs.not(y);
        let open_y = self.exprs.or(failing[second..].iter().copied().chain([not]));
        let open_x = self.exprs.or(failing[first..second].iter().copied().chain([x]));
        self.only_where(open_y, first..second);
        self.only_where(open_x, second..third);
        let not = self.exprs.not(x);
        Ok(Value::Boolean(self.exprs.or([not, y])))
    }

    /// Branches of which the first whose condition holds applies; one without a condition always does. What fails in a
    /// branch matters where it applies.
    fn case(&mut self, branches: &[(Option<&Expr>, &Expr)], place: Place, span: Span) -> Checked<Value> {
        let (mut left_over, mut chosen) = (Exprs::TRUE, vec![]);
        for (condition, value) in branches {
            let mark = self.failures.len();
            let condition = match condition {
                Some(condition) => self.condition(condition, place)?,
                None => Exprs::TRUE,
            };
            self.only_where(left_over, mark..self.failures.len());
            let mark = self.failures.len();
            let value = self.value(value, place)?;
            let applies = self.both(left_over, condition);
            self.only_where(applies, mark..self.failures.len());
            let not = self.exprs.not(condition);
            left_over = self.both(left_over, not);
            chosen.push((applies, value));
        }
        let message = "no branch of this `case` need apply";
        self.fails(left_over, Diagnostic::error(Code::CaseNotExhaustive, span, message));
        self.chosen(chosen, span)
    }

    /// Notes that an expression has no value under a condition.
    pub fn fails(&mut self, when: ExprId, why: Diagnostic) {
        if when != Exprs::FALSE {
            self.failures.push((when, why));
        }
    }

    /// Failures that matter only under a condition.
    fn only_where(&mut self, condition: ExprId, which: std::ops::Range<usize>) {
        for i in which {
            let when = self.exprs.and([condition, self.failures[i].0]);
            self.failures[i].0 = when;
        }
    }

    /// Reports what was found to fail in expressions so far, where it can.
    pub fn settle(&mut self) -> Checked<()> {
        for (when, why) in std::mem::take(&mut self.failures) {
            self.impossible(when, why)?;
        }
        Ok(())
    }

    /// A condition that a model states.
    pub fn stated(&mut self, expr: &Expr, place: Place) -> Checked<ExprId> {
        let condition = self.condition(expr, place);
        let settled = self.settle();
        condition.and_then(|condition| settled.map(|()| condition))
    }

    /// A variable of many values beside one of them: the others need not be looked at. Whatever is special about
    /// it is left to the general way.
    fn literal(&mut self, a: &Expr, b: &Expr, place: Place) -> Option<ExprId> {
        let wanted = match &b.kind {
            ExprKind::Integer(n) => Constant::Integer(*n),
            ExprKind::Name(_) => match self.resolve(b, place.scope) {
                Ok(Some(Resolved::Constant(constant))) => constant,
                _ => return None,
            },
            _ => return None,
        };
        let (name, shifted) = match &a.kind {
            ExprKind::Next(inner) if place.next_allowed && !place.shifted => (&**inner, true),
            _ => (a, place.shifted),
        };
        let (ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::Index(..)) = &name.kind else {
            return None;
        };
        let Ok(Some(Resolved::Target(Target::Variable(variable)))) = self.resolve(name, place.scope) else {
            return None;
        };
        let declared = &self.flat.variables[variable];
        if declared.values.len() < MANY || declared.storage == Storage::Input {
            return None;
        }
        let places = self.places.entry(variable).or_insert_with(|| {
            let plain = !declared.values.iter().any(|value| matches!(value, Constant::Boolean(_)));
            let numbered = declared.values.iter().cloned().zip(0..);
            if plain { numbered.collect() } else { FxHashMap::default() }
        });
        let value = *places.get(&wanted)?;
        Some(if shifted { self.exprs.next(declared.var, value) } else { self.exprs.is(declared.var, value) })
    }

    /// `next(x) = x`, in the form by which relations know that a variable keeps its value.
    fn unchanged(&mut self, a: &Expr, b: &Expr, place: Place) -> Checked<Option<ExprId>> {
        let (inner, other) = match (&a.kind, &b.kind) {
            (ExprKind::Next(inner), ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::Index(..)) => {
                (inner, b)
            }
            (ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::Index(..), ExprKind::Next(inner)) => {
                (inner, a)
            }
            _ => return Ok(None),
        };
        if place.shifted || !place.next_allowed {
            return Ok(None);
        }
        let both = (self.resolve(inner, place.scope), self.resolve(other, place.scope));
        let (Ok(Some(Resolved::Target(x))), Ok(Some(Resolved::Target(y)))) = both else { return Ok(None) };
        let (x, y) = match (&x, &y) {
            (Target::Variable(x), Target::Variable(y)) => (vec![*x], vec![*y]),
            (Target::Word(_, x), Target::Word(_, y)) => (x.clone(), y.clone()),
            _ => return Ok(None),
        };
        if x != y || x.iter().any(|&i| self.flat.variables[i].storage == Storage::Input) {
            return Ok(None);
        }
        let same: Vec<ExprId> = x
            .iter()
            .map(|&i| {
                let declared = &self.flat.variables[i];
                self.exprs.unchanged(declared.var, declared.values.len())
            })
            .collect();
        Ok(Some(self.exprs.and(same)))
    }

    fn range(&mut self, low: &Expr, high: &Expr, place: Place) -> Checked<Value> {
        let span = low.span.to(high.span);
        let (from, to) = (self.value(low, place)?, self.value(high, place)?);
        match (from.number(), to.number()) {
            (Some(from), Some(to)) if from > to => {
                Err(Diagnostic::error(Code::Bounds, span, format!("the range {from}..{to} is empty")))
            }
            (Some(from), Some(to)) if to.saturating_sub(from) as u64 >= self.limits.values as u64 => {
                Err(Diagnostic::error(Code::TooLarge, span, format!("the range {from}..{to} is too large")))
            }
            (Some(from), Some(to)) => {
                Ok(Value::Set((from..=to).map(|n| (Constant::Integer(n), Exprs::TRUE)).collect()))
            }
            _ => Err(Diagnostic::error(Code::Bounds, span, "the bounds of a range must be constant numbers")),
        }
    }

    /// Whether an expression speaks of the next state, and of inputs.
    pub fn speaks(&mut self, id: ExprId) -> u8 {
        // Operands come before their users.
        for i in self.speaks.len()..self.exprs.len() {
            let id = ExprId(i as u32);
            let own = match self.exprs.get(id) {
                winset_model::Expr::Next(..) => OF_NEXT,
                winset_model::Expr::Is(var, _) if var.0 >= INPUTS => OF_INPUTS,
                _ => 0,
            };
            let all = self.exprs.operands(id).iter().fold(own, |all, a| all | self.speaks[a.index()]);
            self.speaks.push(all);
        }
        self.speaks[id.index()]
    }

    /// Reports a condition that must never hold but can. If that is too hard to tell, it is only a warning.
    pub fn impossible(&mut self, when: ExprId, why: Diagnostic) -> Checked<()> {
        match self.possible(when) {
            Some(true) => Err(why),
            Some(false) => Ok(()),
            None => {
                self.found.add(Diagnostic { severity: crate::diagnostic::Severity::Warning, ..why });
                Ok(())
            }
        }
    }

    pub fn within_limits(&self, span: Span) -> Checked<()> {
        if self.exprs.len() <= self.limits.expressions {
            return Ok(());
        }
        let message = format!("the model needs more than {} expressions", self.limits.expressions);
        Err(Diagnostic::error(Code::TooLarge, span, message))
    }
}
