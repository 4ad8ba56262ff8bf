//! A path as an AIGER witness, which other programs can check.

use crate::circuit::Circuit;
use winset_model::State;

/// The witness of a path on which property `property` (`b0`, `j1`) is violated: the first values of the latches, then the
/// inputs of every step. Of a path that goes round, its states once.
pub fn witness(circuit: &Circuit, property: &str, path: &[State]) -> String {
    let latches = circuit.latches.len();
    let bits =
        |values: &[u16]| values.iter().map(|&value| if value == 1 { '1' } else { '0' }).collect::<String>();
    let mut text = format!("1\n{property}\n");
    if let Some(first) = path.first() {
        text += &format!("{}\n", bits(&first.0[..latches]));
    }
    for state in path {
        text += &format!("{}\n", bits(&state.0[latches..]));
    }
    text + ".\n"
}
