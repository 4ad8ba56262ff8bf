//! The streaming pass: a layer's values in rank order, with one cursor per move.

mod bits;
mod join;
mod pass;
mod target;
mod values;

pub use pass::{Lookup, Pass};
pub use target::Target;
pub use values::Values;
