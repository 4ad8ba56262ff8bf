//! What the user means by GAME: a built-in game, a game of the GDL library, or a file of rules.

use crate::args::GameArgs;
use crate::failure::Failure;
use crate::memory;
use crate::report::excerpt::Warning;
use crate::rules_file::RulesFile;
use winset_games::CATALOGUE;
use winset_gdl::{GdlGame, LIBRARY, library_game};
use winset_model::{Choices, Family, FamilyError, Game, similar};

/// A game with where it comes from.
pub struct Loaded {
    pub game: Game,
    /// The text of its rules if they are in GDL: what was compiled, and what a store keeps.
    pub text: Option<String>,
    /// What is suspicious about the rules. It has been shown already.
    pub warnings: Vec<Warning>,
}

/// Every game that has a name, built in or in GDL.
pub fn families() -> impl Iterator<Item = &'static Family> {
    CATALOGUE.iter().map(|entry| &entry.family).chain(LIBRARY.iter().map(|game| &game.family))
}

/// Builds the game that the user named.
pub fn game(args: &GameArgs) -> Result<Loaded, Failure> {
    if RulesFile::is_meant(&args.game) {
        takes_no_size_or_option("a file of rules", args)?;
        return compiled(&RulesFile::read(&args.game)?);
    }
    let (name, size, choices) = (&args.game, args.size.as_deref(), &args.chosen.0);
    if CATALOGUE.iter().any(|entry| entry.family.name == name) {
        let game = winset_games::build(name, size, choices).map_err(|error| match error {
            winset_games::GameError::Family(error) => refused(&error),
            other => Failure::wrong_use(other),
        })?;
        return Ok(Loaded { game, text: None, warnings: vec![] });
    }
    match winset_gdl::rules(name, size, choices) {
        Some(Ok(rules)) => compiled(&RulesFile::of(rules.name, rules.text)),
        Some(Err(error)) => Err(refused(&error)),
        None => Err(unknown(name)),
    }
}

/// Checks and grounds a game in GDL.
fn compiled(file: &RulesFile) -> Result<Loaded, Failure> {
    let (GdlGame { game, .. }, warnings) = file.compile()?;
    Ok(Loaded { game, text: Some(file.text()), warnings })
}

/// What formulas can be checked on.
pub enum Checkable {
    Game(Box<Loaded>),
    Model(Box<winset_smv::Model>, Vec<Warning>),
}

/// Builds the game that the user named, or reads an SMV model.
pub fn checkable(args: &GameArgs) -> Result<Checkable, Failure> {
    let piped = args.game == "-";
    if !piped && !args.game.ends_with(".smv") {
        return Ok(Checkable::Game(Box::new(game(args)?)));
    }
    takes_no_size_or_option(if piped { "standard input" } else { "an SMV model" }, args)?;
    let file = RulesFile::read(&args.game)?;
    if piped && file.looks_like_gdl() {
        return Ok(Checkable::Game(Box::new(compiled(&file)?)));
    }
    let (model, warnings) = file.model()?;
    Ok(Checkable::Model(Box::new(model), warnings))
}

fn takes_no_size_or_option(what: &str, args: &GameArgs) -> Result<(), Failure> {
    if let Some(size) = &args.size {
        return Err(Failure::wrong_use(format!("{what} takes no size, but {size:?} is given")));
    }
    match args.chosen.0.0.keys().next() {
        Some(option) => {
            Err(Failure::wrong_use(format!("{what} has no option --{option}; {}", who_has(option))))
        }
        None => Ok(()),
    }
}

/// What is wrong, and which game the option is for if it is another's.
fn refused(error: &FamilyError) -> Failure {
    Failure::wrong_use(match error {
        FamilyError::NoOption { game, option, .. } => {
            format!("{game} has no option --{option}; {}", who_has(option))
        }
        other => other.to_string(),
    })
}

fn who_has(option: &str) -> String {
    let have = families().filter(|family| family.choices.iter().any(|choice| choice.name == option));
    let names: Vec<&str> = have.map(|family| family.name).collect();
    format!("games that have it: {}", names.join(", "))
}

/// There is no game of this name: says which one may be meant.
pub fn unknown(name: &str) -> Failure {
    let mut hints = vec![];
    let near = similar(name, families().map(|family| family.name));
    if !near.is_empty() {
        hints.push(format!("did you mean {}?", near.join(" or ")));
    }
    if std::path::Path::new(name).is_file() {
        hints.push(format!("for the file of this name write ./{name}"));
    }
    if hints.is_empty() {
        hints.push("`winset games` lists them; a file of rules ends in .kif".to_owned());
    }
    Failure::wrong_use(format!("there is no game {name:?}; {}", hints.join("; ")))
}

/// The family that a name means.
pub fn family(name: &str) -> Option<&'static Family> {
    let built_in = CATALOGUE.iter().map(|entry| &entry.family).find(|family| family.name == name);
    built_in.or_else(|| library_game(name).map(|(game, _)| &game.family))
}

/// Builds a game as a store or a strategy records it.
pub fn recorded(name: &str, size: &str, choices: Choices, text: Option<&str>) -> Result<Game, String> {
    let Some(text) = text else {
        return winset_games::build(name, Some(size), &choices).map_err(|error| error.to_string());
    };
    if let Some(option) = choices.0.keys().next() {
        return Err(format!("rules in GDL have no options, but {option:?} is recorded"));
    }
    let compiled = winset_gdl::compile(name, text.as_bytes(), &memory::gdl_options());
    compiled.map(|compiled| compiled.game).map_err(|rejection| rejection.to_string())
}
