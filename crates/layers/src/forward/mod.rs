//! Forward search: every layer from the ones before it, or from what an earlier run has left.

pub mod image;
pub mod leaves;
pub mod resume;
pub mod search;
pub mod successors;
