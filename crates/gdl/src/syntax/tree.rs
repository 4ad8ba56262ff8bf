//! GDL as it is written: terms, atoms, formulas and rules, with their spans.

use crate::diagnostic::Span;
use crate::syntax::symbols::{Symbol, Symbols};

/// A term: a variable, a constant (no arguments) or a function term.
#[derive(Clone, Debug)]
pub enum Term {
    Variable(Symbol, Span),
    Function(Symbol, Vec<Term>, Span),
}

impl Term {
    pub fn span(&self) -> Span {
        match self {
            Term::Variable(_, span) | Term::Function(_, _, span) => *span,
        }
    }

    /// Calls `visit` for every variable of the term.
    pub fn variables(&self, visit: &mut impl FnMut(Symbol, Span)) {
        match self {
            Term::Variable(name, span) => visit(*name, *span),
            Term::Function(_, args, _) => args.iter().for_each(|a| a.variables(visit)),
        }
    }
}

/// A relation applied to terms.
#[derive(Clone, Debug)]
pub struct Atom {
    pub name: Symbol,
    pub args: Vec<Term>,
    pub span: Span,
}

impl Atom {
    pub fn variables(&self, visit: &mut impl FnMut(Symbol, Span)) {
        self.args.iter().for_each(|a| a.variables(visit));
    }
}

/// A condition of a rule.
#[derive(Clone, Debug)]
pub enum Formula {
    Atom(Atom),
    Distinct(Term, Term, Span),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

/// A rule, or a fact when the body is empty.
#[derive(Clone, Debug)]
pub struct Rule {
    pub head: Atom,
    pub body: Vec<Formula>,
    pub span: Span,
}

/// A file as rules, in textual order.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub symbols: Symbols,
    pub rules: Vec<Rule>,
}
