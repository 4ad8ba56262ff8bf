//! A position as the rules see it: a value for each variable.

use crate::errors;
use pyo3::prelude::*;
use winset::Solved;

/// A position without anything that is known of it. Belongs to the game that it came from.
#[pyclass(frozen, eq, hash, from_py_object, module = "winset._core")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State(pub winset::State);

/// The states in rows of bytes: two for each variable, the lower first.
pub fn from_rows(solved: &Solved, bytes: &[u8]) -> PyResult<Vec<winset::State>> {
    let variables = solved.game().variables();
    let width = 2 * variables.len();
    if width == 0 || !bytes.len().is_multiple_of(width) {
        return Err(errors::value("the rows do not have a number for each variable"));
    }
    let mut states = Vec::with_capacity(bytes.len() / width);
    for (number, row) in bytes.chunks_exact(width).enumerate() {
        let values: Box<[u16]> =
            row.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
        for (&value, variable) in values.iter().zip(variables) {
            if usize::from(value) >= variable.size() {
                let (name, size) = (&variable.name, variable.size());
                return Err(errors::value(format!(
                    "row {number} is not a position: {name} has {size} values, and {value} is not one of them"
                )));
            }
        }
        states.push(winset::State(values));
    }
    Ok(states)
}
