//! A finding in a text with its line and a caret under the place, as compilers print it.

use serde::Serialize;
use winset_model::visible;

/// What was found, and where.
pub struct Finding<'a> {
    /// "error" or "warning".
    pub severity: &'a str,
    /// What kind of finding it is.
    pub code: &'a str,
    /// In a sentence.
    pub message: &'a str,
    /// What would be right.
    pub help: Option<&'a str>,
    /// The bytes that are meant.
    pub span: std::ops::Range<usize>,
}

/// A finding that does not stop the work, for machines.
#[derive(Clone, Debug, Serialize)]
pub struct Warning {
    /// What kind of finding it is.
    pub code: String,
    /// In a sentence.
    pub message: String,
    /// What would be right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Where, from 1.
    pub line: usize,
    /// Where in the line, from 1.
    pub column: usize,
}

impl Warning {
    /// The finding with its place.
    pub fn of(source: &[u8], finding: &Finding<'_>) -> Self {
        let (line, column) = winset_gdl::position(source, finding.span.start);
        Warning {
            code: finding.code.to_owned(),
            message: finding.message.to_owned(),
            help: finding.help.map(str::to_owned),
            line,
            column,
        }
    }
}

/// A line is shown up to this far around the place: a line can have megabytes.
const WINDOW: usize = 100;

/// The finding with its source line.
pub fn render(file: &str, source: &[u8], finding: &Finding<'_>) -> String {
    let start = finding.span.start.min(source.len());
    let is_break = |b: &u8| matches!(b, b'\n' | b'\r');
    let line_start = source[..start].iter().rposition(is_break).map_or(0, |i| i + 1);
    let line_end = source[start..].iter().position(is_break).map_or(source.len(), |i| start + i);
    let (line, column) = winset_gdl::position(source, start);
    let shown = |from: usize, to: usize| -> String {
        let text = String::from_utf8_lossy(&source[from..to.max(from)]);
        visible(&text.replace('\t', " ")).into_owned()
    };
    let from = if start - line_start > WINDOW { start - WINDOW / 2 } else { line_start };
    let to = line_end.min(from + 2 * WINDOW);
    let before = shown(from, start).chars().count();
    let under = shown(start, finding.span.end.clamp(start, to.max(start))).chars().count().max(1);
    let Finding { severity, code, message, .. } = finding;
    let number = line.to_string();
    let blank = " ".repeat(number.len());
    let mut text = format!("{severity}[{code}]: {message}\n{blank}--> {file}:{line}:{column}\n{blank} |\n");
    text += &format!("{number} | {}\n", shown(from, to).trim_end());
    text += &format!("{blank} | {}{}\n", " ".repeat(before), "^".repeat(under));
    if let Some(help) = finding.help {
        text += &format!("{blank} = help: {help}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_place() {
        let finding = Finding {
            severity: "error",
            code: "unknown-name",
            message: "nothing is called \"y\"",
            help: Some("did you mean \"x\"?"),
            span: 8..9,
        };
        let text = render("a.smv", b"VAR x;\n\ty := 1", &finding);
        let expected = "error[unknown-name]: nothing is called \"y\"\n --> a.smv:2:2\n  |\n\
                        2 |  y := 1\n  |  ^\n  = help: did you mean \"x\"?\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_place_beyond_the_text_is_shown_at_its_end() {
        let finding = Finding { severity: "error", code: "c", message: "m", help: None, span: 90..95 };
        assert!(render("a", b"short", &finding).contains("1 | short\n  |      ^"));
    }
}
