//! One file per command.

pub mod cache;
pub mod check;
pub mod cluster;
pub mod count;
pub mod emit_smv;
pub mod estimate;
pub mod explore;
pub mod export;
pub mod games;
pub mod ground;
pub mod lint;
pub mod manual;
pub mod order;
pub mod play;
pub mod player;
pub mod query;
pub mod reproduce;
pub mod serve;
pub mod solve;
pub mod stats;
mod synthesis;
#[cfg(feature = "mpi")]
mod together;
pub mod verify;
