//! An interpreter of GDL that shares no code with the crate, and plays in it side by side with those in the
//! compiled game.

pub mod join;
pub mod lanes;
pub mod many;
pub mod reading;
pub mod terms;
