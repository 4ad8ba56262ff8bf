//! Symbols of a file.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use winset_diagnostic::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    Word(&'t str),
    Number(&'t str),
    Symbol(&'static str),
    End,
}

const SYMBOLS: [&str; 33] = [
    "<->", "<<<", ">>>", ":=", "->", "..", "!=", "<=", ">=", "::", "<<", ">>", "<", ">", "=", "!", "&", "|",
    "+", "-", "*", "/", "(", ")", "{", "}", "[", "]", ":", ";", ",", ".", "?",
];

/// Stands for a byte that is not UTF-8.
pub(crate) const NOT_UTF8: char = '\u{1a}';

/// All symbols; characters that begin none are reported and left out.
pub(crate) fn tokens<'t>(text: &'t str, found: &mut Diagnostics) -> Vec<(Token<'t>, Span)> {
    let mut tokens = vec![];
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() || c == '\u{feff}' {
            at += c.len_utf8();
        } else if rest.starts_with("/--") {
            at += rest.find("--/").map_or(rest.len(), |end| end + 3);
        } else if rest.starts_with("--") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if c.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push((Token::Number(&rest[..length]), Span::new(at, at + length)));
            at += length;
        } else if c.is_alphabetic() || matches!(c, '_' | '@' | '$' | '\\') {
            let length = word_length(rest);
            tokens.push((Token::Word(&rest[..length]), Span::new(at, at + length)));
            at += length;
        } else if let Some(length) = quoted_length(rest) {
            tokens.push((Token::Word(&rest[..length]), Span::new(at, at + length)));
            at += length;
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|s| rest.starts_with(s)) {
            tokens.push((Token::Symbol(symbol), Span::new(at, at + symbol.len())));
            at += symbol.len();
        } else {
            let span = Span::new(at, at + c.len_utf8());
            let error = if c == '#' {
                let error = Diagnostic::error(Code::Unsupported, span, "the C preprocessor is not run");
                error.help("write the file with `cpp -P` first")
            } else if c == NOT_UTF8 {
                let error = Diagnostic::error(Code::Character, span, "this byte is not UTF-8");
                error.help("save the file as UTF-8; only comments may be in another encoding")
            } else {
                Diagnostic::error(Code::Character, span, format!("{c:?} has no meaning here"))
            };
            found.add(error);
            // The rest of a directive means nothing either.
            at += if c == '#' { rest.find('\n').unwrap_or(rest.len()) } else { c.len_utf8() };
        }
    }
    tokens.push((Token::End, Span::new(text.len(), text.len())));
    tokens
}

/// Names may hold `-` inside, as the language allows, but not before `>`, which makes an arrow.
fn word_length(rest: &str) -> usize {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '@' | '\\');
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        let dash = c == '-' && characters.peek().is_some_and(|&(_, next)| plain(next));
        if !plain(c) && !dash {
            return at;
        }
    }
    rest.len()
}

/// A name in quotes, which are a part of it.
fn quoted_length(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('"')?;
    let end = inside.find(['"', '\n'])?;
    (end > 0 && inside.as_bytes()[end] == b'"').then_some(end + 2)
}
