//! Specifications as formulas.

use crate::compile::{Compiler, Place};
use crate::diagnostic::{Checked, Code, Diagnostic};
use crate::syntax::{Along, Between, Binary, Expr, ExprKind, Steps, Temporal};
use winset_formula::{Bounds, Formula, FormulaError, Linear, Path};

/// Bounded operators of branching time are unfolded step by step, so their length is limited.
const MOST_STEPS: u32 = 1_000;

impl Compiler<'_, '_> {
    /// A formula, checked to be monotone.
    pub fn formula(&mut self, expr: &Expr, scope: usize) -> Checked<Formula> {
        let formula = self.temporal(expr, scope, &mut vec![])?;
        match formula.core(&mut self.exprs) {
            Ok(_) => Ok(formula),
            Err(error) => {
                let code = match error {
                    FormulaError::NotMonotone { .. } => Code::NotMonotone,
                    _ => Code::UnknownName,
                };
                let mut diagnostic = Diagnostic::error(code, error.span(), error.to_string());
                diagnostic.help = error.help();
                Err(diagnostic)
            }
        }
    }

    fn temporal(&mut self, expr: &Expr, scope: usize, bound: &mut Vec<String>) -> Checked<Formula> {
        if !is_temporal(expr, bound) {
            return Ok(Formula::Set(self.stated(expr, Place::state(scope))?));
        }
        let mut inner = |e: &Expr, bound: &mut Vec<String>| self.temporal(e, scope, bound).map(Box::new);
        match &expr.kind {
            ExprKind::Name(name) => Ok(Formula::Variable(name.clone(), expr.span)),
            ExprKind::Not(a) => Ok(Formula::Not(inner(a, bound)?)),
            ExprKind::And(list) | ExprKind::Or(list) => {
                let and = matches!(expr.kind, ExprKind::And(_));
                let mut level = vec![];
                for part in list {
                    level.push(*inner(part, bound)?);
                }
                Ok(balanced(level, if and { Formula::And } else { Formula::Or }))
            }
            ExprKind::Binary(operator, a, b) => {
                let both = (inner(a, bound)?, inner(b, bound)?);
                match operator {
                    Binary::Implies => Ok(Formula::Implies(both.0, both.1)),
                    Binary::Iff | Binary::Equal => Ok(Formula::Iff(both.0, both.1)),
                    Binary::Xor | Binary::Unequal => Ok(Formula::Not(Formula::Iff(both.0, both.1).into())),
                    _ => Err(misplaced(expr)),
                }
            }
            ExprKind::Temporal(path, operator, a) => {
                let a = inner(a, bound)?;
                Ok(match operator {
                    Temporal::Next => Formula::Next(*path, a),
                    Temporal::Finally => Formula::Finally(*path, a),
                    Temporal::Globally => Formula::Globally(*path, a),
                })
            }
            ExprKind::Until(path, a, b) => Ok(Formula::Until(*path, inner(a, bound)?, inner(b, bound)?)),
            ExprKind::Bounded(path, operator, steps, a) => {
                let (a, steps) = (*inner(a, bound)?, self.few_steps(steps, expr, scope)?);
                Ok(unfolded(*path, steps, *operator == Temporal::Globally, None, a))
            }
            ExprKind::BoundedUntil(path, steps, a, b) => {
                let (a, b) = (*inner(a, bound)?, *inner(b, bound)?);
                let steps = self.few_steps(steps, expr, scope)?;
                Ok(unfolded(*path, steps, false, Some(a), b))
            }
            ExprKind::Fix { least, variable, body } => {
                bound.push(variable.text.clone());
                let body = inner(body, bound);
                bound.pop();
                let (variable, span) = (variable.text.clone(), variable.span);
                Ok(Formula::Fix { least: *least, variable, span, body: body? })
            }
            _ => Err(misplaced(expr)),
        }
    }
}

impl Compiler<'_, '_> {
    /// A formula over linear time.
    pub fn linear(&mut self, expr: &Expr, scope: usize) -> Checked<Linear> {
        if !is_temporal(expr, &[]) {
            let condition = self.stated(expr, Place::transition(scope))?;
            if self.speaks(condition) == 0 {
                return Ok(Linear::Set(condition));
            }
            let held = self.observe(condition, false, self.text_of(expr));
            return Ok(Linear::Next(Linear::Set(held).into()));
        }
        let mut inner = |e: &Expr| self.linear(e, scope).map(Box::new);
        Ok(match &expr.kind {
            ExprKind::Not(a) => Linear::Not(inner(a)?),
            ExprKind::And(list) | ExprKind::Or(list) => {
                let level = list.iter().map(|e| inner(e).map(|e| *e)).collect::<Checked<Vec<_>>>()?;
                let and = matches!(expr.kind, ExprKind::And(_));
                balanced(level, if and { Linear::And } else { Linear::Or })
            }
            ExprKind::Binary(operator, a, b) => {
                let (a, b) = (inner(a)?, inner(b)?);
                match operator {
                    Binary::Implies => Linear::Implies(a, b),
                    Binary::Iff | Binary::Equal => Linear::Iff(a, b),
                    Binary::Xor | Binary::Unequal => Linear::Not(Linear::Iff(a, b).into()),
                    _ => return Err(misplaced(expr)),
                }
            }
            ExprKind::Along(operator, steps, a) => {
                let a = inner(a)?;
                let bounds = steps.as_ref().map(|steps| self.bounds_of(steps, scope)).transpose()?;
                match (operator, bounds) {
                    (Along::Next, _) => Linear::Next(a),
                    (Along::Yesterday, _) => Linear::Yesterday(a),
                    (Along::WeakYesterday, _) => Linear::WeakYesterday(a),
                    (Along::Finally, None) => Linear::Finally(a),
                    (Along::Globally, None) => Linear::Globally(a),
                    (Along::Once, None) => Linear::Once(a),
                    (Along::Historically, None) => Linear::Historically(a),
                    (Along::Finally, Some(bounds)) => Linear::FinallyWithin(bounds, a),
                    (Along::Globally, Some(bounds)) => Linear::GloballyWithin(bounds, a),
                    (Along::Once, Some(bounds)) => Linear::OnceWithin(bounds, a),
                    (Along::Historically, Some(bounds)) => Linear::HistoricallyWithin(bounds, a),
                }
            }
            ExprKind::Between(operator, a, b) => {
                let (a, b) = (inner(a)?, inner(b)?);
                match operator {
                    Between::Until => Linear::Until(a, b),
                    Between::Release => Linear::Release(a, b),
                    Between::Since => Linear::Since(a, b),
                    Between::Triggered => Linear::Triggered(a, b),
                }
            }
            _ => return Err(misplaced(expr)),
        })
    }

