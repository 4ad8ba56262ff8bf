//! As much of HTTP as game servers speak: one message for each connection, closed after the answer.

use crate::message::is_complete;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The most bytes of a request's head.
const MOST_HEAD: usize = 64 << 10;
/// The most bytes of a message: rules are long, but not longer than a file of rules may be.
const MOST_BODY: usize = 16 << 20;
/// A client that has not sent its message by then is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a client wants.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// To give a message.
    Message(String),
    /// To know what a page from elsewhere may do.
    Options,
}

/// Why a request has no answer but this.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub status: &'static str,
    pub why: String,
}

fn refused(status: &'static str, why: impl Into<String>) -> Refused {
    Refused { status, why: why.into() }
}

const BAD: &str = "400 Bad Request";

/// Something bytes can be read from by a deadline.
pub(crate) trait Source {
    /// Reads some bytes, none at the end; waits no longer than this.
    fn some(&mut self, buffer: &mut [u8], wait: Duration) -> io::Result<usize>;
    /// Tells the client to go on.
    fn go_on(&mut self) {}
}

impl Source for TcpStream {
    fn some(&mut self, buffer: &mut [u8], wait: Duration) -> io::Result<usize> {
        self.set_read_timeout(Some(wait.max(Duration::from_millis(1))))?;
        self.read(buffer)
    }

    fn go_on(&mut self) {
        // Whether it can be told shows when it goes on.
        let _ = self.write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
    }
}

impl Source for &[u8] {
    fn some(&mut self, buffer: &mut [u8], _: Duration) -> io::Result<usize> {
        self.read(buffer)
    }
}

/// Reads a request.
pub(crate) fn read(source: &mut impl Source) -> Result<Request, Refused> {
    let deadline = Instant::now() + PATIENCE;
    let mut bytes = vec![];
    let head = loop {
        if let Some(end) = end_of_head(&bytes) {
            break end;
        }
        if bytes.len() > MOST_HEAD {
            let why = format!("the head of the request has more than {MOST_HEAD} bytes");
            return Err(refused("431 Request Header Fields Too Large", why));
        }
        if more(source, &mut bytes, deadline)? == 0 {
            return Err(refused(BAD, "the request ends before its head does"));
        }
    };
    let body = bytes.split_off(head.1);
    let text = String::from_utf8_lossy(&bytes[..head.0]).into_owned();
    let mut lines = text.lines();
    let mut words = lines.next().unwrap_or("").split_ascii_whitespace();
    let (method, target, version) = (words.next(), words.next(), words.next());
    let (Some(method), Some(target)) = (method, target) else {
        return Err(refused(BAD, "the first line of a request is like POST / HTTP/1.0"));
    };
    if version.is_some_and(|version| !version.starts_with("HTTP/1.")) {
        return Err(refused("505 HTTP Version Not Supported", "HTTP/1.0 and HTTP/1.1 are spoken here"));
    }
    match method {
        "OPTIONS" => Ok(Request::Options),
        "GET" => get(target),
        "POST" => post(source, lines, body, deadline),
        _ => Err(refused("405 Method Not Allowed", "a message is sent by POST, or by GET in the address")),
    }
}

/// Where the head ends and where the body begins; lines may end in either way.
fn end_of_head(bytes: &[u8]) -> Option<(usize, usize)> {
    let find = |end: &[u8]| {
        let at = bytes.windows(end.len()).position(|window| window == end)?;
        Some((at, at + end.len()))
    };
    [find(b"\r\n\r\n"), find(b"\n\n")].into_iter().flatten().min()
}

fn more(source: &mut impl Source, bytes: &mut Vec<u8>, deadline: Instant) -> Result<usize, Refused> {
    let late = || refused("408 Request Timeout", "the message did not come to its end in time");
    let wait = deadline.checked_duration_since(Instant::now()).ok_or_else(late)?;
    let mut buffer = [0; 8192];
    match source.some(&mut buffer, wait) {
        Ok(count) => {
            bytes.extend_from_slice(&buffer[..count]);
            Ok(count)
        }
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(1),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Err(late()),
        Err(error) => Err(refused(BAD, format!("the message could not be read: {error}"))),
    }
}

fn get(target: &str) -> Result<Request, Refused> {
    let message = target.trim_start_matches('/');
    if message.is_empty() {
        let why = "this is a player for game servers; a message is sent by POST, or as GET /%28INFO%29";
        return Err(refused(BAD, why));
    }
    let text = decode(message).ok_or_else(|| refused(BAD, "the address is not encoded as it should be"))?;
    Ok(Request::Message(text))
}

/// The text that an address stands for: `%28` is a parenthesis, `+` a blank.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |b: u8| char::from(b).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                u8::try_from(high * 16 + low).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn post<'a>(
    source: &mut impl Source,
    lines: impl Iterator<Item = &'a str>,
    mut body: Vec<u8>,
    deadline: Instant,
) -> Result<Request, Refused> {
    let mut length = None;
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        match name.trim().to_ascii_lowercase().as_str() {
            "content-length" => {
                let number = value.parse::<usize>();
                length = Some(number.map_err(|_| refused(BAD, format!("Content-Length is {value:?}")))?);
            }
            "transfer-encoding" if !value.eq_ignore_ascii_case("identity") => {
                return Err(refused("411 Length Required", "send the message whole, with Content-Length"));
            }
            "expect" if value.eq_ignore_ascii_case("100-continue") => source.go_on(),
            _ => {}
        }
    }
    let too_long = || refused("413 Content Too Large", format!("a message has at most {MOST_BODY} bytes"));
    if length.is_some_and(|length| length > MOST_BODY) {
        return Err(too_long());
    }
    // The length is in characters if a game server says it, and in bytes if others do. Both are the same unless there
    // are letters of several bytes; then the parentheses tell.
    let mut looked = 0;
    while !is_whole(&body, length, &mut looked) {
        if body.len() > MOST_BODY {
            return Err(too_long());
        }
        if more(source, &mut body, deadline)? == 0 {
            break;
        }
    }
    // What follows the characters that were announced does not belong to the message.
    let text = String::from_utf8(body).map_err(|_| refused(BAD, "the message is not UTF-8"))?;
    let end = length.and_then(|length| text.char_indices().nth(length)).map_or(text.len(), |(at, _)| at);
    let text = if is_complete(&text.as_bytes()[..end]) { text[..end].to_owned() } else { text };
    if length.is_some_and(|length| text.len() < length && !is_complete(text.as_bytes())) {
        return Err(refused(BAD, "the message is shorter than its Content-Length"));
    }
    Ok(Request::Message(text))
}

