//! Models as trees, and trees as text. Nothing here is shared with the reader that is tested.

use std::fmt::Write;

/// What an expression does with its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    Boolean(bool),
    Integer(i64),
    Name(String),
    /// A member of the only operand.
    Member(String),
    /// An array and an index.
    Index,
    Next,
    Not,
    Negative,
    /// `->`, `<->`, `|`, `xor`, `xnor`, `&`, `=`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `union`, `+`, `-`, `*`,
    /// `/`, `mod`.
    Binary(&'static str),
    Range,
    Set,
    /// Conditions and values in turn.
    Case,
    If,
    Call(String),
    /// `EX`, `AX`, `EF`, `AF`, `EG`, `AG`.
    Temporal(&'static str),
    /// `E` or `A`.
    Until(&'static str),
    /// `mu` or `nu`, and the variable.
    Fix(&'static str, String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    pub head: Head,
    pub operands: Vec<Expr>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Boolean,
    Enumeration(Vec<Expr>),
    Range(Expr, Expr),
    Array(Expr, Expr, Box<Kind>),
    Instance(String, Vec<Expr>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// `VAR`, `IVAR` or `FROZENVAR`.
    Variable(&'static str, String, Kind),
    Define(String, Expr),
    Constants(Vec<String>),
    /// `init`, `next` or nothing; target and value.
    Assign(&'static str, Expr, Expr),
    /// `INIT`, `TRANS`, `INVAR`, `SPEC`, `CTLSPEC`, `MUSPEC`, `INVARSPEC`.
    Section(&'static str, Expr),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    pub name: String,
    pub parameters: Vec<String>,
    pub items: Vec<Item>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    pub modules: Vec<Module>,
}

pub fn expr(head: Head, operands: Vec<Expr>) -> Expr {
    Expr { head, operands }
}

pub fn name(text: impl Into<String>) -> Expr {
    expr(Head::Name(text.into()), vec![])
}

pub fn integer(n: i64) -> Expr {
    expr(Head::Integer(n), vec![])
}

pub fn boolean(value: bool) -> Expr {
    expr(Head::Boolean(value), vec![])
}

pub fn binary(operator: &'static str, a: Expr, b: Expr) -> Expr {
    expr(Head::Binary(operator), vec![a, b])
}

/// Operators of two operands from weak to strong; those of one strength together.
pub const STRENGTHS: [(u8, &[&str]); 9] = [
    (1, &["->"]),
    (2, &["<->"]),
    (4, &["|", "xor", "xnor"]),
    (5, &["&"]),
    (6, &["=", "!=", "<", "<=", ">", ">="]),
    (7, &["in"]),
    (8, &["union"]),
    (10, &["+", "-"]),
    (11, &["*", "/", "mod"]),
];

pub const UNARY: u8 = 12;
pub const PRIMARY: u8 = 13;

pub fn strength(operator: &str) -> u8 {
    STRENGTHS.iter().find(|(_, all)| all.contains(&operator)).expect("an operator").0
}

impl Expr {
    /// How strongly its outermost operator binds when it is printed without brackets.
    fn strength(&self) -> u8 {
        match &self.head {
            Head::Binary(operator) => strength(operator),
            Head::If => 3,
            // The operand may be a whole comparison.
            Head::Temporal(_) | Head::Not => 6,
            Head::Range => 9,
            Head::Negative => UNARY,
            Head::Integer(n) if *n < 0 => UNARY,
            Head::Fix(..) => 0,
            _ => PRIMARY,
        }
    }

    fn print(&self, out: &mut String) {
        let at_least = |out: &mut String, i: usize, least: u8| {
            let operand = &self.operands[i];
            let bare = operand.strength() >= least;
            out.push_str(if bare { "" } else { "(" });
            operand.print(out);
            out.push_str(if bare { "" } else { ")" });
        };
        let list = |out: &mut String, from: usize| {
            for i in from..self.operands.len() {
                out.push_str(if i > from { ", " } else { "" });
                at_least(out, i, 0);
            }
        };
        match &self.head {
            Head::Boolean(value) => out.push_str(if *value { "TRUE" } else { "FALSE" }),
            Head::Integer(n) => write!(out, "{n}").expect("text grows"),
            Head::Name(name) => out.push_str(name),
            Head::Member(member) => {
                at_least(out, 0, PRIMARY);
                write!(out, ".{member}").expect("text grows");
            }
            Head::Index => {
                at_least(out, 0, PRIMARY);
                out.push('[');
                at_least(out, 1, 0);
                out.push(']');
            }
            Head::Next => {
                out.push_str("next(");
                at_least(out, 0, 0);
                out.push(')');
            }
            Head::Not => {
                out.push('!');
                at_least(out, 0, PRIMARY);
            }
            Head::Negative => {
                out.push('-');
                at_least(out, 0, PRIMARY);
            }
            Head::Binary(operator) => {
                let own = strength(operator);
                let (left, right) = match own {
                    1 => (own + 1, own),
                    // A temporal operator before a comparison would take it in.
                    6 => (own + 1, own + 1),
                    _ => (own, own + 1),
                };
                at_least(out, 0, left);
                write!(out, " {operator} ").expect("text grows");
                at_least(out, 1, right);
            }
            Head::Range => {
                at_least(out, 0, 10);
                out.push_str(" .. ");
                at_least(out, 1, 10);
            }
            Head::Set => {
                out.push('{');
                list(out, 0);
                out.push('}');
            }
            Head::Case => {
                out.push_str("case ");
                for i in 0..self.operands.len() / 2 {
                    at_least(out, 2 * i, 0);
                    out.push_str(" : ");
                    at_least(out, 2 * i + 1, 0);
                    out.push_str("; ");
                }
                out.push_str("esac");
            }
            Head::If => {
                at_least(out, 0, 4);
                out.push_str(" ? ");
                at_least(out, 1, 0);
                out.push_str(" : ");
                at_least(out, 2, 3);
            }
            Head::Call(function) => {
                out.push_str(function);
                out.push('(');
                list(out, 0);
                out.push(')');
            }
            Head::Temporal(operator) => {
                write!(out, "{operator} ").expect("text grows");
                at_least(out, 0, 6);
            }
            Head::Until(path) => {
                write!(out, "{path} [").expect("text grows");
                at_least(out, 0, 0);
                out.push_str(" U ");
                at_least(out, 1, 0);
                out.push(']');
            }
            Head::Fix(kind, variable) => {
                write!(out, "{kind} {variable}. ").expect("text grows");
                at_least(out, 0, 0);
            }
        }
    }
}

impl std::fmt::Display for Expr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = String::new();
        self.print(&mut out);
        f.write_str(&out)
    }
}

fn list(items: &[Expr]) -> String {
    items.iter().map(Expr::to_string).collect::<Vec<_>>().join(", ")
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Kind::Boolean => f.write_str("boolean"),
            Kind::Enumeration(values) => write!(f, "{{{}}}", list(values)),
            Kind::Range(low, high) => write!(f, "{low}..{high}"),
            Kind::Array(low, high, of) => write!(f, "array {low}..{high} of {of}"),
            Kind::Instance(module, arguments) if arguments.is_empty() => f.write_str(module),
            Kind::Instance(module, arguments) => write!(f, "{module}({})", list(arguments)),
        }
    }
}

impl std::fmt::Display for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Item::Variable(storage, name, kind) => write!(f, "{storage} {name} : {kind};"),
            Item::Define(name, body) => write!(f, "DEFINE {name} := {body};"),
            Item::Constants(names) => write!(f, "CONSTANTS {};", names.join(", ")),
            Item::Assign("", target, value) => write!(f, "ASSIGN {target} := {value};"),
            Item::Assign(when, target, value) => write!(f, "ASSIGN {when}({target}) := {value};"),
            Item::Section(word, body) => write!(f, "{word} {body}"),
        }
    }
}

impl std::fmt::Display for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for module in &self.modules {
            write!(f, "MODULE {}", module.name)?;
            if !module.parameters.is_empty() {
                write!(f, "({})", module.parameters.join(", "))?;
            }
            writeln!(f)?;
            for item in &module.items {
                writeln!(f, "  {item}")?;
            }
        }
        Ok(())
    }
}
