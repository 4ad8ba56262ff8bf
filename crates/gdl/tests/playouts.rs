//! The compiled games against the interpreters, along random plays.
//!
//! The crate's own games; files from elsewhere if that is asked for.

mod interpreter;
#[path = "playouts/simulation.rs"]
mod simulation;
mod slow;

use interpreter::many;
use slow::playouts;
use std::time::Duration;

const TIME: Duration = Duration::from_secs(60);

fn compiled(name: &str, text: &str) -> winset_gdl::GdlGame {
    winset_gdl::compile(name, text.as_bytes(), &Default::default()).expect("the game compiles")
}

#[test]
fn own_games_play_as_their_rules_say() {
    let generated = ["clobber-2x3", "breakthrough-3x4", "connect-four-4x4", "cubi-cup-3"];
    let fixed = ["tic-tac-toe", "sum-15", "nim", "chomp", "catch-a-mouse", "number-tic-tac-toe"];
    for name in generated.into_iter().chain(fixed).chain(["sheep-and-wolf"]) {
        let text = winset_gdl::game(name).expect("the game exists");
        let game = compiled(name, &text);
        let outcome = many::compare(&game, text.as_bytes(), 100, TIME);
        assert!(outcome.as_ref().is_ok_and(|o| o.plays == 100), "{name}: {outcome:?}");
    }
}

#[test]
fn two_interpreters_say_the_same() {
    for name in ["clobber-2x3", "breakthrough-3x4", "connect-four-4x4", "cubi-cup-3", "tic-tac-toe", "nim"] {
        let text = winset_gdl::game(name).expect("the game exists");
        let game = compiled(name, &text);
        let outcome = playouts::compare(&game, text.as_bytes(), 3, TIME);
        assert!(outcome.as_ref().is_ok_and(|o| o.plays == 3), "{name}: {outcome:?}");
    }
}

/// A comparison that finds nothing wrong says nothing unless it finds what is wrong.
#[test]
fn a_wrong_rule_is_noticed() {
    let text = winset_gdl::game("tic-tac-toe").expect("the game exists");
    let game = compiled("tic-tac-toe", &text);
    let rules: Vec<&str> = text.split("\n(").collect();
    let mut noticed = 0;
    for gone in 1..rules.len() {
        let head = rules[gone].trim_start_matches("<= ");
        if !["(next", "(legal", "(goal", "terminal"].iter().any(|h| head.starts_with(h)) {
            continue;
        }
        let kept: Vec<&str> = (0..rules.len()).filter(|i| *i != gone).map(|i| rules[i]).collect();
        let damaged = kept.join("\n(");
        let outcome = many::compare(&game, damaged.as_bytes(), 200, TIME);
        assert!(outcome.is_err(), "nobody missed ({}", rules[gone]);
        noticed += 1;
    }
    assert!(noticed >= 8, "only {noticed} rules were taken out");
}

/// With as many plays per game as `WINSET_PLAYOUTS` says.
#[test]
#[ignore = "needs ../shared/gdl, games from elsewhere: run with --ignored; corpus.rs has games of our own"]
fn files_from_elsewhere_play_as_their_rules_say() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/gdl");
    let plays = std::env::var("WINSET_PLAYOUTS").ok().map(|plays| plays.parse().expect("a number of plays"));
    let (folders, plays) = match plays {
        Some(plays) => (vec!["features", "games"], plays),
        None => (vec!["features"], 100),
    };
    let mut compared = 0;
    for folder in folders {
        for file in std::fs::read_dir(format!("{directory}/{folder}")).expect("the folder is there") {
            let path = file.expect("a file").path();
            let source = std::fs::read(&path).expect("a file");
            if let Ok(game) = winset_gdl::compile("game", &source, &Default::default()) {
                let outcome = many::compare(&game, &source, plays, TIME);
                assert!(outcome.is_ok(), "{path:?}: {outcome:?}");
                eprintln!("{path:?}: {outcome:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 0, "nothing was compared");
}
