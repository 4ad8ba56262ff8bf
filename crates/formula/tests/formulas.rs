//! Parser, monotonicity and translation; CTL operators against path arguments on random graphs.

use proptest::prelude::*;
use winset_formula::{Formula, FormulaError, Kripke, parse};
use winset_model::{ExprId, Exprs, Relation, System, VarId, Variable};

/// A system with one variable, one state per value, and the given edges; `p` and `q` hold as said.
fn graph(nodes: usize, edges: &[(usize, usize)], p: &[bool], q: &[bool]) -> System {
    let values = (0..nodes).map(|i| format!("s{i}")).collect();
    let variables = vec![Variable { name: "at".into(), values }];
    let mut exprs = Exprs::new();
    let var = VarId(0);
    let steps: Vec<ExprId> = edges
        .iter()
        .map(|&(a, b)| {
            let pair = [exprs.is(var, a as u16), exprs.next(var, b as u16)];
            exprs.and(pair)
        })
        .collect();
    let formula = exprs.or(steps);
    let mut sets = vec![];
    for (name, members) in [("p", p), ("q", q)] {
        let list: Vec<ExprId> = (0..nodes).filter(|&i| members[i]).map(|i| exprs.is(var, i as u16)).collect();
        sets.push((name.to_owned(), exprs.or(list)));
    }
    let relations = vec![Relation { name: "step".into(), formula, writes: vec![var], unless: vec![] }];
    let initial = exprs.is(var, 0);
    System { variables, exprs, initial, relations, stops: vec![], sets, hidden: vec![] }
}

fn holds(system: &System, text: &str) -> Vec<bool> {
    let mut system = system.clone();
    let formula = parse(text, &mut system).unwrap();
    let core = formula.core(&mut system.exprs).unwrap();
    Kripke::explore(&system, 1 << 12).unwrap().evaluate(&system, &core)
}

fn line() -> System {
    // 0 -> 1 -> 2 -> 1, 0 -> 3 (no successor); p in 0 1 2, q in 2.
    graph(4, &[(0, 1), (1, 2), (2, 1), (0, 3)], &[true, true, true, false], &[false, false, true, false])
}

