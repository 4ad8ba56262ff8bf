//! What people and scripts expect of any tool.

use std::process::{Command, Output, Stdio};

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_winset")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn shells_can_complete_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]);
        let said = text(&script.stdout);
        assert!(script.status.success() && said.contains("estimate") && said.contains("winset"), "{shell}");
    }
    assert_eq!(run(&["completions", "cobol"]).status.code(), Some(2));
}

#[test]
fn every_command_has_a_manual_page() {
    let here = tempfile::tempdir().unwrap();
    let pages = here.path().join("man");
    assert!(run(&["man", pages.to_str().unwrap()]).status.success());
    for name in ["winset", "winset-solve", "winset-play", "winset-cache"] {
        let page = std::fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(".TH") && page.contains(".SH"), "{name}");
        // The program is called winset, not as the crate that it is made of.
        assert!(!page.contains("winset\\-cli") && !page.contains("winset-cli"), "{name}");
    }
    for args in [&["--version"][..], &["solve", "--version"]] {
        let said = text(&run(args).stdout);
        assert!(said.starts_with("winset") && !said.contains("cli"), "{said}");
    }
    let file = here.path().join("file");
    std::fs::write(&file, "mine").unwrap();
    assert_eq!(run(&["man", file.to_str().unwrap()]).status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
}

/// Every name that a command's `--json` gives is explained in the reference.
#[test]
fn every_name_in_json_is_in_the_reference() {
    fn names(value: &serde_json::Value, found: &mut std::collections::BTreeSet<String>) {
        match value {
            serde_json::Value::Object(all) => all.iter().for_each(|(name, value)| {
                found.insert(name.clone());
                // Options are named by the games.
                if name != "options" || !value.is_object() {
                    names(value, found);
                }
            }),
            serde_json::Value::Array(all) => all.iter().for_each(|value| names(value, found)),
            _ => {}
        }
    }
    let here = tempfile::tempdir().unwrap();
    let path = |name: &str| here.path().join(name).to_str().unwrap().to_owned();
    let (kept, rules) = (path("nim"), path("three.kif"));
    std::fs::write(&rules, include_str!("../../gdl/tests/corpus/three.kif")).unwrap();
    assert!(run(&["solve", "nim", "1x2", "--distance", "--out", &kept]).status.success());
    let reference = include_str!("../../../docs/reference.md");
    for args in [
        &["games"][..],
        &["games", "nim"],
        &["games", "sum-15"],
        &["solve", "nim", "1x2", "--distance"],
        &["solve", &rules],
        &["count", "nim", "1x2"],
        &["estimate", "nim", "1x2"],
        &["query", &kept, "--line"],
        &["stats", &kept],
        &["verify", &kept],
        &["verify", &kept, "--sample", "2"],
        &["ground", &rules],
        &["lint", &rules],
        &["order", "nim", "1x2"],
        &["cache", "list", "--cache", &here.path().join("cache").to_string_lossy()],
        &["cluster", "status", &kept],
    ] {
        let said = run(&[args, &["--json"]].concat());
        let value: serde_json::Value =
            serde_json::from_slice(&said.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {said:?}"));
        let mut found = std::collections::BTreeSet::new();
        names(&value, &mut found);
        for name in found {
            assert!(
                reference.contains(&format!("`{name}`")),
                "{args:?} gives {name:?}, which the reference has not"
            );
        }
    }
}

/// With `--json` standard output has the answer or nothing, and standard error says in one object what went wrong.
#[test]
fn errors_are_json_where_json_is_asked_for() {
    for (args, code, kind) in [
        (&["solve", "conect4", "--json"][..], 2, "wrong-use"),
        (&["solve", "--json", "--no-such-flag"], 2, "wrong-use"),
        (&["stats", "no/such/directory", "--json"], 1, "could-not-be-done"),
    ] {
        let failed = run(args);
        let said: serde_json::Value = serde_json::from_slice(&failed.stderr).unwrap();
        assert_eq!(
            (failed.status.code(), said["error"]["exit_code"].as_i64()),
            (Some(code), Some(code.into()))
        );
        assert_eq!(said["error"]["kind"], kind);
        assert!(
            failed.stdout.is_empty() && !said["error"]["message"].as_str().unwrap().is_empty(),
            "{args:?}"
        );
    }
    assert!(text(&run(&["solve", "conect4"]).stderr).starts_with("winset: there is no game"));
}

/// A false specification is an answer, and scripts see it by the exit code; the steps of a counterexample say what changed.
#[test]
fn a_false_specification_has_an_exit_code_of_its_own() {
    let check =
        |formula: &str, more: &[&str]| run(&[&["check", "tictactoe", "--formula", formula], more].concat());
    assert_eq!(check("EF terminal", &[]).status.code(), Some(0));
    let wrong = check("AG !terminal", &[]);
    assert_eq!(wrong.status.code(), Some(3));
    let shown = text(&wrong.stdout);
    assert!(shown.contains("a counterexample") && shown.contains(". became x"), "{shown}");
    let wrong = check("AG !terminal", &["--json"]);
    let answer: serde_json::Value = serde_json::from_slice(&wrong.stdout).unwrap();
    let (path, changes) = (&answer["specifications"][0]["path"], &answer["specifications"][0]["changes"]);
    assert_eq!(path.as_array().unwrap().len(), changes.as_array().unwrap().len() + 1);
    assert!(changes.as_array().unwrap().iter().all(|step| !step.as_array().unwrap().is_empty()));
    assert_eq!(check("nonsense here", &[]).status.code(), Some(2));
}

#[test]
fn a_small_game_is_counted_and_a_large_one_has_more() {
    let estimate = |args: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&run(&[&["estimate"], args, &["--json"]].concat()).stdout).unwrap()
    };
    let small = estimate(&["tictactoe"]);
    assert_eq!((&small["exact"], &small["positions"]), (&true.into(), &5478.into()));
    // There are 4,531,985,219,092.
    let large = estimate(&["connect4", "7x6"]);
    assert_eq!(large["exact"], false);
    assert!(large["positions"].as_u64().unwrap() < 4_531_985_219_092, "{large}");
    let (low, high) = (&large["expected"]["low"], &large["expected"]["high"]);
    assert!(low.as_f64().unwrap() < 4.6e12 && 4.5e12 < high.as_f64().unwrap(), "{large}");
    assert!(large["cost"]["seconds"].as_f64().unwrap() > 10.0, "{large}");
}

