//! What binds most tightly: names, numbers, calls, parentheses, `case`, and what follows them.

use super::constant::word_constant;
use super::{Parsed, make};
use crate::diagnostic::{Code, Diagnostic};
use crate::lex::Token;
use crate::parse::Parser;
use crate::syntax::{ExprKind, Name};

impl Parser<'_, '_> {
    /// A name with its members and indices, or anything in brackets.
    pub fn postfix(&mut self) -> Parsed {
        let mut expr = self.primary()?;
        let mut length = 0;
        loop {
            length += 1;
            if length > self.nesting {
                return Err(self.too_deep());
            }
            if self.take(".") {
                let member = match self.token() {
                    // Some tools write elements of arrays as members.
                    Token::Number(text) => {
                        let member = Name { text: text.to_owned(), span: self.span() };
                        self.advance();
                        member
                    }
                    _ => self.name("a member's name")?,
                };
                let span = expr.span.to(member.span);
                expr = make(ExprKind::Member(expr.into(), member), span);
            } else if self.take("[") {
                let index = self.expr()?;
                if self.take(":") {
                    let low = self.expr()?;
                    self.need("]")?;
                    let span = expr.span.to(self.before());
                    expr = make(ExprKind::Bits(expr.into(), index.into(), low.into()), span);
                    continue;
                }
                self.need("]")?;
                let span = expr.span.to(self.before());
                expr = make(ExprKind::Index(expr.into(), index.into()), span);
            } else {
                return Ok(expr);
            }
        }
    }

    pub(super) fn primary(&mut self) -> Parsed {
        let start = self.span();
        let kind = match self.token() {
            Token::Number(text) => {
                if let Some(word) = word_constant(text) {
                    self.advance();
                    return Ok(make(word, start));
                }
                let number = text.parse::<i64>().map_err(|_| {
                    let message = format!("`{text}` is not a whole number that is supported");
                    let error = Diagnostic::error(Code::Unsupported, start, message);
                    error.help("numbers have up to 63 bits; words are written as 0ud8_12, 0b_1011 or 0h_ff")
                })?;
                self.advance();
                ExprKind::Integer(number)
            }
            Token::Symbol("(") => {
                self.advance();
                let mut inner = self.expr()?;
                self.need(")")?;
                inner.span = start.to(self.before());
                return Ok(inner);
            }
            Token::Symbol("{") => {
                self.advance();
                let list = self.arguments()?;
                self.need("}")?;
                ExprKind::Set(list)
            }
            Token::Word("case") => {
                self.advance();
                return self.case(start);
            }
            Token::Word("TRUE") => {
                self.advance();
                ExprKind::Boolean(true)
            }
            Token::Word("FALSE") => {
                self.advance();
                ExprKind::Boolean(false)
            }
            Token::Word(sign @ ("signed" | "unsigned")) if self.token_after() != Token::Symbol("(") => {
                return Err(self.expected(&format!("`(` after `{sign}`")));
            }
            Token::Word("next") => {
                self.advance();
                self.need("(")?;
                let inner = self.expr()?;
                self.need(")")?;
                ExprKind::Next(inner.into())
            }
            Token::Word("self") => {
                self.advance();
                ExprKind::Myself
            }
            Token::Symbol("[") => {
                self.advance();
                let list = self.arguments()?;
                self.need("]")?;
                ExprKind::Array(list)
            }
            Token::Word("esac" | "mod" | "union" | "in" | "xor" | "xnor" | "of" | "init") => {
                return Err(self.expected("an expression"));
            }
            Token::Word(_) => {
                let name = self.name("an expression")?;
                if self.take("(") {
                    let list = self.arguments()?;
                    self.need(")")?;
                    ExprKind::Call(name.text, list)
                } else {
                    ExprKind::Name(name.text)
                }
            }
            _ => return Err(self.expected("an expression")),
        };
        Ok(make(kind, start.to(self.before())))
    }

    pub(super) fn case(&mut self, start: winset_formula::Span) -> Parsed {
        let mut branches = vec![];
        while !self.take_word("esac") {
            let condition = self.expr()?;
            self.need(":")?;
            let value = self.expr()?;
            self.need(";")?;
            branches.push((condition, value));
        }
        let span = start.to(self.before());
        if branches.is_empty() {
            return Err(Diagnostic::error(Code::Syntax, span, "a `case` without branches"));
        }
        Ok(make(ExprKind::Case(branches), span))
    }
}
