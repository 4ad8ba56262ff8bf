//! The check of solutions that have more positions than can be looked at one by one: everything that the other check
//! shows, for sets of positions at a time.
//!
//! Sets are levelled diagrams of this module's own, one level a variable, which are read from the files as they are; the
//! rules are the model's expressions. Nothing here is shared with a solver, the library of decision diagrams included.
//!
//! Moves must not go in circles inside of a layer, unless distances are stored; who meets that is sent to the other check.

mod arena;
mod check;
mod conditions;
mod layer;
mod moves;
mod read;
mod sets;

pub use check::{suits_diagrams, verify_by_diagrams};
