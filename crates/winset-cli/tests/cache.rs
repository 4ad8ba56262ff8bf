//! Games that are solved on the way, and what is kept of them.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn winset(cache: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_winset"));
    command.env("XDG_CACHE_HOME", cache).env_remove("WINSET_CACHE_LIMIT").stdin(Stdio::null());
    command
}

fn run(cache: &Path, args: &[&str]) -> Output {
    winset(cache).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn listed(cache: &Path) -> serde_json::Value {
    serde_json::from_slice(&run(cache, &["cache", "list", "--json"]).stdout).unwrap()
}

/// Every command that takes a solution takes a game, and answers the same.
#[test]
fn a_game_is_solved_once_and_kept() {
    let (here, game) = (tempfile::tempdir().unwrap(), ["connect4", "4x3"]);
    let stored = here.path().join("stored");
    let stored = stored.to_str().unwrap();
    run(here.path(), &[&["solve"], &game[..], &["--distance", "--out", stored]].concat());
    for (verb, rest) in [
        ("query", &["--moves", "1 2", "--json"][..]),
        ("stats", &["--csv"]),
        ("export", &["--layer", "3"]),
        ("verify", &[]),
        ("play", &["--plain"]),
    ] {
        let first = listed(here.path())["entries"].as_array().unwrap().is_empty();
        let by_name = run(here.path(), &[&[verb, "CONNECT4", "4x3"], rest].concat());
        let by_path = run(here.path(), &[&[verb, stored], rest].concat());
        assert!(by_name.status.success(), "{verb}: {}", text(&by_name.stderr));
        assert_eq!(text(&by_name.stdout), text(&by_path.stdout), "{verb}");
        let said = text(&by_name.stderr);
        assert_eq!(said.lines().count(), usize::from(first), "solved once, said in one line: {said}");
    }
    let kept = listed(here.path());
    assert_eq!(kept["entries"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&kept["entries"][0]["game"], &kept["entries"][0]["finished"]),
        (&"connect4 4x3".into(), &true.into())
    );
    let cleared = run(here.path(), &["cache", "clear"]);
    assert!(text(&cleared.stdout).starts_with("1 solution removed"), "{}", text(&cleared.stdout));
    assert_eq!(listed(here.path())["bytes"], 0);
}

/// A position may follow a game, with or without a size between them.
#[test]
fn a_position_can_follow_a_game() {
    let here = tempfile::tempdir().unwrap();
    for args in
        [&["query", "tictactoe", "xo./.../... x"][..], &["query", "tictactoe", "3x3", "xo./.../... x"]]
    {
        let asked = run(here.path(), &[args, &["--json"]].concat());
        let answer: serde_json::Value = serde_json::from_slice(&asked.stdout).unwrap();
        assert_eq!(answer["position"], "xo./.../... x");
    }
    let wrong = run(here.path(), &["query", "tictactoe", "9x9x9x9x9"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn what_a_game_does_not_have_is_refused() {
    let here = tempfile::tempdir().unwrap();
    for (args, part) in [
        (&["play", "conect4"][..], "did you mean connect4"),
        (&["stats", "connect4", "5by4"], "is not a size"),
        (&["verify", "connect4", "--baseline", "m2"], "connect4 has no option --baseline"),
        (&["query", "nowhere/at-all"], "nowhere/at-all"),
    ] {
        let refused = run(here.path(), args);
        let said = text(&refused.stderr);
        assert!(matches!(refused.status.code(), Some(1 | 2)) && said.contains(part), "{args:?}: {said}");
    }
    assert!(listed(here.path())["entries"].as_array().unwrap().is_empty());
}

#[test]
fn without_a_place_for_it_a_game_is_solved_in_memory() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_winset"));
    command.env_remove("XDG_CACHE_HOME").env_remove("HOME").args(["query", "tictactoe"]);
    let asked = command.output().unwrap();
    assert!(
        asked.status.success() && text(&asked.stderr).contains("in memory only"),
        "{}",
        text(&asked.stderr)
    );
    // What stands where the cache should be is left alone.
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("winset"), "mine").unwrap();
    let asked = run(here.path(), &["query", "tictactoe"]);
    assert!(
        asked.status.success() && text(&asked.stderr).contains("in memory only"),
        "{}",
        text(&asked.stderr)
    );
}

/// What was used longest ago goes first, and what somebody is using stays.
#[test]
fn the_cache_keeps_to_its_limit() {
    let here = tempfile::tempdir().unwrap();
    for game in ["tictactoe", "nim", "hexapawn"] {
        assert!(run(here.path(), &["stats", game]).status.success());
    }
    let bytes = |game: &str| {
        let all = listed(here.path())["entries"].as_array().unwrap().clone();
        let found = all.iter().find(|entry| entry["game"].as_str().unwrap().starts_with(game)).cloned();
        found.map_or(0, |entry| entry["bytes"].as_u64().unwrap())
    };
    let mut playing = winset(here.path())
        .args(["play", "nim", "--plain"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // It has been opened when the board is shown.
    let mut first = [0];
    std::io::Read::read_exact(playing.stdout.as_mut().unwrap(), &mut first).unwrap();
    let limit = bytes("hexapawn") + 1;
    let more = winset(here.path())
        .env("WINSET_CACHE_LIMIT", limit.to_string())
        .args(["stats", "kayles"])
        .output()
        .unwrap();
    assert!(more.status.success(), "{}", text(&more.stderr));
    assert_eq!((bytes("tictactoe"), bytes("hexapawn")), (0, 0), "the oldest two went");
    assert!(bytes("nim") > 0 && bytes("kayles") > 0, "these are in use");
    drop(playing.stdin.take());
    playing.wait().unwrap();
}

/// A solution that was begun goes on; one that is damaged is made again.
#[test]
fn what_was_begun_is_finished_and_what_is_damaged_is_made_again() {
    let here = tempfile::tempdir().unwrap();
    assert!(run(here.path(), &["stats", "connect4", "4x4"]).status.success());
    let entry = listed(here.path())["entries"][0]["directory"].as_str().unwrap().to_owned();
    let wanted = text(&run(here.path(), &["stats", &entry, "--csv"]).stdout);
    std::fs::write(Path::new(&entry).join("manifest.json"), "{}").unwrap();
    let again = run(here.path(), &["stats", "connect4", "4x4", "--csv"]);
    assert_eq!(text(&again.stdout), wanted, "{}", text(&again.stderr));
}

/// Many at once: each gets its answer, and the solution that is left is right.
#[test]
fn processes_do_not_harm_each_other() {
    let here = tempfile::tempdir().unwrap();
    let start = |_| {
        let mut command = winset(here.path());
        command.args(["query", "connect4", "5x4", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let all: Vec<_> = (0..4).map(start).collect();
    for process in all {
        let done = process.wait_with_output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
        assert_eq!(answer["positionValue"], "tie", "{}", text(&done.stderr));
    }
    assert!(run(here.path(), &["verify", "connect4", "5x4"]).status.success());
}
