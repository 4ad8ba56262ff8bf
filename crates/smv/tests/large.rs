//! Large files: what was quadratic would take minutes here, and what is too large is said to be.

use winset_smv::{Code, Limits, Model, read};

fn model(text: &str) -> Model {
    read(text, &Limits::default()).unwrap_or_else(|found| panic!("{}", found[0].message))
}

fn refused(text: &str) -> (Code, String) {
    let found = read(text, &Limits::default()).expect_err("it is too large");
    (found[0].code, found[0].message.clone())
}

fn list(n: usize, separator: &str, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(separator)
}

#[test]
fn enumerations_were_compared_pair_by_pair() {
    for value in ["v", "-", ""] {
        let values = list(65_000, ", ", |i| format!("{value}{}", i + 1));
        let text = format!(
            "MODULE main VAR x : {{{values}}}; y : {{{values}}};
             ASSIGN init(x) := {value}7; next(x) := y; init(y) := {{{values}}}; SPEC AG x = {value}9"
        );
        let model = model(&text);
        assert_eq!(model.system.variables[0].size(), 65_000);
        assert_eq!(model.specs.len(), 1);
    }
}

#[test]
fn an_enumeration_has_the_limit_of_a_range() {
    let values = list(70_000, ", ", |i| format!("v{i}"));
    let (code, message) = refused(&format!("MODULE main VAR x : {{{values}}}; SPEC TRUE"));
    assert_eq!((code, message.as_str()), (Code::TooLarge, "the enumeration has more than 65535 values"));
    let (code, message) = refused("MODULE main VAR x : 1..70000; SPEC TRUE");
    assert_eq!((code, message.as_str()), (Code::TooLarge, "the range 1..70000 has more than 65535 values"));
    let twice = model("MODULE main VAR x : {a, b, 1, a}; SPEC TRUE");
    assert_eq!((twice.system.variables[0].size(), twice.warnings[0].code), (3, Code::Duplicate));
}

/// With one value more than a number of 16 bits can count, the last condition held nowhere.
#[test]
fn as_many_values_as_can_be_numbered() {
    let (code, _) =
        refused("MODULE main VAR x : 0..65535; INIT x = 65535; TRANS next(x) = x; SPEC AG x = 65535");
    assert_eq!(code, Code::TooLarge);
    let model = model("MODULE main VAR x : 1..65535; INIT x = 65535; TRANS next(x) = x; SPEC AG x = 65535");
    assert_eq!(model.system.variables[0].size(), 65_535);
}

/// Each is small enough, and all together took gigabytes.
#[test]
fn arrays_multiplied_their_values() {
    for text in [
        "MODULE main VAR x : array 0..60000 of 0..60000; SPEC TRUE",
        "MODULE main VAR x : array 0..999 of array 0..99 of 0..999; SPEC TRUE",
        "MODULE m VAR x : 0..60000; MODULE main VAR a : array 0..9 of array 0..9 of 0..60000; SPEC TRUE",
    ] {
        let (code, message) = refused(text);
        assert_eq!(code, Code::TooLarge);
        assert!(message.contains("values together"), "{message}");
    }
}

#[test]
fn the_branches_of_a_case_took_space_by_their_square() {
    let branches = list(40_000, " ", |i| format!("x = {i} : {};", i + 1));
    let text = format!(
        "MODULE main VAR x : 0..60000; ASSIGN init(x) := 0; next(x) := case {branches} TRUE : 0; esac; SPEC AG x = 0"
    );
    assert_eq!(model(&text).system.variables[0].size(), 60_001);
    // The values do not change with the length of the list.
    let branches = list(300, " ", |i| format!("x = {i} : {};", (i * 7) % 400));
    let text = format!(
        "MODULE main VAR x : 0..399; ASSIGN init(x) := 0; next(x) := case {branches} TRUE : 1; esac; SPEC x = 0"
    );
    let model = model(&text);
    let relation = &model.system.relations[0];
    for (now, next) in (0..400u16).flat_map(|now| (0..400u16).step_by(3).map(move |next| (now, next))) {
        let expected = if now < 300 { (now * 7) % 400 } else { 1 };
        let holds = holds(&model.system.exprs, relation.formula, now, next);
        assert_eq!(holds, next == expected, "{now} to {next}");
    }
}

/// The value of a condition on one variable.
fn holds(exprs: &winset_model::Exprs, root: winset_model::ExprId, now: u16, later: u16) -> bool {
    use winset_model::Expr;
    let mut known = std::collections::HashMap::<winset_model::ExprId, bool>::new();
    for id in exprs.cone([root]) {
        let value = match exprs.get(id) {
            Expr::False | Expr::Fix(..) => false,
            Expr::True => true,
            Expr::Is(_, value) => *value == now,
            Expr::Next(_, value) => *value == later,
            Expr::Not(a) => !known[a],
            Expr::And(list) => list.iter().all(|a| known[a]),
            Expr::Or(list) => list.iter().any(|a| known[a]),
        };
        known.insert(id, value);
    }
    known[&root]
}

#[test]
fn modules_were_looked_for_one_by_one() {
    let modules = list(30_000, "\n", |i| format!("MODULE m{i} VAR x : boolean; DEFINE d := !x;"));
    let instances = list(30_000, " ", |i| format!("a{i} : m{i};"));
    let model = model(&format!("{modules}\nMODULE main VAR {instances} SPEC a7.d"));
    assert_eq!(model.system.variables.len(), 30_000);
}

#[test]
fn depth_is_refused_and_never_a_stack_overflow() {
    let deep = 200_000;
    for (begin, end) in
        [("(", ")"), ("!", ""), ("- ", ""), ("x -> ", ""), ("x ? x : ", ""), ("case TRUE : ", "; esac")]
    {
        let text = format!(
            "MODULE main VAR x : boolean; INIT {}x{}; SPEC TRUE",
            begin.repeat(deep),
            end.repeat(deep)
        );
        assert_eq!(refused(&text).0, Code::NestingTooDeep, "{begin}");
    }
    for (begin, end) in [("AG ", ""), ("mu Z. ", ""), ("E [ x U ", "]"), ("(", ")")] {
        let text = format!("MODULE main VAR x : boolean; SPEC {}x{}", begin.repeat(deep), end.repeat(deep));
        refused(&text);
    }
    for suffix in ["[0]", ".a", "[x]"] {
        refused(&format!("MODULE main VAR x : boolean; INIT x{}; SPEC TRUE", suffix.repeat(deep)));
    }
    refused(&format!("MODULE main VAR x : {} boolean; SPEC TRUE", "array 0..0 of ".repeat(deep)));
}
