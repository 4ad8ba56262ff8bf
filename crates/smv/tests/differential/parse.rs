//! A second reader of the subset, by precedence climbing. It takes correct files only and panics otherwise.

use crate::syntax::{Expr, Head, Item, Kind, Model, Module, STRENGTHS, expr, strength};

const SECTIONS: [&str; 14] = [
    "MODULE",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "CONSTANTS",
    "ASSIGN",
    "INIT",
    "TRANS",
    "INVAR",
    "SPEC",
    "CTLSPEC",
    "INVARSPEC",
    "MUSPEC",
];
const SIGNS: [&str; 28] = [
    "<->", ":=", "->", "..", "!=", "<=", ">=", "<", ">", "=", "!", "&", "|", "+", "-", "*", "/", "(", ")",
    "{", "}", "[", "]", ":", ";", ",", ".", "?",
];
const TEMPORAL: [&str; 6] = ["EX", "AX", "EF", "AF", "EG", "AG"];

fn words(text: &str) -> Vec<String> {
    let mut words = vec![];
    for line in text.lines() {
        let mut rest = line.find("--").map_or(line, |at| &line[..at]).trim_start();
        while !rest.is_empty() {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#');
            let mut length = rest.find(|c: char| !plain(c)).unwrap_or(rest.len());
            // A name may hold a dash where a name goes on behind it.
            while length > 0 && !rest.starts_with(|c: char| c.is_ascii_digit()) {
                let Some(behind) = rest[length..].strip_prefix('-') else { break };
                if !behind.starts_with(plain) {
                    break;
                }
                length = rest.len() - behind.len();
                length += rest[length..].find(|c: char| !plain(c)).unwrap_or(rest.len() - length);
            }
            if length == 0 {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
                length = sign.unwrap_or_else(|| panic!("no sign at {rest:?}")).len();
            }
            words.push(rest[..length].to_owned());
            rest = rest[length..].trim_start();
        }
    }
    words
}

struct Parser {
    words: Vec<String>,
    at: usize,
}

/// Reads a model.
pub fn parse(text: &str) -> Model {
    let mut parser = Parser { words: words(text), at: 0 };
    let mut modules = vec![];
    while parser.take("MODULE") {
        modules.push(parser.module());
    }
    assert_eq!(parser.at, parser.words.len(), "a module is expected");
    Model { modules }
}

impl Parser {
    fn peek(&self, ahead: usize) -> &str {
        self.words.get(self.at + ahead).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.words[self.at - 1].clone()
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek(0) == word;
        self.at += usize::from(found);
        found
    }

    fn need(&mut self, word: &str) {
        assert!(
            self.take(word),
            "{word} is expected, not {} (before {:?})",
            self.peek(0),
            &self.words[self.at..]
        );
    }

    fn module(&mut self) -> Module {
        let mut module = Module { name: self.next(), ..Module::default() };
        if self.take("(") {
            module.parameters.push(self.next());
            while self.take(",") {
                module.parameters.push(self.next());
            }
            self.need(")");
        }
        while !matches!(self.peek(0), "" | "MODULE") {
            let section = self.next();
            let section = SECTIONS.into_iter().find(|word| *word == section).expect("a section");
            self.section(section, &mut module.items);
        }
        module
    }

    fn section(&mut self, section: &'static str, items: &mut Vec<Item>) {
        match section {
            "CONSTANTS" => {
                let mut names = vec![self.next()];
                while self.take(",") {
                    names.push(self.next());
                }
                self.need(";");
                items.push(Item::Constants(names));
            }
            "VAR" | "IVAR" | "FROZENVAR" | "DEFINE" | "ASSIGN" => {
                while !matches!(self.peek(0), "") && !SECTIONS.contains(&self.peek(0)) {
                    items.push(self.entry(section));
                    self.need(";");
                }
            }
            _ => {
                if self.take("NAME") {
                    self.at += 1;
                    self.need(":=");
                }
                items.push(Item::Section(section, self.expr(1)));
                while self.take(";") {}
            }
        }
    }

    fn entry(&mut self, section: &'static str) -> Item {
        match section {
            "DEFINE" => {
                let name = self.next();
                self.need(":=");
                Item::Define(name, self.expr(1))
            }
            "ASSIGN" => {
                let when = ["init", "next"].into_iter().find(|when| self.peek(0) == *when).unwrap_or("");
                self.at += usize::from(!when.is_empty());
                let target = self.expr(13);
                self.need(":=");
                Item::Assign(when, target, self.expr(1))
            }
            _ => {
                let name = self.next();
                self.need(":");
                Item::Variable(section, name, self.kind())
            }
        }
    }

