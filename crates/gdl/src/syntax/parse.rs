//! From s-expressions to rules.

use crate::diagnostic::{Code, Diagnostic, Findings, Span};
use crate::syntax::read::{NodeId, NodeKind, Reading};
use crate::syntax::symbols::{Symbol, keyword};
use crate::syntax::tree::{Atom, Formula, Program, Rule, Term};

/// How many arguments a keyword takes.
fn keyword_arity(name: Symbol) -> Option<usize> {
    match name {
        keyword::TERMINAL => Some(0),
        keyword::ROLE | keyword::INIT | keyword::TRUE | keyword::NEXT | keyword::BASE => Some(1),
        keyword::DOES | keyword::LEGAL | keyword::GOAL | keyword::DISTINCT | keyword::INPUT => Some(2),
        _ => None,
    }
}

/// Reads every expression of the file as a rule; what is not one is reported and left out.
pub(crate) fn parse(reading: Reading, findings: &mut Findings) -> Program {
    let mut rules = Vec::new();
    if let Some(span) = infix(&reading) {
        findings.push(
            Diagnostic::error(Code::InfixNotation, span, "this is the infix notation of GDL")
                .help("write the game in the prefix (KIF) notation: (<= head condition ...)"),
        );
        return Program { symbols: reading.symbols, rules };
    }
    let parser = Parser { reading: &reading };
    for id in &reading.top {
        match parser.rule(*id) {
            Ok(rule) => rules.extend(rule),
            Err(diagnostic) => findings.push(*diagnostic),
        }
    }
    Program { symbols: reading.symbols, rules }
}

/// The infix notation gives itself away by `:-`, or by `&` or `~` outside of parentheses.
fn infix(reading: &Reading) -> Option<Span> {
    reading.top.iter().find_map(|id| {
        let node = &reading.nodes[*id as usize];
        match &node.kind {
            NodeKind::Symbol(s) if matches!(reading.symbols.name(*s), ":-" | "&" | "~") => Some(node.span),
            _ => None,
        }
    })
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

fn fail<T>(code: Code, span: Span, message: impl Into<String>, help: &str) -> Parsed<T> {
    Err(Box::new(Diagnostic::error(code, span, message).help(help)))
}

struct Parser<'a> {
    reading: &'a Reading,
}

impl Parser<'_> {
    fn span(&self, id: NodeId) -> Span {
        self.reading.nodes[id as usize].span
    }

    /// The symbol in front and the arguments; a bare symbol has none, and `(a)` is `a`.
    fn parts(&self, id: NodeId) -> Parsed<(Symbol, &[NodeId])> {
        match &self.reading.nodes[id as usize].kind {
            NodeKind::Symbol(symbol) => Ok((*symbol, &[])),
            NodeKind::List(children) => match children.split_first() {
                None => {
                    fail(Code::MissingName, self.span(id), "an empty list `()` means nothing", "remove it")
                }
                Some((first, rest)) => match &self.reading.nodes[*first as usize].kind {
                    NodeKind::Symbol(symbol) => Ok((*symbol, rest)),
                    NodeKind::List(_) => fail(
                        Code::MissingName,
                        self.span(*first),
                        "a list must begin with a name",
                        "is there one pair of parentheses too many?",
                    ),
                },
            },
        }
    }

    fn rule(&self, id: NodeId) -> Parsed<Option<Rule>> {
        let span = self.span(id);
        let (name, args) = self.parts(id)?;
        if name != keyword::ARROW {
            let head = self.head(id)?;
            return Ok(head.map(|head| Rule { head, body: Vec::new(), span }));
        }
        let Some((head, body)) = args.split_first() else {
            return fail(Code::NotARule, span, "a rule needs a head", "write (<= head condition ...)");
        };
        let head = self.head(*head)?;
        let body = body.iter().map(|b| self.formula(*b)).collect::<Parsed<Vec<_>>>()?;
        Ok(head.map(|head| Rule { head, body, span }))
    }

    /// The head of a rule; nothing for the older forms of `base` that say nothing about play.
    fn head(&self, id: NodeId) -> Parsed<Option<Atom>> {
        let (name, args) = self.parts(id)?;
        let span = self.span(id);
        match name {
            keyword::NOT | keyword::OR | keyword::AND | keyword::DISTINCT | keyword::ARROW => fail(
                Code::NotARule,
                span,
                format!("`{}` cannot be the head of a rule", self.reading.symbols.name(name)),
                "a head is a relation with its arguments",
            ),
            keyword::TRUE | keyword::DOES => fail(
                Code::KeywordHead,
                span,
                format!("`{}` cannot be defined by a rule", self.reading.symbols.name(name)),
                "what holds at the start is given by `init`, what holds next by `next`",
            ),
            keyword::BASE | keyword::INPUT if Some(args.len()) != keyword_arity(name) => Ok(None),
            _ => self.atom(id).map(Some),
        }
    }

    fn atom(&self, id: NodeId) -> Parsed<Atom> {
        let (name, args) = self.parts(id)?;
        let span = self.span(id);
        let text = self.reading.symbols.name(name);
        if self.reading.symbols.is_variable(name) {
            return fail(
                Code::NotARule,
                span,
                format!("the variable `{text}` stands where a relation should"),
                "name a relation",
            );
        }
        if let Some(arity) = keyword_arity(name)
            && arity != args.len()
        {
            return fail(
                Code::KeywordArity,
                span,
                format!("`{text}` takes {arity} arguments, not {}", args.len()),
                "the word is a keyword of GDL: give a relation of one's own another name",
            );
        }
        let args = args.iter().map(|a| self.term(*a)).collect::<Parsed<Vec<_>>>()?;
        Ok(Atom { name, args, span })
    }

    fn term(&self, id: NodeId) -> Parsed<Term> {
        let (name, args) = self.parts(id)?;
        let span = self.span(id);
        if self.reading.symbols.is_variable(name) {
            if !args.is_empty() {
                let message =
                    format!("the variable `{}` cannot have arguments", self.reading.symbols.name(name));
                return fail(Code::NotARule, span, message, "name the function instead");
            }
            return Ok(Term::Variable(name, span));
        }
        let args = args.iter().map(|a| self.term(*a)).collect::<Parsed<Vec<_>>>()?;
        Ok(Term::Function(name, args, span))
    }

    fn formula(&self, id: NodeId) -> Parsed<Formula> {
        let (name, args) = self.parts(id)?;
        let span = self.span(id);
        let arity = |n: usize| -> Parsed<()> {
            if args.len() == n {
                return Ok(());
            }
            let text = self.reading.symbols.name(name);
            let message = format!("`{text}` takes {n} arguments, not {}", args.len());
            fail(
                Code::KeywordArity,
                span,
                message,
                "the word is a keyword of GDL: give a relation of one's own another name",
            )
        };
        match name {
            keyword::NOT => {
                arity(1)?;
                Ok(Formula::Not(Box::new(self.formula(args[0])?)))
            }
            keyword::DISTINCT => {
                arity(2)?;
                Ok(Formula::Distinct(self.term(args[0])?, self.term(args[1])?, span))
            }
            keyword::OR => Ok(Formula::Or(args.iter().map(|a| self.formula(*a)).collect::<Parsed<_>>()?)),
            keyword::AND => Ok(Formula::And(args.iter().map(|a| self.formula(*a)).collect::<Parsed<_>>()?)),
            keyword::ARROW => {
                fail(Code::NotARule, span, "a rule cannot stand inside a rule", "is a `)` missing before it?")
            }
            _ => self.atom(id).map(Formula::Atom),
        }
    }
}
