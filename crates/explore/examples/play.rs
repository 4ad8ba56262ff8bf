//! Plays a stored built-in game: `play DIRECTORY [first|second|both]`. On a screen if there is one.

use std::io::IsTerminal;
use winset_explore::Session;
use winset_explore::play::{Play, Side, run_plain};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("usage: play DIRECTORY [first|second|both]")?;
    let sides = match arguments.next().as_deref() {
        Some("second") => [Side::Perfect, Side::Human],
        Some("both") => [Side::Human, Side::Human],
        _ => [Side::Human, Side::Perfect],
    };
    let store = winset_reference::open(directory.as_ref())?;
    let mut play = Play::new(Box::new(Session::new(&store)), sides, false)?;
    #[cfg(feature = "screen")]
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return Ok(winset_explore::screen::run(&mut play)?);
    }
    Ok(run_plain(&mut play, &mut std::io::stdin().lock(), &mut std::io::stdout().lock())?)
}
