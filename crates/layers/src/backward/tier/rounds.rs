//! Passes over the parts of a tier that stay inside of it, until nothing changes.
//!
//! Values begin with play that never ends. After n rounds each state has the value of the game that is broken off after
//! n moves, so whoever can force something better has it after as many rounds as that takes.

use crate::backward::layer_by_layer::{Backward, Current};
use crate::backward::room::Fit;
use crate::backward::stream::{Remoteness, Stored};
use crate::backward::tier::Tally;
use crate::error::LayersError;

impl Backward<'_> {
    /// Values of the staying parts, added to those of all other states. Returns the tallies of the parts.
    pub fn repeat(
        &self,
        current: Current,
        staying: &[usize],
        fit: &Fit,
        values: &mut Stored,
    ) -> Result<Vec<Tally>, LayersError> {
        let first = values.duplicate(fit.file("round-0").as_deref()).map_err(|error| fit.failure(error))?;
        let (tallies, solved) = self.rounds(staying, fit, values, first, &mut |i, before, after| {
            self.forward.rules.conds.work.spend(current.layer.len)?;
            let task = self.task(current, &current.layer.parts[i], Some(before));
            self.solve_part(&task, fit, after)
        })?;
        *values = solved;
        Ok(tallies)
    }

    /// The loop itself: `pass` goes over a part that stays, reads what the round before has found and writes into what is
    /// `base` for all other states. Returns the tallies of the last round and what it has found.
    pub fn rounds(
        &self,
        staying: &[usize],
        fit: &Fit,
        base: &Stored,
        mut before: Stored,
        pass: &mut dyn FnMut(usize, &Stored, &Stored) -> Result<Tally, LayersError>,
    ) -> Result<(Vec<Tally>, Stored), LayersError> {
        let failure = |error| fit.failure(error);
        for round in 1u64.. {
            let name = format!("round-{round}");
            let after = base.duplicate(fit.file(&name).as_deref()).map_err(failure)?;
            let tallies = staying.iter().map(|&i| pass(i, &before, &after)).collect::<Result<_, _>>()?;
            if after.equals(&before).map_err(failure)? {
                return Ok((tallies, after));
            }
            before = after;
        }
        unreachable!("a change in every round")
    }

    /// The same for distances, when the values are known: from states that end the game on.
    pub fn repeat_distances(
        &self,
        current: Current,
        staying: &[usize],
        fit: &Fit,
        values: &Stored,
        distances: &mut Remoteness,
    ) -> Result<(), LayersError> {
        let failure = |error| fit.failure(error);
        let mut changed = self.distance;
        while changed {
            changed = false;
            let before = distances.duplicate(fit.file("before").as_deref()).map_err(failure)?;
            for &i in staying {
                let task = self.measuring(current, &current.layer.parts[i], Some((values, &before)));
                changed |= self.measure_part(&task, values, distances).map_err(failure)?;
            }
        }
        Ok(())
    }
}
