//! The program as a user meets it.

use std::process::{Command, Output};

fn winset(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_winset")).args(args).output().expect("winset runs")
}

fn json(args: &[&str]) -> serde_json::Value {
    let output = winset(args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// The command fails with this exit code and says one sentence that contains `part`.
fn refuses(args: &[&str], code: i32, part: &str) {
    let output = winset(args);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {message}");
    assert!(message.contains(part), "{args:?}: {message}");
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
}

#[test]
fn games_are_listed_with_their_sizes() {
    let list = json(&["games", "--json"]);
    let connect4 = list.as_array().unwrap().iter().find(|row| row["game"] == "connect4").unwrap();
    assert_eq!(connect4["size"], "COLUMNSxROWS[xK]");
}

#[test]
fn wrong_use_is_named() {
    refuses(&["solve", "go"], 2, "there is no game \"go\"");
    refuses(&["solve", "connect4", "5-4"], 2, "\"5-4\" is not a size");
    refuses(&["solve", "othello", "2x2"], 2, "othello cannot have 2 rows");
    refuses(&["solve", "connect4", "--memory", "lots"], 2, "lots");
    refuses(&["solve", "connect4", "--engine", "magic"], 2, "magic");
}
