//! From text to a formula.

use crate::atom::set_named;
use crate::error::FormulaError;
use crate::formula::{Formula, Path};
use crate::lex::{Token, tokens};
use winset_diagnostic::Span;
use winset_model::{System, VarId, similar};

/// How deeply operators may be nested: enough for people, little enough for the stack.
const DEPTH: usize = 200;

/// Reads a formula. Atoms are the system's named sets and `variable = value`, names with other characters
/// than letters, digits, `_` and `:` in quotes. From weak to strong: `mu X.` and `nu X.`, `<->`, `->`, `|`,
/// `&`, then `!`, `EX`, `AX`, `EF`, `AF`, `EG`, `AG`, `E[a U b]`, `A[a U b]`.
///
/// ```
/// # use winset_model::*;
/// # let mut game = GameBuilder::new("flip", ["only"]);
/// # let light = game.add_variable("light", ["off", "on"]);
/// # game.initial = game.state([0]);
/// # let game = game.build().unwrap();
/// # let mut system = game.system();
/// use winset_formula::parse;
/// assert!(parse("AG (light = on -> AX light = on)", &mut system).is_ok());
/// let error = parse("nu X. !X", &mut system).unwrap().core(&mut system.exprs).unwrap_err();
/// assert_eq!((error.span().start, error.span().end), (7, 8));
/// ```
pub fn parse(text: &str, system: &mut System) -> Result<Formula, FormulaError> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0, bound: vec![], system };
    let formula = parser.equivalence()?;
    match parser.token() {
        Token::End => Ok(formula),
        _ => Err(parser.expected("an operator or the end")),
    }
}

