#![no_main]
//! No file of a strategy may make reading or asking panic; the digest of its table is computed anew.

use std::path::PathBuf;
use std::sync::OnceLock;
use winset_explore::Solution;
use winset_explore::strategy::Strategy;
use winset_reference::build;

fn path() -> &'static PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| winset_reference::scratch().keep().join("strategy.tsv"))
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let game = build("tictactoe", "3x3");
    let about = serde_json::json!({
        "strategy": 1,
        "game": { "name": "tictactoe", "size": "3x3", "players": game.players(), "options": {}, "source": null },
        "rules": winset_store::rules_digest(&game),
        "formula": "x",
        "ends": data.len() % 2 == 0,
        "positions": text.lines().count().saturating_sub(1),
        "blake3": blake3::hash(text.as_bytes()).to_hex().to_string(),
    });
    std::fs::write(path(), format!("# {about}\n{text}")).expect("it can be written");
    if let Ok(strategy) = Strategy::open(path(), |_| Ok::<_, String>(game.clone())) {
        let _ = strategy.session().position(game.initial());
    }
});
