//! `winset play`: a game against a stored solution or a strategy, or between two people who may ask it.

use crate::args::{PlayArgs, PlayAs};
use crate::failure::Failure;
use crate::output::{stream, unless_closed};
use crate::stored::Known;
use std::io::{IsTerminal, Write};
use winset_explore::play::{Play, Side, run_plain};
use winset_explore::screen;
use winset_model::Notation;

/// Plays on the terminal's screen, or in plain text on a pipe.
pub fn run(args: &PlayArgs) -> Result<(), Failure> {
    let known = Known::open(&args.directory)?;
    let sides = match args.side {
        PlayAs::First => [Side::Human, Side::Perfect],
        PlayAs::Second => [Side::Perfect, Side::Human],
        PlayAs::Both => [Side::Human, Side::Human],
    };
    let mut play = Play::new(known.session(), sides, args.hints)?;
    if !args.plain && std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        screen::run(&mut play)?;
    } else {
        let mut out = stream(Notation::Text);
        unless_closed(run_plain(&mut play, &mut std::io::stdin().lock(), &mut out))?;
        unless_closed(out.flush())?;
    }
    Ok(())
}
