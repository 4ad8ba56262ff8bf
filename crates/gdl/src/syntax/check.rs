//! The validity rules of the specification that can be told from the text alone.

use crate::diagnostic::{Code, Diagnostic, Findings, Span};
use crate::ground::components::components;
use crate::syntax::lint::lint;
use crate::syntax::nnf::{Nnf, NnfRule, bind};
use crate::syntax::symbols::{Symbol, Symbols, keyword};
use crate::syntax::tree::{Atom, Term};
use rustc_hash::{FxHashMap, FxHashSet};

type Key = (Symbol, usize);

fn key(atom: &Atom) -> Key {
    (atom.name, atom.args.len())
}

/// Checks all rules; with `lenient`, unsafe rules with an evident meaning are repaired and only warned of.
pub(crate) fn check(rules: &mut [NnfRule], symbols: &Symbols, lenient: bool, findings: &mut Findings) {
    missing_keywords(rules, findings);
    hidden_information(rules, symbols, findings);
    for rule in rules.iter_mut() {
        safety(rule, symbols, lenient, findings);
        goal_value(rule, symbols, findings);
        keywords_in_body(rule, symbols, findings);
    }
    arities(rules, symbols, findings);
    recursion(rules, symbols, findings);
    lint(rules, symbols, findings);
}

fn missing_keywords(rules: &[NnfRule], findings: &mut Findings) {
    let has = |name: Symbol| rules.iter().any(|r| r.head.name == name);
    let end = rules.last().map_or(Span::default(), |r| Span::new(r.span.end, r.span.end));
    let mut missing = |name, code, error: bool, message: &str, help: &str| {
        if !has(name) {
            let diagnostic = if error {
                Diagnostic::error(code, end, message)
            } else {
                Diagnostic::warning(code, end, message)
            };
            findings.push(diagnostic.help(help));
        }
    };
    missing(keyword::ROLE, Code::MissingRole, true, "no `role` is given", "add (role NAME) for each player");
    missing(
        keyword::INIT,
        Code::MissingInit,
        false,
        "no `init` is given: nothing holds at the start",
        "add (init FACT)",
    );
    missing(
        keyword::TERMINAL,
        Code::MissingTerminal,
        true,
        "no `terminal` is given: the game cannot end",
        "add (<= terminal ...)",
    );
    missing(
        keyword::GOAL,
        Code::MissingGoal,
        true,
        "no `goal` is given: nobody can win",
        "add (<= (goal ROLE VALUE) ...)",
    );
    missing(
        keyword::LEGAL,
        Code::MissingLegal,
        true,
        "no `legal` is given: nobody can move",
        "add (<= (legal ROLE MOVE) ...)",
    );
    missing(
        keyword::NEXT,
        Code::MissingNext,
        false,
        "no `next` is given: nothing holds after a move",
        "add (<= (next FACT) ...)",
    );
}

/// GDL-II says with `sees` what each role is told of a move. Games are solved as if everybody saw everything.
fn hidden_information(rules: &[NnfRule], symbols: &Symbols, findings: &mut Findings) {
    let says = |rule: &&NnfRule| rule.head.args.len() == 2 && symbols.name(rule.head.name) == "sees";
    if let Some(rule) = rules.iter().find(says) {
        let message = "`sees` says what a role is told: games of hidden information are not solved as such";
        findings.push(
            Diagnostic::warning(Code::HiddenInformation, rule.head.span, message)
                .help("the answer is that of the game in which every role sees everything"),
        );
    }
}

/// Every variable must be bound by a positive literal.
fn safety(rule: &mut NnfRule, symbols: &Symbols, lenient: bool, findings: &mut Findings) {
    if lenient {
        repair(rule, findings);
    }
    let mut bound = FxHashSet::default();
    bind(&rule.body, &mut bound);
    let mut told = FxHashSet::default();
    rule.head.variables(&mut |v, span| {
        if !bound.contains(&v) && told.insert(v) {
            let message =
                format!("the head's variable `{}` is not bound by a positive condition", symbols.name(v));
            let help = match rule.head.name {
                keyword::LEGAL | keyword::GOAL => {
                    format!("if it is a player, add (role {})", symbols.name(v))
                }
                _ => format!("add a condition that says what `{}` ranges over", symbols.name(v)),
            };
            findings.push(Diagnostic::error(Code::UnsafeRule, span, message).help(help));
        }
    });
    negative_safety(&rule.body, &bound, symbols, &mut told, findings);
}

