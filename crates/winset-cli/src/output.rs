//! What people and programs read. Everything that the program says goes through here, and through
//! [`winset_model::visible`]: no name can do anything to a terminal but be read. Standard output may go away:
//! `winset ... | head` ends quietly, and work that leaves something behind is finished.

use crate::failure::Failure;
use serde::Serialize;
use std::fmt::Arguments;
use std::io::{self, BufWriter, ErrorKind, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use winset_model::{Notation, Visible, visible_lines};

/// Nobody reads standard output any more.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Standard output, with errors that say so.
struct Out(Stdout);

impl Out {
    fn told<T>(result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            CLOSED.fetch_or(error.kind() == ErrorKind::BrokenPipe, Ordering::Relaxed);
            io::Error::new(error.kind(), format!("cannot write to standard output: {error}"))
        })
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Self::told(self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Self::told(self.0.flush())
    }
}

/// Standard output for much: what is written may wait until the end.
pub fn stream(notation: Notation) -> impl Write {
    Visible::new(BufWriter::new(Out(io::stdout())), notation)
}

/// Nobody reads standard output any more, so that nothing has to be found for it.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// That nobody reads the output is no error: there is nothing left to do, and other tools end quietly then.
pub fn unless_closed<T: Default, E>(written: Result<T, E>) -> Result<T, E> {
    if is_closed() { Ok(T::default()) } else { written }
}

/// Writes to standard output. That nobody reads it is no error: the verdict and the files still count.
pub fn write(text: Arguments<'_>) -> io::Result<()> {
    let mut out = stream(Notation::Text);
    unless_closed(out.write_fmt(text).and_then(|()| out.flush()))
}

/// Writes one JSON object to standard output.
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    let (text, mut out) = (serde_json::to_string(value)?, stream(Notation::Json));
    Ok(unless_closed(writeln!(out, "{text}").and_then(|()| out.flush()))?)
}

/// Writes a line to standard error. Whether it can be read or not changes nothing.
pub fn remark(text: Arguments<'_>) {
    let text = text.to_string();
    let _ = io::stderr().write_all(format!("{}\n", visible_lines(&text)).as_bytes());
}

/// Writes one JSON object to standard error in the same way.
pub fn remark_json(value: &impl Serialize) {
    let text = serde_json::to_string(value).unwrap_or_default();
    let _ = writeln!(Visible::new(BufWriter::new(io::stderr()), Notation::Json), "{text}");
}

/// Like `print!`, with the error returned.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::write(format_args!($($text)*)) };
}

/// Like `eprintln!`, but never a reason to stop.
macro_rules! tell {
    ($($text:tt)*) => { $crate::output::remark(format_args!($($text)*)) };
}

pub(crate) use {say, tell};
