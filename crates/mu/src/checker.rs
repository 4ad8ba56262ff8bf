//! The evaluator's state: what it knows of a system and of the formulas so far.

use crate::progress::Progress;
use crate::promised::Promised;
use rustc_hash::FxHashMap;
use winset_formula::FixId;
use winset_model::{ExprId, Exprs, VarId};
use winset_symbolic::{Compiler, Diagram, Symbolic, SymbolicError, Which};

/// The states that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Universe {
    /// Every combination of values.
    All,
    /// What can be reached from the initial states.
    #[default]
    Reachable,
    /// Every combination of values in a set that no transition leaves.
    Within(ExprId),
}

/// The states that count, and a constraint on them.
///
/// A constraint works as SMV's `INVAR`: states where it does not hold do not exist, and neither do transitions
/// to them. What a formula says of the constrained system it says of the whole one only if no transition leaves
/// the constraint: see [`crate::Report::leaving`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The states that count.
    pub universe: Universe,
    /// Only those of them where this holds.
    pub constraint: ExprId,
}

impl From<Universe> for Scope {
    fn from(universe: Universe) -> Self {
        Scope { universe, constraint: Exprs::TRUE }
    }
}

/// How much was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Steps of fixed points.
    pub iterations: usize,
    /// Preimages computed.
    pub preimages: usize,
    /// The most nodes that the manager held after a step, garbage included.
    pub peak: usize,
}

/// What one fixed point of a formula cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedPoint {
    /// The name of its variable; of CTL's operators, what they are.
    pub variable: String,
    /// A least fixed point, or else a greatest.
    pub least: bool,
    /// Steps until nothing changed, the last one included; of inner fixed points, in all evaluations.
    pub iterations: usize,
    /// The nodes of the largest set among its values and what its steps looked at and found.
    pub largest: usize,
    /// The most nodes that the manager held after a step, garbage included.
    pub peak: usize,
}

/// A fixed point's last value and what it was computed from.
#[derive(Clone)]
pub(crate) struct Known<F> {
    pub value: F,
    /// The surrounding variables' values then.
    pub surroundings: Vec<F>,
    /// What each step added, or took away.
    pub stages: Vec<F>,
}

/// Evaluates formulas on one compiled system.
pub struct Checker<'s, F: Diagram> {
    pub(crate) symbolic: &'s Symbolic<F>,
    pub(crate) compiler: Compiler<'s, F>,
    /// The states that count.
    pub universe: F,
    /// Those of them that transitions may leave.
    pub(crate) going_on: F,
    /// The system runs together with the tableau of a formula.
    pub(crate) beside: Option<Promised<F>>,
    /// The states with a fair path, where not every path counts.
    pub(crate) fair: Option<F>,
    pub(crate) progress: Option<&'s Progress>,
    /// Variables that nothing reads: their values are not kept among the states that count.
    pub(crate) unread: Vec<VarId>,
    /// The values of the fixed points' variables while they are computed, and at last.
    pub(crate) variables: Vec<F>,
    pub(crate) known: FxHashMap<FixId, Known<F>>,
    /// How much was done for the last formula.
    pub work: Work,
    /// What each of its fixed points cost, in the order of their binders.
    pub fixed_points: Vec<FixedPoint>,
}

impl<'s, F: Diagram> Checker<'s, F> {
    /// Prepares to check formulas over the expressions of the system that was compiled, which may have
    /// grown since.
    pub fn new(
        symbolic: &'s Symbolic<F>,
        exprs: &'s Exprs,
        scope: impl Into<Scope>,
    ) -> Result<Self, SymbolicError> {
        Self::without(symbolic, exprs, scope, vec![])
    }

