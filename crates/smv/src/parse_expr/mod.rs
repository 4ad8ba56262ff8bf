//! Expressions and formulas, from weak to strong operators.

mod constant;
mod primary;
mod temporal;

use crate::diagnostic::Checked;
use crate::lex::Token;
use crate::parse::Parser;
use crate::syntax::{Between, Binary, Expr, ExprKind};

pub(crate) use constant::MOST_BITS;

type Parsed = Checked<Expr>;

fn make(kind: ExprKind, span: winset_formula::Span) -> Expr {
    Expr { kind, span }
}

impl Parser<'_, '_> {
    /// `->`, to the right.
    pub fn expr(&mut self) -> Parsed {
        self.nested(|p| {
            let left = p.equivalence()?;
            if !p.take("->") {
                return Ok(left);
            }
            let right = p.expr()?;
            Ok(p.binary(Binary::Implies, left, right))
        })
    }

    fn nested(&mut self, inner: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.depth >= self.nesting {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let expr = inner(self);
        self.depth = self.depth.saturating_sub(1);
        expr
    }

    fn binary(&self, operator: Binary, left: Expr, right: Expr) -> Expr {
        let span = left.span.to(right.span);
        make(ExprKind::Binary(operator, left.into(), right.into()), span)
    }

    /// Operators of one strength, to the left. A chain is a deep tree, so its length is limited.
    fn chain(
        &mut self,
        operand: fn(&mut Self) -> Parsed,
        operator: impl Fn(&mut Self) -> Option<Binary>,
    ) -> Parsed {
        let mut left = operand(self)?;
        let mut length = 0;
        while let Some(found) = operator(self) {
            length += 1;
            if length > self.nesting {
                return Err(self.too_deep());
            }
            let right = operand(self)?;
            left = self.binary(found, left, right);
        }
        Ok(left)
    }

    fn equivalence(&mut self) -> Parsed {
        self.chain(Self::choice, |p| p.take("<->").then_some(Binary::Iff))
    }

    fn choice(&mut self) -> Parsed {
        let condition = self.disjunction()?;
        if !self.take("?") {
            return Ok(condition);
        }
        let yes = self.expr()?;
        self.need(":")?;
        let no = self.nested(Self::choice)?;
        let span = condition.span.to(no.span);
        Ok(make(ExprKind::If(condition.into(), yes.into(), no.into()), span))
    }

    fn disjunction(&mut self) -> Parsed {
        let mut list = vec![self.conjunction()?];
        let mut length = 0;
        loop {
            if self.take("|") {
                list.push(self.conjunction()?);
                continue;
            }
            let negated = self.take_word("xnor");
            if !negated && !self.take_word("xor") {
                break;
            }
            length += 1;
            if length > self.nesting {
                return Err(self.too_deep());
            }
            let left = many(list, ExprKind::Or);
            let right = self.conjunction()?;
            list = vec![self.binary(if negated { Binary::Iff } else { Binary::Xor }, left, right)];
        }
        Ok(many(list, ExprKind::Or))
    }

    fn conjunction(&mut self) -> Parsed {
        let mut list = vec![self.between()?];
        while self.take("&") {
            list.push(self.between()?);
        }
        Ok(many(list, ExprKind::And))
    }

    /// `U`, `V`, `S` and `T` of linear time, to the left.
    fn between(&mut self) -> Parsed {
        let mut left = self.comparison()?;
        let mut length = 0;
        while self.linear {
            let operator = match self.token() {
                Token::Word("U") => Between::Until,
                Token::Word("V") => Between::Release,
                Token::Word("S") => Between::Since,
                Token::Word("T") => Between::Triggered,
                _ => break,
            };
            self.advance();
            length += 1;
            if length > self.nesting {
                return Err(self.too_deep());
            }
            let right = self.comparison()?;
            let span = left.span.to(right.span);
            left = make(ExprKind::Between(operator, left.into(), right.into()), span);
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Parsed {
        self.chain(Self::membership, |p| {
            let operators = [
                ("=", Binary::Equal),
                ("!=", Binary::Unequal),
                ("<=", Binary::LessEqual),
                (">=", Binary::GreaterEqual),
                ("<", Binary::Less),
                (">", Binary::Greater),
            ];
            operators.into_iter().find(|(symbol, _)| p.take(symbol)).map(|(_, operator)| operator)
        })
    }

    fn membership(&mut self) -> Parsed {
        self.chain(Self::union, |p| p.take_word("in").then_some(Binary::In))
    }

    fn union(&mut self) -> Parsed {
        self.chain(Self::range, |p| p.take_word("union").then_some(Binary::Union))
    }

    fn range(&mut self) -> Parsed {
        let low = self.shift()?;
        if !self.take("..") {
            return Ok(low);
        }
        let high = self.shift()?;
        let span = low.span.to(high.span);
        Ok(make(ExprKind::Range(low.into(), high.into()), span))
    }

    fn shift(&mut self) -> Parsed {
        self.chain(Self::sum, |p| {
            let operators = [
                ("<<<", Binary::RotateLeft),
                (">>>", Binary::RotateRight),
                ("<<", Binary::ShiftLeft),
                (">>", Binary::ShiftRight),
            ];
            operators.into_iter().find(|(symbol, _)| p.take(symbol)).map(|(_, operator)| operator)
        })
    }

    pub fn sum(&mut self) -> Parsed {
        self.chain(Self::product, |p| {
            let operators = [("+", Binary::Plus), ("-", Binary::Minus)];
            operators.into_iter().find(|(symbol, _)| p.take(symbol)).map(|(_, operator)| operator)
        })
    }

    fn product(&mut self) -> Parsed {
        self.chain(Self::concatenation, |p| {
            if p.take_word("mod") {
                return Some(Binary::Modulo);
            }
            let operators = [("*", Binary::Times), ("/", Binary::Divide)];
            operators.into_iter().find(|(symbol, _)| p.take(symbol)).map(|(_, operator)| operator)
        })
    }

    fn concatenation(&mut self) -> Parsed {
        self.chain(Self::unary, |p| p.take("::").then_some(Binary::Concatenate))
    }

    /// `!` takes the next operand alone, the temporal operators take whole comparisons: `AF state = busy`.
    fn unary(&mut self) -> Parsed {
        self.nested(Self::operator)
    }
}

fn many(mut list: Vec<Expr>, join: fn(Vec<Expr>) -> ExprKind) -> Expr {
    if list.len() == 1 {
        return list.remove(0);
    }
    let span = list[0].span.to(list[list.len() - 1].span);
    make(join(list), span)
}
