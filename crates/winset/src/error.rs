//! Everything that can go wrong, by where.

use crate::catalogue::CatalogueError;
use crate::engine::EngineError;
use thiserror::Error;
use winset_explore::ExploreError;
use winset_model::TextError;
use winset_store::StoreError;
use winset_verify::VerifyError;

/// Why something could not be done.
#[derive(Debug, Error)]
pub enum Error {
    /// There is no such game, or its rules are refused.
    #[error(transparent)]
    Rules(#[from] CatalogueError),
    /// The engine did not do its job.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What was asked cannot be answered.
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// The solution could not be checked.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The text is not a position, or not moves that can be made.
    #[error(transparent)]
    Text(#[from] TextError),
}

impl Error {
    /// It was memory that there was too little of: more of it, or less to do, would help.
    pub fn is_memory(&self) -> bool {
        match self {
            Error::Engine(EngineError::Memory(_)) => true,
            Error::Store(error) | Error::Explore(ExploreError::Store(error)) => is_too_large(error),
            Error::Verify(error) => match error {
                VerifyError::Memory { .. } | VerifyError::Refused { .. } => true,
                VerifyError::Store(error) => is_too_large(error),
                VerifyError::Circles | VerifyError::TooMany | VerifyError::Peers(_) => false,
            },
            _ => false,
        }
    }
}

/// Whether a store had too little memory.
fn is_too_large(error: &StoreError) -> bool {
    matches!(error, StoreError::TooLarge { .. })
}
