//! `auto` is never stuck with a choice, and says what it is doing from the first moment on.

use std::process::{Command, Output};

fn winset(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_winset")).args(args).output().expect("winset runs")
}

fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// The phases that were told, in order, each once.
fn phases(args: &[&str]) -> Vec<String> {
    let output = winset(&[args, &["--progress", "json", "--threads", "1"]].concat());
    let lines = String::from_utf8_lossy(&output.stderr).into_owned();
    let phase = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("one JSON object a line");
        line["phase"].as_str().expect("a phase").to_owned()
    };
    let mut phases: Vec<String> = lines.lines().map(phase).collect();
    phases.dedup();
    phases
}

/// For twenty seconds nothing was shown while rules were compiled and blocks were tried.
#[test]
fn every_phase_is_told_when_it_begins() {
    let by_layers = phases(&["solve", "chomp", "--engine", "layers"]);
    assert_eq!(by_layers, ["read", "measure", "blocks", "rules", "forward", "backward"]);
    let by_diagrams = phases(&["solve", "chomp", "--engine", "bdd"]);
    assert_eq!(by_diagrams, ["read", "relation", "forward", "backward"]);
    assert_eq!(phases(&["count", "tictactoe"])[..2], ["read", "measure"]);
}

/// A game of few states that the layer engine takes several times as long for was never handed over.
#[test]
fn a_game_goes_to_the_engine_that_suits_it() {
    let chomp = concat!(env!("CARGO_MANIFEST_DIR"), "/../gdl/games/chomp.kif");
    let auto = json(&winset(&["solve", chomp, "--json", "--threads", "1"]));
    let again = json(&winset(&["solve", chomp, "--json", "--threads", "2"]));
    let layers = json(&winset(&["solve", chomp, "--json", "--engine", "layers"]));
    assert_eq!(auto["engine"], "explicit", "{}", auto["reason"]);
    assert_eq!(auto["engine"], again["engine"], "trials are counted in steps");
    for key in ["positions", "rewards", "value"] {
        assert_eq!(auto[key], layers[key], "{key}");
    }
    // Positions that look alike, and positions that do not.
    let games = [("connect4", "5x4", "layers"), ("othello", "4x5", "explicit"), ("hex", "4x4", "bdd")];
    for (game, size, engine) in games {
        let found = json(&winset(&["solve", game, size, "--json", "--threads", "1"]));
        assert_eq!(found["engine"], engine, "{game}: {}", found["reason"]);
    }
}

/// "give 226131.1 MiB more or so" was said of a game that the BDD engine keeps in a second; and blocks that were chosen with
/// few steps were refused as another solution by the run that had chosen them.
#[test]
fn catch_a_mouse_is_kept_by_the_engine_that_can() {
    let directory = std::env::temp_dir().join(format!("winset-auto-{}", std::process::id()));
    let out = directory.to_str().expect("text");
    let solved =
        winset(&["solve", "catch-a-mouse", "--out", out, "--threads", "1", "--memory", "512M", "--json"]);
    let asked = winset(&["query", out, "--json"]);
    let _ = std::fs::remove_dir_all(&directory);
    let (solved, asked) = (json(&solved), json(&asked));
    assert_eq!(solved["engine"], "bdd", "{}", solved["reason"]);
    assert_eq!(solved["positions"], 1_235_515_139_676u64);
    assert_eq!(solved["rewards"], asked["rewards"]);
    assert_eq!(solved["rewards"], serde_json::json!([0, 100]));
}
