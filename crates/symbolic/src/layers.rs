//! The reachable states, layer by layer.

use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::observe::{Iteration, Observer, Phase};
use crate::symbolic::{Symbolic, Which};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::time::Instant;

/// More layers than any game here has: the search gives up.
const MOST: usize = 100_000;

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
    let space = &symbolic.space;
    let deltas = symbolic.deltas();
    let (level, raising): (Vec<i64>, Vec<i64>) = deltas.into_iter().partition(|&delta| delta == 0);
    let mut pending: BTreeMap<i64, F> = BTreeMap::from([(start, symbolic.initial.clone())]);
    let mut layers: Vec<Layer<F>> = vec![];
    let mut seen: FxHashSet<F> = FxHashSet::default();
    while let Some((index, seed)) = pending.pop_first() {
        let began = Instant::now();
        let mut states = seed;
        if states == *space.none() {
            continue;
        }
        let mut going_on = space.subtract(&states, &symbolic.stops)?;
        let mut frontier = going_on.clone();
        while !level.is_empty() && frontier != *space.none() {
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
        for &delta in &raising {
            let which = Which { player: None, delta: Some(delta) };
            let image = symbolic.image_of_going_on(&going_on, which)?;
            let next = pending.entry(index + delta).or_insert_with(|| space.none().clone());
            *next = space.or(next, &image)?;
        }
        if !seen.insert(going_on.clone()) && going_on != *space.none() || layers.len() > MOST {
            return Err(SymbolicError::Endless(layers.len()));
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
        layers.push(Layer { index, states, going_on });
        if observer.is_cancelled() {
            return Err(SymbolicError::Cancelled);
        }
        space.tidy();
    }
    Ok(layers)
}
