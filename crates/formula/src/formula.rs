//! Formulas as people write them.

use winset_diagnostic::Span;
use winset_model::ExprId;

/// Along some path or along all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    /// `E`
    Some,
    /// `A`
    All,
}

impl Path {
    /// The other one, for negations.
    pub fn dual(self) -> Path {
        match self {
            Path::Some => Path::All,
            Path::All => Path::Some,
        }
    }
}

/// A formula over sets of states, with the CTL operators beside the fixed points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A set of states, as an expression of the system.
    Set(ExprId),
    /// A variable bound by a surrounding fixed point.
    Variable(String, Span),
    /// Negation.
    Not(Box<Formula>),
    /// Conjunction.
    And(Box<Formula>, Box<Formula>),
    /// Disjunction.
    Or(Box<Formula>, Box<Formula>),
    /// Implication.
    Implies(Box<Formula>, Box<Formula>),
    /// Equivalence.
    Iff(Box<Formula>, Box<Formula>),
    /// `EX`, `AX`: in some or all successors.
    Next(Path, Box<Formula>),
    /// `EF`, `AF`: at some time.
    Finally(Path, Box<Formula>),
    /// `EG`, `AG`: always.
    Globally(Path, Box<Formula>),
    /// `E[a U b]`, `A[a U b]`: at some time b, and a until then.
    Until(Path, Box<Formula>, Box<Formula>),
    /// `mu X. body` or `nu X. body`.
    Fix {
        /// A least fixed point, or else a greatest.
        least: bool,
        /// The variable that it binds.
        variable: String,
        /// Where it is bound.
        span: Span,
        /// The body.
        body: Box<Formula>,
    },
}

impl Formula {
    /// It has `mu` or `nu`.
    pub fn has_fixed_points(&self) -> bool {
        match self {
            Formula::Fix { .. } => true,
            Formula::Set(_) | Formula::Variable(..) => false,
            Formula::Not(a) | Formula::Next(_, a) | Formula::Finally(_, a) | Formula::Globally(_, a) => {
                a.has_fixed_points()
            }
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Implies(a, b)
            | Formula::Iff(a, b)
            | Formula::Until(_, a, b) => a.has_fixed_points() || b.has_fixed_points(),
        }
    }

    /// Adds the sets of states that it speaks of.
    pub(crate) fn add_sets(&self, sets: &mut Vec<ExprId>) {
        match self {
            Formula::Set(set) => sets.push(*set),
            Formula::Variable(..) => {}
            Formula::Not(a) | Formula::Next(_, a) | Formula::Finally(_, a) | Formula::Globally(_, a) => {
                a.add_sets(sets);
            }
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Implies(a, b)
            | Formula::Iff(a, b)
            | Formula::Until(_, a, b) => {
                a.add_sets(sets);
                b.add_sets(sets);
            }
            Formula::Fix { body, .. } => body.add_sets(sets),
        }
    }

    /// Its outermost operator quantifies over paths.
    pub(crate) fn is_about_paths(&self) -> bool {
        matches!(self, Formula::Next(..) | Formula::Finally(..) | Formula::Globally(..) | Formula::Until(..))
    }
}
