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
