//! What once went wrong and was seen by whoever used the program: each test is named after it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn winset(directory: &Path, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_winset"))
        .args(args)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Whoever refuses the arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn json(directory: &Path, args: &[&str], input: &str) -> serde_json::Value {
    let output = winset(directory, args, input);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// That it is wrong use, and what is said.
fn refused(directory: &Path, args: &[&str]) -> String {
    let output = winset(directory, args, "");
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

/// One player goes one step, and gets 30.
const THIRTY: &str = "(role alone) (init (at 0)) (succ 0 1)
    (<= (legal alone go) (true (at 0)))
    (<= (next (at ?y)) (does alone go) (true (at ?x)) (succ ?x ?y))
    (<= terminal (true (at 1)))
    (<= (goal alone 30) (true (at 1)))
    (<= (goal alone 0) (true (at 0)))";

#[test]
fn a_solved_game_of_one_player_with_goal_30_was_reported_faulty() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("thirty.kif"), THIRTY).unwrap();
    let solve = ["solve", "thirty.kif", "--out", "store", "--distance", "--json"];
    let solved = json(here.path(), &solve, "");
    assert_eq!(solved["rewards"], serde_json::json!([30]));
    let verdict = json(here.path(), &["verify", "store", "--json"], "");
    assert_eq!((&verdict["faults"], &verdict["checked"]), (&0.into(), &verdict["of"]), "{verdict}");
}

#[test]
fn checkers_without_distances_was_called_a_tie() {
    let here = tempfile::tempdir().unwrap();
    let without = json(here.path(), &["solve", "checkers", "4", "--json"], "");
    assert_eq!(without["value"], serde_json::Value::Null, "{without}");
    assert_eq!(without["rewards"], serde_json::json!([50, 50]));
    let with = json(here.path(), &["solve", "checkers", "4", "--distance", "--json"], "");
    assert_eq!(with["value"], "draw", "{with}");
    let said = String::from_utf8(winset(here.path(), &["solve", "checkers", "4"], "").stdout).unwrap();
    assert!(!said.contains("a tie") && said.contains("level"), "{said}");
}

#[test]
fn an_option_of_one_game_was_accepted_for_another() {
    let here = tempfile::tempdir().unwrap();
    let games = [&["connect4", "4x4"][..], &["tictactoe"], &["checkers", "4"], &["nim"]];
    for game in games {
        let said = refused(here.path(), &[&["solve"], game, &["--baseline", "m2"]].concat());
        assert!(said.contains("baseline"), "{said}");
        let listed = winset(here.path(), &["games", game[0]], "").stdout;
        assert!(!String::from_utf8(listed).unwrap().contains("--baseline"));
    }
    let listed = String::from_utf8(winset(here.path(), &["games", "breakthrough"], "").stdout).unwrap();
    assert!(listed.contains("--baseline"), "{listed}");
    let solve = ["solve", "breakthrough", "4x3", "--baseline", "m2", "--out", "store", "--json"];
    json(here.path(), &solve, "");
    // The manifest has the option, so that the same game is built again.
    assert_eq!(json(here.path(), &["verify", "store", "--json"], "")["faults"], 0);
}

#[test]
fn a_store_of_rules_from_standard_input_did_not_open() {
    let here = tempfile::tempdir().unwrap();
    json(here.path(), &["solve", "-", "--out", "store", "--json"], THIRTY);
    assert_eq!(json(here.path(), &["query", "store", "--json"], "")["rewards"], serde_json::json!([30]));
    assert_eq!(json(here.path(), &["verify", "store", "--json"], "")["faults"], 0);
}

#[test]
fn what_is_wrong_with_a_position_or_a_move_was_said_without_its_place() {
    let here = tempfile::tempdir().unwrap();
    json(here.path(), &["solve", "tictactoe", "--out", "store", "--json"], "");
    let said = refused(here.path(), &["query", "store", ".../.q./... x"]);
    assert!(said.contains("1 | .../.q./... x\n  |      ^\n  = help: possible: . x o"), "{said}");
    let said = refused(here.path(), &["query", "store", "--moves", "a1 a1"]);
    assert!(said.contains("1 | a1 a1\n  |    ^^\n  = help: legal: "), "{said}");
    let said = refused(here.path(), &["check", "tictactoe", "--formula", "true", "--formula", "nu X. !X"]);
    assert!(said.contains("error[not-monotone]") && said.contains("1 | nu X. !X\n  |        ^\n"), "{said}");
}

/// What a crate does that we have anyway is not written here once more, and who may use an instruction has asked.
#[test]
fn what_others_do_well_was_written_again() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut folders, mut proofs) = (vec![crates.to_owned()], vec![]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") && !path.ends_with("tests") {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for again in ["struct Lru", "struct Fraction", "struct Ratio", "struct Rational", "<svg"] {
                assert!(!text.contains(again), "{}: {again}", path.display());
            }
            if text.contains("(Bmi2(()))") {
                proofs.push(text.matches("(Bmi2(()))").count());
                assert_eq!(text.matches("fn detect() -> Option<Self>").count(), 1, "{}", path.display());
            }
        }
    }
    assert_eq!(proofs, [1, 1], "in the engine and in the unit of speed, each in `detect`");
}

/// What cannot fit was begun without a word; the warning came after most of a minute, or the memory ran out before it.
#[test]
fn what_cannot_fit_was_begun_without_a_word() {
    use std::io::{BufRead, BufReader};
    for (size, budget, lines_said) in [("8x8", "300M", 2), ("8x8", "80M", 2), ("6x6", "300M", 3)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_winset"));
        command.args(["solve", "connect4", size, "--memory", budget]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let said: Vec<String> = lines.map(Result::unwrap).take(lines_said).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(said[0].starts_with(&format!("winset: connect4 {size}: ")), "{said:?}");
        assert!(said[1].contains("warning") && said[1].contains("not likely to fit"), "{said:?}");
        if let Some(fits) = said.get(2) {
            assert!(fits.starts_with("winset: connect4 ") && fits.contains(" would: "), "{said:?}");
        }
    }
}
