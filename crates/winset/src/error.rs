//! Everything that can go wrong, by where.

use crate::catalogue::CatalogueError;
use crate::engine::EngineError;
use thiserror::Error;
use winset_explicit::ExplicitError;
use winset_explore::ExploreError;
use winset_layers::LayersError;
use winset_model::TextError;
use winset_store::StoreError;
use winset_symbolic::SymbolicError;
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

/// Memory is short, in the words of whoever knows what would help.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Short(pub String);

impl Error {
    /// It was memory that there was too little of: more of it, or less to do, would help.
    pub fn is_memory(&self) -> bool {
        match self {
            Error::Engine(EngineError::Cannot(cause)) => is_memory(cause.as_ref()),
            Error::Store(error) | Error::Explore(ExploreError::Store(error)) => is_memory(error),
            Error::Verify(error) => match error {
                VerifyError::Memory { .. } | VerifyError::Refused { .. } => true,
                VerifyError::Store(error) => is_memory(error),
                VerifyError::Circles | VerifyError::TooMany | VerifyError::Peers(_) => false,
            },
            _ => false,
        }
    }
}

/// Whether an engine or a store had too little memory.
pub(crate) fn is_memory(cause: &(dyn std::error::Error + 'static)) -> bool {
    let layers = cause.downcast_ref::<LayersError>();
    let diagrams = cause.downcast_ref::<SymbolicError>();
    let explicit = cause.downcast_ref::<ExplicitError>();
    let store = cause.downcast_ref::<StoreError>();
    cause.is::<Short>()
        || matches!(layers, Some(LayersError::Memory { .. } | LayersError::ConditionsDoNotFit { .. }))
        || matches!(
            diagrams,
            Some(SymbolicError::OutOfMemory { .. } | SymbolicError::Budget(..) | SymbolicError::Refused(_))
        )
        || matches!(explicit, Some(ExplicitError::Memory { .. } | ExplicitError::Tier { .. }))
        || matches!(store, Some(StoreError::TooLarge { .. }))
}
