//! What a model can be claimed to satisfy: a formula over branching or linear time, an invariant, a number to compute;
//! and which of its paths count.

use crate::formula::Formula;
use winset_model::ExprId;

/// From the first to the last number of steps; without a last one, for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The first step that counts.
    pub from: u32,
    /// The last one, itself included.
    pub to: Option<u32>,
}

/// A formula over linear time, with the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Linear {
    /// A set of states.
    Set(ExprId),
    /// Negation.
    Not(Box<Linear>),
    /// Conjunction.
    And(Box<Linear>, Box<Linear>),
    /// Disjunction.
    Or(Box<Linear>, Box<Linear>),
    /// Implication.
    Implies(Box<Linear>, Box<Linear>),
    /// Equivalence.
    Iff(Box<Linear>, Box<Linear>),
    /// `X`: in the next state.
    Next(Box<Linear>),
    /// `F`: now or later.
    Finally(Box<Linear>),
    /// `G`: now and ever after.
    Globally(Box<Linear>),
    /// `a U b`: b now or later, and a until then.
    Until(Box<Linear>, Box<Linear>),
    /// `a V b`: b up to and including the first state of a, or for ever.
    Release(Box<Linear>, Box<Linear>),
    /// `F [from, to]`: within these steps from now.
    FinallyWithin(Bounds, Box<Linear>),
    /// `G [from, to]`: during these steps from now.
    GloballyWithin(Bounds, Box<Linear>),
    /// `Y`: there is a state before, and it held there.
    Yesterday(Box<Linear>),
    /// `Z`: if there is a state before, it held there.
    WeakYesterday(Box<Linear>),
    /// `O`: now or before.
    Once(Box<Linear>),
    /// `H`: now and ever before.
    Historically(Box<Linear>),
    /// `a S b`: b now or before, and a ever since.
    Since(Box<Linear>, Box<Linear>),
    /// `a T b`: b back to and including the last state of a, or back to the start.
    Triggered(Box<Linear>, Box<Linear>),
    /// `O [from, to]`: within these steps back.
    OnceWithin(Bounds, Box<Linear>),
    /// `H [from, to]`: during these steps back.
    HistoricallyWithin(Bounds, Box<Linear>),
}

/// What a specification says of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// A formula of CTL or the mu-calculus holds in every initial state.
    Branching(Formula),
    /// A formula over linear time holds on every fair path from every initial state.
    Linear(Linear),
    /// A set has every reachable state.
    Invariant(ExprId),
    /// The fewest (or most) steps from a state of one set that can be reached to a state of another: `COMPUTE MIN [a, b]`.
    Distance {
        /// The most instead of the fewest.
        longest: bool,
        /// Where paths begin.
        from: ExprId,
        /// Where they end.
        to: ExprId,
    },
}

impl Property {
    /// The sets of states that it speaks of.
    pub fn sets(&self) -> Vec<ExprId> {
        let mut sets = vec![];
        match self {
            Property::Branching(formula) => formula.add_sets(&mut sets),
            Property::Linear(formula) => formula.add_sets(&mut sets),
            Property::Invariant(set) => sets.push(*set),
            Property::Distance { from, to, .. } => sets.extend([*from, *to]),
        }
        sets
    }
}

impl Linear {
    fn add_sets(&self, sets: &mut Vec<ExprId>) {
        match self {
            Linear::Set(set) => sets.push(*set),
            Linear::Not(a)
            | Linear::Next(a)
            | Linear::Finally(a)
            | Linear::Globally(a)
            | Linear::FinallyWithin(_, a)
            | Linear::GloballyWithin(_, a)
            | Linear::Yesterday(a)
            | Linear::WeakYesterday(a)
            | Linear::Once(a)
            | Linear::Historically(a)
            | Linear::OnceWithin(_, a)
            | Linear::HistoricallyWithin(_, a) => a.add_sets(sets),
            Linear::And(a, b)
            | Linear::Or(a, b)
            | Linear::Implies(a, b)
            | Linear::Iff(a, b)
            | Linear::Until(a, b)
            | Linear::Release(a, b)
            | Linear::Since(a, b)
            | Linear::Triggered(a, b) => {
                a.add_sets(sets);
                b.add_sets(sets);
            }
        }
    }
}

/// Which infinite paths count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fairness {
    /// Each of these holds again and again (`FAIRNESS`, `JUSTICE`).
    pub justice: Vec<ExprId>,
    /// If the first holds again and again, so does the second (`COMPASSION`).
    pub compassion: Vec<(ExprId, ExprId)>,
}

impl Fairness {
    /// The sets of states that it speaks of.
    pub fn sets(&self) -> Vec<ExprId> {
        let pairs = self.compassion.iter().flat_map(|&(when, then)| [when, then]);
        self.justice.iter().copied().chain(pairs).collect()
    }

    /// Every path counts.
    pub fn is_empty(&self) -> bool {
        self.justice.is_empty() && self.compassion.is_empty()
    }
}
