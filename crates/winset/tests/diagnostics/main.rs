//! What people are told about a text that is wrong, whoever reads it: what is wrong, where, and what would be right.
//! `shown.txt` has every message as it is shown; `WINSET_BLESS=1` writes it anew.

use std::fmt::Write;
use winset::diagnostic::{Cause, Diagnostic, render};
use winset::{Catalogue, CatalogueError, RulesText};
use winset_model::Game;

const SHOWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/diagnostics/shown.txt");

/// A game with everything that a game needs; a piece of it is replaced to make it wrong.
const HEAP: &str = "(role a) (role b)
(init (heap 2)) (init (control a))
(less 2 1) (less 1 0)
(<= (legal ?p take) (true (control ?p)) (true (heap ?n)) (less ?n ?m))
(<= (legal ?p wait) (role ?p) (not (true (control ?p))))
(<= (next (heap ?m)) (true (heap ?n)) (less ?n ?m))
(<= (next (control a)) (true (control b)))
(<= (next (control b)) (true (control a)))
(<= terminal (true (heap 0)))
(<= (goal ?p 100) (role ?p) (not (true (control ?p))))
(<= (goal ?p 0) (true (control ?p)))
";

/// What is replaced by what.
const GDL: &[(&str, &str)] = &[
    ("(init (heap 2))", "(init (heap 2)"),
    ("(less 1 0)", "(less 1 0))"),
    ("(role a) (role b)", "legal(a) :- b"),
    ("(role a) (role b)", ""),
    ("(role a) (role b)", "(role a) (role b) (role c)"),
    ("(init (heap 2)) (init (control a))", ""),
    ("(less 2 1) (less 1 0)", "(less 2 1) (less 1 0 0)"),
    ("(true (heap ?n)) (less ?n ?m))\n(<= (legal", "(true (heap ?n)) (les ?n ?m))\n(<= (legal"),
    ("(<= terminal (true (heap 0)))", "(<= terminal (true (heaps 0)))"),
    ("(<= terminal (true (heap 0)))", "(<= terminal (true (heap 7)))"),
    ("(<= terminal (true (heap 0)))", "(<= terminal (not (true (heap ?n))))"),
    ("(<= (goal ?p 100)", "(<= (goal ?p 101)"),
    ("(<= (legal ?p wait)", "(<= (does ?p wait)"),
    ("(<= (next (heap ?m))", "(<= (next (heap ?q))"),
    ("(<= terminal (true (heap 0)))", "(<= terminal (not odd)) (<= odd (not terminal))"),
];

const SMV: &[&str] = &[
    "MODULE other VAR a : boolean;",
    "MODULE main VAR a : boolean",
    "MODULE main VAR a : boolean; a : 0..3;",
    "MODULE main VAR a : 3..0;",
    "MODULE main VAR a : real;",
    "MODULE main VAR count : 0..3; INIT cuont = 1;",
    "MODULE main VAR a : 0..3; INIT a;",
    "MODULE main VAR a : 0..3; INIT a & TRUE;",
    "MODULE main VAR a : 0..3; ASSIGN next(a) := a + 1;",
    "MODULE main VAR a : 0..3; ASSIGN next(a) := 3 / a;",
    "MODULE main VAR a : 0..3; ASSIGN next(a) := case a = 0 : 1; esac;",
    "MODULE main VAR a : 0..3; SPEC AG a = 7",
    "MODULE main VAR a : boolean; DEFINE d := e; e := d; INIT d;",
    "MODULE main VAR a : boolean; PSLSPEC always a",
    "MODULE main VAR a : boolean; MUSPEC mu X. !X",
    "MODULE main VAR a : boolean; INIT a @ a;",
];

/// About tic-tac-toe.
const FORMULAS: &[&str] = &[
    "",
    "EF",
    "EF terminl",
    "EF (terminal",
    "EF terminal)",
    "EF \"terminal",
    "terminal $ terminal",
    "a1 = q",
    "b7 = x",
    "E [ terminal terminal ]",
    "mu . terminal",
    "nu X. !X",
];

