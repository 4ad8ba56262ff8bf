//! `winset play`: a game against a stored solution or a strategy, or between two people who may ask it.

use crate::failure::Failure;
use crate::output::{stream, unless_closed};
use crate::stored::{Known, SolutionArgs};
use clap::{Args, ValueEnum};
use std::io::{IsTerminal, Write};
use winset_explore::play::{Play, Side, run_plain};
use winset_explore::screen;
use winset_model::Notation;

#[derive(Args, Debug)]
pub struct PlayArgs {
    /// Instead of a directory or a game, the file of a strategy can be given
    #[command(flatten)]
    pub solution: SolutionArgs,
    /// Which side people play; all others are played perfectly
    #[arg(long, value_enum, default_value_t = PlayAs::First)]
    pub side: PlayAs,
    /// Show every move's value without being asked
    #[arg(long)]
    pub hints: bool,
    /// Plain text even on a terminal
    #[arg(long)]
    pub plain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlayAs {
    /// The one who begins
    First,
    /// The second player
    Second,
    /// The third player, and so on
    Third,
    /// The fourth player
    Fourth,
    /// The fifth player
    Fifth,
    /// The sixth player
    Sixth,
    /// The seventh player
    Seventh,
    /// The eighth player
    Eighth,
    /// All players are people
    #[value(alias = "all")]
    Both,
}

/// Plays on the terminal's screen, or in plain text on a pipe.
pub fn run(args: &PlayArgs) -> Result<(), Failure> {
    let known = Known::of(&args.solution)?;
    let session = known.session();
    let players = session.game().players().len();
    let human = match args.side {
        PlayAs::Both => None,
        side => Some(side as usize),
    };
    // Somebody who plays second where there is but one player only looks on.
    if let Some(player) = human.filter(|&player| player >= players.max(2)) {
        return Err(Failure::Use(format!("there is no player {}: the game has {players}", player + 1)));
    }
    let side = |player| if human.is_none_or(|human| human == player) { Side::Human } else { Side::Perfect };
    let sides: Vec<Side> = (0..players.max(2)).map(side).collect();
    let mut play = Play::new(session, sides, args.hints)?;
    if !args.plain && std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        screen::run(&mut play)?;
    } else {
        let mut out = stream(Notation::Text);
        unless_closed(run_plain(&mut play, &mut std::io::stdin().lock(), &mut out))?;
        unless_closed(out.flush())?;
    }
    Ok(())
}
