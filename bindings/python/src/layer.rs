//! Whole layers in the order of ranks, and positions by their numbers.

use crate::ask::Filled;
use crate::errors;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use winset::{Error, Explicit, Solved, Valuation};
use winset_explore::ExploreError;
use winset_store::LayerRecord;

/// Positions that are walked through before somebody looks whether Ctrl-C was pressed.
const BATCH: usize = 1 << 16;

fn record(solved: &Solved, layer: usize) -> Result<&LayerRecord, Error> {
    let layers = &solved.store().manifest().layers;
    layers.get(layer).ok_or(Error::Explore(ExploreError::NoLayer(layer)))
}

/// The number of a position in a layer.
pub fn rank(solved: &Solved, layer: usize, state: &winset::State) -> Result<Option<u64>, Error> {
    let store = solved.store();
    store.check(state)?;
    let record = record(solved, layer)?;
    match store.blocks()?.digits(state) {
        Some(digits) => Ok(store.rank(record.layer, &digits)?),
        None => Ok(None),
    }
}

/// Positions by number among all that are kept.
pub fn at(solved: &Solved, numbers: &[u128]) -> Result<Vec<winset::State>, Error> {
    let store = solved.store();
    // In the order in which they are kept, so that each chunk is read once.
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_unstable_by_key(|&at| numbers[at]);
    let mut states: Vec<Option<winset::State>> = vec![None; numbers.len()];
    let mut layers = store.manifest().layers.iter();
    let (mut first, mut layer) = (0u128, layers.next());
    for at in order {
        while let Some(record) = layer
            && numbers[at] >= first + u128::from(record.stored)
        {
            first += u128::from(record.stored);
            layer = layers.next();
        }
        let record = layer.ok_or(Error::Explore(ExploreError::NoLayer(store.manifest().layers.len())))?;
        let digits = store.unrank(record.layer, (numbers[at] - first) as u64)?;
        states[at] = Some(store.blocks()?.state(&digits));
    }
    Ok(states.into_iter().flatten().collect())
}

/// Walks through some positions of a layer.
fn walk(
    py: Python<'_>,
    solved: &Solved,
    layer: usize,
    from: u64,
    to: u64,
    mut each: impl FnMut(&[(winset::State, Valuation)]) + Send,
) -> PyResult<()> {
    let store = solved.store();
    let number = record(solved, layer).map_err(|error| errors::of(py, error))?.layer;
    let failed = |py, error: winset_store::StoreError| errors::of(py, error.into());
    // A walk begins at the first position: worth while for a large part of it.
    let mut walk = match (to - from) > to / 16 {
        true => Some(store.positions(number).map_err(|error| failed(py, error))?.skip(from as usize)),
        false => None,
    };
    let mut rank = from;
    while rank < to {
        py.check_signals()?;
        let count = BATCH.min((to - rank) as usize);
        let batch = py.detach(|| -> Result<Vec<_>, winset_store::StoreError> {
            let batch = match &mut walk {
                Some(walk) => walk.by_ref().take(count).collect::<Result<Vec<_>, _>>()?,
                None => {
                    let blocks = store.blocks()?;
                    let one = |rank| {
                        let (digits, value) = store.at(number, rank)?;
                        Ok((blocks.state(&digits), value))
                    };
                    (rank..rank + count as u64)
                        .map(one)
                        .collect::<Result<Vec<_>, winset_store::StoreError>>()?
                }
            };
            each(&batch);
            Ok(batch)
        });
        if batch.map_err(|error| failed(py, error))?.len() < count {
            return Err(errors::value("the layer does not have that many positions"));
        }
        rank += count as u64;
    }
    Ok(())
}

/// The values and distances of some positions of a layer, as who is to move sees them.
pub fn values<'py>(
    py: Python<'py>,
    solved: &Solved,
    layer: usize,
    from: u64,
    to: u64,
) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
    let mut filled = Filled::with_room((to - from) as usize);
    let mover = record(solved, layer).map_err(|error| errors::of(py, error))?.mover;
    let mut explicit = Explicit::new(solved.game());
    let ends = solved.store().every_play_ends();
    walk(py, solved, layer, from, to, |batch| {
        for batch in batch.chunks(64) {
            if mover.is_none() {
                explicit.load(batch.iter().map(|(state, _)| state.clone()).collect());
            }
            for (lane, &(_, value)) in batch.iter().enumerate() {
                let turn = mover.or_else(|| explicit.lane(lane).turn());
                filled.push(Some(value), turn.and_then(|turn| value.outcome(turn, ends)), false);
            }
        }
    })?;
    Ok(filled.finish(py))
}

/// Some positions of a layer in rows.
pub fn range_rows<'py>(
    py: Python<'py>,
    solved: &Solved,
    layer: usize,
    from: u64,
    to: u64,
) -> PyResult<Bound<'py, PyByteArray>> {
    let mut bytes = vec![];
    let small = is_small(solved);
    walk(py, solved, layer, from, to, |batch| {
        batch.iter().for_each(|(state, _)| put(&mut bytes, state, small));
    })?;
    Ok(PyByteArray::new(py, &bytes))
}

/// Positions in rows.
pub fn rows<'py>(
    py: Python<'py>,
    solved: &Solved,
    states: &[winset::State],
) -> PyResult<Bound<'py, PyByteArray>> {
    let (mut bytes, small) = (vec![], is_small(solved));
    for state in states {
        solved.store().check(state).map_err(|error| errors::of(py, error.into()))?;
        put(&mut bytes, state, small);
    }
    Ok(PyByteArray::new(py, &bytes))
}

/// A byte is enough for each variable.
fn is_small(solved: &Solved) -> bool {
    solved.game().variables().iter().all(|variable| variable.size() <= 256)
}

fn put(bytes: &mut Vec<u8>, state: &winset::State, small: bool) {
    for &value in &state.0 {
        match small {
            true => bytes.push(value as u8),
            false => bytes.extend_from_slice(&value.to_ne_bytes()),
        }
    }
}
