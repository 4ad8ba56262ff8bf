//! Expressions and formulas, from weak to strong operators.

use crate::diagnostic::{Checked, Code, Diagnostic};
use crate::lex::Token;
use crate::parse::Parser;
use crate::syntax::{Along, Between, Binary, Expr, ExprKind, Name, Steps, Temporal};
use winset_formula::Path;

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

    fn operator(&mut self) -> Parsed {
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

    fn primary(&mut self) -> Parsed {
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

    fn case(&mut self, start: winset_formula::Span) -> Parsed {
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

/// `0ud8_12`, `0b_1011`, `0sh4_f`: a sign, a base, a width, and digits; a number is none.
fn word_constant(text: &str) -> Option<ExprKind> {
    let (head, digits) = text.strip_prefix('0')?.split_once('_')?;
    let signed = head.starts_with('s');
    let head = head.strip_prefix(['s', 'u']).unwrap_or(head);
    let (base, each) = match head.chars().next()?.to_ascii_lowercase() {
        'b' => (2, 1),
        'o' => (8, 3),
        'd' => (10, 0),
        'h' => (16, 4),
        _ => return None,
    };
    let digits: Vec<u32> =
        digits.chars().filter(|c| *c != '_').map(|c| c.to_digit(base)).collect::<Option<_>>()?;
    let width = match &head[1..] {
        "" => digits.len() * each,
        width => width.parse().ok()?,
    };
    if width == 0 || width > MOST_BITS || digits.is_empty() {
        return None;
    }
    let mut bits = vec![false; width];
    for digit in digits {
        let mut carry = digit;
        for bit in &mut bits {
            carry += u32::from(*bit) * base;
            *bit = carry & 1 == 1;
            carry >>= 1;
        }
        // What does not fit is no word of this width.
        if carry > 0 {
            return None;
        }
    }
    Some(ExprKind::Word(signed, bits))
}

/// The widest words.
pub(crate) const MOST_BITS: usize = 1024;

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

fn many(mut list: Vec<Expr>, join: fn(Vec<Expr>) -> ExprKind) -> Expr {
    if list.len() == 1 {
        return list.remove(0);
    }
    let span = list[0].span.to(list[list.len() - 1].span);
    make(join(list), span)
}
