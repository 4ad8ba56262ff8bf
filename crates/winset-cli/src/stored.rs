//! Opening a store or a strategy: it says which game it is about, and the game is built again from that.

use crate::failure::Failure;
use crate::source;
use std::path::Path;
use winset::CatalogueError;
use winset_explore::strategy::Strategy;
use winset_explore::{Session, Solution};
use winset_model::Game;
use winset_store::{GameRecord, Manifest, Store};

/// Opens a store.
pub fn open(directory: &Path) -> Result<Store, Failure> {
    Ok(Store::open(directory, |manifest: &Manifest| build(&manifest.header.game))?)
}

/// What can be asked and played with: the directory of a store, or the file of a strategy.
pub enum Known {
    Store(Box<Store>),
    Strategy(Box<Strategy>),
}

impl Known {
    /// Opens whichever it is.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        if path.is_file() {
            return Ok(Known::Strategy(Box::new(Strategy::open(path, build)?)));
        }
        Ok(Known::Store(Box::new(open(path)?)))
    }

    /// Asks it.
    pub fn session(&self) -> Box<dyn Solution<'_> + '_> {
        match self {
            Known::Store(store) => Box::new(Session::new(store)),
            Known::Strategy(strategy) => Box::new(strategy.session()),
        }
    }
}

fn build(record: &GameRecord) -> Result<Game, CatalogueError> {
    Ok(source::catalogue().recorded(record)?.game)
}