    /// The same where nobody looks at the values of some variables.
    pub(crate) fn without(
        symbolic: &'s Symbolic<F>,
        exprs: &'s Exprs,
        scope: impl Into<Scope>,
        unread: Vec<VarId>,
    ) -> Result<Self, SymbolicError> {
        let space = &symbolic.space;
        let Scope { universe, constraint } = scope.into();
        let mut compiler = Compiler::new(space, exprs);
        let within = space.and(&compiler.compile(constraint)?, space.domain())?;
        let universe = match universe {
            Universe::All => within,
            Universe::Reachable => reachable_within(symbolic, &within, &unread)?,
            Universe::Within(set) => space.and(&compiler.compile(set)?, &within)?,
        };
        let checker = Self::over(symbolic, compiler, universe, None)?;
        Ok(Checker { unread, ..checker })
    }

    /// The same over given states, from which no transition leads out that counts.
    pub(crate) fn over(
        symbolic: &'s Symbolic<F>,
        compiler: Compiler<'s, F>,
        universe: F,
        beside: Option<Promised<F>>,
    ) -> Result<Self, SymbolicError> {
        let going_on = symbolic.space.subtract(&universe, &symbolic.stops)?;
        let (known, work) = (FxHashMap::default(), Work::default());
        Ok(Checker {
            symbolic,
            compiler,
            universe,
            going_on,
            beside,
            fair: None,
            progress: None,
            unread: vec![],
            variables: vec![],
            known,
            work,
            fixed_points: vec![],
        })
    }

    /// The number of states in a set; [`u128::MAX`] if there are more.
    pub(crate) fn count(&self, set: &F) -> Result<u128, SymbolicError> {
        let space = &self.symbolic.space;
        match space.count(set) {
            Err(SymbolicError::CountOverflow) => Ok(u128::MAX),
            counted => counted,
        }
    }

    /// The states of `care` with a successor in a set.
    pub(crate) fn preimage(&self, set: &F, care: &F) -> Result<F, SymbolicError> {
        let space = &self.symbolic.space;
        match &self.beside {
            None => {
                let going_on = space.and(care, &self.going_on)?;
                self.symbolic.preimage_within(set, &going_on, Which::default())
            }
            Some(promised) => {
                let going_on = space.and(care, &self.going_on)?;
                promised.preimage(self.symbolic, set, &going_on)
            }
        }
    }

    /// The successors of a set of the universe, in it.
    pub(crate) fn image(&self, set: &F) -> Result<F, SymbolicError> {
        let next = match &self.beside {
            None => self.symbolic.image(set)?,
            Some(promised) => promised.image(self.symbolic, set)?,
        };
        self.symbolic.space.and(&next, &self.universe)
    }

    /// What can be reached from a set of the universe.
    pub(crate) fn reached(&self, from: &F) -> Result<F, SymbolicError> {
        let space = &self.symbolic.space;
        let (mut all, mut new) = (from.clone(), from.clone());
        while new != *space.none() {
            new = space.diff(&self.image(&new)?, &all)?;
            all = space.or(&all, &new)?;
            space.tidy();
        }
        Ok(all)
    }

    /// The states of the universe where an expression holds.
    pub fn set(&mut self, set: ExprId) -> Result<F, SymbolicError> {
        let set = self.compiler.compile(set)?;
        self.symbolic.space.and(&set, &self.universe)
    }
}

/// What can be reached from the initial states, breadth first.
pub fn reachable<F: Diagram>(symbolic: &Symbolic<F>) -> Result<F, SymbolicError> {
    reachable_within(symbolic, symbolic.space.domain(), &[])
}

/// What can be reached from the initial states without leaving a set; some variables, which nothing reads, may have any
/// values.
pub fn reachable_within<F: Diagram>(
    symbolic: &Symbolic<F>,
    within: &F,
    unread: &[VarId],
) -> Result<F, SymbolicError> {
    let space = &symbolic.space;
    let restricted = within != space.domain();
    let keep = |set: F| {
        let set = if unread.is_empty() { set } else { space.forget(&set, unread)? };
        if restricted || !unread.is_empty() { space.and(&set, within) } else { Ok(set) }
    };
    let mut all = keep(symbolic.initial.clone())?;
    let mut new = all.clone();
    while new != *space.none() {
        new = space.diff(&keep(symbolic.image(&new)?)?, &all)?;
        all = space.or(&all, &new)?;
        space.tidy();
    }
    Ok(all)
}
