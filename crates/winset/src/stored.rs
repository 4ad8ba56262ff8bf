//! Opening a store or a strategy: it says which game it is about, and the game is built again from that.

use crate::args::{Baseline, GameArgs};
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::path::Path;
use winset_explore::Solution;
use winset_explore::strategy::Strategy;
use winset_games::Options;
use winset_model::Game;
use winset_store::{GameRecord, Manifest, Source, Store};

/// Which game a store is about, so that it can be built again without any other file.
pub fn record(game: &Game, args: &GameArgs, source: Option<String>) -> GameRecord {
    let mut options = BTreeMap::new();
    if args.baseline == Baseline::M2 {
        options.insert("baseline".to_owned(), "m2".to_owned());
    }
    GameRecord {
        name: game.name.clone(),
        size: game.size.clone(),
        players: game.players.clone(),
        options,
        source: source.map(|text| Source { language: "gdl".to_owned(), text }),
    }
}

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
            Known::Store(store) => Box::new(store.session()),
            Known::Strategy(strategy) => Box::new(strategy.session()),
        }
    }
}

fn build(record: &GameRecord) -> Result<Game, String> {
    if let Some(source) = &record.source {
        let compiled = winset_gdl::compile(&record.name, source.text.as_bytes(), &Default::default());
        return compiled.map(|compiled| compiled.game).map_err(|rejection| rejection.to_string());
    }
    let baseline = match record.options.get("baseline").map(String::as_str) {
        Some("m2") => winset_games::Baseline::CanBeMade,
        _ => winset_games::Baseline::Made,
    };
    winset_games::build(&record.name, Some(&record.size), &Options { baseline }).map_err(|e| e.to_string())
}
