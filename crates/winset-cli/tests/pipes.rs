//! Output that nobody reads, that does not fit, or that is not there: no command panics, what was asked for is
//! finished, and the exit code tells the truth.
#![cfg(unix)]

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const WINSET: &str = env!("CARGO_BIN_EXE_winset");

fn fresh(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("winset-pipes-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn run(directory: &Path, arguments: &[&str], stdout: Stdio, stderr: Stdio) -> Output {
    let mut command = Command::new(WINSET);
    command.args(arguments).current_dir(directory).stdin(Stdio::null());
    command.stdout(stdout).stderr(stderr).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A pipe whose reader has gone already.
fn nobody() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").expect("a device that is always full").into()
}

/// Every command that prints, once it has something to print about.
fn commands() -> Vec<Vec<&'static str>> {
    let lines = [
        "games",
        "games --json",
        "games connect4",
        "solve tictactoe",
        "solve tictactoe --json --progress json",
        "solve nim",
        "count tictactoe --engine bdd",
        "ground game.kif",
        "ground game.kif --full",
        "lint game.kif",
        "check tictactoe --formula !terminal",
        "check tictactoe --formula !terminal --json",
        "emit-smv tictactoe",
        "order tictactoe --seconds 0.1",
        "query store",
        "query store --json",
        "stats store",
        "stats store --csv",
        "verify store",
        "verify store --json --progress json",
        "export store",
        "export store --format jsonl",
        "export store --format dot --layer 0",
        "play store --plain",
        "reproduce othello-moves",
        "--help",
        "solve --help",
        "--version",
    ];
    lines.iter().map(|line| line.split(' ').collect()).collect()
}

fn prepared(name: &str) -> PathBuf {
    let here = fresh(name);
    let game =
        "(role a) (role b) (init (at 0)) (<= (legal a go) (true (at 0))) (<= (legal b wait) (true (at 0)))
        (<= (next (at 1)) (does a go)) (<= terminal (true (at 1)))
        (<= (goal a 100) (true (at 1))) (<= (goal b 0) (true (at 1)))";
    std::fs::write(here.join("game.kif"), game).unwrap();
    let solved = run(&here, &["solve", "tictactoe", "--out", "store"], Stdio::null(), Stdio::piped());
    assert!(solved.status.success(), "{}", said(&solved));
    here
}

#[test]
fn a_closed_pipe_panicked() {
    let here = prepared("closed");
    for arguments in commands() {
        let usual = run(&here, &arguments, Stdio::null(), Stdio::piped());
        // Nobody reads the output: as usual, and quietly.
        let output = run(&here, &arguments, nobody(), Stdio::piped());
        assert_eq!(output.status.code(), usual.status.code(), "{arguments:?}: {}", said(&output));
        assert!(!said(&output).contains("panicked") && !said(&output).contains("pipe"), "{}", said(&output));
        // Nobody reads the remarks, or neither.
        let output = run(&here, &arguments, Stdio::piped(), nobody());
        assert_eq!(output.status.code(), usual.status.code(), "{arguments:?}");
        let output = run(&here, &arguments, nobody(), nobody());
        assert_eq!(output.status.code(), usual.status.code(), "{arguments:?}");
    }
    std::fs::remove_dir_all(&here).unwrap();
}

#[test]
fn a_full_device_was_not_reported() {
    let here = prepared("full");
    for arguments in commands() {
        let output = run(&here, &arguments, full(), Stdio::piped());
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains("cannot write to standard output: No space"), "{}", said(&output));
        let usual = run(&here, &arguments, Stdio::null(), Stdio::null());
        let output = run(&here, &arguments, Stdio::null(), full());
        assert_eq!(output.status.code(), usual.status.code(), "{arguments:?}");
    }
    std::fs::remove_dir_all(&here).unwrap();
}

