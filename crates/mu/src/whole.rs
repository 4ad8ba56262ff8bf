//! The numbers of states of a whole system of which a cone was checked.
//!
//! A cone has the same verdicts and fewer states. What it is asked is answered on it; then the whole system's states are found
//! in the same space, and each set that the cone has is counted among them: what holds in a state does not depend on the
//! variables that were left out. That can take longer than all answers, so that it may be bounded.

use crate::check::{Paths, Query, Report};
use crate::checker::reachable_within;
use crate::prepare::{Preparation, unread};
use winset_formula::{Fairness, Property};
use winset_model::{System, VarId, Variable};
use winset_symbolic::{Diagram, Symbolic, SymbolicError};

/// The whole system, and how much may be done for its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Whole<'a> {
    /// The system; its variables are those of the cone, which keeps them all.
    pub system: &'a System,
    /// Its states are counted whatever that takes. Otherwise no more is done for them than for the answers, and a little.
    pub at_any_cost: bool,
}

/// The steps that may be spent on states in any case: about a second.
const A_LITTLE: u64 = 100_000_000;

/// What is counted.
pub(crate) struct Counts<F> {
    /// The states of the cone without successors.
    pub stuck: F,
    /// Its initial states from which a fair path begins.
    pub counting: F,
    /// Where each property holds.
    pub sets: Vec<F>,
    /// The steps that had been made before the first.
    pub began: u64,
}

impl<F: Diagram> Counts<F> {
    /// Counts again in the whole system, if the one that was checked is a cone of it.
    pub fn of_whole(
        &mut self,
        query: &Query<'_>,
        prepared: &Preparation,
        symbolic: &Symbolic<F>,
        report: &mut Report,
    ) -> Result<(), SymbolicError> {
        let Some(whole) = query.whole else { return Ok(()) };
        let space = &symbolic.space;
        let steps = match whole.at_any_cost {
            true => u64::MAX,
            false => space.steps().saturating_sub(self.began).saturating_add(A_LITTLE),
        };
        // The variables of tableaux are part of the space.
        let own = whole.system.variables.len();
        let tableaux = &prepared.system.variables[own..];
        let mut system = System { sets: vec![], ..whole.system.clone() };
        system.variables.extend(tableaux.iter().map(Variable::clone));
        system.hidden.extend((own..prepared.system.variables.len()).map(|var| VarId(var as u32)));
        let none = Fairness::default();
        let fairness = if let Paths::Fair(fairness) = query.paths { fairness } else { &none };
        let unread = unread(whole.system, query.properties, fairness, query.scope.constraint);
        let found = space.bounded(steps, || {
            let other = symbolic.beside(&system, query.options)?;
            let reached = reachable_within(&other, space.domain(), &unread)?;
            Ok((other.initial, reached))
        })?;
        let Some((initial, reached)) = found else { return Ok(()) };
        let count = |set: &F| match space.count_without(set, &system.hidden) {
            Err(SymbolicError::CountOverflow) => Ok(u128::MAX),
            counted => counted,
        };
        let stuck = space.and(&self.stuck, &reached)?;
        report.states = count(&reached)?;
        report.states_about = space.count_about_without(&reached, &system.hidden)?;
        report.initial = count(&initial)?;
        report.deadlocks = count(&stuck)?;
        report.deadlock = space.pick(&stuck)?.map(|state| crate::check::own_part(&state, own as u32));
        report.unfair = count(&space.diff(&initial, &self.counting)?)?;
        for ((verdict, set), property) in report.verdicts.iter_mut().zip(&self.sets).zip(query.properties) {
            let among = if matches!(property, Property::Linear(_)) { &initial } else { &reached };
            verdict.satisfying = count(&space.and(set, among)?)?;
        }
        report.of_whole = true;
        Ok(())
    }
}
