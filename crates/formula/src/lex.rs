//! Symbols of a formula's text.

use crate::error::FormulaError;
use winset_diagnostic::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// A name, with its quotes taken off.
    Name(&'t str),
    /// A quoted name: never a keyword.
    Quoted(&'t str),
    Symbol(&'static str),
    End,
}

const SYMBOLS: [&str; 13] = ["<->", "->", "!=", "(", ")", "[", "]", "!", "~", "&", "|", "=", "."];

/// Names may hold what names of sets hold: `turn:black`, `reward:white:100`; anything else is quoted.
pub(crate) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Span)>, FormulaError> {
    let mut found = vec![];
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if c == '"' || c == '\'' {
            let inside = &text[at + 1..];
            let Some(length) = inside.find(c) else {
                let span = Span::new(at, text.len());
                let found = "the end".to_owned();
                return Err(FormulaError::Syntax { expected: "a closing quote", found, span });
            };
            found.push((Token::Quoted(&inside[..length]), Span::new(at, at + length + 2)));
            at += length + 2;
        } else if is_name(c) {
            let length = text[at..].find(|c| !is_name(c) && c != ':').unwrap_or(text.len() - at);
            found.push((Token::Name(&text[at..at + length]), Span::new(at, at + length)));
            at += length;
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| text[at..].starts_with(symbol)) {
            found.push((Token::Symbol(symbol), Span::new(at, at + symbol.len())));
            at += symbol.len();
        } else {
            return Err(FormulaError::Character { character: c, span: Span::new(at, at + c.len_utf8()) });
        }
    }
    found.push((Token::End, Span::new(text.len(), text.len())));
    Ok(found)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
