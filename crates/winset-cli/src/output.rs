//! Standard output that may go away: `winset ... | head` ends quietly.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Writes to standard output. If nobody reads it any more there is nothing left to do, and the program
/// ends; any other error is returned.
pub fn write(text: Arguments<'_>) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_fmt(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        result => result,
    }
}

/// Like `print!`, with the error returned.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::write(format_args!($($text)*)) };
}

pub(crate) use say;
