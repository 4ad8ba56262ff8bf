//! How far a job is, from its files alone.

use crate::error::ClusterError;
use crate::shelf::{FOLDER, Names, Shelf};
use serde::Serialize;
use std::path::Path;
use winset_store::{Manifest, OsDisk, StoreError};

/// How far a job is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    /// The store is finished.
    pub finished: bool,
    /// What is done: "nothing", "forward", "backward" or "finished".
    pub phase: &'static str,
    /// Layers that have been found.
    pub layers: usize,
    /// There are no others.
    pub forward_complete: bool,
    /// Positions found so far.
    pub positions: u64,
    /// Pieces of all layers found so far that have to be solved.
    pub units: usize,
    /// Pieces that are solved.
    pub solved: usize,
    /// Positions in pieces that are to be solved.
    pub states: u64,
    /// Positions in solved pieces.
    pub solved_states: u64,
    /// Layers whose sets are in the store.
    pub sets_written: usize,
    /// Layers whose values are.
    pub values_written: usize,
    /// Bytes of pieces in the directory.
    pub bytes: u64,
}

/// Reads how far a job in this directory is.
pub fn status(directory: &Path) -> Result<Status, ClusterError> {
    let mut status = Status { phase: "nothing", ..Status::default() };
    match Manifest::read(&OsDisk, directory) {
        Ok(manifest) => {
            status.finished = manifest.value.is_some();
            status.sets_written = manifest.layers.len();
            status.values_written = manifest.layers.iter().filter(|layer| layer.values.is_some()).count();
            status.forward_complete = manifest.forward_complete;
            status.positions = manifest.layers.iter().map(|layer| layer.positions).sum();
            status.layers = manifest.layers.len();
        }
        // A job that has just begun has none.
        Err(StoreError::NoStore(_)) if directory.join(FOLDER).exists() => {}
        Err(error) => return Err(ClusterError::Store(error.into())),
    }
    let shelf = Shelf::new(directory, 0);
    if status.finished || !shelf.directory().exists() {
        if status.finished {
            status.phase = "finished";
        }
        return Ok(status);
    }
    let (records, complete) = shelf.find_records()?;
    let complete = complete.is_some();
    status.forward_complete |= complete;
    status.layers = status.layers.max(records.len());
    status.positions = status.positions.max(records.iter().map(|record| record.positions).sum());
    for (layer, record) in records.iter().enumerate() {
        for unit in 0..record.units() {
            let states = record.states_of(unit);
            status.units += 1;
            status.states += states;
            let name = record.name_of(unit);
            if shelf.has(&Names::values(layer, name)) || shelf.has(&Names::leaves(layer, name)) {
                status.solved += 1;
                status.solved_states += states;
            }
        }
    }
    let files = std::fs::read_dir(shelf.directory()).into_iter().flatten().flatten();
    status.bytes = files.filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum();
    status.phase = match () {
        () if complete => "backward",
        () if !records.is_empty() => "forward",
        () => "nothing",
    };
    Ok(status)
}
