//! What the user means by GAME: the catalogue's rules, with warnings shown.

use crate::args::GameArgs;
use crate::failure::Failure;
use crate::memory;
use crate::output::tell;
use winset::{Catalogue, Rules, RulesText, Suspicion};
use winset_diagnostic::Located;

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
}

/// Builds the game that the user named, or reads an SMV model.
pub fn checkable(args: &GameArgs) -> Result<Checkable, Failure> {
    let piped = args.game == "-";
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
