//! Operators of one operand, and those over paths and time.

use super::{Parsed, make};
use crate::diagnostic::Checked;
use crate::lex::Token;
use crate::parse::Parser;
use crate::syntax::{Along, ExprKind, Steps, Temporal};
use winset_formula::Path;

impl Parser<'_, '_> {
    pub(super) fn operator(&mut self) -> Parsed {
        let start = self.span();
        if self.take("!") {
            let inner = self.unary()?;
            let span = start.to(inner.span);
            return Ok(make(ExprKind::Not(inner.into()), span));
        }
        if self.take("-") {
            let inner = self.unary()?;
            let span = start.to(inner.span);
            return Ok(make(ExprKind::Negative(inner.into()), span));
        }
        // Of numbers only, and so it is left out.
        if matches!((self.token(), self.token_after()), (Token::Symbol("+"), Token::Number(_))) {
            self.advance();
            return self.postfix();
        }
        let Token::Word(word) = self.token() else { return self.postfix() };
        if self.linear
            && let Some(operator) = along(word)
        {
            return self.along(operator);
        }
        let path = if word.starts_with('E') { Path::Some } else { Path::All };
        let temporal = match word {
            "EX" | "AX" => Temporal::Next,
            "EF" | "AF" => Temporal::Finally,
            "EG" | "AG" => Temporal::Globally,
            "E" | "A" if self.token_after() == Token::Symbol("[") => return self.until(path),
            "mu" | "nu" if matches!(self.token_after(), Token::Word(_)) => return self.fixed_point(),
            "EBF" | "ABF" => return self.bounded(path, Temporal::Finally),
            "EBG" | "ABG" => return self.bounded(path, Temporal::Globally),
            _ => return self.postfix(),
        };
        self.advance();
        let inner = self.comparison()?;
        let span = start.to(inner.span);
        Ok(make(ExprKind::Temporal(path, temporal, inner.into()), span))
    }

    fn until(&mut self, path: Path) -> Parsed {
        let start = self.span();
        self.advance();
        self.need("[")?;
        let hold = self.expr()?;
        if self.take_word("BU") {
            let steps = self.steps()?;
            let goal = self.expr()?;
            self.need("]")?;
            let kind = ExprKind::BoundedUntil(path, steps, hold.into(), goal.into());
            return Ok(make(kind, start.to(self.before())));
        }
        if !self.take_word("U") {
            return Err(self.expected("`U`"));
        }
        let goal = self.expr()?;
        self.need("]")?;
        Ok(make(ExprKind::Until(path, hold.into(), goal.into()), start.to(self.before())))
    }

    fn bounded(&mut self, path: Path, operator: Temporal) -> Parsed {
        let start = self.span();
        self.advance();
        let steps = self.steps()?;
        let inner = self.comparison()?;
        let span = start.to(inner.span);
        Ok(make(ExprKind::Bounded(path, operator, steps, inner.into()), span))
    }

    /// `0..3`
    fn steps(&mut self) -> Checked<Steps> {
        let from = self.bound()?.into();
        self.need("..")?;
        Ok(Steps { from, to: Some(self.bound()?.into()) })
    }

    /// A number, or the name of one.
    fn bound(&mut self) -> Parsed {
        let start = self.span();
        match self.token() {
            Token::Number(_) => self.primary(),
            Token::Word(_) => {
                let name = self.name("a number")?;
                Ok(make(ExprKind::Name(name.text), start))
            }
            _ => Err(self.expected("a number of steps")),
        }
    }

    /// An operator over linear time, some of which may have bounds: `F [0, 3] p`.
    fn along(&mut self, operator: Along) -> Parsed {
        let start = self.span();
        self.advance();
        let mut steps = None;
        let may = matches!(operator, Along::Finally | Along::Globally | Along::Once | Along::Historically);
        if may && self.take("[") {
            let from = self.bound()?.into();
            self.need(",")?;
            let endless = self.take("+");
            let to = self.bound()?;
            self.need("]")?;
            steps = Some(Steps { from, to: (!endless).then(|| to.into()) });
        }
        let inner = self.comparison()?;
        let span = start.to(inner.span);
        Ok(make(ExprKind::Along(operator, steps, inner.into()), span))
    }

    fn fixed_point(&mut self) -> Parsed {
        let start = self.span();
        let least = self.take_word("mu");
        if !least {
            self.advance();
        }
        let variable = self.name("the variable of a fixed point")?;
        self.need(".")?;
        let body = self.expr()?;
        let span = start.to(body.span);
        Ok(make(ExprKind::Fix { least, variable, body: body.into() }, span))
    }
}

/// The operator of linear time that a word is.
fn along(word: &str) -> Option<Along> {
    Some(match word {
        "X" => Along::Next,
        "F" => Along::Finally,
        "G" => Along::Globally,
        "Y" => Along::Yesterday,
        "Z" => Along::WeakYesterday,
        "O" => Along::Once,
        "H" => Along::Historically,
        _ => return None,
    })
}
