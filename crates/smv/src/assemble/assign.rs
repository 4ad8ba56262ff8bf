//! Assignments: what a variable is, or becomes, by whichever process.

use super::{Assembly, Next};
use crate::compile::Place;
use crate::diagnostic::{Checked, Code, Diagnostic};
use crate::instance::{Declared, Target};
use crate::resolve::Resolved;
use crate::syntax::{Expr as Syntax, Storage, When};
use crate::value::{Constant, Value, Word, conjoin};
use rustc_hash::FxHashMap;
use winset_diagnostic::Span;
use winset_model::{Expr, ExprId, Exprs, VarId};

impl Assembly<'_, '_> {
    pub(super) fn assign(
        &mut self,
        scope: usize,
        when: When,
        target: &Syntax,
        value: &Syntax,
    ) -> Checked<()> {
        let target_is = match self.compiler.resolve(target, scope)? {
            Some(Resolved::Target(target @ (Target::Variable(_) | Target::Word(..)))) => target,
            None => {
                let message = "the index of an assigned element must be constant";
                return Err(Diagnostic::error(Code::NotAssignable, target.span, message));
            }
            _ => {
                let message = "only variables can be assigned";
                return Err(Diagnostic::error(Code::NotAssignable, target.span, message));
            }
        };
        let variables = match &target_is {
            Target::Word(_, bits) => bits.clone(),
            Target::Variable(variable) => vec![*variable],
            _ => unreachable!("just matched"),
        };
        let (first, process) = (variables[0], self.flat.scopes[scope].process);
        let declared = &self.flat.variables[first];
        let called = || self.compiler.text_of(target);
        if declared.storage == Storage::Input || (declared.storage == Storage::Frozen && when != When::Init) {
            let what = if declared.storage == Storage::Input { "an input" } else { "frozen" };
            let message = format!("`{}` is {what} and cannot be assigned here", called());
            return Err(Diagnostic::error(Code::NotAssignable, target.span, message));
        }
        let clashes: &[When] = match when {
            When::Init => &[When::Init, When::Always],
            When::Next => &[When::Next, When::Always],
            When::Always => &[When::Init, When::Next, When::Always],
        };
        // Each process may say what becomes of a variable when it runs.
        let apart = |other: When, by: usize| other == When::Next && when == When::Next && by != process;
        let clash = (0..self.flat.processes.len())
            .flat_map(|by| clashes.iter().map(move |other| (*other, by)))
            .any(|(other, by)| !apart(other, by) && self.assigned.contains_key(&(first, other, by)));
        if clash {
            let how = match when {
                When::Init => format!("init({})", called()),
                When::Next => format!("next({})", called()),
                When::Always => called().to_owned(),
            };
            let message = format!("`{how}` is assigned twice");
            return Err(Diagnostic::error(Code::AssignedTwice, target.span, message));
        }
        self.assigned.insert((first, when, process), target.span);
        let place = if when == When::Next { Place::transition(scope) } else { Place::state(scope) };
        let compiled = self.compiler.value(value, place);
        self.compiler.settle()?;
        let compiled = compiled?;
        let needs = self.needs(&compiled, when == When::Next);
        match when {
            When::Init => {
                let becomes = self.becomes(&target_is, &compiled, false, value.span)?;
                self.initial.push(becomes);
            }
            When::Next => {
                let becomes = self.becomes(&target_is, &compiled, true, value.span)?;
                self.nexts.push(Next { variables: variables.clone(), process, becomes });
            }
            When::Always => {
                let now = self.becomes(&target_is, &compiled, false, value.span)?;
                let later = self.compiler.value(value, Place { shifted: true, ..place });
                // What can fail was found out above.
                self.compiler.failures.clear();
                let later = self.becomes(&target_is, &later?, true, value.span)?;
                self.invariants.push(now);
                self.trans.extend([now, later]);
            }
        }
        // A state is the first one, or a process makes it, or an assignment is for every one.
        let by = if when == When::Next { process } else { 0 };
        for variable in variables {
            self.depends.insert((variable, when, by), (needs.clone(), target.span));
        }
        Ok(())
    }

    /// The next values of variables, whichever process takes the step; who is not assigned by it keeps its value, if any
    /// process assigns it at all.
    pub(super) fn steps(&mut self) {
        let nexts = std::mem::take(&mut self.nexts);
        let Some(selector) = self.flat.selector else {
            return self.trans.extend(nexts.into_iter().map(|next| next.becomes));
        };
        let exprs = &mut self.compiler.exprs;
        let mut by_variable: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (i, next) in nexts.iter().enumerate() {
            by_variable.entry(next.variables[0]).or_default().push(i);
        }
        for (i, next) in nexts.iter().enumerate() {
            let runs = exprs.is(selector, next.process as u16);
            let not = exprs.not(runs);
            self.trans.push(exprs.or([not, next.becomes]));
            let all = &by_variable[&next.variables[0]];
            if all[0] == i {
                let mut ways: Vec<ExprId> =
                    all.iter().map(|&j| exprs.is(selector, nexts[j].process as u16)).collect();
                let somebody = exprs.or(std::mem::take(&mut ways));
                for &variable in &next.variables {
                    let declared = &self.flat.variables[variable];
                    let unchanged = exprs.unchanged(declared.var, declared.values.len());
                    self.trans.push(exprs.or([somebody, unchanged]));
                }
            }
        }
    }

