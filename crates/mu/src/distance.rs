//! How far one set is from another (`COMPUTE MIN` and `MAX`), over the states with fair paths.

use crate::checker::Checker;
use winset_symbolic::{Diagram, SymbolicError};

/// A number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// This number.
    Steps(usize),
    /// No path leads there (of the fewest), or a path never comes there (of the most).
    Infinite,
    /// One of the sets has no state that counts.
    Undefined,
}

impl<F: Diagram> Checker<'_, F> {
    /// The fewest steps from one set to another.
    pub(crate) fn fewest(&mut self, from: &F, to: &F, fair: &F) -> Result<Distance, SymbolicError> {
        let space = &self.symbolic.space;
        let mut new = space.and(from, fair)?;
        let (mut seen, to) = (new.clone(), space.and(to, fair)?);
        for steps in 0.. {
            self.work.iterations += 1;
            if space.meet(&new, &to)? {
                return Ok(Distance::Steps(steps));
            }
            if new == *space.none() {
                break;
            }
            let next = space.and(&self.image(&new)?, fair)?;
            new = space.diff(&next, &seen)?;
            seen = space.or(&seen, &new)?;
            space.tidy();
        }
        Ok(Distance::Infinite)
    }

    /// The most steps that can be made from one set before the other is reached.
    pub(crate) fn most(&mut self, from: &F, to: &F, fair: &F) -> Result<Distance, SymbolicError> {
        let space = &self.symbolic.space;
        // Without any fair state no step is made before the goal, as NuSMV has it: both sets then need states, not fair ones.
        let counted = if fair == space.none() { &self.universe } else { fair };
        if !space.meet(from, counted)? || !space.meet(to, counted)? {
            return Ok(Distance::Undefined);
        }
        let from = space.and(from, fair)?;
        // After n rounds: the states from which n steps stay outside of the goal.
        let mut outside = space.diff(fair, to)?;
        for steps in 0.. {
            self.work.iterations += 1;
            if !space.meet(&outside, &from)? {
                return Ok(Distance::Steps(steps));
            }
            let next = self.preimage(&outside, &outside)?;
            if next == outside {
                break;
            }
            outside = next;
            space.tidy();
        }
        Ok(Distance::Infinite)
    }
}
