//! A solved game that can be asked, closed, and shared by threads.

use crate::ask::{self, Answered, MoveTuple};
use crate::state::State;
use crate::{errors, layer, work};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};
use winset::Solved;
use winset_explore::Solution;

/// A solved game. Every call takes what it needs and lets go of the rest, so that `close` can come at any time.
#[pyclass(frozen, module = "winset._core")]
pub struct Database(RwLock<Option<Solved>>);

/// Opens a solution on disk, with room for n bytes of what was read.
#[pyfunction]
pub fn open(py: Python<'_>, path: PathBuf, cache: usize) -> PyResult<Database> {
    let solved = py.detach(|| winset::open_cached(&path, cache)).map_err(|error| errors::of(py, error))?;
    Ok(Database::new(solved))
}

impl Database {
    pub fn new(solved: Solved) -> Self {
        Database(RwLock::new(Some(solved)))
    }

    /// What is open.
    pub fn solved(&self) -> PyResult<Solved> {
        let open = self.0.read().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or_else(|| errors::value("the database is closed"))
    }

    /// Asks without the interpreter's lock.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&Solved) -> Result<T, winset::Error> + Send,
    ) -> PyResult<T> {
        let solved = self.solved()?;
        py.detach(|| question(&solved)).map_err(|error| errors::of(py, error))
    }
}

#[pymethods]
impl Database {
    fn close(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    #[getter]
    fn closed(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// The manifest as JSON.
    fn manifest(&self) -> PyResult<String> {
        serde_json::to_string(self.solved()?.store().manifest())
            .map_err(|error| errors::value(error.to_string()))
    }

    /// What the engine said when it solved the game, as JSON; none if it was opened from disk.
    fn report(&self) -> PyResult<Option<String>> {
        let solved = self.solved()?;
        let text = solved.report().map(serde_json::to_string).transpose();
        text.map_err(|error| errors::value(error.to_string()))
    }

    fn complete(&self) -> PyResult<bool> {
        Ok(self.solved()?.store().is_complete())
    }

    /// What must be known before one plays by it, if anything.
    fn warning(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        self.ask(py, |solved| Ok(solved.session().warning()))
    }

    fn every_play_ends(&self, py: Python<'_>) -> PyResult<bool> {
        self.ask(py, |solved| Ok(solved.store().every_play_ends()))
    }

    fn start(&self) -> PyResult<State> {
        Ok(State(self.solved()?.start().clone()))
    }

    /// The position that a text means, whether it can arise or not.
    fn parse(&self, text: &str) -> PyResult<State> {
        Ok(State(ask::parse(&self.solved()?, text)?))
    }

    /// The position after these moves.
    fn play(&self, from: &State, moves: &str) -> PyResult<State> {
        Ok(State(ask::play(&self.solved()?, &from.0, moves)?))
    }

    fn print(&self, state: &State) -> PyResult<String> {
        Ok(self.solved()?.game().print(&state.0))
    }

    fn draw(&self, state: &State) -> PyResult<String> {
        Ok(self.solved()?.game().draw(&state.0))
    }

    /// Everything about a position. `played`: moves have led to it, so that it can certainly arise.
    fn answer(&self, py: Python<'_>, state: &State, played: bool) -> PyResult<Answered> {
        self.ask(py, |solved| ask::answer(solved, &state.0, played))
    }

    /// One perfect line.
    fn line(&self, py: Python<'_>, state: &State) -> PyResult<Vec<MoveTuple>> {
        self.ask(py, |solved| ask::line(solved, &state.0))
    }

    /// The values of positions in any mixture: texts and states.
    fn values<'py>(
        &self,
        py: Python<'py>,
        positions: Vec<ask::Asked>,
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        let solved = self.solved()?;
        let states = py.detach(|| ask::states(&solved, positions))?;
        ask::values(py, &solved, &states)
    }

    /// The values of positions in rows: two bytes for each variable, the lower first.
    fn values_of_rows<'py>(
        &self,
        py: Python<'py>,
        rows: &[u8],
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        let solved = self.solved()?;
        let states = py.detach(|| crate::state::from_rows(&solved, rows))?;
        ask::values(py, &solved, &states)
    }

    /// Positions in rows.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        states: Vec<PyRef<'py, State>>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let solved = self.solved()?;
        let all: Vec<winset::State> = states.iter().map(|state| state.0.clone()).collect();
        layer::rows(py, &solved, &all)
    }

    /// The position that a row of numbers stands for.
    fn of_row(&self, row: &[u8]) -> PyResult<State> {
        match crate::state::from_rows(&self.solved()?, row)?.pop() {
            Some(state) => Ok(State(state)),
            None => Err(errors::value("there is no row")),
        }
    }

    /// Positions by number among all that are kept, the layers one after the other.
    fn at<'py>(&self, py: Python<'py>, numbers: Vec<u128>) -> PyResult<Vec<State>> {
        let states = self.ask(py, |solved| layer::at(solved, &numbers))?;
        Ok(states.into_iter().map(State).collect())
    }

    /// The layer of a position and its number in it.
    fn rank(&self, py: Python<'_>, layer: usize, state: &State) -> PyResult<Option<u64>> {
        self.ask(py, |solved| layer::rank(solved, layer, &state.0))
    }

    /// The values of some positions of a layer, in the order of their numbers.
    fn layer_values<'py>(
        &self,
        py: Python<'py>,
        layer: usize,
        from: u64,
        to: u64,
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        layer::values(py, &self.solved()?, layer, from, to)
    }

    /// Some positions of a layer in rows, in the order of their numbers.
    fn layer_rows<'py>(
        &self,
        py: Python<'py>,
        layer: usize,
        from: u64,
        to: u64,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        layer::range_rows(py, &self.solved()?, layer, from, to)
    }

    /// The counts of the layers as JSON.
    fn stats(&self) -> PyResult<String> {
        serde_json::to_string(&self.solved()?.stats()).map_err(|error| errors::value(error.to_string()))
    }

    /// Checks the solution against the rules.
    #[pyo3(signature = (sample, seed, memory, progress))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        sample: Option<u64>,
        seed: u64,
        memory: Option<u64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        work::verify(py, &self.solved()?, sample, seed, memory, progress)
    }
}
