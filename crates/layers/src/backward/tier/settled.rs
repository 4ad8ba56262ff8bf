//! Whether a tier has values although the players may want the same.
//!
//! Where preferences are opposite, what a state is worth is settled however play goes round: each result can be forced by
//! one player or avoided by the other. Where they are not, a circle can have several values that all agree with
//! themselves, so there is none. A state outside of circles has one: it follows from its successors.

use crate::backward::layer_by_layer::{Backward, Current};
use crate::backward::room::Fit;
use crate::backward::stream::Stored;
use crate::error::LayersError;
use winset_model::{Code, CodeTable, Player, Rewards};

/// All successors inside the tier are settled.
const SETTLED: Code = 0;
/// Not all are.
const OPEN: Code = 1;

impl Backward<'_> {
    /// Fails if the players' preferences are not opposed and play can stay in the tier for ever.
    pub fn check_settled(&self, current: Current, staying: &[usize], fit: &Fit) -> Result<(), LayersError> {
        if self.is_opposed() {
            return Ok(());
        }
        // Whoever can stay where it is open does: a table in which all prefer that.
        let players = self.game.players().len();
        let worth = [0, 100].map(|reward| Player::all(players).map(|_| reward).collect::<Rewards>());
        let table = CodeTable::of(worth.to_vec(), self.forward.rules.outcomes.opponent());
        let failure = |error| fit.failure(error);
        let new =
            |name| Stored::new(fit.file(name).as_deref(), current.layer.len, table.bits()).map_err(failure);
        let (base, first) = (new("settled")?, new("open")?);
        for &i in staying {
            let mut task = self.ending(current, &current.layer.parts[i], OPEN);
            task.pass.outcomes = &table;
            self.solve_part(&task, fit, &first)?;
        }
        let (tallies, _) = self.rounds(staying, fit, &base, first, &mut |i, before, after| {
            let mut task = self.inside(current, &current.layer.parts[i], before, SETTLED);
            task.pass.outcomes = &table;
            task.pass.always = Some(SETTLED);
            self.solve_part(&task, fit, after)
        })?;
        match tallies.iter().all(|tally| tally[usize::from(OPEN)] == 0) {
            true => Ok(()),
            false => Err(LayersError::NoValue),
        }
    }
}
