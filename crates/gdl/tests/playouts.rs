//! The compiled games against the interpreter, along random plays.
//!
//! The crate's own games always; the corpus beside the repository if it is there, with as many plays per
//! game as `WINSET_PLAYOUTS` says.

mod interpreter;
mod slow;

use std::time::Duration;

#[test]
fn own_games_play_as_their_rules_say() {
    let generated = ["clobber-2x3", "breakthrough-3x4", "connect-four-4x4", "cubi-cup-3"];
    let generated = generated.map(|n| (n, winset_gdl::game(n).expect("the game exists")));
    let fixed = ["tic-tac-toe", "sum-15", "nim"].map(|n| (n, winset_gdl::game(n).expect("the game exists")));
    for (name, text) in generated.into_iter().chain(fixed) {
        let compiled =
            winset_gdl::compile(name, text.as_bytes(), &Default::default()).expect("the game compiles");
        let outcome = playouts::compare(&compiled, text.as_bytes(), 3, Duration::from_secs(4));
        assert!(outcome.as_ref().is_ok_and(|o| o.states > 0), "{name}: {outcome:?}");
    }
}

#[test]
fn corpus_plays_as_its_rules_say() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/gdl");
    let plays = std::env::var("WINSET_PLAYOUTS").ok().and_then(|p| p.parse().ok());
    let (folders, plays) = match plays {
        Some(plays) => (vec!["features", "games"], plays),
        None => (vec!["features"], 2),
    };
    for folder in folders {
        let Ok(files) = std::fs::read_dir(format!("{directory}/{folder}")) else {
            eprintln!("no corpus at {directory}: nothing compared");
            return;
        };
        for file in files.flatten() {
            let Ok(source) = std::fs::read(file.path()) else { continue };
            if let Ok(compiled) = winset_gdl::compile("game", &source, &Default::default()) {
                let outcome = playouts::compare(&compiled, &source, plays, Duration::from_secs(60));
                assert!(outcome.is_ok(), "{:?}: {outcome:?}", file.path());
            }
        }
    }
}
