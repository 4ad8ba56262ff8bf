//! What the user means by GAME: the catalogue's rules, with warnings shown.

use crate::args::GameArgs;
use crate::failure::Failure;
use crate::memory;
use crate::output::tell;
use winset::{Catalogue, Rules, RulesText, Suspicion};
use winset_diagnostic::{Diagnostic, Located, render};

/// Rules, and what is suspicious about them. It has been shown already.
pub struct Loaded {
    pub rules: Rules,
    pub warnings: Vec<Located>,
}

/// The catalogue, within the memory of this process.
pub fn catalogue() -> Catalogue {
    Catalogue { gdl: memory::gdl_options() }
}

/// Builds the game that the user named.
pub fn game(args: &GameArgs) -> Result<Loaded, Failure> {
    let found = catalogue().find(&args.game, args.size.as_deref(), &args.chosen.0);
    Ok(loaded(found.map_err(Failure::of_rules)?))
}

fn loaded(rules: Rules) -> Loaded {
    let warnings = warn(&rules.suspicions);
    Loaded { rules, warnings }
}

/// Shows warnings on standard error, and gives them back for whoever prints them otherwise.
pub fn warn(suspicions: &[Suspicion]) -> Vec<Located> {
    suspicions.iter().for_each(|suspicion| tell!("{}", suspicion.shown));
    suspicions.iter().map(|suspicion| suspicion.warning.clone()).collect()
}

/// What formulas can be checked on.
pub enum Checkable {
    Game(Box<Loaded>),
    Model(Box<winset_smv::Model>, Vec<Located>),
    Circuit(Box<winset_aiger::Circuit>),
    Parity(Box<winset_parity::Game>),
}

/// Builds the game that the user named, or reads an SMV model.
pub fn checkable(args: &GameArgs) -> Result<Checkable, Failure> {
    let piped = args.game == "-";
    if is_circuit(&args.game) {
        return Ok(Checkable::Circuit(Box::new(circuit(args)?)));
    }
    if args.game.ends_with(".pg") || args.game.ends_with(".gm") {
        let bytes = bytes(args, "a parity game")?;
        let game = winset_parity::read(&String::from_utf8_lossy(&bytes));
        let game = game.map_err(|error| refused(args, &bytes, &error))?;
        return Ok(Checkable::Parity(Box::new(game)));
    }
    if !piped && !args.game.ends_with(".smv") {
        return Ok(Checkable::Game(Box::new(game(args)?)));
    }
    let what = if piped { "standard input" } else { "an SMV model" };
    Catalogue::takes_nothing(what, args.size.as_deref(), &args.chosen.0).map_err(Failure::of_rules)?;
    let text = RulesText::read(&args.game).map_err(Failure::of_rules)?;
    if piped && text.looks_like_gdl() {
        return Ok(Checkable::Game(Box::new(loaded(catalogue().text(&text).map_err(Failure::of_rules)?))));
    }
    let (model, suspicions) = text.model().map_err(Failure::of_rules)?;
    Ok(Checkable::Model(Box::new(model), warn(&suspicions)))
}

/// The name is that of a file in AIGER.
pub fn is_circuit(name: &str) -> bool {
    name.ends_with(".aag") || name.ends_with(".aig")
}

/// Reads a circuit in AIGER.
pub fn circuit(args: &GameArgs) -> Result<winset_aiger::Circuit, Failure> {
    let bytes = bytes(args, "a circuit")?;
    winset_aiger::read(&bytes).map_err(|error| refused(args, &bytes, &error))
}

/// The bytes of a file that takes no size and no options.
fn bytes(args: &GameArgs, what: &str) -> Result<Vec<u8>, Failure> {
    Catalogue::takes_nothing(what, args.size.as_deref(), &args.chosen.0).map_err(Failure::of_rules)?;
    let cannot = |error| Failure::Cannot(anyhow::anyhow!("{} cannot be read: {error}", args.game));
    std::fs::read(&args.game).map_err(cannot)
}

fn refused(args: &GameArgs, bytes: &[u8], error: &Diagnostic) -> Failure {
    Failure::wrong_use(format!("{} is refused\n{}", args.game, render(&args.game, bytes, error)))
}
