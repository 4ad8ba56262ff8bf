//! The core language: Horn rules with negative literals and `distinct`, over numbered variables.

use crate::ground::terms::{TermId, Terms};
use crate::syntax::symbols::Symbol;
use rustc_hash::FxHashMap;

pub(crate) type PredId = u32;

/// A term with variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pattern {
    Var(u32),
    Const(TermId),
    Function(Symbol, Box<[Pattern]>),
}

impl Pattern {
    pub fn variables(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Pattern::Var(v) => visit(*v),
            Pattern::Const(_) => {}
            Pattern::Function(_, args) => args.iter().for_each(|a| a.variables(visit)),
        }
    }

    pub fn rename(&self, name: &mut impl FnMut(u32) -> u32) -> Pattern {
        match self {
            Pattern::Var(v) => Pattern::Var(name(*v)),
            Pattern::Const(t) => Pattern::Const(*t),
            Pattern::Function(f, args) => {
                Pattern::Function(*f, args.iter().map(|a| a.rename(name)).collect())
            }
        }
    }

    /// The ground term under the bindings; every variable must be bound.
    pub fn instantiate(&self, bindings: &[TermId], terms: &mut Terms) -> TermId {
        match self {
            Pattern::Var(v) => bindings[*v as usize],
            Pattern::Const(t) => *t,
            Pattern::Function(f, args) => {
                let args: Vec<TermId> = args.iter().map(|a| a.instantiate(bindings, terms)).collect();
                terms.intern(*f, &args)
            }
        }
    }
}

/// A relation applied to patterns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Literal {
    pub pred: PredId,
    pub args: Box<[Pattern]>,
}

impl Literal {
    pub fn variables(&self, visit: &mut impl FnMut(u32)) {
        self.args.iter().for_each(|a| a.variables(visit));
    }

    pub fn rename(&self, name: &mut impl FnMut(u32) -> u32) -> Literal {
        Literal { pred: self.pred, args: self.args.iter().map(|a| a.rename(name)).collect() }
    }
}

/// A rule of the core language.
#[derive(Clone, Debug)]
pub(crate) struct CoreRule {
    pub head: Literal,
    pub positive: Vec<Literal>,
    pub negative: Vec<Literal>,
    pub distinct: Vec<(Pattern, Pattern)>,
    /// How many variables the rule has; they are numbered from 0.
    pub variables: u32,
    /// The rule of the file that this one comes from.
    pub origin: usize,
}

impl CoreRule {
    /// It has no conditions.
    pub fn is_fact(&self) -> bool {
        self.positive.is_empty() && self.negative.is_empty() && self.distinct.is_empty()
    }
}

/// The relations by name and number of arguments; those that stand for a part of a rule have no name.
#[derive(Default)]
pub(crate) struct Predicates {
    index: FxHashMap<(Symbol, usize), PredId>,
    pub list: Vec<Predicate>,
}

#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    /// The name, or nothing for a relation that stands for a part of a rule.
    pub name: Option<Symbol>,
    pub arity: usize,
}

impl Predicates {
    pub fn id(&mut self, name: Symbol, arity: usize) -> PredId {
        *self.index.entry((name, arity)).or_insert_with(|| {
            self.list.push(Predicate { name: Some(name), arity });
            (self.list.len() - 1) as PredId
        })
    }

    pub fn fresh(&mut self, arity: usize) -> PredId {
        self.list.push(Predicate { name: None, arity });
        (self.list.len() - 1) as PredId
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }
}