    /// The variables that a value needs in the state that it is assigned in.
    fn needs(&mut self, value: &Value, next: bool) -> Vec<VarId> {
        let exprs = &self.compiler.exprs;
        let mut vars: Vec<VarId> = exprs
            .cone(value.conditions())
            .into_iter()
            .filter_map(|id| match exprs.get(id) {
                Expr::Is(var, _) if !next => Some(*var),
                Expr::Next(var, _) if next => Some(*var),
                _ => None,
            })
            .collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// The variable has one of the values.
    fn becomes(&mut self, target: &Target, value: &Value, next: bool, span: Span) -> Checked<ExprId> {
        let variable = match target {
            Target::Word(signed, bits) => return self.word_becomes(*signed, bits, value, next, span),
            Target::Variable(variable) => *variable,
            _ => unreachable!("only variables are assigned"),
        };
        let declared = &self.flat.variables[variable];
        let exprs = &mut self.compiler.exprs;
        if let Value::Boolean(yes) = value
            && next
            && *yes == exprs.is(declared.var, 1)
            && is_boolean(declared)
        {
            return Ok(exprs.unchanged(declared.var, 2));
        }
        if matches!(value, Value::Word(_) | Value::Array(_)) {
            let message = format!("`{}` cannot be {}", declared.name, value.describe());
            return Err(Diagnostic::error(Code::TypeError, span, message));
        }
        let (mut ways, mut outside) = (vec![], vec![]);
        let places: FxHashMap<&Constant, u16> =
            declared.values.iter().enumerate().map(|(i, value)| (value, i as u16)).collect();
        for (constant, when) in value.cases(&mut self.compiler.exprs) {
            let Some(index) = index_in(declared, &places, &constant) else {
                let message = format!("`{}` cannot be {constant}", declared.name);
                outside.push((when, Diagnostic::error(Code::ValueOutOfRange, span, message)));
                continue;
            };
            let exprs = &mut self.compiler.exprs;
            let is = if next { exprs.next(declared.var, index) } else { exprs.is(declared.var, index) };
            ways.push(exprs.and([when, is]));
        }
        self.compiler.all_impossible(outside)?;
        Ok(self.compiler.exprs.or(ways))
    }

    fn word_becomes(
        &mut self,
        signed: bool,
        bits: &[usize],
        value: &Value,
        next: bool,
        span: Span,
    ) -> Checked<ExprId> {
        let exprs = &mut self.compiler.exprs;
        let vars: Vec<VarId> = bits.iter().map(|&bit| self.flat.variables[bit].var).collect();
        let is =
            |exprs: &mut Exprs, var: VarId, v: u16| if next { exprs.next(var, v) } else { exprs.is(var, v) };
        match value {
            Value::Set(set) => {
                let bits = vars.iter().map(|&var| is(exprs, var, 1)).collect();
                self.compiler.word_among(&Value::Word(Word { signed, bits }), set, span)
            }
            Value::Word(word) if word.signed == signed && word.bits.len() == bits.len() => {
                let mut same = vec![];
                for (&var, &bit) in vars.iter().zip(&word.bits) {
                    if next && bit == exprs.is(var, 1) {
                        same.push(exprs.unchanged(var, 2));
                        continue;
                    }
                    let (yes, no) = (is(exprs, var, 1), is(exprs, var, 0));
                    same.push(exprs.ite(bit, yes, no));
                }
                Ok(conjoin(exprs, same))
            }
            Value::Word(word) => {
                let kind = |signed: bool| if signed { "signed" } else { "unsigned" };
                let message = format!(
                    "{} word of {} bits cannot be assigned to {} word of {} bits",
                    kind(word.signed),
                    word.bits.len(),
                    kind(signed),
                    bits.len()
                );
                Err(Diagnostic::error(Code::TypeError, span, message))
            }
            other => {
                let message = format!("{} cannot be assigned to a word", other.describe());
                Err(Diagnostic::error(Code::TypeError, span, message))
            }
        }
    }
}

fn is_boolean(declared: &Declared) -> bool {
    matches!(declared.values.as_slice(), [Constant::Boolean(false), Constant::Boolean(true)])
}

/// The position of a value in a variable's domain; 0 and 1 serve as false and true and the other way.
fn index_in(declared: &Declared, places: &FxHashMap<&Constant, u16>, constant: &Constant) -> Option<u16> {
    let find = |wanted: &Constant| places.get(wanted).copied();
    let boolean = matches!(declared.values.as_slice(), [Constant::Boolean(_), Constant::Boolean(_)]);
    match constant {
        Constant::Integer(n @ (0 | 1)) if boolean => find(&Constant::Boolean(*n == 1)),
        other => find(other),
    }
}