/// Of tic-tac-toe.
const POSITIONS: &[&str] = &[
    "",
    "...",
    ".../... x",
    "..../.../... x",
    ".../.q./... x",
    ".../.../...",
    ".../.../... z",
    ".../.../... x x",
    "  .../\u{1b}[J/... x",
];

/// Of a heap in GDL.
const FACTS: &[&str] =
    &["(heap 9) (control a)", "(heap 1)", "(heap 1) (heap 2) (control a)", "(heap 1 (control a)"];

/// Of tic-tac-toe.
const MOVES: &[&str] = &["a1 a1", "a1, b4", "a1 22", "a1 b1 a2 b2 a3 b3", "\u{202e}"];

fn check<C: Cause>(name: &str, text: &str, wrong: &Diagnostic<C>) -> String {
    let within = wrong.span.start <= wrong.span.end && wrong.span.end <= text.len();
    assert!(within && text.is_char_boundary(wrong.span.start), "{text:?}: {:?}", wrong.span);
    render(name, text.as_bytes(), wrong)
}

fn refused(text: &str, read: Result<(), CatalogueError>) -> String {
    match read {
        Err(CatalogueError::Refused(refusal)) => {
            let all = refusal.diagnostics.iter().map(|wrong| check(&refusal.name, text, wrong));
            all.collect::<Vec<_>>().join("")
        }
        other => panic!("{text}: {other:?}"),
    }
}

fn game(name: &str) -> Game {
    Catalogue::default().find(name, None, &Default::default()).unwrap().game
}

#[test]
fn every_front_end_says_what_is_wrong_where_and_what_would_be_right() {
    let mut shown = String::new();
    let mut add = |what: &str, message: String| writeln!(shown, "## {what}\n{message}").unwrap();
    for (right, wrong) in GDL {
        assert_eq!(HEAP.matches(right).count(), 1, "{right}");
        let text = HEAP.replace(right, wrong);
        let read = RulesText::of("heap.kif".to_owned(), text.clone()).ground(&Default::default());
        let message = match read {
            Ok((_, suspicions)) => suspicions.into_iter().map(|s| s.shown).collect(),
            Err(error) => refused(&text, Err(error)),
        };
        assert!(!message.is_empty(), "nothing is said of {wrong}");
        add(&format!("gdl: {wrong:?} for {right:?}"), message);
    }
    for text in SMV {
        let read = RulesText::of("model.smv".to_owned(), (*text).to_owned()).model();
        let message = match read {
            Ok((_, suspicions)) => suspicions.into_iter().map(|s| s.shown).collect(),
            Err(error) => refused(text, Err(error)),
        };
        assert!(!message.is_empty(), "nothing is said of {text}");
        add("smv", message);
    }
    let game_of_facts = Catalogue::default().text(&RulesText::of("heap.kif".to_owned(), HEAP.to_owned()));
    let (board, facts) = (game("tictactoe"), game_of_facts.unwrap().game);
    for text in FORMULAS {
        let mut system = board.system();
        let read = winset_formula::parse(text, &mut system).and_then(|f| f.core(&mut system.exprs));
        add("formula", check("--formula", text, &read.unwrap_err().diagnostic()));
    }
    for text in POSITIONS {
        add("position", check("position", text, &board.parse(text).unwrap_err()));
    }
    for text in FACTS {
        add("position", check("position", text, &facts.parse(text).unwrap_err()));
    }
    for text in MOVES {
        add("moves", check("--moves", text, &board.play(board.initial(), text).unwrap_err()));
    }
    if std::env::var_os("WINSET_BLESS").is_some() {
        std::fs::write(SHOWN, &shown).unwrap();
    }
    let expected = std::fs::read_to_string(SHOWN).unwrap();
    for (found, expected) in shown.split("## ").zip(expected.split("## ")) {
        assert_eq!(found, expected);
    }
    assert_eq!(shown.len(), expected.len());
}