    fn kind(&mut self) -> Kind {
        if self.take("boolean") {
            return Kind::Boolean;
        }
        if self.take("array") {
            let low = self.expr(10);
            self.need("..");
            let high = self.expr(10);
            self.need("of");
            return Kind::Array(low, high, self.kind().into());
        }
        if self.take("{") {
            return Kind::Enumeration(self.list("}"));
        }
        let name = self.peek(0).starts_with(|c: char| c.is_ascii_alphabetic());
        if name && self.peek(1) != ".." {
            // A process is told from other instances by the word before its module.
            let mut module = self.next();
            if module == "process" {
                module = format!("process {}", self.next());
            }
            let arguments = if self.take("(") { self.list(")") } else { vec![] };
            return Kind::Instance(module, arguments);
        }
        let low = self.expr(10);
        self.need("..");
        Kind::Range(low, self.expr(10))
    }

    fn list(&mut self, end: &str) -> Vec<Expr> {
        let mut list = vec![self.expr(1)];
        while self.take(",") {
            list.push(self.expr(1));
        }
        self.need(end);
        list
    }

    /// An expression whose operators outside of brackets are at least so strong.
    fn expr(&mut self, least: u8) -> Expr {
        let mut left = self.operand();
        loop {
            let word = self.peek(0);
            let operator = STRENGTHS.iter().flat_map(|(_, all)| all.iter()).find(|o| **o == word);
            if let Some(&operator) = operator {
                let own = strength(operator);
                if own < least {
                    return left;
                }
                self.at += 1;
                let right = self.expr(if operator == "->" { own } else { own + 1 });
                left = expr(Head::Binary(operator), vec![left, right]);
            } else if word == ".." && least <= 9 {
                self.at += 1;
                left = expr(Head::Range, vec![left, self.expr(10)]);
            } else if word == "?" && least <= 3 {
                self.at += 1;
                let yes = self.expr(1);
                self.need(":");
                left = expr(Head::If, vec![left, yes, self.expr(3)]);
            } else {
                return left;
            }
        }
    }

    /// Prefix operators, and names with what follows them.
    fn operand(&mut self) -> Expr {
        if self.take("!") {
            return expr(Head::Not, vec![self.expr(6)]);
        }
        if self.take("-") {
            return expr(Head::Negative, vec![self.operand()]);
        }
        if let Some(operator) = TEMPORAL.into_iter().find(|word| self.peek(0) == *word) {
            self.at += 1;
            return expr(Head::Temporal(operator), vec![self.expr(6)]);
        }
        if let Some(path) = ["E", "A"].into_iter().find(|word| self.peek(0) == *word)
            && self.peek(1) == "["
        {
            self.at += 2;
            let hold = self.expr(1);
            self.need("U");
            let goal = self.expr(1);
            self.need("]");
            return expr(Head::Until(path), vec![hold, goal]);
        }
        if let Some(kind) = ["mu", "nu"].into_iter().find(|word| self.peek(0) == *word) {
            self.at += 1;
            let variable = self.next();
            self.need(".");
            return expr(Head::Fix(kind, variable), vec![self.expr(1)]);
        }
        let mut inner = self.primary();
        loop {
            if self.take(".") {
                inner = expr(Head::Member(self.next()), vec![inner]);
            } else if self.take("[") {
                let index = self.expr(1);
                self.need("]");
                inner = expr(Head::Index, vec![inner, index]);
            } else {
                return inner;
            }
        }
    }

    fn primary(&mut self) -> Expr {
        let word = self.next();
        match word.as_str() {
            "(" => {
                let inner = self.expr(1);
                self.need(")");
                inner
            }
            "{" => expr(Head::Set, self.list("}")),
            "case" => {
                let mut operands = vec![];
                while !self.take("esac") {
                    operands.push(self.expr(1));
                    self.need(":");
                    operands.push(self.expr(1));
                    self.need(";");
                }
                expr(Head::Case, operands)
            }
            "TRUE" | "FALSE" => expr(Head::Boolean(word == "TRUE"), vec![]),
            "next" => {
                self.need("(");
                expr(Head::Next, self.list(")"))
            }
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                expr(Head::Integer(word.parse().expect("a number")), vec![])
            }
            _ if self.take("(") => expr(Head::Call(word), self.list(")")),
            _ => expr(Head::Name(word), vec![]),
        }
    }
}
