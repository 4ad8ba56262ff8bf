//! The small games of `crates/gdl/tests/corpus` through the program, by both engines: as many positions and the value
//! that an independent interpreter found (a test of `gdl` compares them), or the refusal.

use std::path::Path;
use std::process::{Command, Output};

fn said<'a>(text: &'a str, what: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix("; ")?.strip_prefix(what)?.strip_prefix(": "))
}

fn winset(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_winset")).args(args).output().expect("winset runs")
}

#[test]
fn both_engines_solve_the_corpus_and_refuse_what_cannot_be_solved() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gdl/tests/corpus");
    let (mut solved, mut refused) = (0, 0);
    for file in std::fs::read_dir(directory).expect("the corpus is in the repository") {
        let path = file.expect("a file of the corpus").path();
        let text = std::fs::read_to_string(&path).expect("a file of the corpus");
        let path = path.to_str().expect("a path");
        for engine in ["layers", "bdd"] {
            let output = winset(&["solve", path, "--json", "--engine", engine]);
            let errors = String::from_utf8_lossy(&output.stderr);
            let by_this_one = said(&text, &format!("refused by {engine}"));
            if let Some(reason) = said(&text, "refused").or(by_this_one) {
                assert!(!output.status.success() && errors.contains(reason), "{path}: {errors}");
                refused += 1;
                continue;
            }
            assert!(output.status.success(), "{path} by {engine}: {errors}");
            let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
            let number =
                |what: &str| said(&text, what).and_then(|n| n.parse::<i64>().ok()).expect("a number");
            assert_eq!(result["positions"], number("states"), "{path} by {engine}");
            let rewards: Vec<i64> = serde_json::from_value(result["rewards"].clone()).expect("rewards");
            // Of more than two players every reward is given, of two the difference.
            let worth = match rewards[..] {
                [alone] => alone.to_string(),
                [first, second] => (first - second).to_string(),
                _ => rewards.iter().map(i64::to_string).collect::<Vec<_>>().join(":"),
            };
            assert_eq!(Some(worth.as_str()), said(&text, "worth"), "{path} by {engine}");
            solved += 1;
        }
    }
    assert!(solved >= 19 && refused >= 8, "{solved} solved, {refused} refused");
}
