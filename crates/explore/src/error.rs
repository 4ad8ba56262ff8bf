//! Why something cannot be answered.

use thiserror::Error;
use winset_model::TextError;
use winset_store::StoreError;

/// Everything that can go wrong when a store is explored.
#[derive(Debug, Error)]
pub enum ExploreError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file is not a strategy, or was damaged.
    #[error("{}: {reason}", path.display())]
    Strategy {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The text is not a position, or not moves that can be made.
    #[error(transparent)]
    Text(#[from] TextError),
    /// There is no such layer.
    #[error("there is no layer {0} in this store")]
    NoLayer(usize),
    /// Too much to draw.
    #[error("the layer's diagram has {0} nodes, too many to draw; {1} are possible")]
    TooLarge(u64, u64),
    /// A picture could not be drawn.
    #[error(transparent)]
    Plot(#[from] winset_report::plot::PlotError),
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Data could not be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}