#[test]
fn a_closed_descriptor_panicked() {
    let here = prepared("none");
    for arguments in commands() {
        for script in [r#"exec "$0" "$@" >&-"#, r#"exec "$0" "$@" 2>&-"#, r#"exec "$0" "$@" >&- 2>&- <&-"#] {
            let mut command = Command::new("sh");
            command.args(["-c", script, WINSET]).args(&arguments).current_dir(&here);
            let output = command.stdin(Stdio::null()).output().unwrap();
            assert!(output.status.code().is_some_and(|code| code <= 1), "{arguments:?}: {:?}", output.status);
            assert!(!said(&output).contains("panicked"), "{}", said(&output));
        }
    }
    std::fs::remove_dir_all(&here).unwrap();
}

/// The reader of the progress goes away after the first line, like `head -1`.
#[test]
fn progress_that_nobody_reads_stopped_the_solve() {
    let here = fresh("progress");
    let mut command = Command::new(WINSET);
    command.args(["solve", "connect4", "5x4", "--progress", "json", "--threads", "1", "--out", "store"]);
    command.current_dir(&here).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("phase"), "{first}");
    assert!(child.wait().unwrap().success());
    let verified = run(&here, &["verify", "store"], Stdio::null(), Stdio::piped());
    assert!(verified.status.success(), "{}", said(&verified));
    std::fs::remove_dir_all(&here).unwrap();
}

/// The result cannot be shown, but it is there.
#[test]
fn a_result_that_could_not_be_printed_was_lost() {
    let here = fresh("result");
    for (out, stdout, code) in [("closed", nobody(), 0), ("full", full(), 1)] {
        let solve = ["solve", "connect4", "4x4", "--csv", "table.csv", "--out", out];
        let solved = run(&here, &solve, stdout, Stdio::piped());
        assert_eq!(solved.status.code(), Some(code), "{}", said(&solved));
        assert!(std::fs::read_to_string(here.join("table.csv")).unwrap().lines().count() > 10);
        std::fs::remove_file(here.join("table.csv")).unwrap();
        let verified = run(&here, &["verify", out], Stdio::null(), Stdio::piped());
        assert!(verified.status.success(), "{}", said(&verified));
    }
    std::fs::remove_dir_all(&here).unwrap();
}

/// A verdict does not depend on who reads it.
#[test]
fn faults_were_forgiven_when_nobody_read_them() {
    let here = prepared("verdict");
    let values = std::fs::read_dir(here.join("store")).unwrap().map(|entry| entry.unwrap().path());
    let file = values.max_by_key(|path| path.metadata().unwrap().len()).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let usual = run(&here, &["verify", "store"], Stdio::null(), Stdio::piped());
    assert!(!usual.status.success());
    let unread = run(&here, &["verify", "store"], nobody(), Stdio::piped());
    assert_eq!(unread.status.code(), usual.status.code());
    std::fs::remove_dir_all(&here).unwrap();
}

/// `export | head -1` ends soon, and does not wait for an end that nobody reads.
#[test]
fn export_into_head_ends_quietly() {
    let here = fresh("head");
    let solved = run(&here, &["solve", "connect4", "4x4", "--out", "store"], Stdio::null(), Stdio::piped());
    assert!(solved.status.success(), "{}", said(&solved));
    for format in ["csv", "jsonl"] {
        let mut command = Command::new(WINSET);
        command.args(["export", "store", "--format", format]).current_dir(&here);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        assert!(first.contains("layer"), "{first}");
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), ""), "{format}");
    }
    std::fs::remove_dir_all(&here).unwrap();
}

/// Unlike in `stop.rs`, nobody ignores the signal for the program.
#[test]
fn a_file_limit_killed_the_solve() {
    let here = fresh("limit");
    let script = r#"ulimit -f 64; exec "$0" solve connect4 5x4 --threads 1 --out store"#;
    let mut command = Command::new("sh");
    let limited = command.args(["-c", script, WINSET]).current_dir(&here).output().unwrap();
    assert_eq!(limited.status.signal(), None, "{}", said(&limited));
    assert_eq!(limited.status.code(), Some(1), "{}", said(&limited));
    assert!(said(&limited).contains("writing failed"), "{}", said(&limited));
    let whole = run(&here, &["solve", "connect4", "5x4", "--out", "store"], Stdio::null(), Stdio::piped());
    assert!(whole.status.success(), "{}", said(&whole));
    std::fs::remove_dir_all(&here).unwrap();
}
