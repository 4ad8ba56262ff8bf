//! Files of rules: read once, whatever they come through.

use crate::{Fresh, json, refuses, stderr, winset, winset_reading};

fn nim() -> String {
    winset_gdl::game("nim").unwrap().replace("(heap c 15)", "(heap c 2)").replace("(heap d 25)", "(heap d 1)")
}

/// What was compiled is what is stored: a pipe can be read once only.
#[test]
fn a_store_of_rules_from_a_pipe_can_be_opened() {
    let directory = Fresh::new("pipe");
    let rules = nim();
    let from_file = json(&winset(&["solve", &directory.write("nim.kif", &rules), "--json"]));
    for (number, path) in ["-", "/dev/stdin"].into_iter().enumerate() {
        let store = directory.path(&number.to_string());
        let args = ["solve", path, "--out", &store, "--json"];
        let solved = json(&winset_reading(&args, rules.as_bytes()));
        assert_eq!(solved["positions"], from_file["positions"]);
        assert_eq!(solved["game"], "stdin");
        let verified = winset(&["verify", &store]);
        assert!(verified.status.success(), "{}", stderr(&verified));
        let manifest = std::fs::read_to_string(directory.0.join(number.to_string()).join("manifest.json"));
        let manifest: serde_json::Value = serde_json::from_str(&manifest.unwrap()).unwrap();
        assert_eq!(manifest["game"]["source"]["text"], rules.as_str());
    }
}

#[test]
fn every_command_reads_rules_from_standard_input() {
    let rules = nim();
    for args in [
        &["count", "-"][..],
        &["ground", "-"],
        &["emit-smv", "-"],
        &["order", "-", "--seconds", "0.1"],
        &["check", "-", "--formula", "EF terminal"],
    ] {
        let output = winset_reading(args, rules.as_bytes());
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        assert!(!output.stdout.is_empty(), "{args:?}");
    }
    let model = b"-- a comment\nMODULE main VAR x : boolean; SPEC AG (x | !x)";
    let checked = json(&winset_reading(&["check", "-", "--json"], model));
    assert_eq!(checked["specifications"][0]["holds"], true);
    let refused = winset_reading(&["solve", "-"], b"(role");
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("standard input is refused"), "{}", stderr(&refused));
}

/// A strategy needs the game for its record and its states: it too is read once.
#[test]
fn a_strategy_of_a_game_from_a_pipe_can_be_opened() {
    let directory = Fresh::new("strategy");
    let file = directory.path("strategy.tsv");
    let formula = "mu X. terminal & reward:first:100 | !terminal & (turn:first & EX X | turn:second & AX X)";
    let output = winset_reading(&["check", "-", "--formula", formula, "--strategy", &file], nim().as_bytes());
    assert!(output.status.success(), "{}", stderr(&output));
    let asked = winset(&["query", &file]);
    assert!(asked.status.success(), "{}", stderr(&asked));
}

/// Bytes that are not UTF-8 are kept out of names, where different ones would become the same; in comments
/// they do no harm, and the store still compiles to the same rules.
#[test]
fn a_file_that_is_not_utf8_is_stored_so_that_it_compiles_again() {
    let directory = Fresh::new("latin1");
    let mut rules = b"; Citt\xe0ceot, \xff\n".to_vec();
    rules.extend(nim().bytes());
    let (file, store) = (directory.write("latin1.kif", &rules), directory.path("store"));
    assert!(winset(&["solve", &file, "--out", &store]).status.success());
    let verified = winset(&["verify", &store]);
    assert!(verified.status.success(), "{}", stderr(&verified));
    let mut rules = nim().into_bytes();
    rules.extend(b"\n(succ \xe0 \xe1)");
    let file = directory.write("name.kif", &rules);
    refuses(&["solve", &file], 2, "error[not-utf8]");
}

/// A device that never ends is not read to its end.
#[test]
fn an_endless_file_is_refused() {
    refuses(&["ground", "/dev/zero"], 2, "error[file-too-large]");
}
