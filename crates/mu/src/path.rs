//! Shortest paths between sets, and fair paths that go round for ever.

use crate::checker::Checker;
use winset_model::State;
use winset_symbolic::{Diagram, SymbolicError};

/// States one after the other, and the position that follows the last one, if it goes on for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    pub states: Vec<State>,
    pub back_to: Option<usize>,
}

impl<F: Diagram> Checker<'_, F> {
    /// A shortest path from a state of one set to one of another inside of a third, both ends included.
    pub(crate) fn shortest(&self, from: &F, to: &F, within: &F) -> Result<Option<Vec<State>>, SymbolicError> {
        let space = &self.symbolic.space;
        let mut rings = vec![space.and(from, within)?];
        let mut seen = rings[0].clone();
        loop {
            let last = &rings[rings.len() - 1];
            if last == space.none() {
                return Ok(None);
            }
            let found = space.and(last, to)?;
            if let Some(end) = space.pick(&found)? {
                return self.backwards(&rings, end).map(Some);
            }
            let next = space.and(&self.image(last)?, within)?;
            let new = space.diff(&next, &seen)?;
            seen = space.or(&seen, &new)?;
            rings.push(new);
            space.tidy();
        }
    }

    /// The path through the rings that ends in a state of the last one.
    fn backwards(&self, rings: &[F], end: State) -> Result<Vec<State>, SymbolicError> {
        let space = &self.symbolic.space;
        let mut path = vec![end];
        for ring in rings[..rings.len() - 1].iter().rev() {
            let here = space.singleton(&path[path.len() - 1])?;
            let before = space.pick(&self.preimage(&here, ring)?)?;
            path.push(before.ok_or_else(|| SymbolicError::WrongPath("a shortest path".to_owned()))?);
        }
        path.reverse();
        Ok(path)
    }

    /// A path that goes round inside of a set for ever and meets each of the goals that can be reached on the way.
    ///
    /// From every state of the set there must be a way on inside of it. A round is tried from a state on; if it
    /// cannot be closed, the path has left a strongly connected component for ever, and the next round is tried where
    /// it ended.
    pub(crate) fn lasso(&self, start: &State, goals: &[F], within: &F) -> Result<Path, SymbolicError> {
        let space = &self.symbolic.space;
        let mut states = vec![start.clone()];
        loop {
            let (first, begin) = (states.len() - 1, states[states.len() - 1].clone());
            for goal in goals {
                let here = space.singleton(&states[states.len() - 1])?;
                // A goal that was met in this round need not be met again.
                if states[first..].iter().any(|state| space.contains(goal, state)) {
                    continue;
                }
                if let Some(way) = self.shortest(&here, goal, within)? {
                    states.extend(way.into_iter().skip(1));
                }
            }
            let here = space.singleton(&states[states.len() - 1])?;
            let next = space.and(&self.image(&here)?, within)?;
            match self.shortest(&next, &space.singleton(&begin)?, within)? {
                Some(way) => {
                    states.extend(way);
                    states.pop();
                    return Ok(Path { states, back_to: Some(first) });
                }
                None => {
                    let on = space.pick(&next)?;
                    // The end of the round lies in a component below the one that the round began in, unless nothing
                    // was needed on the way: then one step further.
                    if states.len() - 1 == first {
                        states.push(on.ok_or_else(|| SymbolicError::WrongPath("a fair path".to_owned()))?);
                    }
                }
            }
        }
    }
}
