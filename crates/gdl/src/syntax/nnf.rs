//! Conditions with negation pushed inwards, so that the rest of the crate sees literals, `and` and `or` only.

use crate::diagnostic::Span;
use crate::syntax::symbols::Symbol;
use crate::syntax::tree::{Atom, Formula, Rule, Term};
use rustc_hash::FxHashSet;

/// A condition in negation normal form.
#[derive(Clone, Debug)]
pub(crate) enum Nnf {
    Positive(Atom),
    Negative(Atom),
    Distinct(Term, Term),
    /// `(not (distinct a b))`: equality, which may bind variables.
    Equal(Term, Term, Span),
    And(Vec<Nnf>),
    Or(Vec<Nnf>),
}

/// A rule with its body in negation normal form.
#[derive(Clone, Debug)]
pub(crate) struct NnfRule {
    pub head: Atom,
    pub body: Vec<Nnf>,
    pub span: Span,
    /// The rule of the file that this one comes from.
    pub origin: usize,
}

/// The rule with De Morgan's laws applied to its body.
pub(crate) fn normalize(rule: &Rule, origin: usize) -> NnfRule {
    let mut body = Vec::new();
    for formula in &rule.body {
        match negation_normal(formula, true) {
            Nnf::And(parts) => body.extend(parts),
            other => body.push(other),
        }
    }
    NnfRule { head: rule.head.clone(), body, span: rule.span, origin }
}

fn negation_normal(formula: &Formula, positive: bool) -> Nnf {
    let all = |parts: &[Formula]| parts.iter().map(|p| negation_normal(p, positive)).collect::<Vec<_>>();
    match formula {
        Formula::Atom(atom) if positive => Nnf::Positive(atom.clone()),
        Formula::Atom(atom) => Nnf::Negative(atom.clone()),
        Formula::Distinct(a, b, _) if positive => Nnf::Distinct(a.clone(), b.clone()),
        Formula::Distinct(a, b, span) => Nnf::Equal(a.clone(), b.clone(), *span),
        Formula::Not(inner) => negation_normal(inner, !positive),
        Formula::And(parts) if positive => conjunction(all(parts)),
        Formula::Or(parts) if !positive => conjunction(all(parts)),
        Formula::And(parts) | Formula::Or(parts) => disjunction(all(parts)),
    }
}

fn conjunction(parts: Vec<Nnf>) -> Nnf {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Nnf::And(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    Nnf::And(flat)
}

fn disjunction(parts: Vec<Nnf>) -> Nnf {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Nnf::Or(inner) => flat.extend(inner),
            Nnf::And(inner) if inner.len() == 1 => flat.extend(inner),
            other => flat.push(other),
        }
    }
    if flat.len() == 1 { flat.pop().unwrap_or(Nnf::Or(Vec::new())) } else { Nnf::Or(flat) }
}

impl Nnf {
    /// Calls `visit` for every variable.
    pub fn variables(&self, visit: &mut impl FnMut(Symbol, Span)) {
        match self {
            Nnf::Positive(atom) | Nnf::Negative(atom) => atom.variables(visit),
            Nnf::Distinct(a, b) | Nnf::Equal(a, b, _) => {
                a.variables(visit);
                b.variables(visit);
            }
            Nnf::And(parts) | Nnf::Or(parts) => parts.iter().for_each(|p| p.variables(visit)),
        }
    }

    /// Calls `visit` for every atom with whether it is positive.
    pub fn atoms<'a>(&'a self, visit: &mut impl FnMut(&'a Atom, bool)) {
        match self {
            Nnf::Positive(atom) => visit(atom, true),
            Nnf::Negative(atom) => visit(atom, false),
            Nnf::Distinct(..) | Nnf::Equal(..) => {}
            Nnf::And(parts) | Nnf::Or(parts) => parts.iter().for_each(|p| p.atoms(visit)),
        }
    }
}

pub(crate) fn variables_of(term: &Term) -> FxHashSet<Symbol> {
    let mut set = FxHashSet::default();
    term.variables(&mut |v, _| {
        set.insert(v);
    });
    set
}

/// Adds to `bound` every variable that the conditions bind when they hold together.
pub(crate) fn bind(conditions: &[Nnf], bound: &mut FxHashSet<Symbol>) {
    loop {
        let before = bound.len();
        for condition in conditions {
            match condition {
                Nnf::Positive(atom) => atom.variables(&mut |v, _| {
                    bound.insert(v);
                }),
                Nnf::And(parts) => bind(parts, bound),
                Nnf::Equal(a, b, _) => {
                    let (left, right) = (variables_of(a), variables_of(b));
                    if left.is_subset(bound) || right.is_subset(bound) {
                        bound.extend(left);
                        bound.extend(right);
                    }
                }
                Nnf::Or(parts) => {
                    let mut common: Option<FxHashSet<Symbol>> = None;
                    for part in parts {
                        let mut inner = bound.clone();
                        bind(std::slice::from_ref(part), &mut inner);
                        common = Some(match common {
                            None => inner,
                            Some(so_far) => so_far.intersection(&inner).copied().collect(),
                        });
                    }
                    bound.extend(common.unwrap_or_default());
                }
                Nnf::Negative(_) | Nnf::Distinct(..) => {}
            }
        }
        if bound.len() == before {
            return;
        }
    }
}
