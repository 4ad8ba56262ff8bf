//! Specifications as formulas.

use crate::compile::{Compiler, Place};
use crate::diagnostic::{Checked, Code, Diagnostic};
use crate::syntax::{Binary, Expr, ExprKind, Temporal};
use winset_formula::{Formula, FormulaError};

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
            return Ok(Formula::Set(self.condition(expr, Place::state(scope))?));
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

fn misplaced(expr: &Expr) -> Diagnostic {
    let message = "temporal operators can be combined by Boolean operators only";
    Diagnostic::error(Code::MisplacedTemporal, expr.span, message)
}

fn balanced(mut level: Vec<Formula>, join: fn(Box<Formula>, Box<Formula>) -> Formula) -> Formula {
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
        ExprKind::Temporal(..) | ExprKind::Until(..) | ExprKind::Fix { .. } => true,
        ExprKind::Name(name) => bound.contains(name),
        ExprKind::Boolean(_) | ExprKind::Integer(_) => false,
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
