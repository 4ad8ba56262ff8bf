//! A strategy spelled out: for every state where a formula promises something, the move that keeps it.

use winset_model::{MoveId, State};

/// What a fixed point promises in one of its states.
pub struct Promise<'a> {
    /// The state.
    pub state: &'a State,
    /// How many rounds of the promise are left at most; 0 in a greatest fixed point.
    pub rounds: usize,
    /// The fixed point is a least one: something happens in the end.
    pub least: bool,
    /// The rounds left in another state; none where nothing is promised.
    pub rounds_at: &'a dyn Fn(&State) -> Option<usize>,
}

/// Hears of every state in which something is promised.
pub type Promises<'a> = dyn FnMut(&Promise<'_>) + 'a;

/// How a promise is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// There is nothing left to do.
    Over,
    /// Every move keeps it.
    Any,
    /// This move does.
    Move(MoveId),
}

impl Promise<'_> {
    /// The move that keeps the promise best: into the state with the fewest rounds left.
    pub fn choice(&self, successors: &[(MoveId, State)]) -> Choice {
        let rounds = |next: &State| (self.rounds_at)(next);
        let keeps = |next: &State| rounds(next).is_some_and(|later| !self.least || later < self.rounds);
        if !successors.is_empty() && successors.iter().all(|(_, next)| keeps(next)) {
            return Choice::Any;
        }
        let keepers = successors.iter().filter(|(_, next)| keeps(next));
        keepers.map(|(id, next)| (rounds(next), *id)).min().map_or(Choice::Over, |(_, id)| Choice::Move(id))
    }
}
