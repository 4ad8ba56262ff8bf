//! The streaming pass: a layer's values in rank order, with one cursor per move.

mod away;
pub mod bits;
mod distance;
mod join;
mod pass;
mod remoteness;
pub mod scratch;
mod slices;
mod target;
mod values;
mod walk;

pub use away::Stored;
pub use bits::extractor;
pub use distance::{Distance, Distances, NEVER_ENDS, each_rank};
pub use join::Joins;
pub use pass::{Lookup, Pass};
pub use remoteness::Remoteness;
pub use slices::{Slices, Source};
pub use target::Target;
pub use values::{Shared, Values};
pub use walk::each_state;
