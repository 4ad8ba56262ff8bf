//! Forward reachability (Alg 1).

use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::observe::{Iteration, Observer, Phase};
use crate::symbolic::Symbolic;
use std::time::Instant;

/// All states reachable from the initial ones. Each iteration adds the successors of what is known; only
/// those of new states are computed. The observer sees the growing set.
pub fn reach<F: Diagram>(
    symbolic: &Symbolic<F>,
    observer: &mut dyn Observer,
) -> Result<F, SymbolicError> {
    let space = &symbolic.space;
    let mut known = symbolic.initial.clone();
    let mut frontier = known.clone();
    let mut index = 0;
    let mut began = Instant::now();
    loop {
        let nodes = known.node_count();
        let states = space.count(&known)?;
        let time = began.elapsed();
        observer.iteration(&Iteration { phase: Phase::Forward, index, states, nodes, peak: nodes, time });
        if frontier == *space.none() {
            return Ok(known);
        }
        if observer.is_cancelled() {
            return Err(SymbolicError::Cancelled);
        }
        began = Instant::now();
        space.tidy();
        let image = symbolic.image(&frontier)?;
        frontier = space.diff(&image, &known)?;
        known = space.or(&known, &frontier)?;
        index += 1;
    }
}