    fn bounds_of(&mut self, steps: &Steps, scope: usize) -> Checked<Bounds> {
        let mut number = |expr: &Expr| {
            let steps = self.value(expr, Place::state(scope))?.number().and_then(|n| u32::try_from(n).ok());
            steps.ok_or_else(|| Diagnostic::error(Code::Bounds, expr.span, "this is not a number of steps"))
        };
        let from = number(&steps.from)?;
        let to = steps.to.as_ref().map(|to| number(to)).transpose()?;
        if let Some(to) = to.filter(|to| *to < from) {
            let message = format!("from {from} to {to} there are no steps");
            return Err(Diagnostic::error(Code::Bounds, steps.from.span, message));
        }
        Ok(Bounds { from, to })
    }

    /// Bounds that can be unfolded.
    fn few_steps(&mut self, steps: &Steps, expr: &Expr, scope: usize) -> Checked<(u32, u32)> {
        let Bounds { from, to } = self.bounds_of(steps, scope)?;
        let to = to.unwrap_or(u32::MAX);
        if to > MOST_STEPS {
            let message = format!("an operator over more than {MOST_STEPS} steps is not supported");
            return Err(Diagnostic::error(Code::TooLarge, expr.span, message));
        }
        Ok((from, to))
    }
}

/// What holds within bounds, said of the next state and the next but one: `hold` before, and then the goal; or, if it is
/// a promise of all the steps, the goal in each of them.
fn unfolded(
    path: Path,
    (from, to): (u32, u32),
    globally: bool,
    hold: Option<Formula>,
    goal: Formula,
) -> Formula {
    let mut formula = goal.clone();
    for step in (0..to).rev() {
        let mut later = Formula::Next(path, formula.into());
        if let Some(hold) = &hold {
            later = Formula::And(hold.clone().into(), later.into());
        }
        formula = match (step >= from, globally) {
            (false, _) => later,
            (true, true) => Formula::And(goal.clone().into(), later.into()),
            (true, false) => Formula::Or(goal.clone().into(), later.into()),
        };
    }
    formula
}

fn misplaced(expr: &Expr) -> Diagnostic {
    let message = "temporal operators can be combined by Boolean operators only";
    Diagnostic::error(Code::MisplacedTemporal, expr.span, message)
}

fn balanced<T>(mut level: Vec<T>, join: fn(Box<T>, Box<T>) -> T) -> T {
    while level.len() > 1 {
        let mut half = vec![];
        let mut operands = level.into_iter();
        while let Some(left) = operands.next() {
            half.push(match operands.next() {
                Some(right) => join(left.into(), right.into()),
                None => left,
            });
        }
        level = half;
    }
    level.remove(0)
}

/// Whether the expression is more than a condition on one state.
fn is_temporal(expr: &Expr, bound: &[String]) -> bool {
    let any = |list: &[Expr]| list.iter().any(|e| is_temporal(e, bound));
    match &expr.kind {
        ExprKind::Temporal(..)
        | ExprKind::Until(..)
        | ExprKind::Bounded(..)
        | ExprKind::BoundedUntil(..)
        | ExprKind::Along(..)
        | ExprKind::Between(..)
        | ExprKind::Fix { .. } => true,
        ExprKind::Name(name) => bound.contains(name),
        ExprKind::Boolean(_) | ExprKind::Integer(_) | ExprKind::Word(..) | ExprKind::Myself => false,
        ExprKind::Array(list) => any(list),
        ExprKind::Bits(a, b, c) => [a, b, c].into_iter().any(|e| is_temporal(e, bound)),
        ExprKind::Member(a, _) | ExprKind::Next(a) | ExprKind::Not(a) | ExprKind::Negative(a) => {
            is_temporal(a, bound)
        }
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Range(a, b) => {
            is_temporal(a, bound) || is_temporal(b, bound)
        }
        ExprKind::And(list) | ExprKind::Or(list) | ExprKind::Set(list) | ExprKind::Call(_, list) => any(list),
        ExprKind::Case(branches) => {
            branches.iter().any(|(a, b)| is_temporal(a, bound) || is_temporal(b, bound))
        }
        ExprKind::If(a, b, c) => [a, b, c].into_iter().any(|e| is_temporal(e, bound)),
    }
}