/// Variables that no specification depends on are left out, which is said; states are counted as of the whole model; with
/// `--whole` paths show everything. Verdicts and counts are the same.
#[test]
fn check_leaves_out_what_nothing_depends_on_and_says_so() {
    let here = tempfile::tempdir().unwrap();
    let file = here.path().join("cone.smv");
    let model = "MODULE main\nVAR a: boolean; idle: 0..7;\nASSIGN\n  init(a) := FALSE; next(a) := !a;\n  \
                 init(idle) := 0; next(idle) := {idle, (idle + 1) mod 8};\nCTLSPEC AG (a -> AX !a)\nCTLSPEC AG a\n";
    std::fs::write(&file, model).unwrap();
    let file = file.to_str().unwrap();
    let reduced = run(&["check", file]);
    let said = text(&reduced.stdout);
    assert!(said.contains("16 states") && said.contains("no specification depends on: idle"), "{said}");
    assert!(!said.contains("idle="), "{said}");
    let whole = run(&["check", file, "--whole"]);
    let said = text(&whole.stdout);
    assert!(said.contains("16 states") && said.contains("idle=0") && !said.contains("depends on"), "{said}");
    assert_eq!((reduced.status.code(), whole.status.code()), (Some(3), Some(3)));
    let facts = |args: &[&str]| {
        let json: serde_json::Value = serde_json::from_slice(&run(args).stdout).unwrap();
        let specifications = json["specifications"].as_array().unwrap().iter();
        let verdicts: Vec<_> =
            specifications.map(|one| (one["holds"].clone(), one["satisfying"].clone())).collect();
        (json["states"].clone(), json["left_out"].as_array().map_or(0, Vec::len), verdicts)
    };
    let (states, left_out, verdicts) = facts(&["check", file, "--json"]);
    assert_eq!((states, verdicts, left_out), {
        let (states, none, verdicts) = facts(&["check", file, "--json", "--whole"]);
        assert_eq!(none, 0);
        (states, verdicts, 1)
    });
}
