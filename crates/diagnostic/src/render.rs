//! A finding with its line and a caret under the place, as compilers print it. Nowhere else are findings drawn.

use crate::diagnostic::{Cause, Diagnostic};
use crate::visible::{visible, visible_lines};
use serde::Serialize;

/// A line is shown up to this many bytes around the place: a line can have megabytes.
const WINDOW: usize = 100;

/// A finding with its line and column, for machines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Located {
    /// The cause's name.
    pub code: String,
    /// In a sentence.
    pub message: String,
    /// What would be right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Where, from 1.
    pub line: usize,
    /// Where in the line, in characters from 1.
    pub column: usize,
}

impl<C: Cause> Diagnostic<C> {
    /// The finding with its line and column in the text.
    pub fn located(&self, source: &[u8]) -> Located {
        let (line, column) = position(source, self.span.start);
        let (message, help) = (self.message.clone(), self.help.clone());
        Located { code: self.code.as_str().to_owned(), message, help, line, column }
    }
}

/// Line and column, both from 1, of a byte of the text; CR, LF and CRLF all end a line.
pub fn position(source: &[u8], offset: usize) -> (usize, usize) {
    let offset = offset.min(source.len());
    let mut line = 1;
    let mut start = 0;
    for (i, byte) in source[..offset].iter().enumerate() {
        let crlf = *byte == b'\r' && source.get(i + 1) == Some(&b'\n');
        if (*byte == b'\n' || *byte == b'\r') && !crlf {
            line += 1;
            start = i + 1;
        }
    }
    (line, String::from_utf8_lossy(&source[start..offset]).chars().count() + 1)
}

/// The finding with the line that is meant, of a text that is called `name`.
pub fn render<C: Cause>(name: &str, source: &[u8], diagnostic: &Diagnostic<C>) -> String {
    let span = diagnostic.span;
    let start = span.start.min(source.len());
    let is_break = |b: &u8| matches!(b, b'\n' | b'\r');
    let line_start = source[..start].iter().rposition(is_break).map_or(0, |i| i + 1);
    let line_end = source[start..].iter().position(is_break).map_or(source.len(), |i| start + i);
    let (line, column) = position(source, start);
    let shown = |from: usize, to: usize| -> String {
        let text = String::from_utf8_lossy(&source[from..to.max(from)]);
        visible(&text.replace('\t', " ")).into_owned()
    };
    let from = if start - line_start > WINDOW { start - WINDOW / 2 } else { line_start };
    let to = line_end.min(from + 2 * WINDOW);
    let before = shown(from, start).chars().count();
    let under = shown(start, span.end.clamp(start, to.max(start))).chars().count().max(1);
    let number = line.to_string();
    let blank = " ".repeat(number.len());
    let (severity, code) = (diagnostic.severity.as_str(), diagnostic.code.as_str());
    let message = visible_lines(&diagnostic.message);
    let name = visible(name);
    let mut text = format!("{severity}[{code}]: {message}\n{blank}--> {name}:{line}:{column}\n{blank} |\n");
    text += format!("{number} | {}", shown(from, to)).trim_end();
    text += &format!("\n{blank} | {}{}\n", " ".repeat(before), "^".repeat(under));
    if let Some(help) = &diagnostic.help {
        text += &format!("{blank} = help: {}\n", visible_lines(help));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    #[test]
    fn the_caret_stands_under_the_place() {
        let wrong = Diagnostic::error("unknown-name", Span::new(8, 9), "nothing is called \"y\"");
        let text = render("a.smv", b"VAR x;\n\ty := 1", &wrong.help("did you mean \"x\"?"));
        let expected = "error[unknown-name]: nothing is called \"y\"\n --> a.smv:2:2\n  |\n\
                        2 |  y := 1\n  |  ^\n  = help: did you mean \"x\"?\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_place_beyond_the_text_is_shown_at_its_end() {
        let wrong = Diagnostic::warning("c", Span::new(90, 95), "m");
        let expected = "warning[c]: m\n --> a:1:6\n  |\n1 | short\n  |      ^\n";
        assert_eq!(render("a", b"short", &wrong), expected);
    }

    #[test]
    fn an_empty_text_has_a_place_too() {
        let wrong = Diagnostic::error("c", Span::default(), "m");
        assert_eq!(render("a", b"", &wrong), "error[c]: m\n --> a:1:1\n  |\n1 |\n  | ^\n");
    }

    #[test]
    fn nothing_invisible_is_rendered_and_the_caret_still_stands_under_the_place() {
        let text = "\u{1b}[2J x".as_bytes();
        let wrong = Diagnostic::error("c", Span::new(5, 6), "\u{202e}").help("\u{7}");
        let shown = render("\u{1b}", text, &wrong);
        assert!(shown.chars().all(|c| c == '\n' || crate::is_visible(c)), "{shown:?}");
        assert!(shown.contains("1 | \\u{1b}[2J x\n  |           ^\n"), "{shown}");
    }

    /// Cut anywhere, also inside of characters and lines that are longer than what is shown.
    #[test]
    fn every_place_of_any_text_can_be_rendered() {
        let long = format!("{}\r\n{}\n\u{1f600}é\t\r\r", "x".repeat(350), "\u{301}ä".repeat(120));
        for source in [long.as_bytes(), b"\xff\xfe(\n\xc3", b"\n"] {
            for start in 0..=source.len() + 2 {
                for end in [start, start + 1, start + 3, start + 1000, start.saturating_sub(1)] {
                    let shown = render("f", source, &Diagnostic::error("c", Span::new(start, end), "m"));
                    assert_eq!(shown.lines().count(), 5, "{shown}");
                    assert!(shown.ends_with("^\n"));
                }
            }
        }
    }
}
