//! `solve --out` after a kill goes on from the last finished layer, and ends with the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn solve(game: &[&str], directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_winset"));
    command.arg("solve").args(game).args(["--threads", "1", "--progress", "json", "--out"]).arg(directory);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// The layers whose sets and whose values are finished, by place in the order of layers.
fn finished(directory: &Path) -> [BTreeSet<u64>; 2] {
    let Ok(text) = std::fs::read(directory.join("manifest.json")) else { return Default::default() };
    let manifest: serde_json::Value =
        serde_json::from_slice(&text).expect("a manifest is whole or not there");
    let layers = manifest["layers"].as_array().expect("layers").iter().enumerate();
    let (mut sets, mut values) = (BTreeSet::new(), BTreeSet::new());
    for (number, layer) in layers {
        sets.insert(number as u64);
        if !layer["values"].is_null() {
            values.insert(number as u64);
        }
    }
    [sets, values]
}

/// The layers that a run has found and solved.
fn worked_on(progress: &[u8]) -> [BTreeSet<u64>; 2] {
    let text = String::from_utf8_lossy(progress);
    let (mut sets, mut values) = (BTreeSet::new(), BTreeSet::new());
    // A killed process may leave half a line.
    for line in text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
        let done = line["done"].as_u64().expect("a number");
        match line["phase"].as_str() {
            Some("forward") => sets.insert(done),
            Some("backward") => values.insert(done),
            _ => false,
        };
    }
    [sets, values]
}

fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

