//! Names as people can read them. Rules, models and stores may come from anybody, and what a terminal is
//! told to do by a name, or what a name hides, is nobody's wish: whatever cannot be seen is shown by its number.
//! This is the only place that says what cannot be seen.

use std::borrow::Cow;
use std::io::{self, Write};

/// Letters by their class that nevertheless show nothing: the fillers of Hangul, and the empty Braille pattern.
const BLANK: [char; 5] = ['\u{115f}', '\u{1160}', '\u{2800}', '\u{3164}', '\u{ffa0}'];

/// A character that shows itself where it stands: no control character, no mark of direction or joining, no
/// separator but the blank, nothing that changes its neighbour.
///
/// ```
/// use winset_diagnostic::is_visible;
/// assert!("a b\"\\<ä棋×∞".chars().all(is_visible));
/// assert!(!"\u{1b}\u{9b}\u{7f}\n\t\u{202e}\u{200b}\u{2028}\u{feff}\u{e0041}\u{301}".chars().any(is_visible));
/// ```
pub fn is_visible(c: char) -> bool {
    match c {
        ' '..='~' => true,
        // The standard library escapes controls, formats, separators, unassigned and private characters and marks.
        _ => c.escape_debug().len() == 1 && !BLANK.contains(&c),
    }
}

/// How the number of a character is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `\u{202e}`, as positions and the names of moves are understood again.
    Text,
    /// `\u202e`, as JSON has it.
    Json,
}

/// A name as it is shown: in one line, everything invisible as its number.
///
/// ```
/// use winset_diagnostic::visible;
/// assert_eq!(visible("cell\u{1b}[2J"), "cell\\u{1b}[2J");
/// assert_eq!(visible(&visible("\n")), "\\u{a}");
/// ```
pub fn visible(name: &str) -> Cow<'_, str> {
    match name.chars().all(is_visible) {
        true => Cow::Borrowed(name),
        false => Cow::Owned(escaped(name, Notation::Text, false)),
    }
}

/// A text of several lines as it is shown: only its line ends and tabs are kept.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    match text.chars().all(|c| is_visible(c) || matches!(c, '\n' | '\t')) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(escaped(text, Notation::Text, true)),
    }
}

fn escaped(text: &str, notation: Notation, lines: bool) -> String {
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' | '\t' if lines => shown.push(c),
            _ if is_visible(c) => shown.push(c),
            _ if notation == Notation::Text => shown.extend(c.escape_unicode()),
            _ => {
                let units = &mut [0; 2];
                c.encode_utf16(units).iter().for_each(|unit| shown.push_str(&format!("\\u{unit:04x}")));
            }
        }
    }
    shown
}

/// A writer that lets through only what can be seen, line ends and tabs.
pub struct Visible<W> {
    inner: W,
    notation: Notation,
    /// The beginning of a character that was cut.
    cut: Vec<u8>,
}

impl<W: Write> Visible<W> {
    /// Shows in this notation.
    pub fn new(inner: W, notation: Notation) -> Self {
        Visible { inner, notation, cut: vec![] }
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let joined = [std::mem::take(&mut self.cut).as_slice(), bytes].concat();
        let whole = match std::str::from_utf8(&joined) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => joined.len(),
        };
        self.cut = joined[whole..].to_vec();
        let text = String::from_utf8_lossy(&joined[..whole]);
        self.inner.write_all(escaped(&text, self.notation, true).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_does_not_depend_on_where_writes_are_cut() {
        let text = "a\u{1b}[0m b\u{202e}c\u{9b}\nd\u{e0041}\u{1f600}é";
        for (notation, shown) in [
            (Notation::Text, "a\\u{1b}[0m b\\u{202e}c\\u{9b}\nd\\u{e0041}\u{1f600}é"),
            (Notation::Json, "a\\u001b[0m b\\u202ec\\u009b\nd\\udb40\\udc41\u{1f600}é"),
        ] {
            for size in 1..=text.len() {
                let mut out = vec![];
                let mut writer = Visible::new(&mut out, notation);
                text.as_bytes().chunks(size).for_each(|piece| writer.write_all(piece).unwrap());
                assert_eq!(String::from_utf8(out).unwrap(), shown, "{size}");
            }
        }
    }

    /// Every character: shown as itself or by its number, and what is shown is shown as itself.
    #[test]
    fn nothing_invisible_gets_through() {
        for c in '\0'..=char::MAX {
            let name = c.to_string();
            let shown = visible(&name);
            assert!(shown.chars().all(is_visible), "{c:?}");
            let hidden = c.is_control()
                || matches!(u32::from(c),
                    0xad | 0x61c | 0x180e | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfe00..=0xfe0f
                    | 0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe0fff);
            assert!(!hidden || shown != name, "{c:?}");
        }
    }
}
