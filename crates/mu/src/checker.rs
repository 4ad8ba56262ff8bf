//! The evaluator's state: what it knows of a system and of the formulas so far.

use rustc_hash::FxHashMap;
use winset_formula::FixId;
use winset_model::{ExprId, Exprs, System, VarId};
use winset_symbolic::{Compiler, Diagram, Symbolic, SymbolicError};

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
    /// The values of the fixed points' variables while they are computed, and at last.
    pub(crate) variables: Vec<F>,
    pub(crate) known: FxHashMap<FixId, Known<F>>,
    /// How much was done for the last formula.
    pub work: Work,
}

impl<'s, F: Diagram> Checker<'s, F> {
    /// Prepares to check formulas over the expressions of the system that was compiled, which may have
    /// grown since.
    pub fn new(
        symbolic: &'s Symbolic<F>,
        exprs: &'s Exprs,
        universe: Universe,
    ) -> Result<Self, SymbolicError> {
        let space = &symbolic.space;
        let mut compiler = Compiler::new(space, exprs);
        let universe = match universe {
            Universe::All => space.domain().clone(),
            Universe::Reachable => reachable(symbolic)?,
            Universe::Within(set) => space.and(&compiler.compile(set)?, space.domain())?,
        };
        let going_on = space.subtract(&universe, &symbolic.stops)?;
        Ok(Checker {
            symbolic,
            compiler,
            universe,
            going_on,
            variables: vec![],
            known: FxHashMap::default(),
            work: Work::default(),
        })
    }

    /// The states of the universe where an expression holds.
    pub fn set(&mut self, set: ExprId) -> Result<F, SymbolicError> {
        let set = self.compiler.compile(set)?;
        self.symbolic.space.and(&set, &self.universe)
    }
}

/// What can be reached from the initial states, breadth first.
pub fn reachable<F: Diagram>(symbolic: &Symbolic<F>) -> Result<F, SymbolicError> {
    let space = &symbolic.space;
    let (mut all, mut new) = (symbolic.initial.clone(), symbolic.initial.clone());
    while new != *space.none() {
        new = space.diff(&symbolic.image(&new)?, &all)?;
        all = space.or(&all, &new)?;
        space.tidy();
    }
    Ok(all)
}

/// An order for a system that comes with none: variables that occur in one relation stand together.
/// Starting from the variable that is written most rarely, always the one that shares most relations with
/// those already placed follows.
pub fn default_order(system: &System) -> Vec<VarId> {
    let count = system.variables.len();
    let mut near = vec![vec![0usize; count]; count];
    for relation in &system.relations {
        let vars = system.exprs.support(relation.formula);
        if relation.writes.len() == count || vars.len() > 64 {
            continue;
        }
        for a in &vars {
            for b in &vars {
                near[a.index()][b.index()] += 1;
            }
        }
    }
    let mut order: Vec<usize> = vec![];
    while order.len() < count {
        let open = (0..count).filter(|i| !order.contains(i));
        let pull = |i: &usize| order.iter().rev().take(8).map(|&placed| near[*i][placed]).sum::<usize>();
        let next = open.max_by_key(|i| (pull(i), std::cmp::Reverse(*i))).expect("some are left");
        order.push(next);
    }
    order.into_iter().map(|i| VarId(i as u32)).collect()
}
