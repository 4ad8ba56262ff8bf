//! The answer to "does it hold?", with numbers and a path.

use crate::checker::{Checker, FixedPoint, Scope, Work};
use crate::order::default_order;
use crate::promise::Promises;
use crate::trace::Trace;
use winset_formula::{Formula, FormulaError};
use winset_model::{Exprs, State, System, VarId};
use winset_symbolic::{Diagram, Job, Options, Symbolic, SymbolicError, Which, with_kind};

/// The answer for one formula.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// It holds in all initial states.
    pub holds: bool,
    /// The number of states of the universe where it holds.
    pub satisfying: u128,
    /// If it holds, a witness from an initial state; otherwise a counterexample from one where it fails.
    pub trace: Trace,
    /// How much was done.
    pub work: Work,
    /// What each of its fixed points cost, in the order of their binders.
    pub fixed_points: Vec<FixedPoint>,
    /// The alternation depth of the formula.
    pub alternation: usize,
    /// Its strategy was asked for and spelled out.
    pub spelled_out: bool,
}

/// The answers for all formulas, and what is wrong with the system.
#[derive(Clone, Debug)]
pub struct Report {
    /// The number of states of the universe.
    pub states: u128,
    /// The number of initial states. If it is zero, every formula holds in all of them, and nothing is
    /// shown.
    pub initial: u128,
    /// The number of states of the universe without successors, and one of them.
    pub deadlocks: u128,
    /// One of the states without successors.
    pub deadlock: Option<State>,
    /// The number of states from which a transition leads out of the constraint, and was left out; 0 without one.
    pub leaving: u128,
    /// The number of relations that the transitions were joined to.
    pub parts: usize,
    /// The answers, in the order of the formulas; none if there is no initial state.
    pub verdicts: Vec<Verdict>,
}

/// Checks formulas on a system. Without an order the variables are placed by the relations they share.
pub fn check(
    system: &System,
    formulas: &[Formula],
    scope: impl Into<Scope>,
    order: Option<Vec<VarId>>,
    options: &Options,
) -> Result<Result<Report, FormulaError>, SymbolicError> {
    with_kind(options.kind, Check { system, formulas, scope: scope.into(), order, options, promises: None })
}

/// The same, and calls back with the strategy of every formula that is a fixed point.
pub fn check_and_spell_out(
    system: &System,
    formulas: &[Formula],
    scope: impl Into<Scope>,
    order: Option<Vec<VarId>>,
    options: &Options,
    promises: &mut Promises<'_>,
) -> Result<Result<Report, FormulaError>, SymbolicError> {
    with_kind(
        options.kind,
        Check { system, formulas, scope: scope.into(), order, options, promises: Some(promises) },
    )
}

struct Check<'a, 'p> {
    system: &'a System,
    formulas: &'a [Formula],
    scope: Scope,
    order: Option<Vec<VarId>>,
    options: &'a Options,
    promises: Option<&'a mut Promises<'p>>,
}

impl Job for Check<'_, '_> {
    type Output = Result<Result<Report, FormulaError>, SymbolicError>;

    fn run<F: Diagram>(mut self) -> Self::Output {
        let mut exprs = self.system.exprs.clone();
        let mut cores = vec![];
        for formula in self.formulas {
            let negation = Formula::Not(Box::new(formula.clone()));
            match (formula.core(&mut exprs), negation.core(&mut exprs)) {
                (Ok(core), Ok(negation)) => cores.push((core, negation)),
                (Err(error), _) | (_, Err(error)) => return Ok(Err(error)),
            }
        }
        let order = self.order.unwrap_or_else(|| default_order(self.system));
        let symbolic = Symbolic::<F>::from_system(self.system, order, self.options)?;
        let mut checker = Checker::new(&symbolic, &exprs, self.scope)?;
        let space = &symbolic.space;
        let initial = space.and(&symbolic.initial, &checker.universe)?;
        let (which, going_on) = (Which::default(), checker.going_on.clone());
        let moving = symbolic.preimage_within(&checker.universe, &going_on, which)?;
        let stuck = space.diff(&checker.universe, &moving)?;
        let leaving = if self.scope.constraint == Exprs::TRUE {
            space.none().clone()
        } else {
            symbolic.preimage_within(&space.complement(&checker.universe)?, &going_on, which)?
        };
        let mut report = Report {
            states: space.count(&checker.universe)?,
            initial: space.count(&initial)?,
            deadlocks: space.count(&stuck)?,
            deadlock: space.pick(&stuck)?,
            leaving: space.count(&leaving)?,
            parts: symbolic.clusters(),
            verdicts: vec![],
        };
        let Some(first) = space.pick(&initial)? else { return Ok(Ok(report)) };
        for (core, negation) in &cores {
            let set = checker.evaluate(core)?;
            let (work, satisfying) = (checker.work, space.count(&set)?);
            let fixed_points = checker.fixed_points.clone();
            let spelled_out = match (checker.strategy(core), &mut self.promises) {
                (Some(strategy), Some(promises)) => {
                    strategy.spell_out(space, promises)?;
                    true
                }
                _ => false,
            };
            let failing = space.diff(&initial, &set)?;
            let trace = match space.pick(&failing)? {
                None => checker.trace(core, &first)?,
                Some(state) => {
                    checker.evaluate(negation)?;
                    checker.trace(negation, &state)?
                }
            };
            let holds = failing == *space.none();
            let alternation = core.alternation();
            report.verdicts.push(Verdict {
                holds,
                satisfying,
                trace,
                work,
                fixed_points,
                alternation,
                spelled_out,
            });
        }
        Ok(Ok(report))
    }
}
