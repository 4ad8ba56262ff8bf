//! The reader: bytes to s-expressions, every one with its span.
//!
//! It works on bytes with an explicit stack, so neither a strange encoding nor a tower of parentheses can
//! stop it with anything but a diagnostic.

use crate::diagnostic::{Code, Diagnostic, Findings, Span};
use crate::syntax::symbols::{Symbol, Symbols};
use std::borrow::Cow;

/// The place of an expression in [`Reading::nodes`].
pub type NodeId = u32;

/// One s-expression.
#[derive(Clone, Debug)]
pub struct Node {
    pub span: Span,
    pub kind: NodeKind,
}

#[derive(Clone, Debug)]
pub enum NodeKind {
    Symbol(Symbol),
    List(Vec<NodeId>),
}

/// A file as s-expressions. Nodes live in one vector, so dropping a deep tree does not recurse.
#[derive(Debug, Default)]
pub struct Reading {
    pub symbols: Symbols,
    pub nodes: Vec<Node>,
    /// The expressions outside of all parentheses, in textual order.
    pub top: Vec<NodeId>,
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b || byte == 0
}

fn is_delimiter(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b'(' | b')' | b';')
}

/// Reads a file. What cannot be read is reported and skipped, so one call finds several mistakes.
pub(crate) fn read(source: &[u8], nesting: usize, findings: &mut Findings) -> Reading {
    let mut reading = Reading::default();
    let mut open: Vec<(usize, Vec<NodeId>)> = Vec::new();
    let mut too_deep = false;
    let mut at = if source.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    while at < source.len() {
        match source[at] {
            b if is_blank(b) => at += 1,
            b';' => {
                at +=
                    source[at..].iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(source.len() - at);
            }
            b'(' => {
                if open.len() >= nesting {
                    let message = format!("parentheses are nested more than {nesting} deep");
                    findings.push(Diagnostic::error(Code::NestingTooDeep, Span::new(at, at + 1), message));
                    too_deep = true;
                    break;
                }
                open.push((at, Vec::new()));
                at += 1;
            }
            b')' => {
                at += 1;
                match open.pop() {
                    Some((start, children)) => {
                        let node = Node { span: Span::new(start, at), kind: NodeKind::List(children) };
                        push(&mut reading, &mut open, node);
                    }
                    None => findings.push(
                        Diagnostic::error(
                            Code::StrayParenthesis,
                            Span::new(at - 1, at),
                            "this `)` closes nothing",
                        )
                        .help("remove it, or look for a missing `(` above"),
                    ),
                }
            }
            _ => {
                let start = at;
                while at < source.len() && !is_delimiter(source[at]) {
                    at += 1;
                }
                let text = String::from_utf8_lossy(&source[start..at]);
                if matches!(text, Cow::Owned(_)) {
                    // Different bytes would become one name.
                    findings.push(
                        Diagnostic::error(Code::NotUtf8, Span::new(start, at), "this name is not UTF-8")
                            .help("save the file as UTF-8; only comments may have other bytes"),
                    );
                }
                let symbol = reading.symbols.intern(&text);
                let node = Node { span: Span::new(start, at), kind: NodeKind::Symbol(symbol) };
                push(&mut reading, &mut open, node);
            }
        }
    }
    if !too_deep {
        for (start, _) in &open {
            findings.push(
                Diagnostic::error(
                    Code::UnclosedParenthesis,
                    Span::new(*start, start + 1),
                    "this `(` is never closed",
                )
                .help("a `)` is missing somewhere after it"),
            );
        }
    }
    reading
}

fn push(reading: &mut Reading, open: &mut [(usize, Vec<NodeId>)], node: Node) {
    let id = reading.nodes.len() as NodeId;
    reading.nodes.push(node);
    match open.last_mut() {
        Some((_, children)) => children.push(id),
        None => reading.top.push(id),
    }
}
