//! Misspelt names in rules: the file is accepted, and what is suspicious about it is always said.

use crate::{Fresh, json, stderr, winset};

/// Nim with heaps of 2 and 1; the first line of each list is right, and takes the place of `RULE`.
const NIM: &str = "(role first) (role second) (init (control first)) (init (heap a 2)) (init (heap b 1))
(other first second) (other second first) (succ 0 1) (succ 1 2)
(<= (less ?x ?y) (succ ?x ?y))
(<= (less ?x ?y) (succ ?x ?z) (less ?z ?y))
(<= (legal ?p (leave ?h ?n)) (true (control ?p)) (true (heap ?h ?m)) (less ?n ?m))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (heap ?h ?n)) (does ?p (leave ?h ?n)))
(<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (touched ?h)))
(<= (next (last ?h)) (does ?p (leave ?h ?n)))
(<= (touched ?h) (does ?p (leave ?h ?n)))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= stones (true (heap ?h ?n)) (distinct ?n 0))
(<= terminal (not stones))
(<= (goal ?p 0) (true (control ?p)))
(<= (goal ?p 100) (role ?p) (true (last ?h)) (not (true (control ?p))))
";

/// One occurrence changed, the code that is reported, and a part of what is said.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    ("(not (touched ?h))", "(not (tuoched ?h))", "undefined-relation", "did you mean `touched`?"),
    ("(<= stones (true (heap ?h ?n))", "(<= stones (true (heap ?n))", "unknown-fact", "with 2 arguments?"),
    ("(next (last ?h))", "(next (lst ?h))", "unread-fact", "did you mean `last`?"),
    ("(touched ?h) (does ?p (leave", "(touched ?h) (does ?p (leav", "unknown-move", "did you mean `leave`?"),
    ("(init (heap b 1))", "(init (heep b 1))", "unread-fact", "did you mean `heap`?"),
    ("(true (last ?h)) (not", "(true (past ?h)) (not", "unknown-fact", "did you mean `last`?"),
    ("(other first second)", "(other frist second)", "lonely-name", "did you mean `first`?"),
    (
        "(<= (less ?x ?y) (succ ?x ?y))",
        "(<= (les ?x ?y) (succ ?x ?y))",
        "unused-relation",
        "did you mean `less`?",
    ),
    ("(distinct ?n 0)", "(distnct ?n 0)", "undefined-relation", "did you mean `distinct`?"),
    ("(<= (goal ?p 0)", "(<= (gaol ?p 0)", "unused-relation", "did you mean `goal`?"),
    ("(<= (touched ?h)", "(<+ (touched ?h)", "keyword-term", "`<=`"),
    (
        "(true (control ?p)) (other ?p ?q)",
        "(true (control ?p)) (succ ?p ?q)",
        "never-both",
        "are two arguments exchanged?",
    ),
    (
        "(<= (goal ?p 100) (role ?p)",
        "(<= (goal frist 100) (role ?p)",
        "unknown-role",
        "did you mean `first`?",
    ),
    ("(goal ?p 100)", "(goal ?p 099)", "goal-value", "read as 99"),
];

#[test]
fn a_misspelt_name_in_rules_is_a_warning_with_the_name_that_is_meant() {
    let directory = Fresh::new("warnings");
    let good = directory.write("good.kif", NIM);
    let solved = winset(&["solve", &good]);
    assert!(solved.status.success() && solved.stderr.is_empty(), "{}", stderr(&solved));
    assert_eq!(json(&winset(&["lint", &good, "--json"]))["warnings"], serde_json::json!([]));
    for (number, (right, wrong, code, part)) in MISTAKES.iter().enumerate() {
        assert_eq!(NIM.matches(right).count(), 1, "{right}");
        let file = directory.write(&format!("{number}.kif"), NIM.replace(right, wrong));
        let ground = winset(&["ground", &file]);
        let said = stderr(&ground);
        assert!(said.contains(&format!("[{code}]")) && said.contains(part), "{wrong}: {said}");
    }
}

/// The same warnings by every command that reads rules, beside a result that is not disturbed.
#[test]
fn warnings_about_accepted_rules_are_never_dropped() {
    let directory = Fresh::new("all-commands");
    let file = directory.write(
        "nim.kif",
        NIM.replace("(next (last ?h))", "(next (lst ?h)) ")
            .replace("(role ?p) (true (last ?h))", "(role ?p)"),
    );
    let warning = "warning[unread-fact]: no condition asks for the fact `lst` with 1 argument";
    for args in [
        &["solve", &file][..],
        &["solve", &file, "--engine", "bdd"],
        &["solve", &file, "--json"],
        &["count", &file],
        &["count", &file, "--json"],
        &["ground", &file],
        &["ground", &file, "--full"],
        &["ground", &file, "--json"],
        &["emit-smv", &file],
        &["order", &file, "--seconds", "0.1"],
        &["check", &file, "--formula", "EF terminal"],
        &["check", &file, "--formula", "EF terminal", "--json"],
    ] {
        let output = winset(args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(warning), "{args:?}: {}", stderr(&output));
        if args.contains(&"--json") {
            assert_eq!(json(&output)["warnings"][0]["code"], "unread-fact", "{args:?}");
        }
    }
    for args in [&["lint", &file][..], &["ground", "--check", &file]] {
        let output = winset(args);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && output.stderr.is_empty(), "{args:?}");
        assert!(shown.starts_with(warning) && shown.ends_with("1 warning\n"), "{args:?}: {shown}");
        let found = json(&winset(&[args, &["--json"]].concat()));
        assert_eq!(found["warnings"].as_array().map(Vec::len), Some(1));
    }
}

/// Eighteen switches, set in any order: more states than the compiler looks at, and the last one ends the game.
fn switches(count: usize, goals: &str) -> String {
    let mut text = String::from(
        "(role you) (role me) (init (control you)) (other you me) (other me you)
         (<= (legal ?p (set ?s)) (true (control ?p)) (true (off ?s)))
         (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
         (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
         (<= (next (off ?s)) (true (off ?s)) (not (sets ?s)))
         (<= (sets ?s) (does ?p (set ?s)))
         (<= some (true (off ?s)))
         (<= terminal (not some))
         (<= (goal me 0) (role me))
         ",
    );
    (0..count).for_each(|s| text.push_str(&format!("(init (off s{s})) ")));
    text + goals
}

#[test]
fn two_goal_values_at_once_are_told_with_the_state() {
    let directory = Fresh::new("two-goals");
    let both = "(<= (goal you 100) (not some)) (<= (goal you 30) (true (control ?p)))";
    let one = "(<= (goal you 100) (not some)) (<= (goal you 30) some)";
    for (count, goals, found) in [(3, one, false), (3, both, true), (18, one, false), (18, both, true)] {
        let file = directory.write("switches.kif", switches(count, goals));
        for engine in ["layers", "bdd"] {
            let output = winset(&["solve", &file, "--engine", engine]);
            let (said, what) = (stderr(&output), format!("{count} switches, {engine}"));
            assert_eq!(said.contains("several goal values"), found, "{what}: {said}");
            // Either the state is shown and the highest value counts, or the state is shown and nothing counts.
            assert_eq!(said.contains("(control "), found, "{what}: {said}");
            let told = said.contains("warning[goal-ambiguous]") && output.status.success();
            let refused = output.status.code() == Some(1) && output.stdout.is_empty();
            assert!(if found { told || refused } else { output.status.success() }, "{what}: {said}");
        }
    }
}
