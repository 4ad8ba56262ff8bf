//! What names stand for.

use crate::compile::{Compiler, Known, OF_INPUTS, OF_NEXT, Place};
use crate::diagnostic::{Checked, Code, Diagnostic};
use crate::instance::{Symbol, Target};
use crate::syntax::{Expr, ExprKind, Storage};
use crate::value::{Constant, Value, Word};
use winset_diagnostic::Span;
use winset_model::{ExprId, Exprs, similar};

/// What a name, with its members and indices, leads to.
pub(crate) enum Resolved<'f> {
    Target(Target),
    Define(usize),
    Expression(&'f Expr, usize),
    Constant(Constant),
    /// The process is the one that takes the step.
    Running(usize),
}

impl<'f> Compiler<'f, '_> {
    /// Follows a name with its members and constant indices. `None` if an index is not constant, or of what is no variable.
    pub fn resolve(&mut self, expr: &Expr, scope: usize) -> Checked<Option<Resolved<'f>>> {
        // Models that a tool has flattened have names with dots and brackets in them.
        if self.flat.scopes[scope].flattened
            && let Some(path) = path(expr)
            && let Some(found) = self.named(&path, scope)?
        {
            return Ok(Some(found));
        }
        if self.flat.flattened
            && let Some(found) = self.flattened_member(expr, scope)?
        {
            return Ok(Some(found));
        }
        match &expr.kind {
            ExprKind::Myself => Ok(Some(Resolved::Target(Target::Instance(scope)))),
            ExprKind::Name(name) => match self.named(name, scope)? {
                Some(found) if self.flat.constants.contains(name) => match (found, self.flat.selector) {
                    // What every module has where there are processes; elsewhere the name is free for a value.
                    (Resolved::Running(_), None) => {
                        Ok(Some(Resolved::Constant(Constant::Symbol(name.clone()))))
                    }
                    _ => Err(two_meanings(name, expr.span)),
                },
                Some(found) => Ok(Some(found)),
                None if self.flat.constants.contains(name) => {
                    Ok(Some(Resolved::Constant(Constant::Symbol(name.clone()))))
                }
                None => Err(self.unknown(name, expr.span, scope)),
            },
            ExprKind::Member(base, member) => {
                let inner = match self.resolve(base, scope) {
                    Ok(Some(Resolved::Target(Target::Instance(inner)))) => inner,
                    // Symbols may have dots in them too.
                    _ if path(expr).is_some_and(|path| self.flat.constants.contains(&path)) => {
                        let constant = Constant::Symbol(path(expr).unwrap_or_default());
                        return Ok(Some(Resolved::Constant(constant)));
                    }
                    Ok(Some(Resolved::Target(Target::Array(low, elements)))) => {
                        let element =
                            member.text.parse::<i64>().ok().and_then(|i| place_in(i, low, &elements));
                        return match element {
                            Some(element) => Ok(Some(Resolved::Target(element.clone()))),
                            None => Err(self.no_member(base, &member.text)),
                        };
                    }
                    Ok(_) => return Err(self.no_member(base, &member.text)),
                    Err(error) => return Err(error),
                };
                match self.named(&member.text, inner)? {
                    Some(found) => Ok(Some(found)),
                    None => Err(self.unknown(&member.text, member.span, inner)),
                }
            }
            ExprKind::Index(base, index) => {
                let Some(Resolved::Target(target)) = self.resolve(base, scope)? else { return Ok(None) };
                let Target::Array(low, elements) = target else {
                    return Err(Diagnostic::error(Code::TypeError, base.span, "this is not an array"));
                };
                let mark = self.failures.len();
                let value = self.value(index, Place::transition(scope));
                self.failures.truncate(mark);
                let Some(i) = value.ok().and_then(|value| value.number()) else { return Ok(None) };
                match place_in(i, low, &elements) {
                    Some(element) => Ok(Some(Resolved::Target(element.clone()))),
                    None => Err(self.outside(i, low, elements.len(), index.span)),
                }
            }
            _ => Err(Diagnostic::error(Code::NotAssignable, expr.span, "this is not a variable")),
        }
    }

    /// A name with dots or brackets in it, of an instance: `a.sum[0]`.
    fn flattened_member(&mut self, expr: &Expr, scope: usize) -> Checked<Option<Resolved<'f>>> {
        let (mut at, mut behind) = (expr, String::new());
        loop {
            match &at.kind {
                ExprKind::Member(base, member) => {
                    behind = format!("{}{behind}", member.text);
                    if behind.len() > member.text.len()
                        && let Ok(Some(Resolved::Target(Target::Instance(inner)))) = self.resolve(base, scope)
                        && let Some(found) = self.named(&behind, inner)?
                    {
                        return Ok(Some(found));
                    }
                    behind.insert(0, '.');
                    at = base;
                }
                ExprKind::Index(base, index) => {
                    let Some(index) = constant_index(index) else { return Ok(None) };
                    behind = format!("[{index}]{behind}");
                    at = base;
                }
                _ => return Ok(None),
            }
        }
    }

    fn named(&mut self, name: &str, scope: usize) -> Checked<Option<Resolved<'f>>> {
        match self.flat.scopes[scope].names.get(name) {
            Some(Symbol::Target(target)) => Ok(Some(Resolved::Target(target.clone()))),
            Some(Symbol::Define(define)) => Ok(Some(Resolved::Define(*define))),
            Some(&Symbol::Parameter(argument, caller)) => self.argument(argument, caller),
            None if name == "running" => Ok(Some(Resolved::Running(self.flat.scopes[scope].process))),
            None => Ok(None),
        }
    }

    fn no_member(&self, base: &Expr, member: &str) -> Diagnostic {
        Diagnostic::error(Code::TypeError, base.span, format!("this has no member `{member}`"))
    }

    /// A parameter is what the caller wrote; deep chains of parameters are cut off.
    fn argument(&mut self, argument: &'f Expr, caller: usize) -> Checked<Option<Resolved<'f>>> {
        let reference = matches!(
            argument.kind,
            ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::Index(..) | ExprKind::Myself
        );
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

    /// The value of a name with its members and indices.
    pub fn reference(&mut self, expr: &Expr, place: Place) -> Checked<Value> {
        let resolved = match self.resolve(expr, place.scope) {
            // An index that is outside may stand where nobody looks.
            Err(error) if error.code == Code::IndexOutOfRange => None,
            resolved => resolved?,
        };
        match resolved {
            Some(Resolved::Constant(constant)) => Ok(Value::Cases(vec![(constant, Exprs::TRUE)])),
            Some(Resolved::Define(define)) => self.define(define, place, expr.span),
            Some(Resolved::Running(process)) => self.running(process, place, expr.span),
            Some(Resolved::Expression(argument, caller)) => {
                if self.parameters > self.limits.nesting {
                    let message = "parameters nested too deeply";
                    return Err(Diagnostic::error(Code::NestingTooDeep, expr.span, message));
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

    /// An element of an array whose index is not constant, or of a definition that is an array.
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
            Some(Resolved::Define(_) | Resolved::Expression(..)) => {
                let value = self.reference(base, place)?;
                indices.reverse();
                self.pick_value(value, &indices, place, span)
            }
            None if matches!(base.kind, ExprKind::Index(..)) => {
                let ExprKind::Index(outer, index) = &base.kind else { unreachable!("just matched") };
                indices.push(index);
                self.element(outer, indices, place, span)
            }
            _ => Err(Diagnostic::error(Code::TypeError, base.span, "this is not an array")),
        }
    }

    /// The numbers that an index can be, with their conditions, as places in an array; what is outside of it fails.
    fn indices(
        &mut self,
        index: &Expr,
        low: i64,
        length: usize,
        place: Place,
    ) -> Checked<Vec<(usize, ExprId)>> {
        let number = || Diagnostic::error(Code::TypeError, index.span, "an index must be a number");
        let cases = match self.value(index, place)? {
            Value::Cases(cases) => cases,
            Value::Word(word) => self.counted(&word, index.span)?.cases(&mut self.exprs),
            _ => return Err(number()),
        };
        let mut places = vec![];
        for (constant, when) in cases {
            let Constant::Integer(i) = constant else { return Err(number()) };
            match i.checked_sub(low).and_then(|i| usize::try_from(i).ok()).filter(|&i| i < length) {
                Some(i) => places.push((i, when)),
                None => {
                    let outside = self.outside(i, low, length, index.span);
                    self.fails(when, outside);
                }
            }
        }
        // Where no index is inside, which may be where nobody looks, any element has the right type.
        if places.is_empty() && length > 0 {
            places.push((0, Exprs::FALSE));
        }
        Ok(places)
    }

    fn pick(&mut self, target: &Target, indices: &[&Expr], place: Place, span: Span) -> Checked<Value> {
        let Some((index, inner)) = indices.split_first() else { return self.scalar(target, place, span) };
        let Target::Array(low, elements) = target else {
            return Err(Diagnostic::error(Code::TypeError, span, "this is not an array"));
        };
        let mut branches = vec![];
        for (i, when) in self.indices(index, *low, elements.len(), place)? {
            branches.push((when, self.pick(&elements[i], inner, place, span)?));
        }
        self.chosen(branches, span)
    }

    fn pick_value(&mut self, value: Value, indices: &[&Expr], place: Place, span: Span) -> Checked<Value> {
        let Some((index, inner)) = indices.split_first() else { return Ok(value) };
        let Value::Array(elements) = value else {
            return Err(Diagnostic::error(Code::TypeError, span, "this is not an array"));
        };
        let mut branches = vec![];
        for (i, when) in self.indices(index, 0, elements.len(), place)? {
            branches.push((when, self.pick_value(elements[i].clone(), inner, place, span)?));
        }
        self.chosen(branches, span)
    }

    fn scalar(&mut self, target: &Target, place: Place, span: Span) -> Checked<Value> {
        let index = match target {
            Target::Variable(index) => *index,
            Target::Word(signed, bits) => {
                let bits =
                    bits.iter().map(|&bit| match self.scalar(&Target::Variable(bit), place, span)? {
                        Value::Boolean(bit) => Ok(bit),
                        _ => unreachable!("bits are Boolean"),
                    });
                return Ok(Value::Word(Word { signed: *signed, bits: bits.collect::<Checked<_>>()? }));
            }
            Target::Array(_, elements) => {
                let list = elements.iter().map(|element| self.scalar(element, place, span));
                return Ok(Value::Array(list.collect::<Checked<_>>()?));
            }
            Target::Instance(_) => {
                let message = "an instance has no value of its own";
                return Err(Diagnostic::error(Code::TypeError, span, message));
            }
        };
        let declared = &self.flat.variables[index];
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

    /// Whether a process takes the step; without processes, everything does.
    fn running(&mut self, process: usize, place: Place, span: Span) -> Checked<Value> {
        let Some(selector) = self.flat.selector else { return Ok(Value::Boolean(Exprs::TRUE)) };
        if !place.inputs_allowed || place.shifted {
            let message = "`running` belongs to transitions, not to states";
            return Err(Diagnostic::error(Code::MisplacedInput, span, message));
        }
        Ok(Value::Boolean(self.exprs.is(selector, process as u16)))
    }

    /// What a definition is, here.
    pub fn define(&mut self, define: usize, place: Place, span: Span) -> Checked<Value> {
        let key = (define, place.shifted);
        if !self.defines.contains_key(&key) {
            let definition = &self.flat.defines[define];
            if self.open.contains(&define) {
                let message = format!("`{}` is defined by itself", definition.name);
                return Err(Diagnostic::error(Code::CyclicDefinition, definition.body.span, message));
            }
            if self.open.len() > 2 * self.limits.nesting {
                return Err(Diagnostic::error(Code::NestingTooDeep, span, "definitions nested too deeply"));
            }
            self.open.push(define);
            // What is allowed where it is used is checked below, once for all uses.
            let inner = Place {
                scope: definition.scope,
                shifted: place.shifted,
                next_allowed: true,
                inputs_allowed: true,
            };
            let mark = self.failures.len();
            let value = self.value(definition.body, inner);
            let failures = self.failures.split_off(mark);
            self.open.pop();
            let speaks = value.iter().flat_map(Value::conditions).fold(0, |all, id| all | self.speaks(id));
            let (next, inputs) = (speaks & OF_NEXT != 0, speaks & OF_INPUTS != 0);
            self.defines.insert(key, Known { value, failures, next, inputs });
        }
        let known = &self.defines[&key];
        if known.next && !place.next_allowed && !place.shifted {
            let message = "this speaks of the next state, and there is none here";
            return Err(Diagnostic::error(Code::MisplacedNext, span, message));
        }
        if known.inputs && !place.inputs_allowed {
            let message = "this depends on an input, which belongs to transitions, not to states";
            return Err(Diagnostic::error(Code::MisplacedInput, span, message));
        }
        self.failures.extend(known.failures.iter().cloned());
        known.value.clone()
    }
}

/// The element of an array at an index.
fn place_in(index: i64, low: i64, elements: &[Target]) -> Option<&Target> {
    index.checked_sub(low).and_then(|i| usize::try_from(i).ok()).and_then(|i| elements.get(i))
}

/// A name with its members and constant indices as it is written, if it is one.
pub(crate) fn path(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Member(base, member) => Some(format!("{}.{}", path(base)?, member.text)),
        ExprKind::Index(base, index) => {
            let number = constant_index(index)?;
            Some(format!("{}[{number}]", path(base)?))
        }
        _ => None,
    }
}

fn constant_index(index: &Expr) -> Option<i64> {
    match &index.kind {
        ExprKind::Integer(n) => Some(*n),
        ExprKind::Negative(inner) => match inner.kind {
            ExprKind::Integer(n) => n.checked_neg(),
            _ => None,
        },
        _ => None,
    }
}

/// What a name stands for here, and a value of some variable, are called the same.
fn two_meanings(name: &str, span: Span) -> Diagnostic {
    let message = match name {
        "running" => "`running` is a value, and what every module of a model with processes has".to_owned(),
        _ => format!("`{name}` has a meaning here, and it is a value of a variable too"),
    };
    Diagnostic::error(Code::Duplicate, span, message).help("give one of the two another name")
}
