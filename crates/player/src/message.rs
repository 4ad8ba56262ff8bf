//! Messages of a game server: KIF, keywords in any case, blanks anywhere.

use thiserror::Error;

/// The longest clock that is believed, in seconds: a day.
const LONGEST_CLOCK: u64 = 86_400;
/// The seconds of a clock that is missing or no number. Few, because nobody knows how long the server will wait; and a match
/// that is played in a hurry is better than one in which every answer is missing.
const UNKNOWN_CLOCK: u64 = 5;

/// What a game server asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Who is there, and is it free?
    Info,
    /// Rules to be looked at before a match.
    Preview {
        /// The rules in GDL.
        rules: String,
        /// Seconds until the answer must be there.
        clock: u64,
    },
    /// A match begins.
    Start {
        /// The match.
        id: String,
        /// Whom to play.
        role: String,
        /// The rules in GDL.
        rules: String,
        /// Seconds until the answer must be there.
        start_clock: u64,
        /// Seconds for each move.
        play_clock: u64,
    },
    /// What everybody did, and a move is wanted.
    Play {
        /// The match.
        id: String,
        /// The moves in the order of the roles, written in one way ([`canonical`]); none at the start.
        moves: Option<Vec<String>>,
    },
    /// What everybody did, and that was the end.
    Stop {
        /// The match.
        id: String,
        /// The last moves.
        moves: Option<Vec<String>>,
    },
    /// The match is off.
    Abort {
        /// The match.
        id: String,
    },
}

/// Why a text is no message.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MessageError {
    /// There is nothing.
    #[error("the message is empty; a message is a list like ( INFO )")]
    Empty,
    /// It does not begin with a parenthesis, or goes on after the last.
    #[error("a message is one list in parentheses like ( INFO ); there is something else at byte {0}")]
    NotAList(usize),
    /// Parentheses do not match.
    #[error("the parenthesis at byte {0} is never closed")]
    Unclosed(usize),
    /// A word nobody knows.
    #[error("there is no message {0:?}; there are INFO, PREVIEW, START, PLAY, STOP and ABORT")]
    Unknown(String),
    /// Something is missing or too much.
    #[error("{keyword} has {found} arguments; it is written {form}")]
    Arguments {
        /// The message's first word.
        keyword: &'static str,
        /// How many there are.
        found: usize,
        /// What would be right.
        form: &'static str,
    },
    /// Rules and moves are lists, names are not.
    #[error("{0} must be {1}")]
    Kind(&'static str, &'static str),
}

impl Message {
    /// Reads a message.
    pub fn read(text: &str) -> Result<Self, MessageError> {
        let items = items(inside(text)?)?;
        let Some((keyword, arguments)) = items.split_first() else { return Err(MessageError::Empty) };
        match keyword.to_ascii_lowercase().as_str() {
            "info" => Ok(Message::Info),
            "preview" => match arguments {
                [rules, clocks @ ..] => {
                    Ok(Message::Preview { rules: list("PREVIEW", rules)?, clock: seconds(clocks.first()) })
                }
                _ => Err(wrong("PREVIEW", arguments, "( PREVIEW (rules) clock )")),
            },
            "start" => match arguments {
                // Further arguments belong to other versions of the protocol.
                [id, role, rules, clocks @ ..] => Ok(Message::Start {
                    id: word("the match of START", id)?,
                    role: canonical(role),
                    rules: list("START", rules)?,
                    start_clock: seconds(clocks.first()),
                    play_clock: seconds(clocks.get(1)),
                }),
                _ => Err(wrong("START", arguments, "( START match role (rules) startclock playclock )")),
            },
            "play" => match arguments {
                [id, moves @ ..] => {
                    Ok(Message::Play { id: word("the match of PLAY", id)?, moves: joint(moves.first())? })
                }
                _ => Err(wrong("PLAY", arguments, "( PLAY match (moves) ) or ( PLAY match NIL )")),
            },
            "stop" => match arguments {
                [id, moves @ ..] => {
                    Ok(Message::Stop { id: word("the match of STOP", id)?, moves: joint(moves.first())? })
                }
                _ => Err(wrong("STOP", arguments, "( STOP match (moves) )")),
            },
            "abort" => match arguments {
                [id, ..] => Ok(Message::Abort { id: word("the match of ABORT", id)? }),
                _ => Err(wrong("ABORT", arguments, "( ABORT match )")),
            },
            _ => Err(MessageError::Unknown(keyword.chars().take(40).collect())),
        }
    }
}

fn wrong(keyword: &'static str, arguments: &[&str], form: &'static str) -> MessageError {
    MessageError::Arguments { keyword, found: arguments.len(), form }
}

fn word(what: &'static str, text: &str) -> Result<String, MessageError> {
    if text.starts_with('(') {
        return Err(MessageError::Kind(what, "a word without parentheses"));
    }
    Ok(text.to_owned())
}