fn negative_safety(
    body: &[Nnf],
    bound: &FxHashSet<Symbol>,
    symbols: &Symbols,
    told: &mut FxHashSet<Symbol>,
    findings: &mut Findings,
) {
    for condition in body {
        match condition {
            Nnf::Negative(atom) => atom.variables(&mut |v, span| {
                if !bound.contains(&v) && told.insert(v) {
                    let name = symbols.name(v);
                    let message = format!(
                        "the variable `{name}` occurs below `not` but no positive condition binds it"
                    );
                    let help = format!(
                        "for `there is none`, define a relation that says there is one and negate that; \
                         otherwise add a condition that says what `{name}` ranges over"
                    );
                    findings.push(Diagnostic::error(Code::UnsafeRule, span, message).help(help));
                }
            }),
            Nnf::Distinct(a, b) | Nnf::Equal(a, b, _) => {
                for term in [a, b] {
                    term.variables(&mut |v, span| {
                        if !bound.contains(&v) && told.insert(v) {
                            let name = symbols.name(v);
                            let message = format!(
                                "the variable `{name}` of `distinct` is not bound by a positive condition"
                            );
                            let help = format!("add a condition that says what `{name}` ranges over");
                            findings.push(Diagnostic::error(Code::UnboundDistinct, span, message).help(help));
                        }
                    });
                }
                if let Nnf::Equal(_, _, span) = condition {
                    findings.push(Diagnostic::warning(
                        Code::NegatedDistinct,
                        *span,
                        "`not` before `distinct` is not in the language; it is read as equality",
                    ));
                }
            }
            Nnf::Or(parts) | Nnf::And(parts) => {
                for part in parts {
                    let mut inner = bound.clone();
                    bind(std::slice::from_ref(part), &mut inner);
                    negative_safety(std::slice::from_ref(part), &inner, symbols, told, findings);
                }
            }
            Nnf::Positive(_) => {}
        }
    }
}

/// A free first argument of `legal` or `goal` can only mean a role.
fn repair(rule: &mut NnfRule, findings: &mut Findings) {
    if !matches!(rule.head.name, keyword::LEGAL | keyword::GOAL) {
        return;
    }
    let Some(Term::Variable(name, span)) = rule.head.args.first().cloned() else { return };
    let mut bound = FxHashSet::default();
    bind(&rule.body, &mut bound);
    if !bound.contains(&name) {
        findings.push(
            Diagnostic::warning(
                Code::UnsafeRule,
                span,
                "the player of this rule is not bound; it is read as any role",
            )
            .help("add (role ?player)"),
        );
        let args = vec![Term::Variable(name, span)];
        rule.body.push(Nnf::Positive(Atom { name: keyword::ROLE, args, span }));
    }
}

fn goal_value(rule: &NnfRule, symbols: &Symbols, findings: &mut Findings) {
    if rule.head.name != keyword::GOAL {
        return;
    }
    if let Some(Term::Function(name, args, span)) = rule.head.args.get(1)
        && (!args.is_empty() || parse_goal(symbols.name(*name)).is_none())
    {
        let message = "a goal value is a number from 0 to 100";
        findings.push(Diagnostic::error(Code::GoalValue, *span, message).help("scale the values to 0..100"));
    } else if let Some(Term::Function(name, _, span)) = rule.head.args.get(1)
        && symbols.name(*name).starts_with('0')
        && symbols.name(*name) != "0"
    {
        let value = parse_goal(symbols.name(*name)).unwrap_or(0);
        let message = format!("this goal value is read as {value}");
        findings
            .push(Diagnostic::warning(Code::GoalValue, *span, message).help("leave out the zero in front"));
    }
}

/// The value of a goal, if it is one.
pub(crate) fn parse_goal(text: &str) -> Option<u8> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok().filter(|v| *v <= 100) } else { None }
}

fn keywords_in_body(rule: &NnfRule, symbols: &Symbols, findings: &mut Findings) {
    for condition in &rule.body {
        condition.atoms(&mut |atom, _| {
            let name = atom.name;
            if matches!(name, keyword::INIT | keyword::NEXT) {
                findings.push(
                    Diagnostic::warning(
                        Code::KeywordBody,
                        atom.span,
                        format!("`{}` as a condition is not in the language", symbols.name(name)),
                    )
                    .help("it is read as an ordinary relation"),
                );
            }
            if rule.head.name == keyword::INIT && matches!(name, keyword::TRUE | keyword::DOES) {
                findings.push(
                    Diagnostic::error(
                        Code::KeywordBody,
                        atom.span,
                        "the start cannot depend on a state or a move",
                    )
                    .help("use relations that do not depend on `true` or `does`"),
                );
            }
        });
    }
}

