//! Everything that can be wrong, each with its code and place; and no text makes the reader panic.

use proptest::prelude::*;
use winset_smv::{Code, Limits, Severity, read};

/// The codes found, with the text that each points at.
fn errors(text: &str) -> Vec<(Code, String)> {
    let found = match read(text, &Limits::default()) {
        Ok(model) => model.warnings,
        Err(errors) => errors,
    };
    found.into_iter().map(|d| (d.code, text[d.span.start..d.span.end].to_owned())).collect()
}

fn one(text: &str, code: Code, place: &str) {
    assert_eq!(errors(text), [(code, place.to_owned())], "{text}");
}

fn body(text: &str, code: Code, place: &str) {
    one(&format!("MODULE main VAR x : 0..3; b : boolean; s : {{idle, busy}}; {text}"), code, place);
}

#[test]
fn types() {
    body("INIT x", Code::TypeError, "x");
    body("INIT s + 1 = 2", Code::TypeError, "s");
    body("INIT b < 2", Code::TypeError, "b");
    body("INIT x & b", Code::TypeError, "x");
    body("INIT b = idle", Code::TypeError, "b = idle");
    body("INIT {TRUE, FALSE}", Code::TypeError, "{TRUE, FALSE}");
    body("SPEC x = 7", Code::NeverEqual, "x = 7");
    body("DEFINE d := b[1]; INIT d", Code::TypeError, "b");
    body("INIT x.y", Code::TypeError, "x");
    body("ASSIGN x := b + 1;", Code::TypeError, "b");
}

#[test]
fn cycles() {
    body("DEFINE d := e; e := !d; INIT d", Code::CyclicDefinition, "e");
    let text = "MODULE main VAR a : boolean; c : boolean; ASSIGN a := !c; c := a;";
    assert!(errors(text).iter().all(|(code, _)| *code == Code::CyclicDefinition));
    let text = "MODULE main VAR a : boolean; c : boolean; ASSIGN next(a) := next(c); next(c) := next(a);";
    assert!(errors(text).iter().all(|(code, _)| *code == Code::CyclicDefinition) && !errors(text).is_empty());
    one("MODULE main VAR m : n; MODULE n VAR k : n;", Code::CyclicInstance, "n");
}

#[test]
fn names() {
    body("INIT y = 1", Code::UnknownName, "y");
    body("INIT x-1 = 1", Code::UnknownName, "x-1");
    body("VAR x : boolean;", Code::Duplicate, "x");
    body("VAR m : missing;", Code::UnknownModule, "missing");
    body("SPEC AG z", Code::UnknownName, "z");
    one("MODULE main VAR m : n(1); MODULE n VAR a : boolean;", Code::Parameters, "n(1)");
    one("MODULE main(p) VAR a : boolean;", Code::Parameters, "p");
    one("MODULE other VAR a : boolean;", Code::MissingMain, "");
    one("MODULE main VAR a : {u, v, u};", Code::Duplicate, "u");
}

#[test]
fn assignments() {
    body("ASSIGN next(x) := 0; next(x) := 1;", Code::AssignedTwice, "x");
    body("ASSIGN init(x) := 0; x := 1;", Code::AssignedTwice, "x");
    body("ASSIGN x := 1; next(x) := 2;", Code::AssignedTwice, "x");
    body("ASSIGN next(x) := x + 1;", Code::ValueOutOfRange, "x + 1");
    body("ASSIGN next(s) := {idle, TRUE};", Code::ValueOutOfRange, "{idle, TRUE}");
    body("DEFINE d := 1; ASSIGN d := 2;", Code::NotAssignable, "d");
    body("IVAR i : boolean; ASSIGN next(i) := TRUE;", Code::NotAssignable, "i");
    body("ASSIGN next(x) := case b : 1; esac;", Code::CaseNotExhaustive, "case b : 1; esac");
    body("ASSIGN next(x) := 3 / x;", Code::DivisionByZero, "x");
    body("VAR a : array 0..1 of boolean; INIT a[2]", Code::IndexOutOfRange, "2");
    body("VAR a : array 0..1 of boolean; INIT a[x]", Code::IndexOutOfRange, "x");
    body("VAR a : 3..1;", Code::Bounds, "3..1");
    body("VAR a : 0..x;", Code::Bounds, "x");
    body("VAR a : 0..100000000;", Code::TooLarge, "0..100000000");
}

