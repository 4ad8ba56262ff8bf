//! The engines behind `solve` and `count`: flags in, a report out.

pub mod bdd;
mod blocks;
pub mod by_turns;
pub mod keep;
pub mod layers;
mod reorder;

use crate::failure::Failure;
use winset_work::Work;

/// What an engine may take when it is not alone.
pub struct Within {
    /// So many bytes.
    pub memory: u64,
    /// So many steps.
    pub work: Work,
}

/// Why an engine has not solved a game.
pub enum Unsolved {
    /// It was told to stop.
    Exhausted,
    /// The game does not suit this engine, or does not fit: another may do better.
    Unfit(Failure),
    /// No engine can do what was asked.
    Failed(Failure),
}

impl From<Unsolved> for Failure {
    fn from(unsolved: Unsolved) -> Self {
        match unsolved {
            Unsolved::Exhausted => winset_work::Exhausted.into(),
            Unsolved::Unfit(failure) | Unsolved::Failed(failure) => failure,
        }
    }
}

impl From<Failure> for Unsolved {
    fn from(failure: Failure) -> Self {
        Unsolved::Failed(failure)
    }
}