/// What is inside of a list.
fn list(keyword: &'static str, text: &str) -> Result<String, MessageError> {
    if !text.starts_with('(') {
        let what = if keyword == "START" { "the rules of START" } else { "the rules of PREVIEW" };
        return Err(MessageError::Kind(what, "a list in parentheses"));
    }
    Ok(inside(text)?.to_owned())
}

/// A clock: whole seconds of what the server says, which may be a fraction.
fn seconds(text: Option<&&str>) -> u64 {
    let seconds = text.and_then(|text| text.parse::<f64>().ok()).filter(|seconds| !seconds.is_nan());
    // The cast keeps to the numbers that there are: below 0 it gives 0, and infinity is a long clock.
    seconds.map_or(UNKNOWN_CLOCK, |seconds| (seconds as u64).min(LONGEST_CLOCK))
}

/// The moves of all roles; none at the start. A word alone is the move of the only role.
fn joint(text: Option<&&str>) -> Result<Option<Vec<String>>, MessageError> {
    let moves = match text {
        None => vec![],
        Some(text) if text.starts_with('(') => items(inside(text)?)?,
        Some(text) if text.eq_ignore_ascii_case("nil") => vec![],
        Some(text) => vec![*text],
    };
    Ok((!moves.is_empty()).then(|| moves.into_iter().map(canonical).collect()))
}

/// A term in the one way in which it is compared: lower case, one blank between two words, none inside of parentheses.
///
/// ```
/// assert_eq!(winset_player::canonical("( Put 1\t( a ) )"), "(put 1 (a))");
/// ```
pub fn canonical(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (_, token) in tokens(text) {
        if token != ")" && !out.is_empty() && !out.ends_with('(') {
            out.push(' ');
        }
        out.push_str(&token.to_lowercase());
    }
    out
}

/// What stands between a text's first parenthesis and the one that closes it, after which nothing may follow.
fn inside(text: &str) -> Result<&str, MessageError> {
    let mut depth = 0usize;
    let mut found = None;
    let mut start = None;
    for (at, token) in tokens(text) {
        match token {
            _ if found.is_some() => return Err(MessageError::NotAList(at)),
            "(" => {
                start.get_or_insert(at);
                depth += 1;
            }
            _ if start.is_none() => return Err(MessageError::NotAList(at)),
            ")" => {
                depth -= 1;
                if depth == 0 {
                    found = Some(at);
                }
            }
            _ => {}
        }
    }
    match (start, found) {
        (Some(from), Some(to)) => Ok(&text[from + 1..to]),
        (Some(from), None) => Err(MessageError::Unclosed(from)),
        (None, _) => Err(MessageError::Empty),
    }
}

/// The words and lists of a text, each as it is written. The text's parentheses match.
fn items(text: &str) -> Result<Vec<&str>, MessageError> {
    let mut found = vec![];
    let (mut depth, mut start) = (0usize, 0);
    for (at, token) in tokens(text) {
        match token {
            "(" => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            ")" => {
                depth = depth.checked_sub(1).ok_or(MessageError::NotAList(at))?;
                if depth == 0 {
                    found.push(&text[start..=at]);
                }
            }
            word if depth == 0 => found.push(word),
            _ => {}
        }
    }
    if depth > 0 { Err(MessageError::Unclosed(start)) } else { Ok(found) }
}

/// Whether something that can be a message is complete: its parentheses match.
pub(crate) fn is_complete(text: &[u8]) -> bool {
    let (mut depth, mut seen, mut comment) = (0i64, false, false);
    for byte in text {
        match byte {
            b'\n' | b'\r' => comment = false,
            _ if comment => {}
            b';' => comment = true,
            b'(' => {
                depth += 1;
                seen = true;
            }
            b')' => depth -= 1,
            _ => {}
        }
    }
    seen && depth <= 0
}

