//! Strategies: from a least fixed point's stages, a move that keeps the promise.

use crate::checker::Checker;
use crate::promise::{Promise, Promises};
use winset_formula::{Core, Node};
use winset_model::State;
use winset_symbolic::{Diagram, Places, Space, SymbolicError};

/// What a fixed point promises in each of its states, and how to keep it.
///
/// In a least fixed point every state has a stage, and the promise is kept by a successor of a lower one.
/// In a greatest fixed point it is kept by any successor inside.
#[derive(Clone, Debug)]
pub struct Strategy<F> {
    /// The states where the promise is made.
    pub promised: F,
    /// For a least fixed point, the states by stage.
    pub stages: Option<Vec<F>>,
}

impl<F: Diagram> Checker<'_, F> {
    /// The strategy of the formula just evaluated, if it is a fixed point.
    pub fn strategy(&self, core: &Core) -> Option<Strategy<F>> {
        let Node::Fix { least, id, .. } = core.node(core.root) else { return None };
        let known = self.known.get(id)?;
        let stages = least.then(|| known.stages.clone());
        Some(Strategy { promised: known.value.clone(), stages })
    }
}

impl<F: Diagram> Strategy<F> {
    /// The stage of a state: how many rounds of the promise are left at most. None outside.
    pub fn stage(&self, space: &Space<F>, state: &State) -> Option<usize> {
        match &self.stages {
            Some(stages) => stages.iter().position(|stage| space.contains(stage, state)),
            None => space.contains(&self.promised, state).then_some(0),
        }
    }

    /// Which of a state's successors keeps the promise best: the one of the lowest stage.
    pub fn choose<'a>(
        &self,
        space: &Space<F>,
        successors: impl IntoIterator<Item = &'a State>,
    ) -> Option<usize> {
        let stages = successors.into_iter().map(|state| self.stage(space, state));
        let inside = stages.enumerate().filter_map(|(i, stage)| Some((stage?, i)));
        inside.min().map(|(_, i)| i)
    }

    /// Calls back with every state in which something is promised.
    pub fn spell_out(&self, space: &Space<F>, promises: &mut Promises<'_>) -> Result<(), SymbolicError> {
        let (ranked, places) = (space.ranked(&self.promised)?, Places::new(space));
        let (least, rounds_at) = (self.stages.is_some(), |state: &State| self.stage(space, state));
        ranked.for_each(|_, word| {
            let state = &places.state(word);
            let rounds = rounds_at(state).unwrap_or(0);
            promises(&Promise { state, rounds, least, rounds_at: &rounds_at });
        });
        Ok(())
    }

    /// How many states each stage has.
    pub fn counts(&self, space: &Space<F>) -> Result<Vec<u128>, SymbolicError> {
        match &self.stages {
            Some(stages) => stages.iter().map(|stage| space.count(stage)).collect(),
            None => Ok(vec![space.count(&self.promised)?]),
        }
    }
}
