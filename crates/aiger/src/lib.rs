//! Circuits in the AIGER format (Biere, Heljanko and Wieringa 2011), ASCII and binary.
//!
//! [`read`] reads a circuit, [`Circuit::model`] makes a transition system of it with its bad states, constraints, justice
//! and fairness as properties, and [`synthesize`] solves it as a safety game in the format of the reactive synthesis
//! competition: inputs whose names begin with `controllable_` are the controller's, and it must never let an output be
//! true. What it gives is the circuit with the controller inside.
//!
//! ```
//! let circuit = winset_aiger::read(b"aag 3 1 1 1 1\n2\n4 6\n4\n6 2 5\n").unwrap();
//! assert_eq!((circuit.inputs.len(), circuit.latches.len()), (1, 1));
//! assert_eq!(circuit.model().properties.len(), 1);
//! ```

mod circuit;
mod model;
mod read;
mod synthesize;
mod witness;

pub use circuit::{Circuit, Gate, Latch, Literal};
pub use model::Model;
pub use read::read;
pub use synthesize::synthesize;
pub use witness::witness;
