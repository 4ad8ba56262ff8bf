//! The store, which process 0 writes: layers put together from their pieces.

use crate::error::ClusterError;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use winset::layered::{self, Figures};
use winset::{Cause, Checkpoint, FoundLayer, Lengths, SolvedLayer};
use winset_index::Planes;
use winset_layers::shared::{Solver, Source};

/// What has been written, and what is known from it.
#[derive(Default)]
pub struct Written {
    /// For every layer, and every kind of states in it, how many have each outcome.
    pub tallies: BTreeMap<usize, Vec<Vec<u64>>>,
    /// What the distances say.
    pub figures: Figures,
}

/// Writes the set of a layer.
pub fn put_set(
    solver: &Solver<'_>,
    source: &Arc<dyn Source>,
    checkpoint: &mut dyn Checkpoint,
    number: usize,
) -> Result<(), ClusterError> {
    let record = solver.records()[number].clone();
    checkpoint
        .put_set(&FoundLayer {
            number,
            measure: record.measure,
            positions: record.positions,
            terminal_by_code: layered::by_code(&record.terminal),
            mover: record.mover(),
            unclear: record.default_unclear,
            codes: &record.codes,
            index: &|| Ok(solver.index(number, source)?),
        })
        .map_err(ClusterError::of_store)
}

/// Writes the values of a layer.
pub fn put_values(
    solver: &Solver<'_>,
    source: &Arc<dyn Source>,
    checkpoint: &mut dyn Checkpoint,
    number: usize,
    written: &mut Written,
    distance: bool,
) -> Result<(), ClusterError> {
    let record = solver.records()[number].clone();
    let codes = solver.records().last().map_or(vec![], |last| last.codes.clone());
    let found = solver.values(number, 0..record.units(), source)?;
    let mut by_code: Vec<u64> = vec![];
    for tally in &found.tallies {
        by_code.resize(by_code.len().max(tally.len()), 0);
        by_code.iter_mut().zip(tally).for_each(|(sum, n)| *sum += n);
    }
    let mut seen = Lengths::default();
    for (rank, &distance) in found.distances.iter().enumerate() {
        let rewards = codes.get(found.codes.get(rank as u64) as usize);
        seen.add(rewards.is_some_and(|rewards| rewards.leader().is_some()), distance);
    }
    written.figures.longest_win = written.figures.longest_win.max(seen.longest_win);
    written.figures.endless.insert(number, seen.endless);
    written.tallies.insert(number, found.tallies);
    let values = RefCell::new(Some(found.codes));
    checkpoint
        .put_values(&SolvedLayer {
            number,
            measure: record.measure,
            by_code,
            codes: &codes,
            index: &|| Ok(solver.index(number, source)?),
            leaves: None,
            values: &|| values.borrow_mut().take().ok_or_else(|| Cause::from("asked for twice")),
            distances: &|| -> Result<Option<Planes>, Cause> {
                Ok(distance.then(|| layered::planes(&found.distances)))
            },
        })
        .map_err(ClusterError::of_store)
}

/// Writes the values of a layer that are kept as leaves, part by part.
pub fn put_leaves(
    solver: &mut Solver<'_>,
    source: &Arc<dyn Source>,
    checkpoint: &mut dyn Checkpoint,
    number: usize,
    written: &mut Written,
) -> Result<(), ClusterError> {
    let not_asked = || Cause::from("values as leaves are asked for otherwise");
    let put = solver.with_leaves(number, source, |records, tallies, leaves| {
        let codes = records.last().map_or(vec![], |last| last.codes.clone());
        let mut by_code: Vec<u64> = vec![];
        for tally in &tallies {
            by_code.resize(by_code.len().max(tally.len()), 0);
            by_code.iter_mut().zip(tally).for_each(|(sum, n)| *sum += n);
        }
        let put = checkpoint.put_values(&SolvedLayer {
            number,
            measure: records[number].measure,
            by_code,
            codes: &codes,
            index: &|| Err(not_asked()),
            leaves: Some(leaves),
            values: &|| Err(not_asked()),
            distances: &|| Err(not_asked()),
        });
        put.map(|()| tallies)
    })?;
    written.tallies.insert(number, put.map_err(ClusterError::of_store)?);
    Ok(())
}
