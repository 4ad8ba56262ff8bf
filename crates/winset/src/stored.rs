//! Opening a store: its manifest says which game it is, and the game is built again from that.

use crate::args::{Baseline, GameArgs};
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::path::Path;
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
    Ok(Store::open(directory, build)?)
}

fn build(manifest: &Manifest) -> Result<Game, String> {
    let record = &manifest.header.game;
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