#[test]
fn what_is_known_to_be_impossible_is_no_error() {
    let body = |text: &str| format!("MODULE main VAR x : 0..3; b : boolean; {text}");
    let fine = [
        // A branch that is not taken, a conjunct beside one that is false: there the divisor may be zero.
        "DEFINE half := x > 0 ? 3 / x : 0; INIT half = 1",
        "INIT x > 0 & 3 / x = 1",
        "INIT 3 / x = 1 & x > 0",
        "INIT x = 0 | 3 / x = 1",
        "INIT x > 0 -> 3 / x = 1",
        "VAR a : array 0..2 of boolean; INIT x < 3 & a[x]",
        "VAR a : array 0..2 of boolean; m : n(0, a); MODULE n(i, a) INIT case i > 0 : a[i - 1]; TRUE : a[i]; esac",
        // What nobody uses is not evaluated.
        "DEFINE half := 3 / x;",
    ];
    for text in fine {
        assert_eq!(errors(&body(text)), [], "{text}");
    }
    for text in [
        "INIT 3 / x = 1 & 2 / x = 1",
        "INIT 3 / x = 1 | x > 1",
        "INIT 3 / x = 1 -> x > 1",
        "DEFINE h := 3 / x; INIT h = 1",
    ] {
        assert_eq!(errors(&body(text)).first().map(|(code, _)| *code), Some(Code::DivisionByZero), "{text}");
    }
    let text =
        "MODULE main VAR x : 0..3; b : boolean; ASSIGN next(x) := case b : 0; x = 3 : 0; TRUE : x + 1; esac;";
    assert_eq!(errors(text), []);
}

#[test]
fn places_of_next_inputs_and_temporal_operators() {
    body("INIT next(b)", Code::MisplacedNext, "next(b)");
    body("TRANS next(next(b))", Code::MisplacedNext, "next(b)");
    body("DEFINE d := next(b); INIT d", Code::MisplacedNext, "d");
    body("IVAR i : boolean; INIT i", Code::MisplacedInput, "i");
    body("IVAR i : boolean; SPEC AG i", Code::MisplacedInput, "i");
    body("INIT AG b", Code::MisplacedTemporal, "AG b");
    body("SPEC (AG b) + 1 = 2", Code::MisplacedTemporal, "(AG b) + 1");
}

#[test]
fn formulas() {
    body("MUSPEC mu X. !X", Code::NotMonotone, "X");
    body("MUSPEC nu X. b & (EX X -> AX b)", Code::NotMonotone, "X");
    body("MUSPEC mu X. b | EX Y", Code::UnknownName, "Y");
}

#[test]
fn models_that_say_nothing() {
    body("INIT x = 1 INIT x = 2", Code::EmptyInitial, "x = 2");
    body("INIT b INVAR !b", Code::EmptyInitial, "!b");
    body("TRANS FALSE", Code::NoSuccessor, "FALSE");
    body("TRANS b & next(b) ASSIGN next(b) := FALSE;", Code::NoSuccessor, "b) := FALSE");
}

#[test]
fn what_is_outside_is_refused_by_name() {
    for (text, named) in [
        ("PSLSPEC always b", "`PSLSPEC`"),
        ("VAR r : real;", "`real`"),
        ("VAR i : integer;", "`integer`"),
        ("VAR c : clock;", "`clock`"),
        ("INIT floor(b)", "`floor`"),
        ("INIT READ(b, b)", "`READ`"),
        ("#include <other.smv>", "C preprocessor"),
        ("INIT 99999999999999999999 = 1", "`99999999999999999999`"),
    ] {
        let text = format!("MODULE main VAR b : boolean; {text}");
        let found = read(&text, &Limits::default()).unwrap_err();
        assert_eq!(found[0].code, Code::Unsupported, "{text}: {found:?}");
        assert!(found[0].message.contains(named), "{text}: {}", found[0].message);
    }
}