struct Parser<'t, 's> {
    tokens: Vec<(Token<'t>, Span)>,
    at: usize,
    depth: usize,
    bound: Vec<&'t str>,
    system: &'s mut System,
}

type Parsed = Result<Formula, FormulaError>;

impl<'t> Parser<'t, '_> {
    fn token(&self) -> Token<'t> {
        self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn take(&mut self, symbol: &'static str) -> bool {
        let found = self.token() == Token::Symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn need(&mut self, symbol: &'static str) -> Result<(), FormulaError> {
        if self.take(symbol) { Ok(()) } else { Err(self.expected(symbol)) }
    }

    fn expected(&self, expected: &'static str) -> FormulaError {
        let found = match self.token() {
            Token::Name(text) | Token::Quoted(text) => format!("{text:?}"),
            Token::Symbol(text) => format!("`{text}`"),
            Token::End => "the end".to_owned(),
        };
        FormulaError::Syntax { expected, found, span: self.span() }
    }

    fn equivalence(&mut self) -> Parsed {
        self.chain("<->", Self::implication, Formula::Iff)
    }

    /// Operands of an associative operator, as a balanced tree: a long chain is not a deep formula.
    fn chain(
        &mut self,
        symbol: &'static str,
        operand: fn(&mut Self) -> Parsed,
        join: fn(Box<Formula>, Box<Formula>) -> Formula,
    ) -> Parsed {
        let mut list = vec![operand(self)?];
        while self.take(symbol) {
            list.push(operand(self)?);
        }
        while list.len() > 1 {
            let mut pairs = vec![];
            let mut operands = list.into_iter();
            while let Some(left) = operands.next() {
                pairs.push(match operands.next() {
                    Some(right) => join(left.into(), right.into()),
                    None => left,
                });
            }
            list = pairs;
        }
        Ok(list.remove(0))
    }

    fn implication(&mut self) -> Parsed {
        let left = self.disjunction()?;
        if !self.take("->") {
            return Ok(left);
        }
        let right = self.nested(Self::implication)?;
        Ok(Formula::Implies(left.into(), right.into()))
    }

    fn disjunction(&mut self) -> Parsed {
        self.chain("|", Self::conjunction, Formula::Or)
    }

    fn conjunction(&mut self) -> Parsed {
        self.chain("&", Self::unary, Formula::And)
    }

    fn nested(&mut self, inner: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.depth == DEPTH {
            return Err(FormulaError::TooDeep { limit: DEPTH, span: self.span() });
        }
        self.depth += 1;
        let formula = inner(self);
        self.depth -= 1;
        formula
    }

    fn unary(&mut self) -> Parsed {
        self.nested(Self::operator)
    }

    fn operator(&mut self) -> Parsed {
        if self.take("!") || self.take("~") {
            return Ok(Formula::Not(self.unary()?.into()));
        }
        if self.take("(") {
            let formula = self.equivalence()?;
            self.need(")")?;
            return Ok(formula);
        }
        let Token::Name(name) = self.token() else { return self.atom() };
        let begins_until = self.tokens.get(self.at + 1).is_some_and(|t| t.0 == Token::Symbol("["));
        let path = if name.starts_with('E') { Path::Some } else { Path::All };
        let make = match name {
            "EX" | "AX" => Formula::Next,
            "EF" | "AF" => Formula::Finally,
            "EG" | "AG" => Formula::Globally,
            "E" | "A" if begins_until => return self.until(path),
            "mu" | "nu" => return self.fixed_point(name == "mu"),
            _ => return self.atom(),
        };
        self.advance();
        Ok(make(path, self.unary()?.into()))
    }

    fn until(&mut self, path: Path) -> Parsed {
        self.advance();
        self.need("[")?;
        let hold = self.equivalence()?;
        if self.token() != Token::Name("U") {
            return Err(self.expected("U"));
        }
        self.advance();
        let goal = self.equivalence()?;
        self.need("]")?;
        Ok(Formula::Until(path, hold.into(), goal.into()))
    }

    fn fixed_point(&mut self, least: bool) -> Parsed {
        self.advance();
        let Token::Name(name) = self.token() else { return Err(self.expected("the name of a variable")) };
        let span = self.span();
        self.advance();
        self.need(".")?;
        self.bound.push(name);
        let body = self.nested(Self::equivalence);
        self.bound.pop();
        Ok(Formula::Fix { least, variable: name.to_owned(), span, body: body?.into() })
    }

    fn atom(&mut self) -> Parsed {
        let span = self.span();
        let (Token::Name(name) | Token::Quoted(name)) = self.token() else {
            return Err(self.expected("a formula"));
        };
        let quoted = matches!(self.token(), Token::Quoted(_));
        self.advance();
        if !quoted && self.bound.contains(&name) {
            return Ok(Formula::Variable(name.to_owned(), span));
        }
        let equal = self.take("=");
        if equal || self.take("!=") {
            let is = self.value(name, span)?;
            return Ok(if equal { is } else { Formula::Not(is.into()) });
        }
        match set_named(self.system, name) {
            Some(set) => Ok(Formula::Set(set)),
            None => Err(self.unknown(name, span)),
        }
    }

    fn value(&mut self, name: &str, span: Span) -> Parsed {
        let value_span = self.span();
        let (Token::Name(value) | Token::Quoted(value)) = self.token() else {
            return Err(self.expected("a value"));
        };
        self.advance();
        let Some(var) = self.system.variables.iter().position(|v| v.name == name) else {
            return Err(self.unknown(name, span));
        };
        let values = &self.system.variables[var].values;
        match values.iter().position(|other| other == value) {
            Some(index) => Ok(Formula::Set(self.system.exprs.is(VarId(var as u32), index as u16))),
            None => Err(FormulaError::UnknownValue {
                variable: name.to_owned(),
                value: value.to_owned(),
                similar: values.clone(),
                span: value_span,
            }),
        }
    }

    fn unknown(&self, name: &str, span: Span) -> FormulaError {
        let sets = self.system.sets.iter().map(|(other, _)| other.as_str());
        let variables = self.system.variables.iter().map(|v| v.name.as_str());
        let similar = similar(name, sets.chain(variables)).into_iter().map(str::to_owned).collect();
        FormulaError::UnknownName { name: name.to_owned(), similar, span }
    }
}
