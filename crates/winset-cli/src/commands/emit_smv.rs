//! `winset emit-smv`: a game as an SMV model, for this and other model checkers.

use crate::args::EmitArgs;
use crate::failure::Failure;
use crate::output::say;
use crate::source;
use winset_smv::Style;

/// Prints a game in SMV.
pub fn run(args: &EmitArgs) -> Result<(), Failure> {
    let game = source::game(&args.game)?.rules.game;
    say!("{}", winset_smv::emit(&game, Style { boolean: args.boolean, mu: args.mu })?)?;
    Ok(())
}
