//! One file per command.

pub mod count;
pub mod games;
pub mod reproduce;
pub mod solve;
