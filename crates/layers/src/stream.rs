//! The streaming pass: a layer's values in rank order, with one cursor per move.

mod bits;
mod distance;
mod join;
mod pass;
mod target;
mod tier;
mod values;
mod walk;

pub use bits::extractor;
pub use distance::{Distance, Distances, NEVER_ENDS, each_rank, set_distances};
pub use pass::{Lookup, Pass};
pub use target::Target;
pub use tier::{Tier, Unfit};
pub use values::Values;
