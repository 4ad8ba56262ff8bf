//! The reachable states, layer by layer.

use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::observe::{Iteration, Observer, Phase};
use crate::symbolic::{Symbolic, Which};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::time::Instant;

/// More layers than any game here has: the search gives up.
pub(crate) const MOST: usize = 100_000;

/// The states of one layer.
#[derive(Clone, Debug)]
pub struct Layer<F> {
    /// The measure that its states share, or the number of moves made.
    pub index: i64,
    /// All its states.
    pub states: F,
    /// Those that are not terminal.
    pub going_on: F,
}

/// The layers from the initial states on, by how much each transition raises the measure (see
/// [`Symbolic::measure_by`]). States that transitions connect without raising it are in one layer.
///
/// With every transition raising it by 1 these are the breadth-first layers of the layered-games paper's Algorithm 1,
/// without duplicate removal; a game that can go on for ever is found out by a layer that comes back.
pub fn layers<F: Diagram>(
    symbolic: &Symbolic<F>,
    start: i64,
    observer: &mut dyn Observer,
) -> Result<Vec<Layer<F>>, SymbolicError> {
    let mut forward = Forward::new(symbolic, start);
    let mut layers = vec![];
    while let Some(layer) = forward.step(observer)? {
        layers.push(layer);
    }
    Ok(layers)
}

/// The same, layer by layer, and from where somebody else has stopped.
pub struct Forward<'a, F: Diagram> {
    symbolic: &'a Symbolic<F>,
    level: Vec<i64>,
    raising: Vec<i64>,
    pending: BTreeMap<i64, F>,
    seen: FxHashSet<F>,
    found: usize,
}

impl<'a, F: Diagram> Forward<'a, F> {
    /// Begins at the initial states, whose measure is given.
    pub fn new(symbolic: &'a Symbolic<F>, start: i64) -> Self {
        let (level, raising) = symbolic.deltas().into_iter().partition(|&delta| delta == 0);
        let pending = BTreeMap::from([(start, symbolic.initial.clone())]);
        Forward { symbolic, level, raising, pending, seen: FxHashSet::default(), found: 0 }
    }

    /// Goes on behind layers that are known, all of them from the first on in their order.
    pub fn known(&mut self, layers: &[Layer<F>]) -> Result<(), SymbolicError> {
        let Some(last) = layers.last().map(|layer| layer.index) else { return Ok(()) };
        self.pending.clear();
        self.found = layers.len();
        for layer in layers {
            self.seen.insert(layer.going_on.clone());
            self.raise(layer.index, &layer.going_on, last)?;
        }
        Ok(())
    }

    /// Notes where the states of a layer lead to, as far as that is beyond another one.
    fn raise(&mut self, index: i64, going_on: &F, beyond: i64) -> Result<(), SymbolicError> {
        let space = &self.symbolic.space;
        for &delta in self.raising.iter().filter(|&&delta| index + delta > beyond) {
            let which = Which { player: None, delta: Some(delta) };
            let image = self.symbolic.image_of_going_on(going_on, which)?;
            let next = self.pending.entry(index + delta).or_insert_with(|| space.none().clone());
            *next = space.or(next, &image)?;
        }
        Ok(())
    }

    /// The next layer; none if there are no more.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<Option<Layer<F>>, SymbolicError> {
        let (symbolic, space) = (self.symbolic, &self.symbolic.space);
        let (began, index, mut states) = loop {
            let began = Instant::now();
            match self.pending.pop_first() {
                None => return Ok(None),
                Some((_, seed)) if seed == *space.none() => {}
                Some((index, seed)) => break (began, index, seed),
            }
        };
        let mut going_on = space.subtract(&states, &symbolic.stops)?;
        let mut frontier = going_on.clone();
        while !self.level.is_empty() && frontier != *space.none() {
            let which = Which { player: None, delta: Some(0) };
            let image = symbolic.image_of_going_on(&frontier, which)?;
            let fresh = space.diff(&image, &states)?;
            states = space.or(&states, &fresh)?;
            frontier = space.subtract(&fresh, &symbolic.stops)?;
            going_on = space.or(&going_on, &frontier)?;
            if observer.is_cancelled() {
                return Err(SymbolicError::Cancelled);
            }
            space.tidy();
        }
        self.raise(index, &going_on, index)?;
        self.found += 1;
        if !self.seen.insert(going_on.clone()) && going_on != *space.none() || self.found > MOST + 1 {
            return Err(SymbolicError::Endless(self.found - 1));
        }
        let nodes = states.node_count();
        observer.iteration(&Iteration {
            phase: Phase::Forward,
            index,
            states: space.count(&states)?,
            nodes,
            peak: nodes,
            time: began.elapsed(),
        });
        if observer.is_cancelled() {
            return Err(SymbolicError::Cancelled);
        }
        space.tidy();
        Ok(Some(Layer { index, states, going_on }))
    }
}
