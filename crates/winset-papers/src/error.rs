//! Why an experiment could not be run.

use thiserror::Error;
use winset::CatalogueError;
use winset_layers::LayersError;
use winset_report::plot::PlotError;
use winset_symbolic::SymbolicError;

/// Why an experiment could not be run. That figures differ is no error: the [`Comparison`](crate::Comparison) says it.
#[derive(Debug, Error)]
pub enum PapersError {
    /// Something that has to be given was not given, or is not what it should be.
    #[error("{0}")]
    WrongUse(String),
    /// The BDD engine did not do its job.
    #[error(transparent)]
    Symbolic(#[from] SymbolicError),
    /// The layer engine did not do its job.
    #[error(transparent)]
    Layers(#[from] LayersError),
    /// Rules were refused.
    #[error(transparent)]
    Rules(#[from] CatalogueError),
    /// A figure could not be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// The system did not do something.
    #[error("{0}: {1}")]
    Io(&'static str, #[source] std::io::Error),
    /// Two ways to the same number came to different ones, so that none of them can be compared.
    #[error("{0}")]
    Disagree(String),
}
