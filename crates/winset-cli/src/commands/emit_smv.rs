//! `winset emit-smv`: a game as an SMV model, for this and other model checkers.

use crate::args::GameArgs;
use crate::failure::Failure;
use crate::output::say;
use crate::source;
use clap::Args;
use winset_smv::Style;

#[derive(Args, Debug)]
pub struct EmitArgs {
    #[command(flatten)]
    pub game: GameArgs,
    /// Boolean variables only: x, y and z of each square and m for the turn, as in the checkers paper
    #[arg(long)]
    pub boolean: bool,
    /// Write what each player can force as MUSPEC, which winset checks and other model checkers refuse, not as a comment
    #[arg(long)]
    pub mu: bool,
}

/// Prints a game in SMV.
pub fn run(args: &EmitArgs) -> Result<(), Failure> {
    let game = source::game(&args.game)?.rules.game;
    say!("{}", winset_smv::emit(&game, Style { boolean: args.boolean, mu: args.mu })?)?;
    Ok(())
}
