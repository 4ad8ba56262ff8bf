//! Where rules come from: games with names, files, standard input, text in memory.

use crate::rules_text::{RulesText, Suspicion};
use std::path::Path;
use thiserror::Error;
use winset_games::CATALOGUE;
use winset_gdl::{LIBRARY, library_game};
use winset_model::{Choices, Family, FamilyError, Game, similar};
use winset_store::{GameRecord, Source};

/// The rules of one game, read once: what is compiled, shown in messages and kept in a store is the same.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The game.
    pub game: Game,
    /// The text of its rules if they are in GDL.
    pub text: Option<String>,
    /// What makes the same game again; a store keeps it.
    pub record: GameRecord,
    /// What is suspicious about the text.
    pub suspicions: Vec<Suspicion>,
}

impl Rules {
    /// A game that was built by a program. A store of it can be opened only by who builds it again:
    /// [`crate::open_as`].
    pub fn of(game: Game) -> Self {
        Self::with(game, None, vec![])
    }

    pub(crate) fn with(game: Game, text: Option<String>, suspicions: Vec<Suspicion>) -> Self {
        let record = GameRecord {
            name: game.name().to_owned(),
            size: game.size().to_owned(),
            players: game.players().to_vec(),
            options: game.choices().0.clone(),
            source: text.clone().map(|text| Source { language: "gdl".to_owned(), text }),
        };
        Rules { game, text, record, suspicions }
    }
}

/// All games that have a name, and the ways to read others.
///
/// ```
/// use winset::Catalogue;
/// let catalogue = Catalogue::default();
/// let rules = catalogue.game("connect4", Some("4x4"), &Default::default()).unwrap();
/// assert_eq!(rules.game.title(), "connect4 4x4");
/// assert!(catalogue.game("conect4", None, &Default::default()).unwrap_err().to_string().contains("connect4"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// What rules in GDL may cost.
    pub gdl: winset_gdl::Options,
}

impl Catalogue {
    /// Every game that has a name, built in or in GDL.
    pub fn families() -> impl Iterator<Item = &'static Family> {
        CATALOGUE.iter().map(|entry| &entry.family).chain(LIBRARY.iter().map(|game| &game.family))
    }

    /// The family that a name means.
    pub fn family(name: &str) -> Result<&'static Family, CatalogueError> {
        let built_in = CATALOGUE.iter().map(|entry| &entry.family).find(|family| family.name == name);
        let in_gdl = || library_game(name).map(|(game, _)| &game.family);
        built_in.or_else(in_gdl).ok_or_else(|| unknown(name))
    }

    /// The game with this name, size and options.
    pub fn game(&self, name: &str, size: Option<&str>, choices: &Choices) -> Result<Rules, CatalogueError> {
        if CATALOGUE.iter().any(|entry| entry.family.name == name) {
            let game = winset_games::build(name, size, choices).map_err(|error| match error {
                winset_games::GameError::Family(error) => refused(error),
                other => CatalogueError::Game(other),
            })?;
            return Ok(Rules::with(game, None, vec![]));
        }
        match winset_gdl::rules(name, size, choices) {
            Some(Ok(rules)) => self.text(&RulesText::of(rules.name, rules.text)),
            Some(Err(error)) => Err(refused(error)),
            None => Err(unknown(name)),
        }
    }

    /// Rules in GDL.
    pub fn gdl(&self, name: &str, text: &str) -> Result<Rules, CatalogueError> {
        self.text(&RulesText::of(name.to_owned(), text.to_owned()))
    }

    /// Rules in GDL that have been read.
    pub fn text(&self, text: &RulesText) -> Result<Rules, CatalogueError> {
        let (compiled, suspicions) = text.ground(&self.gdl)?;
        Ok(Rules::with(compiled.game, Some(text.text()), suspicions))
    }

    /// What a user means by a word: a file if it looks like the path of one, standard input if it is `-`, else a
    /// game by its name. Files take no size and no options.
    pub fn find(&self, word: &str, size: Option<&str>, choices: &Choices) -> Result<Rules, CatalogueError> {
        if !RulesText::is_meant(word) {
            return self.game(word, size, choices);
        }
        Self::takes_nothing("a file of rules", size, choices)?;
        self.text(&RulesText::read(word)?)
    }

    /// Refuses a size and options for what has none.
    pub fn takes_nothing(what: &str, size: Option<&str>, choices: &Choices) -> Result<(), CatalogueError> {
        if let Some(size) = size {
            let (game, found) = (what.to_owned(), size.to_owned());
            return Err(CatalogueError::Family(FamilyError::NoSize { game, found }));
        }
        match choices.0.keys().next() {
            Some(option) => Err(CatalogueError::NoOption {
                game: what.to_owned(),
                option: option.clone(),
                who_has: who_has(option),
            }),
            None => Ok(()),
        }
    }

    /// The game that a store or a strategy records.
    pub fn recorded(&self, record: &GameRecord) -> Result<Rules, CatalogueError> {
        let choices = Choices(record.options.clone());
        let Some(source) = &record.source else {
            return self.game(&record.name, Some(&record.size), &choices);
        };
        Self::takes_nothing("a game in GDL", None, &choices)?;
        self.gdl(&record.name, &source.text)
    }
}

/// Why there is no such game.
#[derive(Debug, Error)]
pub enum CatalogueError {
    /// No game has this name.
    #[error("there is no game {0:?}; {1}")]
    NoGame(String, String),
    /// The size or the value of an option does not fit.
    #[error(transparent)]
    Family(FamilyError),
    /// The game has no such option.
    #[error("{game} has no option --{option}; {who_has}")]
    NoOption {
        /// The game.
        game: String,
        /// What was given.
        option: String,
        /// Which games have it, as a sentence.
        who_has: String,
    },
    /// A built-in game cannot be built so.
    #[error(transparent)]
    Game(winset_games::GameError),
    /// The rules are refused, with every reason beside its place in the text.
    #[error("{shown} is refused\n{findings}")]
    Refused {
        /// What the text is called.
        shown: String,
        /// What was found, as people read it.
        findings: String,
    },
    /// A file cannot be read.
    #[error("cannot read {0}: {1}")]
    Io(String, std::io::Error),
}

fn refused(error: FamilyError) -> CatalogueError {
    match error {
        FamilyError::NoOption { game, option, .. } => {
            let who_has = who_has(&option);
            CatalogueError::NoOption { game: game.to_owned(), option, who_has }
        }
        other => CatalogueError::Family(other),
    }
}

fn who_has(option: &str) -> String {
    let have = Catalogue::families().filter(|f| f.choices.iter().any(|choice| choice.name == option));
    let names: Vec<&str> = have.map(|family| family.name).collect();
    format!("games that have it: {}", names.join(", "))
}

/// There is no game of this name: says which one may be meant.
fn unknown(name: &str) -> CatalogueError {
    let mut hints = vec![];
    if let Some(meant) = winset_gdl::built_in(name) {
        hints.push(format!("it is called `{meant}`"));
    }
    let near = similar(name, Catalogue::families().map(|family| family.name));
    if hints.is_empty() && !near.is_empty() {
        hints.push(format!("did you mean {}?", near.join(" or ")));
    }
    if Path::new(name).is_file() {
        hints.push(format!("for the file of this name write ./{name}"));
    }
    if hints.is_empty() {
        hints.push("`winset games` lists them; a file of rules ends in .kif".to_owned());
    }
    CatalogueError::NoGame(name.to_owned(), hints.join("; "))
}
