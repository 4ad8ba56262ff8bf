//! Models, circuits and parity games as files.

use std::path::Path;
use std::process::{Command, Output};

fn winset(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_winset")).args(args).current_dir(folder).output().expect("winset runs")
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
    folder
}

const LIGHT: &str = "MODULE main VAR on : boolean; FAIRNESS on ASSIGN init(on) := FALSE;
    LTLSPEC G F on LTLSPEC F G on INVARSPEC !on COMPUTE MIN [!on, on] SPEC AF on";

#[test]
fn linear_time_invariants_and_distances_are_answered() {
    let folder = written(&[("light.smv", LIGHT), ("counter.smv", "MODULE main VAR n : 0..4;")]);
    let output = winset(folder.path(), &["check", "light.smv", "--json"]);
    assert_eq!(output.status.code(), Some(3));
    let found = json(&output);
    let list = found["specifications"].as_array().unwrap();
    let holds: Vec<bool> = list.iter().map(|spec| spec["holds"].as_bool().unwrap()).collect();
    assert_eq!(holds, [true, false, false, true, true]);
    let kinds: Vec<&str> = list.iter().map(|spec| spec["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["linear", "linear", "invariant", "distance", "branching"]);
    assert_eq!(list[3]["distance"], "1");
    // A path that makes `F G on` false goes round, and through both values.
    let back = list[1]["back_to"].as_u64().unwrap() as usize;
    let around = &list[1]["path"].as_array().unwrap()[back..];
    assert!(
        ["on=TRUE", "on=FALSE"].iter().all(|part| around.iter().any(|s| s.as_str().unwrap().contains(part)))
    );
    let text = winset(folder.path(), &["check", "light.smv", "--stats"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("the loop begins here") && text.contains("iterations, peak"), "{text}");
    let counted = winset(folder.path(), &["check", "counter.smv", "--json"]);
    assert!(counted.status.success());
    assert_eq!(json(&counted)["states"], 5);
}

#[test]
fn parity_games_are_solved_with_strategies() {
    let game = "parity 3;\nstart 0;\n0 1 0 1,2;\n1 2 1 0;\n2 3 1 2;\n3 0 1 2,0;\n";
    let folder = written(&[("game.pg", game), ("wrong.pg", "parity 1;\n0 1 2 0;\n")]);
    let output = winset(folder.path(), &["check", "game.pg", "--strategy", "game.sol", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found = json(&output);
    assert_eq!(found["won"], serde_json::json!([[0, 1], [2, 3]]));
    assert_eq!(found["start"], 0);
    let solution = std::fs::read_to_string(folder.path().join("game.sol")).unwrap();
    assert_eq!(solution, "paritysol 3;\n0 0 1;\n1 0;\n2 1 2;\n3 1 2;\n");
    let refused = winset(folder.path(), &["check", "wrong.pg"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("wrong.pg:2:5"));
}

#[test]
fn circuits_are_checked_and_controlled() {
    // A latch that becomes what the environment and the controller differ in; it must stay 0.
    let safe = "aag 6 2 1 1 3\n2\n4\n6 13\n6\n8 2 5\n10 3 4\n12 9 11\ni0 seen\ni1 controllable_answer\n";
    let alone = safe.replace("controllable_answer", "other");
    let folder = written(&[("safe.aag", safe), ("alone.aag", &alone)]);
    let output = winset(folder.path(), &["solve", "safe.aag", "--controller", "controlled.aag", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(json(&output)["realizable"], true);
    let output = winset(folder.path(), &["check", "controlled.aag", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(json(&output)["specifications"][0]["holds"], true);
    let output = winset(folder.path(), &["check", "safe.aag", "--json"]);
    assert_eq!(
        (output.status.code(), &json(&output)["specifications"][0]["holds"]),
        (Some(3), &false.into())
    );
    winset(folder.path(), &["check", "safe.aag", "--witness", "path.txt"]);
    let witness = std::fs::read_to_string(folder.path().join("path.txt")).unwrap();
    let lines: Vec<&str> = witness.lines().collect();
    assert_eq!((lines[..3].to_vec(), lines.len()), (vec!["1", "b0", "0"], 6));
    assert!(["10", "01"].contains(&lines[3]), "{witness}");
    let output = winset(folder.path(), &["solve", "alone.aag", "--json"]);
    assert_eq!((output.status.code(), &json(&output)["realizable"]), (Some(3), &false.into()));
    assert_eq!(winset(folder.path(), &["solve", "nim", "--controller", "x.aag"]).status.code(), Some(2));
}