#[test]
fn a_table_of_formulas() {
    for (text, expected) in [
        ("true", "1111"),
        ("AX false", "0001"),
        ("EX q", "0100"),
        ("AX q", "0101"),
        ("EF q", "1110"),
        ("AF q", "1111"),
        ("EG p", "1110"),
        ("AG p", "0110"),
        ("AG EF q", "0110"),
        ("E [ p U q ]", "1110"),
        ("A [ p U q ]", "0110"),
        ("!E[p U q]", "0001"),
        ("! A [p U q]", "1001"),
        ("mu X. q | EX X", "1110"),
        ("nu X. p & EX X", "1110"),
        ("nu X. mu Y. (q & EX X) | EX Y", "1110"),
        ("mu X. nu Y. (!q | EX X) & EX Y", "0000"),
        ("at = s1 | at != s0 & p <-> p", "0111"),
        ("p -> q -> p", "1111"),
        ("mu X. AX X", "0001"),
        ("!(nu X. EX X)", "0001"),
        ("p <-> EX true", "1111"),
    ] {
        let found: String = holds(&line(), text).iter().map(|&b| if b { '1' } else { '0' }).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn every_error_names_its_place() {
    for (text, start, end, message) in [
        ("p & ", 4, 4, "expected a formula, found the end"),
        ("p q", 2, 3, "expected an operator or the end, found \"q\""),
        ("p $ q", 2, 3, "'$' has no meaning in a formula"),
        ("EX (p", 5, 5, "expected ), found the end"),
        ("r | p", 0, 1, "nothing is called \"r\""),
        ("at = s9", 5, 7, "variable at has no value \"s9\""),
        ("mu X. !X", 7, 8, "X occurs below an odd number of negations, so its fixed point need not exist"),
        (
            "mu X. X -> p",
            6,
            7,
            "X occurs below an odd number of negations, so its fixed point need not exist",
        ),
        (
            "nu X. X <-> p",
            6,
            7,
            "X occurs below an odd number of negations, so its fixed point need not exist",
        ),
        ("E [p U q", 8, 8, "expected ], found the end"),
        ("E [p q]", 5, 6, "expected U, found \"q\""),
        ("mu . p", 3, 4, "expected the name of a variable, found `.`"),
        ("\"p", 0, 2, "expected a closing quote, found the end"),
    ] {
        let mut system = line();
        let error = parse(text, &mut system).and_then(|f| f.core(&mut system.exprs)).unwrap_err();
        assert_eq!((error.span().start, error.span().end), (start, end), "{text}");
        assert_eq!(error.to_string(), message, "{text}");
    }
}

#[test]
fn double_negation_is_monotone() {
    for text in ["mu X. !(!X & !p)", "mu X. !(X -> p) | !(nu Y. !(Y | !X) -> p)", "!(mu X. p | EX X)"] {
        let mut system = line();
        let result = parse(text, &mut system).unwrap().core(&mut system.exprs);
        assert!(!matches!(result, Err(FormulaError::NotMonotone { .. })), "{text}");
    }
}

#[test]
fn depth_is_limited_and_equivalences_do_not_explode() {
    let mut system = line();
    for (begin, end) in [
        ("!", ""),
        ("(", ""),
        ("(", ")"),
        ("EX ", ""),
        ("mu X. ", ""),
        ("p -> ", ""),
        ("E [ p U ", " ]"),
        ("A [ ", " U p ]"),
    ] {
        let deep = format!("{}p{}", begin.repeat(100_000), end.repeat(100_000));
        assert!(matches!(parse(&deep, &mut system), Err(FormulaError::TooDeep { .. })), "{begin}");
    }
    for operator in [" & ", " | ", " <-> "] {
        let long = vec!["EX p"; 50_000].join(operator);
        let core = parse(&long, &mut system).unwrap().core(&mut system.exprs).unwrap();
        assert!(core.nodes.len() < 1_000, "{operator}");
    }
}

#[test]
fn alternation_depth() {
    for (text, depth) in [
        ("p", 0),
        ("AG p", 1),
        ("AG EF p", 1),
        ("nu X. mu Y. (q & EX X) | EX Y", 2),
        ("nu X. (mu Y. q | EX Y) & EX X", 1),
        ("mu Z. nu X. mu Y. (q & EX X & EX Z) | EX Y", 3),
        ("mu X. mu Y. EX X | EX Y", 1),
    ] {
        let mut system = line();
        let core = parse(text, &mut system).unwrap().core(&mut system.exprs).unwrap();
        assert_eq!(core.alternation(), depth, "{text}");
    }
}

prop_compose! {
    fn graphs()(
        edges in prop::collection::vec((0..6usize, 0..6usize), 0..14),
        p in prop::collection::vec(any::<bool>(), 6),
        q in prop::collection::vec(any::<bool>(), 6),
    ) -> System {
        graph(6, &edges, &p, &q)
    }
}

proptest! {
    /// Laws that hold in every structure, deadlocks included.
    #[test]
    fn laws_of_the_calculus(system in graphs()) {
        for (a, b) in [
            ("AX p", "!EX !p"),
            ("AF p", "!EG !p"),
            ("AG p", "!EF !p"),
            ("EF p", "E [true U p]"),
            ("A [p U q]", "!(E [!q U (!p & !q)] | EG !q)"),
            ("nu X. p & AX X", "AG p"),
            ("!(nu X. mu Y. EX Y | (p & EX X))", "mu X. nu Y. AX Y & (p -> AX X)"),
            ("mu X. p & !q | EX X", "EF (p & !q)"),
        ] {
            prop_assert_eq!(holds(&system, a), holds(&system, b), "{} = {}", a, b);
        }
    }

    /// No text makes the parser panic or hang, and every error lies inside the text.
    #[test]
    fn any_text_is_answered(text in "[a-zA-Z0-9 ()!&|.<>=\\[\\]\"'-]{0,60}|\\PC{0,40}") {
        let mut system = line();
        if let Err(error) = parse(&text, &mut system).and_then(|f: Formula| f.core(&mut system.exprs)) {
            let span = error.span();
            prop_assert!(span.start <= span.end && span.end <= text.len());
            prop_assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
        }
    }

    /// Mutations of real formulas reach deeper than random text.
    #[test]
    fn mutated_formulas_are_answered(
        which in 0..4usize,
        cuts in prop::collection::vec((0..40usize, prop::sample::select(vec![
            "mu X.", "(", ")", "!", "X", "E[", "U", "]", "->", "<->", "p", "at", "=", "s1", ""
        ])), 1..5),
    ) {
        let texts = ["nu X. mu Y. (q & EX X) | EX Y", "A [p U q] -> AG EF q", "at = s1 & !(p | q)", "mu X. p | AX X"];
        let mut text = texts[which].to_owned();
        for (at, insert) in cuts {
            let at = at.min(text.len());
            text.replace_range(at..(at + 2).min(text.len()), insert);
        }
        let mut system = line();
        if let Err(error) = parse(&text, &mut system).and_then(|f: Formula| f.core(&mut system.exprs)) {
            prop_assert!(error.span().end <= text.len());
        }
    }
}