#[test]
fn several_mistakes_are_all_found() {
    let text = "MODULE main\nVAR x : 0..;\n y : boolean\n z : boolean;\nASSIGN next(x) = 1;\n init(y) := ;\nSPEC AG (";
    let found = read(text, &Limits::default()).unwrap_err();
    assert_eq!(found.len(), 5, "{found:#?}");
    assert!(found.iter().all(|d| d.code == Code::Syntax && d.severity == Severity::Error));
}

#[test]
fn depth_and_size_are_limited() {
    for text in ["(", "!", "next(", "case ", "{", "a[", "x ? ", "mu X. ", "EX ", "-", "x + ", "x.y."] {
        let text = format!("MODULE main VAR x : boolean; INIT {}", text.repeat(20_000));
        assert!(read(&text, &Limits::default()).is_err());
    }
    let doubling: String =
        (0..40).map(|i| format!("MODULE m{i} VAR a : m{}; b : m{};\n", i + 1, i + 1)).collect();
    let text = format!("MODULE main VAR a : m0;\n{doubling}MODULE m40 VAR x : boolean;");
    let found = read(&text, &Limits { variables: 10_000, ..Limits::default() }).unwrap_err();
    assert!(found.iter().any(|d| d.code == Code::TooLarge));
    let small = Limits { source_bytes: 10, ..Limits::default() };
    assert_eq!(read("MODULE main VAR", &small).unwrap_err()[0].code, Code::FileTooLarge);
}

fn limits() -> Limits {
    Limits { variables: 500, values: 256, expressions: 50_000, inputs: 64, ..Limits::default() }
}

fn answered(text: &str) -> Result<(), TestCaseError> {
    let found = match read(text, &limits()) {
        Ok(model) => model.warnings,
        Err(errors) => {
            prop_assert!(!errors.is_empty());
            errors
        }
    };
    for d in found {
        prop_assert!(d.span.start <= d.span.end && d.span.end <= text.len());
        prop_assert!(text.is_char_boundary(d.span.start) && text.is_char_boundary(d.span.end));
    }
    Ok(())
}

const MODELS: [&str; 6] = [
    include_str!("../models/counter.smv"),
    include_str!("../models/semaphore.smv"),
    include_str!("../models/mutex.smv"),
    include_str!("../models/river.smv"),
    include_str!("../models/tictactoe.smv"),
    include_str!("../models/request.smv"),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered(text in "\\PC{0,200}") {
        answered(&text)?;
    }

    #[test]
    fn any_words_are_answered(words in prop::collection::vec(prop::sample::select(vec![
        "MODULE", "main", "VAR", "x", ":", "boolean", ";", "0", "..", "3", "{", "}", "a", ",", "ASSIGN", "next", "(",
        ")", ":=", "case", "esac", "TRUE", "INIT", "TRANS", "SPEC", "AG", "E", "[", "U", "]", "mu", "X", ".", "!",
        "&", "array", "of", "IVAR", "DEFINE", "+", "mod", "in", "union", "=", "INVAR", "count", "-", "FAIRNESS",
    ]), 0..60)) {
        answered(&words.join(" "))?;
        answered(&format!("MODULE main VAR x : 0..3; a : boolean; {}", words.join(" ")))?;
    }

    #[test]
    fn mutated_models_are_answered(
        which in 0..MODELS.len(),
        cuts in prop::collection::vec((0..2_000usize, 0..12usize, prop::sample::select(vec![
            "", "next(", ")", ";", "x", "case ", "esac", "0", "99", "{", "}", "[", "]", " - ", "MODULE ", "self",
            "AG ", "E [", "mu X. ", "\u{e9}", "array 0..9 of ", "DEFINE ",
        ])), 1..6),
    ) {
        let mut text = MODELS[which].to_owned();
        for (at, length, insert) in cuts {
            let at = at.min(text.len());
            let end = (at + length).min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, insert);
            }
        }
        answered(&text)?;
    }
}