fn arities(rules: &[NnfRule], symbols: &Symbols, findings: &mut Findings) {
    let mut first: FxHashMap<(Symbol, bool), usize> = FxHashMap::default();
    let mut told = FxHashSet::default();
    let mut see = |name: Symbol, relation: bool, arity: usize, span: Span| {
        let seen = *first.entry((name, relation)).or_insert(arity);
        if seen != arity && told.insert((name, relation)) {
            let message = format!("`{}` is used with {seen} and with {arity} arguments", symbols.name(name));
            findings.push(
                Diagnostic::warning(Code::ArityDiffers, span, message)
                    .help("they are taken as two different names"),
            );
        }
    };
    for rule in rules {
        see(rule.head.name, true, rule.head.args.len(), rule.head.span);
        rule.head.args.iter().for_each(|a| functions(a, &mut see));
        for condition in &rule.body {
            condition.atoms(&mut |atom, _| {
                see(atom.name, true, atom.args.len(), atom.span);
                atom.args.iter().for_each(|a| functions(a, &mut see));
            });
        }
    }
}

fn functions(term: &Term, see: &mut impl FnMut(Symbol, bool, usize, Span)) {
    if let Term::Function(name, args, span) = term {
        // A constant may well share its name with a function: players do, and so do pieces.
        if !args.is_empty() {
            see(*name, false, args.len(), *span);
        }
        args.iter().for_each(|a| functions(a, see));
    }
}

/// Stratification by name and the recursion restriction, both on the graph of relations.
fn recursion(rules: &[NnfRule], symbols: &Symbols, findings: &mut Findings) {
    let mut numbers: FxHashMap<Key, usize> = FxHashMap::default();
    let mut edges: Vec<Vec<u32>> = Vec::new();
    let mut number = |k: Key, edges: &mut Vec<Vec<u32>>| {
        *numbers.entry(k).or_insert_with(|| {
            edges.push(Vec::new());
            edges.len() - 1
        })
    };
    for rule in rules {
        let head = number(key(&rule.head), &mut edges);
        for condition in &rule.body {
            condition.atoms(&mut |atom, _| {
                let target = number(key(atom), &mut edges) as u32;
                edges[head].push(target);
            });
        }
    }
    let component = components(edges.len(), |n, out| out.extend_from_slice(&edges[n]));
    let self_loop: Vec<bool> = edges.iter().enumerate().map(|(n, list)| list.contains(&(n as u32))).collect();
    for rule in rules {
        let same = |atom: &Atom| component[numbers[&key(atom)]] == component[numbers[&key(&rule.head)]];
        let cyclic =
            |atom: &Atom| same(atom) && (key(atom) != key(&rule.head) || self_loop[numbers[&key(atom)]]);
        let mut outside: Vec<&Term> = Vec::new();
        for condition in &rule.body {
            condition.atoms(&mut |atom, positive| {
                if positive && !same(atom) {
                    outside.extend(&atom.args);
                }
            });
        }
        for condition in &rule.body {
            condition.atoms(&mut |atom, positive| {
                if !cyclic(atom) {
                    return;
                }
                if !positive {
                    let message = format!("`{}` depends on its own negation, by name", symbols.name(atom.name));
                    findings.push(
                        Diagnostic::warning(Code::StratificationByName, atom.span, message)
                            .help("it is checked again on the ground rules, which is what counts"),
                    );
                } else if let Some(term) = atom.args.iter().find(|term| {
                    let known = rule.head.args.iter().chain(outside.iter().copied()).any(|other| equal(term, other));
                    let mut ground = true;
                    term.variables(&mut |_, _| ground = false);
                    !ground && !known
                }) {
                    findings.push(
                        Diagnostic::warning(Code::RecursionRestriction, term.span(), "this argument of a recursive condition is not restricted")
                            .help("the specification wants it in the head or in a condition outside of the recursion; grounding may not end"),
                    );
                }
            });
        }
    }
}

fn equal(a: &Term, b: &Term) -> bool {
    match (a, b) {
        (Term::Variable(x, _), Term::Variable(y, _)) => x == y,
        (Term::Function(f, x, _), Term::Function(g, y, _)) => {
            f == g && x.len() == y.len() && x.iter().zip(y).all(|(a, b)| equal(a, b))
        }
        _ => false,
    }
}
