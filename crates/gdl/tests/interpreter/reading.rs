//! Reading GDL for the interpreters of the tests; the crate's own reader has no part in it.

use std::rc::Rc;

/// A term: a symbol with arguments; variables begin with `?`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub Rc<str>, pub Rc<[Term]>);

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.1.is_empty() {
            return write!(f, "{}", self.0);
        }
        write!(f, "({}", self.0)?;
        self.1.iter().try_for_each(|a| write!(f, " {a}"))?;
        write!(f, ")")
    }
}

/// A condition of a rule.
#[derive(Clone, Debug)]
pub enum Condition {
    Holds(Term),
    Not(Box<Condition>),
    Distinct(Term, Term),
    Or(Vec<Condition>),
    And(Vec<Condition>),
}

/// The words and parentheses of a file.
pub fn tokens(source: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(source).to_lowercase().replace('\r', "\n");
    let mut out = Vec::new();
    for line in text.lines() {
        let code = line.split(';').next().unwrap_or("");
        out.extend(code.replace('(', " ( ").replace(')', " ) ").split_whitespace().map(String::from));
    }
    out
}

/// The term that begins at a token.
pub fn parse(tokens: &[String], at: &mut usize) -> Term {
    let token = &tokens[*at];
    *at += 1;
    if token != "(" {
        return Term(token.as_str().into(), Rc::new([]));
    }
    let name = tokens[*at].as_str().into();
    *at += 1;
    let mut args = Vec::new();
    while tokens[*at] != ")" {
        args.push(parse(tokens, at));
    }
    *at += 1;
    Term(name, args.into())
}

/// A term as a condition.
pub fn condition(term: &Term) -> Condition {
    match (&*term.0, &*term.1) {
        ("not", [inner]) => Condition::Not(Box::new(condition(inner))),
        ("or", list) => Condition::Or(list.iter().map(condition).collect()),
        ("and", list) => Condition::And(list.iter().map(condition).collect()),
        ("distinct", [a, b]) => Condition::Distinct(a.clone(), b.clone()),
        _ => Condition::Holds(term.clone()),
    }
}
