//! What can be asked, whoever knows the answer: a store or a strategy.

use crate::error::ExploreError;
use crate::session::{Lookup, MoveValue, Position, Session};
use std::collections::HashSet;
use winset_model::{Explicit, Game, State, Valuation};

/// Said of stores that cannot promise that a win is ever won. Versions that wrote them are gone.
const NO_DISTANCES: &str = "no distances are kept here, and moves of this game can go in circles: the values are \
    right, but which move comes nearer to a win is not known. Solve the game again with --out in a new directory: \
    distances are then kept";

/// Knows about the positions of a game. Queries and play go through this, so that a solution from disk and
/// a strategy from a fixed point are asked in the same way.
pub trait Solution<'s> {
    /// The game.
    fn game(&self) -> &'s Game;

    /// The rules, ready to be looked at: to prepare them takes longer than most questions.
    fn explicit(&mut self) -> &mut Explicit<'s>;

    /// All outcomes are wins, draws and losses.
    fn is_win_draw_loss(&self) -> bool;

    /// Every play of the game is known to come to an end.
    fn every_play_ends(&self) -> bool;

    /// Whether the game can come to a position; none if that is not known.
    fn arises(&mut self, state: &State) -> Result<Option<bool>, ExploreError>;

    /// What must be known before one plays by it, if anything.
    fn warning(&self) -> Option<&'static str> {
        None
    }

    /// What is known of many positions.
    fn values(&mut self, states: &[State]) -> Result<Vec<Lookup>, ExploreError>;

    /// A position with every legal move, best first.
    fn position(&mut self, state: &State) -> Result<Position, ExploreError>;

    /// The value of a position that is not solved yet, by looking at no more than about `nodes` others.
    fn search(&mut self, _state: &State, _nodes: u64) -> Result<Option<Valuation>, ExploreError> {
        Ok(None)
    }

    /// The best moves for both, to the end or to a position that has been there before.
    fn line(&mut self, state: &State) -> Result<Vec<MoveValue>, ExploreError> {
        let (mut line, mut here) = (vec![], state.clone());
        let mut seen = HashSet::from([here.clone()]);
        while let Some(best) = self.position(&here)?.moves.into_iter().next() {
            if best.lookup == Lookup::NotPromised || !seen.insert(best.state.clone()) {
                break;
            }
            here = best.state.clone();
            line.push(best);
        }
        Ok(line)
    }
}

impl<'s> Solution<'s> for Session<'s> {
    fn game(&self) -> &'s Game {
        self.store().game()
    }

    fn explicit(&mut self) -> &mut Explicit<'s> {
        self.explicit_mut()
    }

    fn is_win_draw_loss(&self) -> bool {
        self.store().manifest().header.is_win_draw_loss()
    }

    fn every_play_ends(&self) -> bool {
        self.store().every_play_ends()
    }

    fn arises(&mut self, state: &State) -> Result<Option<bool>, ExploreError> {
        Ok(Session::arises(self, state)?)
    }

    fn warning(&self) -> Option<&'static str> {
        let store = self.store();
        (!store.manifest().header.remoteness && !store.every_play_ends()).then_some(NO_DISTANCES)
    }

    fn values(&mut self, states: &[State]) -> Result<Vec<Lookup>, ExploreError> {
        Ok(Session::values(self, states)?)
    }

    fn position(&mut self, state: &State) -> Result<Position, ExploreError> {
        Ok(Session::position(self, state)?)
    }

    fn search(&mut self, state: &State, nodes: u64) -> Result<Option<Valuation>, ExploreError> {
        Ok(Session::search(self, state, nodes)?)
    }

    fn line(&mut self, state: &State) -> Result<Vec<MoveValue>, ExploreError> {
        Ok(Session::line(self, state)?)
    }
}