/// Parentheses and words with their places; comments go from `;` to the end of the line.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let blank = |b: u8| b.is_ascii_whitespace() || b == 0x0b || b == 0;
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            match *bytes.get(at)? {
                b if blank(b) => at += 1,
                b';' => {
                    let rest = bytes[at..].iter().position(|b| matches!(b, b'\n' | b'\r'));
                    at = rest.map_or(bytes.len(), |n| at + n);
                }
                b'(' | b')' => {
                    at += 1;
                    return Some((at - 1, &text[at - 1..at]));
                }
                _ => {
                    let start = at;
                    while at < bytes.len() && !blank(bytes[at]) && !matches!(bytes[at], b'(' | b')' | b';') {
                        at += 1;
                    }
                    return Some((start, &text[start..at]));
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_of_a_real_server_are_read() {
        let play = Message::read("( PLAY eco.1794837312729 (( put 1 1 ) noop ) )").unwrap();
        let moves = Some(vec!["(put 1 1)".to_owned(), "noop".to_owned()]);
        assert_eq!(play, Message::Play { id: "eco.1794837312729".into(), moves });
        assert_eq!(Message::read("( INFO )"), Ok(Message::Info));
        assert_eq!(Message::read("(info)"), Ok(Message::Info));
        let first = Message::read("( PLAY m NIL )").unwrap();
        assert_eq!(first, Message::Play { id: "m".into(), moves: None });
        let start =
            Message::read("( START m White ((role white) (role black)) 30 10 MORE (things))").unwrap();
        let rules = "(role white) (role black)".to_owned();
        let (id, role) = ("m".to_owned(), "white".to_owned());
        assert_eq!(start, Message::Start { id, role, rules, start_clock: 30, play_clock: 10 });
        assert_eq!(Message::read("( ABORT m )"), Ok(Message::Abort { id: "m".into() }));
        let preview = Message::read("( PREVIEW ((role a)) 5 )").unwrap();
        assert_eq!(preview, Message::Preview { rules: "(role a)".into(), clock: 5 });
        let stop = Message::read("( STOP m (a b ) )").unwrap();
        assert_eq!(stop, Message::Stop { id: "m".into(), moves: Some(vec!["a".into(), "b".into()]) });
    }

    #[test]
    fn what_is_no_message_is_refused_with_a_reason() {
        let said = |text: &str| Message::read(text).unwrap_err().to_string();
        assert!(said("").contains("empty"));
        assert!(said("  ( ) ").contains("empty"));
        assert!(said("INFO").contains("byte 0"));
        assert!(said("( INFO ) more").contains("byte 9"));
        assert!(said("( PLAY m (a )").contains("never closed"));
        assert!(said(") (").contains("byte 0"));
        assert!(said("( DANCE )").contains("DANCE"));
        assert!(said("( PLAY )").contains("( PLAY match (moves) )"));
        assert!(said("( START m r )").contains("( START match role (rules) startclock playclock )"));
        assert!(said("( START m r rules 10 5 )").contains("in parentheses"));
        assert!(said("( START (m) r (rules) 10 -5 )").contains("without parentheses"));
    }

    /// A START without clocks was refused, and every PLAY after it answered `busy`; a STOP without moves too, and the player
    /// was busy for ever.
    #[test]
    fn what_can_be_done_without_was_refused() {
        let clocks = |text: &str| match Message::read(&format!("( START m r (rules) {text} )")) {
            Ok(Message::Start { start_clock, play_clock, .. }) => (start_clock, play_clock),
            other => panic!("{other:?}"),
        };
        assert_eq!(clocks("30 10"), (30, 10));
        assert_eq!(clocks(""), (UNKNOWN_CLOCK, UNKNOWN_CLOCK));
        assert_eq!(clocks("30"), (30, UNKNOWN_CLOCK));
        assert_eq!(clocks("ten nan"), (UNKNOWN_CLOCK, UNKNOWN_CLOCK));
        assert_eq!(clocks("7.9 -3"), (7, 0));
        assert_eq!(clocks("99999999999999999999999 inf"), (LONGEST_CLOCK, LONGEST_CLOCK));
        assert_eq!(clocks("(10) 5"), (UNKNOWN_CLOCK, 5));
        let id = "m".to_owned();
        assert_eq!(Message::read("( PREVIEW (r) )"), Ok(Message::Preview { rules: "r".into(), clock: 5 }));
        assert_eq!(Message::read("( STOP m )"), Ok(Message::Stop { id: id.clone(), moves: None }));
        assert_eq!(Message::read("( PLAY m )"), Ok(Message::Play { id: id.clone(), moves: None }));
        let moves = Some(vec!["jump".to_owned()]);
        assert_eq!(Message::read("( PLAY m Jump )"), Ok(Message::Play { id, moves }));
    }

    proptest! {
        /// Nothing that can be sent makes the reader panic, and what it reads it reads again from its own writing.
        #[test]
        fn garbage_is_refused_or_read(text in "[ ()a-zA-Z0-9;\\n\u{e9}\u{202e}]{0,80}") {
            let _ = Message::read(&text);
            let _ = Message::read(&format!("( START {text} )"));
            let _ = Message::read(&format!("( PLAY m ({text}))"));
            let once = canonical(&text);
            prop_assert_eq!(&canonical(&once), &once);
        }

        #[test]
        fn moves_come_back_as_they_were_written(moves in prop::collection::vec("[a-z]{1,4}|\\([a-z]{1,3} [0-9]\\)", 1..5)) {
            let text = format!("( PLAY m ({} ) )", moves.join("  "));
            prop_assert_eq!(Message::read(&text), Ok(Message::Play { id: "m".into(), moves: Some(moves) }));
        }
    }
}
