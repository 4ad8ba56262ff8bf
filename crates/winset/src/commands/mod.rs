//! One file per command.

pub mod check;
pub mod count;
pub mod emit_smv;
pub mod games;
pub mod ground;
pub mod order;
pub mod reproduce;
pub mod solve;
