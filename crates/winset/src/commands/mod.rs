//! One file per command.

pub mod games;
