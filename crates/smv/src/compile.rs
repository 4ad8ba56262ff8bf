//! Expressions: names resolved, types checked, meaning as values under conditions.

use crate::diagnostic::{Checked, Code, Diagnostic, Diagnostics, Limits};
use crate::instance::{Flat, INPUTS, Symbol, Target};
use crate::satisfy::satisfiable;
use crate::syntax::{Binary, Expr, ExprKind, Storage};
use crate::value::{Constant, Value, gather};
use rustc_hash::FxHashMap;
use winset_diagnostic::Span;
use winset_model::{ExprId, Exprs, similar};

/// Steps that the search for an impossible condition may take.
const STEPS: usize = 2_000_000;
/// So many values are not looked at one by one for each comparison.
const MANY: usize = 64;

pub(crate) struct Compiler<'f, 'd> {
    pub flat: &'d Flat<'f>,
    pub exprs: Exprs,
    pub limits: &'d Limits,
    pub found: &'d mut Diagnostics,
    defines: FxHashMap<(usize, bool), Checked<Value>>,
    /// Of variables with many values: where each value is.
    places: FxHashMap<usize, FxHashMap<Constant, u16>>,
    /// The definitions being compiled.
    open: Vec<usize>,
    parameters: usize,
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

/// What a name, with its members and indices, leads to.
pub(crate) enum Resolved<'f> {
    Target(Target),
    Define(usize),
    Expression(&'f Expr, usize),
    Constant(Constant),
}

impl<'f, 'd> Compiler<'f, 'd> {
    pub fn new(flat: &'d Flat<'f>, limits: &'d Limits, found: &'d mut Diagnostics) -> Self {
        let (defines, places, open) = (FxHashMap::default(), FxHashMap::default(), vec![]);
        Compiler { flat, exprs: Exprs::new(), limits, found, defines, places, open, parameters: 0 }
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
            ExprKind::Not(inner) => {
                let inner = self.condition(inner, place)?;
                Ok(Value::Boolean(self.exprs.not(inner)))
            }
            ExprKind::Negative(inner) => {
                let value = self.value(inner, place)?;
                let zero = constant(Constant::Integer(0));
                self.compute(Binary::Minus, &zero, &value, (expr.span, inner.span))
            }
            ExprKind::And(list) | ExprKind::Or(list) => {
                let parts = list.iter().map(|e| self.condition(e, place)).collect::<Checked<Vec<_>>>()?;
                let and = matches!(expr.kind, ExprKind::And(_));
                Ok(Value::Boolean(if and { self.exprs.and(parts) } else { self.exprs.or(parts) }))
            }
            ExprKind::Binary(operator, a, b) => self.binary(*operator, a, b, place),
            ExprKind::Range(low, high) => self.range(low, high, place),
            ExprKind::Set(list) => {
                let mut all = vec![];
                for element in list {
                    let value = self.value(element, place)?;
                    all.extend(value.cases(&mut self.exprs));
                }
                Ok(Value::Set(gather(&mut self.exprs, all)))
            }
            ExprKind::Case(branches) => {
                let mut compiled = vec![];
                for (condition, value) in branches {
                    compiled.push((self.condition(condition, place)?, self.value(value, place)?));
                }
                self.choose(compiled, expr.span)
            }
            ExprKind::If(condition, yes, no) => {
                let condition = self.condition(condition, place)?;
                let branches =
                    vec![(condition, self.value(yes, place)?), (Exprs::TRUE, self.value(no, place)?)];
                self.choose(branches, expr.span)
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
        let (x, y) = (self.value(a, place)?, self.value(b, place)?);
        match operator {
            Binary::Implies => {
                let (x, y) = (self.boolean(&x, a.span)?, self.boolean(&y, b.span)?);
                let not = self.exprs.not(x);
                Ok(Value::Boolean(self.exprs.or([not, y])))
            }
            Binary::Iff | Binary::Xor => {
                let (x, y) = (self.boolean(&x, a.span)?, self.boolean(&y, b.span)?);
                let not = self.exprs.not(y);
                let (yes, no) = if operator == Binary::Iff { (y, not) } else { (not, y) };
                Ok(Value::Boolean(self.exprs.ite(x, yes, no)))
            }
            Binary::Equal | Binary::In => Ok(Value::Boolean(self.equal(&x, &y, spans)?)),
            Binary::Unequal => {
                let same = self.equal(&x, &y, spans)?;
                Ok(Value::Boolean(self.exprs.not(same)))
            }
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => {
                self.order(operator, &x, &y, spans)
            }
            Binary::Union => {
                let all = [x.cases(&mut self.exprs), y.cases(&mut self.exprs)].concat();
                Ok(Value::Set(gather(&mut self.exprs, all)))
            }
            Binary::Plus | Binary::Minus | Binary::Times | Binary::Divide | Binary::Modulo => {
                self.compute(operator, &x, &y, spans)
            }
        }
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
        let (
            Ok(Some(Resolved::Target(Target::Variable(x)))),
            Ok(Some(Resolved::Target(Target::Variable(y)))),
        ) = both
        else {
            return Ok(None);
        };
        let declared = &self.flat.variables[x];
        if x != y || declared.storage == Storage::Input {
            return Ok(None);
        }
        Ok(Some(self.exprs.unchanged(declared.var, declared.values.len())))
    }

    fn range(&mut self, low: &Expr, high: &Expr, place: Place) -> Checked<Value> {
        let span = low.span.to(high.span);
        let (from, to) = (self.value(low, place)?, self.value(high, place)?);
        let single = |value: &Value| match value {
            Value::Cases(list) => match list.as_slice() {
                [(Constant::Integer(n), Exprs::TRUE)] => Some(*n),
                _ => None,
            },
            _ => None,
        };
        match (single(&from), single(&to)) {
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

    /// Follows a name with its members and constant indices. `None` if an index is not constant.
    pub fn resolve(&mut self, expr: &Expr, scope: usize) -> Checked<Option<Resolved<'f>>> {
        match &expr.kind {
            ExprKind::Name(name) => match self.flat.scopes[scope].names.get(name.as_str()) {
                Some(Symbol::Target(target)) => Ok(Some(Resolved::Target(target.clone()))),
                Some(Symbol::Define(define)) => Ok(Some(Resolved::Define(*define))),
                Some(&Symbol::Parameter(argument, caller)) => self.argument(argument, caller),
                None if self.flat.constants.contains(name) => {
                    Ok(Some(Resolved::Constant(Constant::Symbol(name.clone()))))
                }
                None => Err(self.unknown(name, expr.span, scope)),
            },
            ExprKind::Member(base, member) => {
                let Some(Resolved::Target(Target::Instance(inner))) = self.resolve(base, scope)? else {
                    let message = format!("this has no member `{}`", member.text);
                    return Err(Diagnostic::error(Code::TypeError, base.span, message));
                };
                match self.flat.scopes[inner].names.get(member.text.as_str()) {
                    Some(Symbol::Target(target)) => Ok(Some(Resolved::Target(target.clone()))),
                    Some(Symbol::Define(define)) => Ok(Some(Resolved::Define(*define))),
                    Some(&Symbol::Parameter(argument, caller)) => self.argument(argument, caller),
                    None => Err(self.unknown(&member.text, member.span, inner)),
                }
            }
            ExprKind::Index(base, index) => {
                let Some(base_target) = self.resolve(base, scope)? else { return Ok(None) };
                let Resolved::Target(Target::Array(low, elements)) = base_target else {
                    return Err(Diagnostic::error(Code::TypeError, base.span, "this is not an array"));
                };
                let value = self.value(index, Place { inputs_allowed: true, ..Place::state(scope) });
                let Ok(Value::Cases(cases)) = value else { return Ok(None) };
                let [(Constant::Integer(i), Exprs::TRUE)] = cases.as_slice() else { return Ok(None) };
                let element = usize::try_from(i - low).ok().and_then(|i| elements.get(i));
                match element {
                    Some(element) => Ok(Some(Resolved::Target(element.clone()))),
                    None => Err(self.outside(*i, low, elements.len(), index.span)),
                }
            }
            _ => Err(Diagnostic::error(Code::NotAssignable, expr.span, "this is not a variable")),
        }
    }

    /// A parameter is what the caller wrote; deep chains of parameters are cut off.
    fn argument(&mut self, argument: &'f Expr, caller: usize) -> Checked<Option<Resolved<'f>>> {
        let reference =
            matches!(argument.kind, ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::Index(..));
        if !reference || self.parameters > self.limits.nesting {
            return Ok(Some(Resolved::Expression(argument, caller)));
        }
        self.parameters += 1;
        let resolved = self.resolve(argument, caller);
        self.parameters -= 1;
        Ok(Some(resolved?.unwrap_or(Resolved::Expression(argument, caller))))
    }

    fn outside(&self, index: i64, low: i64, length: usize, span: Span) -> Diagnostic {
        let message = format!("index {index} is outside {low}..{}", low + length as i64 - 1);
        Diagnostic::error(Code::IndexOutOfRange, span, message)
    }

    fn unknown(&self, name: &str, span: Span, scope: usize) -> Diagnostic {
        let error = Diagnostic::error(Code::UnknownName, span, format!("nothing is called `{name}`"));
        if let Some((left, right)) = name.split_once('-') {
            return error.help(format!("names may contain `-`; for a difference write `{left} - {right}`"));
        }
        let known = self.flat.scopes[scope].names.keys().copied();
        let near = similar(name, known.chain(self.flat.constants.iter().map(String::as_str)));
        if near.is_empty() { error } else { error.help(format!("there is {}", near.join(", "))) }
    }

    fn reference(&mut self, expr: &Expr, place: Place) -> Checked<Value> {
        match self.resolve(expr, place.scope)? {
            Some(Resolved::Constant(constant)) => Ok(Value::Cases(vec![(constant, Exprs::TRUE)])),
            Some(Resolved::Define(define)) => self.define(define, place, expr.span),
            Some(Resolved::Expression(argument, caller)) => {
                if self.parameters > self.limits.nesting {
                    return Err(Diagnostic::error(
                        Code::NestingTooDeep,
                        expr.span,
                        "parameters nested too deeply",
                    ));
                }
                self.parameters += 1;
                let value = self.value(argument, Place { scope: caller, ..place });
                self.parameters -= 1;
                value
            }
            Some(Resolved::Target(target)) => self.scalar(&target, place, expr.span),
            None => {
                let ExprKind::Index(base, index) = &expr.kind else {
                    return Err(Diagnostic::error(Code::TypeError, expr.span, "this index must be constant"));
                };
                self.element(base, vec![index], place, expr.span)
            }
        }
    }

    /// An element of an array whose index is not constant.
    fn element<'x>(
        &mut self,
        base: &'x Expr,
        mut indices: Vec<&'x Expr>,
        place: Place,
        span: Span,
    ) -> Checked<Value> {
        match self.resolve(base, place.scope)? {
            Some(Resolved::Target(target)) => {
                indices.reverse();
                self.pick(&target, &indices, place, span)
            }
            None if matches!(base.kind, ExprKind::Index(..)) => {
                let ExprKind::Index(outer, index) = &base.kind else { unreachable!("just matched") };
                indices.push(index);
                self.element(outer, indices, place, span)
            }
            _ => Err(Diagnostic::error(Code::TypeError, base.span, "this is not an array")),
        }
    }

    fn pick(&mut self, target: &Target, indices: &[&Expr], place: Place, span: Span) -> Checked<Value> {
        let Some((index, inner)) = indices.split_first() else { return self.scalar(target, place, span) };
        let Target::Array(low, elements) = target else {
            return Err(Diagnostic::error(Code::TypeError, span, "this is not an array"));
        };
        let Value::Cases(cases) = self.value(index, place)? else {
            return Err(Diagnostic::error(Code::TypeError, index.span, "an index must be a number"));
        };
        let mut branches = vec![];
        for (constant, when) in cases {
            let Constant::Integer(i) = constant else {
                return Err(Diagnostic::error(Code::TypeError, index.span, "an index must be a number"));
            };
            match i.checked_sub(*low).and_then(|i| usize::try_from(i).ok()).and_then(|i| elements.get(i)) {
                Some(element) => branches.push((when, self.pick(element, inner, place, span)?)),
                None => {
                    let outside = self.outside(i, *low, elements.len(), index.span);
                    self.impossible(when, outside.code, outside.span, &outside.message)?;
                }
            }
        }
        if branches.is_empty() {
            return Err(Diagnostic::error(Code::IndexOutOfRange, span, "no index is inside the array"));
        }
        self.choose(branches, span)
    }

    fn scalar(&mut self, target: &Target, place: Place, span: Span) -> Checked<Value> {
        let Target::Variable(index) = target else {
            let what = if matches!(target, Target::Array(..)) { "an array" } else { "an instance" };
            return Err(Diagnostic::error(Code::TypeError, span, format!("{what} has no value of its own")));
        };
        let declared = &self.flat.variables[*index];
        if declared.storage == Storage::Input && (!place.inputs_allowed || place.shifted) {
            let message =
                format!("`{}` is an input, which belongs to transitions, not to states", declared.name);
            return Err(Diagnostic::error(Code::MisplacedInput, span, message));
        }
        let mut literal = |i: usize| {
            if place.shifted {
                self.exprs.next(declared.var, i as u16)
            } else {
                self.exprs.is(declared.var, i as u16)
            }
        };
        if let [Constant::Boolean(false), Constant::Boolean(true)] = declared.values.as_slice() {
            return Ok(Value::Boolean(literal(1)));
        }
        let cases = declared.values.iter().enumerate().map(|(i, c)| (c.clone(), literal(i)));
        Ok(Value::Cases(cases.collect()))
    }

    fn define(&mut self, define: usize, place: Place, span: Span) -> Checked<Value> {
        let key = (define, place.shifted);
        let value = match self.defines.get(&key) {
            Some(known) => known.clone(),
            None => {
                let definition = &self.flat.defines[define];
                if self.open.contains(&define) {
                    let message = format!("`{}` is defined by itself", definition.name);
                    return Err(Diagnostic::error(Code::CyclicDefinition, definition.body.span, message));
                }
                if self.open.len() > 2 * self.limits.nesting {
                    return Err(Diagnostic::error(
                        Code::NestingTooDeep,
                        span,
                        "definitions nested too deeply",
                    ));
                }
                self.open.push(define);
                // What is allowed where it is used is checked below, once for all uses.
                let inner = Place {
                    scope: definition.scope,
                    shifted: place.shifted,
                    next_allowed: true,
                    inputs_allowed: true,
                };
                let value = self.value(definition.body, inner);
                self.open.pop();
                self.defines.insert(key, value.clone());
                value
            }
        }?;
        self.allowed(&value, place, span)?;
        Ok(value)
    }

    /// A definition may speak of next states and inputs only where its user may.
    fn allowed(&mut self, value: &Value, place: Place, span: Span) -> Checked<()> {
        if place.next_allowed && place.inputs_allowed && !place.shifted {
            return Ok(());
        }
        for (_, when) in value.cases(&mut self.exprs) {
            for id in self.exprs.cone([when]) {
                match self.exprs.get(id) {
                    winset_model::Expr::Next(..) if !place.next_allowed && !place.shifted => {
                        let message = "this speaks of the next state, and there is none here";
                        return Err(Diagnostic::error(Code::MisplacedNext, span, message));
                    }
                    winset_model::Expr::Is(var, _) if var.0 >= INPUTS && !place.inputs_allowed => {
                        let message = "this depends on an input, which belongs to transitions, not to states";
                        return Err(Diagnostic::error(Code::MisplacedInput, span, message));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Reports a condition that must never hold but can. If that is too hard to tell, it is only a warning.
    pub fn impossible(&mut self, when: ExprId, code: Code, span: Span, message: &str) -> Checked<()> {
        let flat = self.flat;
        match satisfiable(&self.exprs, when, &|var| flat.size(var), STEPS) {
            Some(true) => Err(Diagnostic::error(code, span, message)),
            Some(false) => Ok(()),
            None => {
                self.found.add(Diagnostic::warning(code, span, message));
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
