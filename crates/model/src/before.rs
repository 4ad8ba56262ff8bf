//! The positions that a move leads from.

use crate::explicit::Explicit;
use crate::facts::Facts;
use crate::game::{Game, Move, MoveId};
use crate::variable::{State, Value, VarId};

/// Goes back from a state by one move: from the rules alone, so that what is found may not be reachable itself.
///
/// A move leaves most variables alone. The values that the others may have had are tried one after the other, as
/// far as the guard and the updates allow them.
///
/// ```
/// # use winset_model::*;
/// # let mut game = GameBuilder::new("flip", ["only"]);
/// # let light = game.add_variable("light", ["off", "on"]);
/// # let off = game.exprs.is(light, 0);
/// # game.add_move("switch", Player(0), off, [Update::set(light, 1)]);
/// # let on = game.exprs.is(light, 1);
/// # game.terminal.push(on);
/// # game.initial = game.state([0]);
/// # let on = game.state([1]);
/// # let game = game.build().unwrap();
/// let mut before = Predecessors::new(&game);
/// let mut found = |state: &State| Ok::<bool, ()>(state == game.initial());
/// assert_eq!(before.any(&on, 100, &mut found), Ok(Some(true)));
/// assert_eq!(before.any(game.initial(), 100, &mut found), Ok(Some(false)));
/// ```
pub struct Predecessors<'g> {
    game: &'g Game,
    facts: Facts<'g>,
    explicit: Explicit<'g>,
}

/// The way back by one move, so far.
struct Trail<'a> {
    id: MoveId,
    /// Where the move leads.
    after: &'a State,
    /// The values before it: of what the move leaves alone, and of what has been tried.
    values: Vec<(VarId, Value)>,
}

impl<'g> Predecessors<'g> {
    /// Prepares to go back.
    pub fn new(game: &'g Game) -> Self {
        Predecessors { game, facts: Facts::new(game.exprs()), explicit: Explicit::new(game) }
    }

    /// Whether any state is accepted from which a legal move leads to this one. None: that many steps were not
    /// enough to find out.
    pub fn any<E>(
        &mut self,
        state: &State,
        mut steps: u64,
        accept: &mut dyn FnMut(&State) -> Result<bool, E>,
    ) -> Result<Option<bool>, E> {
        for (id, m) in self.game.each_move() {
            let updated = |var: VarId| m.updates.iter().any(|u| u.var == var);
            let all = state.0.iter().enumerate().map(|(i, &value)| (VarId(i as u32), value));
            let values = all.filter(|&(var, _)| !updated(var)).collect();
            let mut trail = Trail { id, after: state, values };
            match self.extend(&mut trail, 0, &mut steps, accept)? {
                Some(false) => {}
                other => return Ok(other),
            }
        }
        Ok(Some(false))
    }

    fn extend<E>(
        &mut self,
        trail: &mut Trail<'_>,
        depth: usize,
        steps: &mut u64,
        accept: &mut dyn FnMut(&State) -> Result<bool, E>,
    ) -> Result<Option<bool>, E> {
        let Some(left) = steps.checked_sub(1) else { return Ok(None) };
        *steps = left;
        let m = self.game.move_at(trail.id);
        if !self.is_possible(m, trail) {
            return Ok(Some(false));
        }
        let Some(update) = m.updates.get(depth) else {
            let mut before = trail.after.clone();
            trail.values.iter().for_each(|&(var, value)| before[var] = value);
            // What the facts left open, the rules decide.
            let at = self.explicit.at(&before);
            let leads = at.moves().any(|id| id == trail.id) && at.apply(trail.id) == *trail.after;
            return Ok(Some(leads && accept(&before)?));
        };
        for value in 0..self.game.variables()[update.var.index()].size() as Value {
            trail.values.push((update.var, value));
            let found = self.extend(trail, depth + 1, steps, accept);
            trail.values.pop();
            match found? {
                Some(false) => {}
                other => return Ok(other),
            }
        }
        Ok(Some(false))
    }

    /// Nothing that is known of the state before contradicts that the move was legal and led where it did.
    fn is_possible(&mut self, m: &Move, trail: &Trail<'_>) -> bool {
        let facts = &mut self.facts;
        facts.assume(&trail.values, &[]);
        if [m.guard, self.game.turn()[m.player.index()]].iter().any(|&e| facts.holds(e) == Some(false))
            || self.game.terminal().iter().any(|&e| facts.holds(e) == Some(true))
        {
            return false;
        }
        m.updates.iter().all(|update| {
            let wanted = trail.after[update.var];
            for &(when, value) in &update.cases {
                let holds = facts.holds(when);
                if holds != Some(false) && value == wanted {
                    return true;
                }
                if holds == Some(true) {
                    return false;
                }
            }
            // The variable kept its value.
            let before = trail.values.iter().find(|(var, _)| *var == update.var);
            before.is_none_or(|&(_, value)| value == wanted)
        })
    }
}
