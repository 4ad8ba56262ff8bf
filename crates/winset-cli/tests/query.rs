//! Asking a large store: little memory, no waiting, many positions a second.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const WINSET: &str = env!("CARGO_BIN_EXE_winset");

/// All memory that the process may have, code and stacks included, in KiB.
const MEMORY: &str = "65536";

fn winset(arguments: &[&str], directory: &Path) -> String {
    let mut command = Command::new(WINSET);
    command.arg(arguments[0]);
    if arguments[0] != "solve" {
        command.arg(directory);
    }
    command.args(&arguments[1..]);
    if arguments[0] == "solve" {
        command.arg("--out").arg(directory);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command with no more address space than [`MEMORY`].
fn within_memory(arguments: &[&str], input: &str) -> (String, Duration) {
    let begin = Instant::now();
    let script = format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
    let mut child = Command::new("sh")
        .args(["-c", &script, WINSET])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_owned());
    let writing = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    // A command that reads nothing may have closed the pipe.
    let _ = writing.join().unwrap();
    (String::from_utf8(output.stdout).unwrap(), begin.elapsed())
}

fn fresh(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("winset-query-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    directory
}

/// Positions of some layers with their values, in no order.
fn positions(directory: &Path, layers: &[&str], every: usize) -> Vec<(String, String)> {
    let mut found = vec![];
    for layer in layers {
        let text = winset(&["export", "--format", "jsonl", "--layer", layer], directory);
        for line in text.lines().step_by(every) {
            let object: serde_json::Value = serde_json::from_str(line).unwrap();
            let value = match (object["positionValue"].as_str().unwrap(), object["player"].as_str().unwrap())
            {
                ("win", player) => format!("{} wins", player.to_uppercase()),
                ("loss", "x") => "O wins".to_owned(),
                ("loss", _) => "X wins".to_owned(),
                _ => "A tie".to_owned(),
            };
            found.push((object["position"].as_str().unwrap().to_owned(), value));
        }
    }
    let mut random = 1u64;
    for i in (1..found.len()).rev() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        found.swap(i, (random >> 33) as usize % (i + 1));
    }
    found
}

#[test]
fn a_large_store_is_asked_with_64_mib() {
    // The larger board takes minutes without optimisation.
    let size = if cfg!(debug_assertions) { "4x4" } else { "5x5" };
    let directory = fresh("memory");
    winset(&["solve", "connect4", size], &directory);
    let path = directory.to_str().unwrap();
    let (start, _) = within_memory(&["query", path], "");
    assert!(start.contains("A tie"), "{start}");
    let (line, _) = within_memory(&["query", path, "--line"], "");
    assert!(line.contains("A tie"), "{line}");
    within_memory(&["stats", path], "");
    let (game, _) = within_memory(&["play", path], "1\nvalues\nquit\n");
    assert!(!game.is_empty());
    let layers: &[&str] = if size == "5x5" { &["10", "12", "14"] } else { &["4", "8", "10"] };
    let asked = positions(&directory, layers, if size == "5x5" { 31 } else { 1 });
    assert!(asked.len() > 3_000, "{}", asked.len());
    let input: String = asked.iter().map(|(position, _)| format!("{position}\n")).collect();
    let (answers, time) = within_memory(&["query", path, "-"], &input);
    for (answer, (position, value)) in answers.lines().zip(&asked) {
        assert_eq!(answer, format!("{position}\t{value}"));
    }
    assert_eq!(answers.lines().count(), asked.len());
    eprintln!("{} positions in any order in {time:?}", asked.len());
    std::fs::remove_dir_all(&directory).unwrap();
}
