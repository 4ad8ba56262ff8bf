//! Formulas over linear time: is there a fair path of the system together with the tableau of the negation?

use crate::checker::{Checker, FixedPoint, Work};
use crate::path::Path;
use crate::prepare::Cores;
use crate::promised::Promised;
use winset_certify::Proof;
use winset_formula::{Core, Fairness, Tableau};
use winset_model::{Exprs, State, VarId};
use winset_symbolic::{Compiler, Diagram, SymbolicError};

/// A formula, ready to be checked.
pub(crate) struct Prepared {
    /// The tableau of its negation.
    pub tableau: Tableau,
    /// What is fair in the product.
    pub fairness: Fairness,
    /// The states of the product from which a fair path begins.
    pub fair: Core,
    /// The others.
    pub unfair: Core,
    /// A formula over branching time that says the same.
    pub branching: Option<Cores>,
}

/// What was found out about a formula.
pub(crate) struct Found<F> {
    /// The initial states from which a fair path makes it false.
    pub wrong: F,
    /// Such a path.
    pub path: Option<Path>,
    /// What proves that there is none, if that was asked for.
    pub proof: Option<Proof>,
    pub work: Work,
    pub fixed_points: Vec<FixedPoint>,
}

impl<'s, F: Diagram> Checker<'s, F> {
    /// Looks for a fair path from an initial state on which the formula is false.
    pub(crate) fn linear(
        &self,
        prepared: &Prepared,
        initial: &F,
        exprs: &'s Exprs,
        certify: bool,
    ) -> Result<Found<F>, SymbolicError> {
        let (symbolic, space, tableau) = (self.symbolic, &self.symbolic.space, &prepared.tableau);
        let mut compiler = Compiler::new(space, exprs);
        let promised = Promised::new(symbolic, &mut compiler, tableau)?;
        let wrong = compiler.compile(tableau.holds)?;
        let begin = space.and(&space.and(initial, &promised.fresh)?, &wrong)?;
        let mut product = Checker::over(symbolic, compiler, self.universe.clone(), Some(promised))?;
        product.unread = self.unread.clone();
        product.progress = self.progress;
        let steps = product.narrow_to_reached(&begin)?;
        let fair = product.evaluate(&prepared.fair)?;
        product.work.iterations += steps;
        let begin = space.and(&begin, &fair)?;
        let path = match space.pick(&begin)? {
            None => None,
            Some(start) => Some(product.fair_path(&start, prepared, &fair)?),
        };
        let vars: Vec<VarId> =
            tableau.promises.iter().chain(&tableau.memories).map(|&(var, _)| var).collect();
        let wrong = space.forget(&begin, &vars)?;
        let (work, fixed_points) = (product.work, product.fixed_points.clone());
        let proof = match certify && path.is_none() {
            true => Some(product.proof(&prepared.unfair)?),
            false => None,
        };
        Ok(Found { wrong, path, proof, work, fixed_points })
    }

    /// The same by the formula over branching time that says the same, if there is one. The path comes from what is known of
    /// that, and whoever shows it must check it.
    pub(crate) fn linear_as_branching(
        &mut self,
        prepared: &Prepared,
        initial: &F,
        fairness: &Fairness,
    ) -> Result<Option<Found<F>>, SymbolicError> {
        let cores = prepared.branching.as_ref().and_then(|cores| cores.used(self.fair.is_some()));
        let Some((core, negation)) = cores else { return Ok(None) };
        let space = &self.symbolic.space;
        let holds = self.evaluate(core)?;
        let (work, fixed_points) = (self.work, self.fixed_points.clone());
        let mut wrong = space.diff(initial, &holds)?;
        if let Some(fair) = &self.fair {
            wrong = space.and(&wrong, fair)?;
        }
        let path = match space.pick(&wrong)? {
            None => None,
            Some(state) => {
                self.evaluate(negation)?;
                Some(self.going_on_for_ever(negation, &state, fairness)?)
            }
        };
        Ok(Some(Found { wrong, path, proof: None, work, fixed_points }))
    }

    /// The path that shows a formula just evaluated, from a state on; where it ends, any fair one follows.
    fn going_on_for_ever(
        &mut self,
        core: &Core,
        state: &State,
        fairness: &Fairness,
    ) -> Result<Path, SymbolicError> {
        let trace = self.trace(core, state)?;
        let mut states = vec![trace.start];
        states.extend(trace.steps.into_iter().map(|step| step.state));
        if trace.back_to.is_some() {
            states.pop();
            return Ok(Path { states, back_to: trace.back_to });
        }
        let goals = self.goals(fairness)?;
        let within = self.fair.clone().unwrap_or_else(|| self.universe.clone());
        let last = states.pop().expect("a path has a state");
        let (before, lasso) = (states.len(), self.lasso(&last, &goals, &within)?);
        states.extend(lasso.states);
        Ok(Path { states, back_to: lasso.back_to.map(|back| back + before) })
    }

    /// Leaves only those states of the universe that can be reached from a set; gives the number of steps.
    fn narrow_to_reached(&mut self, from: &F) -> Result<usize, SymbolicError> {
        let space = &self.symbolic.space;
        let (mut all, mut new, mut steps) = (from.clone(), from.clone(), 0);
        while new != *space.none() {
            let next = self.image(&new)?;
            let next = if self.unread.is_empty() { next } else { space.forget(&next, &self.unread)? };
            new = space.diff(&space.and(&next, &self.universe)?, &all)?;
            if let Some(progress) = self.progress {
                progress.step(space.nodes());
            }
            all = space.or(&all, &new)?;
            steps += 1;
            space.tidy();
        }
        self.going_on = space.subtract(&all, &self.symbolic.stops)?;
        self.universe = all;
        Ok(steps)
    }

    /// A fair path from a state, once the states with fair paths are known: they lead to those that can be gone round
    /// through, which are the value of the core's greatest fixed point.
    fn fair_path(&mut self, start: &State, prepared: &Prepared, fair: &F) -> Result<Path, SymbolicError> {
        let space = &self.symbolic.space;
        let wrong = || SymbolicError::WrongPath("a formula over linear time".to_owned());
        let round =
            prepared.fair.fair.last().and_then(|id| self.known.get(id)).ok_or_else(wrong)?.value.clone();
        let mut states = self.shortest(&space.singleton(start)?, &round, fair)?.ok_or_else(wrong)?;
        let goals = self.goals(&prepared.fairness)?;
        let last = states.pop().ok_or_else(wrong)?;
        let (before, lasso) = (states.len(), self.lasso(&last, &goals, &round)?);
        states.extend(lasso.states);
        Ok(Path { states, back_to: lasso.back_to.map(|back| back + before) })
    }

    /// What a fair path has to meet again and again, if it can.
    pub(crate) fn goals(&mut self, fairness: &Fairness) -> Result<Vec<F>, SymbolicError> {
        let justice = fairness.justice.iter().copied();
        let sets = justice.chain(fairness.compassion.iter().map(|&(_, then)| then));
        sets.map(|set| self.set(set)).collect()
    }
}
