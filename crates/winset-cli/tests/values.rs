//! What values mean, from the solver to the JSON: one vocabulary, for one player, for two and for more.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A scratch directory of its own, removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("winset-values-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn path(&self, name: &str) -> String {
        Path::new(&self.0).join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn winset(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_winset")).args(args).output().expect("winset runs")
}

fn text(args: &[&str]) -> String {
    let output = winset(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&text(args)).expect("one JSON object")
}

/// One player walks up and down a street with ends at both sides; each end has a reward.
fn street(left: u8, right: u8) -> String {
    format!(
        "(role walker) (init (at 2))
         (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
         (<= (legal walker up) (true (at ?x)) (succ ?x ?y))
         (<= (legal walker down) (true (at ?x)) (succ ?y ?x))
         (<= (next (at ?y)) (does walker up) (true (at ?x)) (succ ?x ?y))
         (<= (next (at ?y)) (does walker down) (true (at ?x)) (succ ?y ?x))
         (<= terminal (true (at 0))) (<= terminal (true (at 4)))
         (<= (goal walker {left}) (true (at 0)))
         (<= (goal walker {right}) (true (at 4)))
         (<= (goal walker 0) (true (at ?x)) (succ ?x ?y) (succ ?z ?x))"
    )
}

/// One player takes one or two of four matches; who is left with one gets 30, with none 70.
const MATCHES: &str = "(role taker) (init (heap 4))
    (less 4 3 1) (less 3 2 1) (less 2 1 1) (less 1 0 1) (less 4 2 2) (less 3 1 2) (less 2 0 2)
    (<= (legal taker (take ?n)) (true (heap ?h)) (less ?h ?rest ?n))
    (<= (next (heap ?rest)) (does taker (take ?n)) (true (heap ?h)) (less ?h ?rest ?n))
    (<= terminal (true (heap 1))) (<= terminal (true (heap 0)))
    (<= (goal taker 30) (true (heap 1)))
    (<= (goal taker 70) (true (heap 0)))
    (<= (goal taker 0) (true (heap ?h)) (less ?h ?rest 2))";

#[test]
fn a_store_of_a_one_player_game_has_no_faults() {
    let scratch = Scratch::new("alone");
    let games = [
        ("matches", MATCHES.to_owned(), 70),
        ("thirty", street(30, 30), 30),
        ("sixty", street(30, 60), 60),
        ("nothing", street(0, 0), 0),
        ("all", street(0, 100), 100),
    ];
    for (name, rules, reward) in games {
        let file = scratch.file(&format!("{name}.kif"), &rules);
        for distance in [&["--distance"][..], &[]] {
            let out = scratch.path(&format!("{name}{}", distance.len()));
            let solved = json(&[&["solve", &file, "--json", "--out", &out], distance].concat());
            assert_eq!(solved["rewards"], serde_json::json!([reward]), "{name}");
            let verdict = json(&["verify", &out, "--json"]);
            assert_eq!(verdict["faults"], 0, "{name}: {verdict}");
            assert_eq!(verdict["checked"], verdict["of"], "{name}: {verdict}");
            let answer = json(&["query", &out, "--json"]);
            assert_eq!(answer["rewards"], serde_json::json!([reward]), "{name}");
            text(&["stats", &out]);
            let export = text(&["export", &out]);
            assert!(
                export.starts_with("layer,measure,position,player,value,reward_0,remoteness\n"),
                "{export}"
            );
        }
        let bdd = json(&["solve", &file, "--json", "--engine", "bdd"]);
        assert_eq!(bdd["rewards"], serde_json::json!([reward]), "{name}: circles of one player, by diagrams");
    }
}

/// Three players take one or two of seven in turn. Who takes the last one gets most, who would be next the half of it.
const THREE: &str = include_str!("../../gdl/tests/corpus/three.kif");

#[test]
fn three_players_have_three_rewards_everywhere() {
    let scratch = Scratch::new("three");
    let (file, out) = (scratch.file("three.kif", THREE), scratch.path("out"));
    let solved = json(&["solve", &file, "--json", "--engine", "layers", "--out", &out, "--distance"]);
    let value = serde_json::json!([0, 100, 50]);
    assert_eq!(
        [&solved["rewards"], &solved["value"], &solved["opponent"]],
        [&value, &"loss".into(), &"own".into()]
    );
    let bdd = json(&["solve", &file, "--json", "--engine", "bdd"]);
    assert_eq!([&bdd["rewards"], &bdd["positions"]], [&value, &solved["positions"]]);
    let said = text(&["solve", &file]);
    assert!(said.contains("three: b wins 0:100:50"), "{said}");
    assert!(
        said.contains("each player wants as much as possible; then as little as possible for the best"),
        "{said}"
    );
    let verdict = json(&["verify", &out, "--json"]);
    assert_eq!((&verdict["faults"], &verdict["checked"]), (&0.into(), &verdict["of"]), "{verdict}");
    let answer = json(&["query", &out, "--json"]);
    assert_eq!([&answer["rewards"], &answer["positionValue"]], [&value, &"loss".into()]);
    assert_eq!(answer["moves"][0]["rewards"], value);
    assert!(text(&["query", &out]).contains("A gets 0, B gets 100, C gets 50"));
    assert!(text(&["stats", &out]).contains("0 : 100 : 50"));
    let export = text(&["export", &out]);
    assert!(
        export.starts_with("layer,measure,position,player,value,reward_0,reward_1,reward_2,remoteness\n")
    );
    let none = winset(&["play", &out, "--side", "fourth", "--plain"]);
    assert_eq!(none.status.code(), Some(2), "{none:?}");
    let third = winset(&["play", &out, "--side", "third", "--plain"]);
    assert!(third.status.success());
    assert!(String::from_utf8_lossy(&third.stdout).contains("C to move"), "{third:?}");
}

/// What each of three players who can go round for ever gets is not one value.
#[test]
fn three_players_in_a_circle_are_refused_with_the_reason() {
    let rules = "(role a) (role b) (role c) (turn a b) (turn b c) (turn c a) (init (control a)) (init open)
        (<= (legal ?p pass) (true (control ?p))) (<= (legal ?p stop) (true (control ?p)))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= (next (control ?q)) (true (control ?p)) (turn ?p ?q))
        (<= stopped (does ?p stop)) (<= (next open) (not stopped)) (<= terminal (not (true open)))
        (<= (goal ?p 40) (true (control ?p)))
        (<= (goal ?q 100) (true (control ?p)) (turn ?p ?q)) (<= (goal ?q 0) (true (control ?p)) (turn ?q ?p))";
    let scratch = Scratch::new("round");
    let file = scratch.file("round.kif", rules);
    for (engine, reason) in [("layers", "players can want the same"), ("bdd", "circles are not solved")] {
        let refused = winset(&["solve", &file, "--engine", engine]);
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains(reason), "{refused:?}");
    }
    assert_eq!(winset(&["solve", &file]).status.code(), Some(1));
}
