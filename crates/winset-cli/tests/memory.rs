//! `--memory` holds from the first byte that is read; what does not fit is an error that says what to do.
#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const WINSET: &str = env!("CARGO_BIN_EXE_winset");

fn folder(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("winset-memory-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// Runs a command; its output, and its largest resident set in MiB as far as it was seen.
fn run(arguments: &[&str]) -> (Output, u64) {
    let mut command = Command::new(WINSET);
    let mut child = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (status, mut most) = (format!("/proc/{}/status", child.id()), 0);
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
        most = most.max(kib.unwrap_or(0) / 1024);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    (child.wait_with_output().unwrap(), most)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_kibibyte_was_not_refused() {
    for command in [
        &["solve", "tictactoe"][..],
        &["count", "tictactoe"],
        &["solve", "nim"],
        &["check", "tictactoe", "--formula", "terminal"],
        &["emit-smv", "tictactoe"],
        &["order", "tictactoe"],
        &["ground", "none.kif"],
        &["verify", "none"],
        &["query", "none"],
        &["stats", "none"],
        &["play", "none"],
        &["export", "none"],
    ] {
        let (output, _) = run(&[command, &["--memory", "1K"]].concat());
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        assert!(said(&output).contains("1.0 KiB is too small: at least 16 MiB"), "{}", said(&output));
    }
}

/// Six variables over ten values in one body: a million instances.
fn explosive() -> String {
    let digits: String = (0..10).map(|i| format!("(d {i}) ")).collect();
    format!(
        "(role a) (role b) {digits} (init (at 0)) (<= (legal a go) (true (at 0))) (<= (legal b wait) (true (at 0)))
         (<= (far ?a ?b ?c ?d ?e ?f) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f))
         (<= (next (at 1)) (does a go) (far ?a ?b ?c ?d ?e ?f) (true (at 0)))
         (<= terminal (true (at 1))) (<= (goal a 100) (true (at 1))) (<= (goal b 0) (true (at 1)))"
    )
}

#[test]
fn grounding_took_what_it_liked() {
    let here = folder("ground");
    let file = here.join("explosive.kif");
    std::fs::write(&file, explosive()).unwrap();
    let path = file.to_str().unwrap();
    let (free, peak) = run(&["ground", path, "--memory", "1G"]);
    assert!(peak > 60, "the file is not large enough for this test: {peak} MiB, {}", said(&free));
    for command in ["ground", "solve", "count", "emit-smv", "check"] {
        for (budget, mib) in [("16M", 16), ("40M", 40)] {
            let mut arguments = vec![command, path, "--memory", budget];
            arguments.extend((command == "check").then_some(["--formula", "terminal"]).into_iter().flatten());
            let (output, peak) = run(&arguments);
            assert!(matches!(output.status.code(), Some(1 | 2)), "{}", said(&output));
            assert!(said(&output).contains("--memory"), "{}", said(&output));
            assert!(peak < mib, "{command}: {peak} MiB of {budget}");
        }
    }
    std::fs::remove_dir_all(&here).unwrap();
}

#[test]
fn reading_a_model_took_what_it_liked() {
    let here = folder("model");
    let values: Vec<String> = (0..60_000).map(|i| format!("value{i}")).collect();
    let text =
        format!("MODULE main VAR x : {{{}}}; ASSIGN next(x) := x; SPEC AG x = value1", values.join(", "));
    let file = here.join("large.smv");
    std::fs::write(&file, text).unwrap();
    let (output, peak) = run(&["check", file.to_str().unwrap(), "--memory", "16M"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        said(&output).contains("out of memory") && said(&output).contains("--memory"),
        "{}",
        said(&output)
    );
    assert!(peak < 16, "{peak} MiB");
    std::fs::remove_dir_all(&here).unwrap();
}

/// The budget is larger than what the system gives: a table that doubled was the end, by a signal.
#[test]
fn a_refused_table_aborted() {
    let here = folder("refused");
    let mut refused = 0;
    for kib in [40_000, 60_000, 100_000, 200_000] {
        let script = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
        let store = here.join(format!("store-{kib}"));
        let mut command = Command::new("sh");
        command.args(["-c", &script, WINSET, "solve", "connect4", "5x5", "--threads", "1", "--memory", "3G"]);
        let output = command.arg("--out").arg(&store).stdout(Stdio::null()).output().unwrap();
        match output.status.code() {
            Some(0) => {}
            Some(1) => {
                refused += 1;
                let text = said(&output);
                assert!(
                    text.contains("the system gives no more") && text.contains("smaller --memory"),
                    "{text}"
                );
                assert!(text.contains("the same command goes on"), "{text}");
            }
            other => panic!("{kib}: {other:?}, {}", said(&output)),
        }
    }
    assert!(refused > 0, "nothing was refused, so that nothing is tested");
    std::fs::remove_dir_all(&here).unwrap();
}

/// Whatever is done, and whichever engine does it: where the system gives no memory, or no threads because there is none for
/// their stacks, there is an answer or an error that says what helps. A panic has 101, an abort none.
#[test]
fn no_threads_were_a_panic() {
    let here = folder("threads");
    let store = here.join("store");
    let path = store.to_str().unwrap();
    let (made, _) = run(&["solve", "connect4", "4x4", "--out", path]);
    assert!(made.status.success(), "{}", said(&made));
    let commands: [&[&str]; 9] = [
        &["solve", "connect4", "4x4", "--engine", "bdd", "--threads", "2"],
        &["solve", "tictactoe", "--engine", "bdd", "--threads", "1"],
        &["solve", "connect4", "5x4", "--engine", "layers", "--threads", "2"],
        &["solve", "othello", "4x4"],
        &["solve", "nim"],
        &["check", "tictactoe", "--formula", "EF terminal", "--threads", "2"],
        &["order", "tictactoe"],
        &["verify", path],
        &["export", path],
    ];
    let mut refused = 0;
    // With less the system cannot even load the program.
    for kib in [40_000, 60_000, 140_000, 300_000] {
        for arguments in commands {
            let script = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
            let mut command = Command::new("sh");
            command.args(["-c", &script, WINSET]).args(arguments).args(["--memory", "3G"]);
            let output = command.stdout(Stdio::null()).output().unwrap();
            let text = said(&output);
            match output.status.code() {
                Some(0) => {}
                Some(1) => {
                    refused += 1;
                    let advice = ["smaller", "less memory", "fewer", "raise the limit"];
                    assert!(advice.iter().any(|a| text.contains(a)), "{arguments:?} at {kib}: {text}");
                }
                other => panic!("{arguments:?} at {kib}: {other:?}, {text}"),
            }
        }
    }
    assert!(refused > 5, "only {refused} were refused");
    std::fs::remove_dir_all(&here).unwrap();
}

/// Where one stack of a gibibyte finds room and two do not: the threads that were tried had not gone when the real ones came,
/// now and then, and that was a panic.
#[test]
fn threads_that_were_tried_stood_in_the_way() {
    let commands: [&[&str]; 2] = [
        &["check", "tictactoe", "--formula", "EF terminal", "--threads", "1"],
        &["solve", "tictactoe", "--engine", "bdd", "--threads", "1"],
    ];
    let mut done = 0;
    for kib in (1_200_000..2_600_000).step_by(200_000) {
        for arguments in commands {
            for _ in 0..6 {
                let script = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
                let mut command = Command::new("sh");
                command.args(["-c", &script, WINSET]).args(arguments).args(["--memory", "64M"]);
                let output = command.stdout(Stdio::null()).output().unwrap();
                let code = output.status.code();
                assert!(matches!(code, Some(0 | 1)), "{arguments:?} at {kib}: {code:?}, {}", said(&output));
                done += usize::from(code == Some(0));
            }
        }
    }
    assert!(done > 20, "only {done} had room");
}

/// Positions that do not fit one by one wait on disk, and where they cannot it is said what would do.
#[test]
fn positions_wait_on_disk() {
    let arguments =
        ["solve", "connect4", "5x4", "--engine", "explicit", "--threads", "1", "--symmetry", "off"];
    let (free, peak) = run(&[&arguments[..], &["--memory", "1G"]].concat());
    assert!(free.status.success() && peak > 60, "{peak} MiB is not enough for this test: {}", said(&free));
    let (output, peak) = run(&[&arguments[..], &["--memory", "56M"]].concat());
    assert!(output.status.success(), "{}", said(&output));
    assert!(peak < 56, "{peak} MiB");
    for (script, advice) in [
        ("TMPDIR=/nowhere exec \"$0\" \"$@\"", "set TMPDIR to a directory where files can be written"),
        ("trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"", "make room there"),
    ] {
        let mut command = Command::new("sh");
        command.args(["-c", script, WINSET]).args(arguments).args(["--memory", "56M"]);
        let output = command.stdout(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains(advice), "{}", said(&output));
    }
    let (output, _) = run(&[&arguments[..], &["--memory", "20M"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("of one tier") && said(&output).contains("--memory"), "{}", said(&output));
}

/// As many variables as a model may have took the square of them before anything was asked for.
#[test]
fn many_variables_were_refused_by_the_last_resort() {
    let here = folder("variables");
    let declared: Vec<String> = (0..20_000).map(|i| format!("x{i} : boolean;")).collect();
    let file = here.join("many.smv");
    std::fs::write(&file, format!("MODULE main VAR {} SPEC AG x0", declared.join(" "))).unwrap();
    let (output, peak) = run(&["check", file.to_str().unwrap(), "--memory", "128M"]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("the specification is false"), "{text}");
    assert!(peak < 128, "{peak} MiB");
    std::fs::remove_dir_all(&here).unwrap();
}