fn fresh(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("winset-resume-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    directory
}

/// Kills runs at random times until n kills have hit; returns how many stores were completed.
fn kill_and_go_on(game: &[&str], kills: u32, seed: u64) -> u32 {
    let whole = fresh(&format!("{}-whole", game.concat()));
    let clock = std::time::Instant::now();
    assert!(solve(game, &whole).output().unwrap().status.success());
    let time = clock.elapsed().max(Duration::from_millis(20));
    let expected = contents(&whole);
    let (mut killed, mut completed, mut random) = (0, 0, seed);
    while killed < kills {
        let directory = fresh(&format!("{}-{completed}", game.concat()));
        loop {
            let before = finished(&directory);
            let mut child = solve(game, &directory).spawn().unwrap();
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            std::thread::sleep(time.mul_f64((random >> 33) as f64 / (1u64 << 31) as f64 * 0.7));
            let ended = child.try_wait().unwrap().is_some();
            if !ended && killed < kills {
                child.kill().unwrap();
            }
            let output = child.wait_with_output().unwrap();
            let again = worked_on(&output.stderr);
            for (before, again) in before.iter().zip(&again) {
                let twice: Vec<_> = before.intersection(again).collect();
                assert!(twice.is_empty(), "layers {twice:?} were finished and have been computed again");
            }
            if output.status.success() {
                break;
            }
            killed += 1;
        }
        assert_eq!(contents(&directory), expected, "{game:?}");
        std::fs::remove_dir_all(&directory).unwrap();
        completed += 1;
    }
    std::fs::remove_dir_all(&whole).unwrap();
    completed
}

#[test]
fn finished_layers_are_not_computed_again() {
    let kills: u32 = std::env::var("WINSET_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
    let games: [&[&str]; 5] = [
        &["connect4", "5x4"],
        &["connect4", "5x5", "--engine", "layers"],
        &["breakthrough", "4x4", "--engine", "layers"],
        &["othello", "4x4", "--distance"],
        &["breakthrough", "4x4", "--distance"],
    ];
    for (seed, game) in games.into_iter().enumerate() {
        let completed = kill_and_go_on(game, kills / 5, seed as u64);
        eprintln!("{game:?}: {} kills, {completed} stores completed, all the same bytes", kills / 5);
    }
}

/// What was found one by one is read, and not found again.
#[test]
fn finished_tiers_are_not_computed_again() {
    let kills: u32 = std::env::var("WINSET_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(24);
    let games: [&[&str]; 3] = [
        &["connect4", "4x4", "--engine", "explicit"],
        &["checkers", "4", "--engine", "explicit"],
        &["quixo", "3", "--distance", "--engine", "explicit"],
    ];
    for (seed, game) in games.into_iter().enumerate() {
        let completed = kill_and_go_on(game, kills / 3, 17 + seed as u64);
        eprintln!("{game:?}: {} kills, {completed} stores completed, all the same bytes", kills / 3);
    }
}

/// The BDD engine's layers, forward and backward, and those that the hybrid looks at one by one.
#[test]
fn finished_diagrams_are_not_computed_again() {
    let kills: u32 = std::env::var("WINSET_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(24);
    let games: [&[&str]; 3] = [
        &["connect4", "4x4", "--engine", "bdd"],
        &["tictactoe", "3x3", "--algorithm", "hybrid", "--switch-at", "5"],
        &["chomp", "--engine", "bdd", "--algorithm", "layered"],
    ];
    for (seed, game) in games.into_iter().enumerate() {
        let completed = kill_and_go_on(game, kills / 3, 7 + seed as u64);
        eprintln!("{game:?}: {} kills, {completed} stores completed, all the same bytes", kills / 3);
    }
}

/// Whoever changes from diagrams to states one by one writes the same, and threads do not matter.
#[test]
fn the_hybrid_writes_the_same_bytes() {
    let stored = |name: &str, flags: &[&str]| {
        let directory = fresh(&format!("hybrid-{name}"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_winset"));
        command.args(["solve", "connect4", "4x4", "--engine", "bdd", "--out"]).arg(&directory).args(flags);
        assert!(command.output().unwrap().status.success(), "{flags:?}");
        let verified =
            Command::new(env!("CARGO_BIN_EXE_winset")).arg("verify").arg(&directory).output().unwrap();
        assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
        let contents = contents(&directory);
        std::fs::remove_dir_all(&directory).unwrap();
        contents
    };
    let diagrams = stored("none", &[]);
    assert_eq!(stored("all", &["--algorithm", "hybrid", "--switch-at", "99", "--threads", "2"]), diagrams);
    assert_eq!(stored("some", &["--switch-at", "9", "--threads", "2"]), diagrams);
}

#[test]
fn a_finished_store_is_only_read() {
    let directory = fresh("finished");
    let game = ["othello", "4x4", "--distance"];
    assert!(solve(&game, &directory).output().unwrap().status.success());
    let before = contents(&directory);
    let again = solve(&game, &directory).output().unwrap();
    assert!(again.status.success());
    assert_eq!(worked_on(&again.stderr), [BTreeSet::new(), BTreeSet::new()]);
    assert_eq!(contents(&directory), before);
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn a_finished_store_gives_the_same_report() {
    let directory = fresh("report");
    let report = || {
        let output =
            solve(&["othello", "4x4", "--distance", "--json"], &directory).stdout(Stdio::piped()).output();
        let mut report: serde_json::Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        // What depends on the run and not on the game.
        for key in ["seconds", "peak_memory_bytes"] {
            report.as_object_mut().unwrap().remove(key);
        }
        for layer in report["layers"].as_array_mut().unwrap() {
            layer.as_object_mut().unwrap().retain(|key, _| key != "seconds" && key != "nodes");
        }
        report
    };
    let first = report();
    assert!(first["longest_win"].as_u64().is_some(), "{first}");
    assert_eq!(report(), first);
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn blocks_can_be_given() {
    let positions = |extra: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_winset"));
        let output = command.args(["solve", "connect4", "4x4", "--json"]).args(extra).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        report["positions"].as_u64().unwrap()
    };
    for extra in
        [&["--blocks", "rows"][..], &["--blocks", "columns", "--portable"], &["--blocks", "a1,a2/a3,a4,b1"]]
    {
        assert_eq!(positions(extra), 161_029, "{extra:?}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_winset"));
    let refused = command.args(["solve", "connect4", "4x4", "--blocks", "a1,z9"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no variable \"z9\""));
}

#[test]
fn threads_do_not_change_a_byte() {
    for game in [&["connect4", "5x4"][..], &["othello", "4x4", "--distance"], &["breakthrough", "4x4"]] {
        let stored = |threads: &str| {
            let directory = fresh(&format!("{}-{threads}-threads", game[0]));
            let mut command = Command::new(env!("CARGO_BIN_EXE_winset"));
            command.arg("solve").args(game).args(["--threads", threads, "--out"]).arg(&directory);
            assert!(command.output().unwrap().status.success(), "{game:?}");
            let contents = contents(&directory);
            std::fs::remove_dir_all(&directory).unwrap();
            contents
        };
        assert_eq!(stored("1"), stored("2"), "{game:?}");
    }
}