fn is_whole(body: &[u8], length: Option<usize>, looked: &mut usize) -> bool {
    match length {
        None => {
            // Only a parenthesis can be the end, and a long text is not looked at again for every piece of it.
            let ended = body[*looked..].contains(&b')');
            *looked = body.len();
            ended && is_complete(body)
        }
        Some(length) if body.len() < length => false,
        Some(length) => {
            let characters = body.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
            characters >= length || is_complete(body)
        }
    }
}

/// Writes an answer. Who is gone does not get it.
pub(crate) fn answer(stream: &mut TcpStream, status: &str, text: &str) -> io::Result<()> {
    let mut whole = format!(
        "HTTP/1.0 {status}\r\nContent-type: text/acl\r\nAccess-Control-Allow-Origin: *\r\n\
         Access-Control-Allow-Methods: POST, GET, OPTIONS\r\nAccess-Control-Allow-Headers: Content-Type, Sender, Receiver\r\n\
         Access-Control-Max-Age: 86400\r\nConnection: close\r\n"
    );
    // Some count characters and some bytes: where these differ, the end of the connection is the end of the answer.
    if text.is_ascii() {
        whole.push_str(&format!("Content-length: {}\r\n", text.len()));
    }
    whole.push_str("\r\n");
    whole.push_str(text);
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    stream.write_all(whole.as_bytes())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(bytes: &[u8]) -> Result<Request, Refused> {
        read(&mut { bytes })
    }

    fn status(bytes: &[u8]) -> &'static str {
        &message(bytes).unwrap_err().status[..3]
    }

    const HEAD: &str = "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\n\
                        Receiver: P1\r\nContent-Type: text/acl\r\n";

    #[test]
    fn a_real_servers_bytes_are_read() {
        let text = "( PLAY eco.1794837312729 (( put 1 1 ) noop ) )";
        let bytes = format!("{HEAD}Content-Length: 46\r\n\r\n{text}");
        assert_eq!(message(bytes.as_bytes()), Ok(Request::Message(text.into())));
        let info = format!("{}Content-Length: 8\r\n\r\n( INFO )", HEAD.replace("P1", ""));
        assert_eq!(message(info.as_bytes()), Ok(Request::Message("( INFO )".into())));
    }

    #[test]
    fn a_length_in_characters_and_one_in_bytes_are_understood() {
        let text = "( PLAY m (( zug \u{e4}\u{20ac} ) \u{f6} ) )";
        for length in [text.len(), text.chars().count()] {
            let bytes = format!("{HEAD}Content-Length: {length}\r\n\r\n{text}");
            assert_eq!(message(bytes.as_bytes()), Ok(Request::Message(text.into())), "{length}");
        }
        let without = format!("{HEAD}\r\n{text}");
        assert_eq!(message(without.as_bytes()), Ok(Request::Message(text.into())));
    }

    #[test]
    fn messages_come_in_addresses_too() {
        let request = b"GET /%28+INFO%20%29 HTTP/1.1\r\nHost: x\r\n\r\n";
        assert_eq!(message(request), Ok(Request::Message("( INFO )".into())));
        assert_eq!(message(b"OPTIONS / HTTP/1.1\r\n\r\n"), Ok(Request::Options));
    }

    #[test]
    fn what_is_wrong_is_refused() {
        assert_eq!(status(b""), "400");
        assert_eq!(status(b"POST\r\n\r\n"), "400");
        assert_eq!(status(b"GET / HTTP/1.0\r\n\r\n"), "400");
        assert_eq!(status(b"GET /%2 HTTP/1.0\r\n\r\n"), "400");
        assert_eq!(status(b"GET /%ff HTTP/1.0\r\n\r\n"), "400");
        assert_eq!(status(b"PUT / HTTP/1.0\r\n\r\n"), "405");
        assert_eq!(status(b"POST / HTTP/2.0\r\n\r\n"), "505");
        assert_eq!(status(b"POST / HTTP/1.0\r\nContent-Length: ten\r\n\r\n"), "400");
        assert_eq!(status(b"POST / HTTP/1.0\r\nContent-Length: 99\r\n\r\n( INFO"), "400");
        assert_eq!(status(b"POST / HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n"), "413");
        assert_eq!(status(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n( INFO )\r\n"), "411");
        assert_eq!(status(b"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\n\xff\xfe"), "400");
        assert_eq!(status(&[b'x'; MOST_HEAD + 9000]), "431");
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300), length in 0usize..400) {
            let _ = message(&bytes);
            let mut posted = format!("POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n").into_bytes();
            posted.extend(&bytes);
            let _ = message(&posted);
            let mut got = b"GET /".to_vec();
            got.extend(&bytes);
            got.extend(b" HTTP/1.0\r\n\r\n");
            let _ = message(&got);
        }
    }
}
