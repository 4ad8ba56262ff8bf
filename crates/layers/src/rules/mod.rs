//! The rules as the engine reads them: conditions and moves cut along the blocks.

pub mod after;
pub mod compile;
pub mod condition;
pub mod conjunction;
pub mod moves;
pub mod relation;
pub mod rules_of_game;
