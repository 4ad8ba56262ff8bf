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

const SYMBOLS: [&str; 29] = [
    "<->", ":=", "->", "..", "!=", "<=", ">=", "::", "<<", ">>", "<", ">", "=", "!", "&", "|", "+", "-", "*",
    "/", "(", ")", "{", "}", "[", "]", ":", ";", ",",
];
const MORE: [&str; 2] = [".", "?"];

/// All symbols; characters that begin none are reported and left out.
pub(crate) fn tokens<'t>(text: &'t str, found: &mut Diagnostics) -> Vec<(Token<'t>, Span)> {
    let mut tokens = vec![];
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if rest.starts_with("/--") {
            at += rest.find("--/").map_or(rest.len(), |end| end + 3);
        } else if rest.starts_with("--") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if c.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push((Token::Number(&rest[..length]), Span::new(at, at + length)));
            at += length;
        } else if c.is_ascii_alphabetic() || c == '_' {
            let length = word_length(rest);
            tokens.push((Token::Word(&rest[..length]), Span::new(at, at + length)));
            at += length;
        } else if let Some(symbol) = SYMBOLS.into_iter().chain(MORE).find(|s| rest.starts_with(s)) {
            tokens.push((Token::Symbol(symbol), Span::new(at, at + symbol.len())));
            at += symbol.len();
        } else {
            let span = Span::new(at, at + c.len_utf8());
            found.add(Diagnostic::error(Code::Character, span, format!("{c:?} has no meaning here")));
            at += c.len_utf8();
        }
    }
    tokens.push((Token::End, Span::new(text.len(), text.len())));
    tokens
}

/// Names may hold `-` inside, as the language allows, but not before `>`, which makes an arrow.
fn word_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#');
    let mut length = 1;
    while let Some(&b) = bytes.get(length) {
        let dash = b == b'-' && bytes.get(length + 1).is_some_and(|&next| plain(next));
        if !plain(b) && !dash {
            break;
        }
        length += 1;
    }
    length
}
