//! Where rules come from: games with names, files, standard input, text in memory.

use crate::restart::restart;
use crate::rules_text::{Refusal, RulesText, Suspicion};
use std::path::Path;
use thiserror::Error;
use winset_diagnostic::render;
use winset_games::{CATALOGUE, entry};
use winset_gdl::{LIBRARY, LibraryGame, library_game};
use winset_model::{Choices, Family, FamilyError, Game, ModelError, State, TextError, similar};
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
        CATALOGUE.iter().map(|entry| &entry.family).chain(Self::library().map(|game| &game.family))
    }

    /// The games in GDL that their names lead to: not those that are built in under the same name.
    pub fn library() -> impl Iterator<Item = &'static LibraryGame> {
        LIBRARY.iter().filter(|game| game.is_sized() || entry(game.family.name).is_none())
    }

    /// The family that a name means; case does not matter.
    pub fn family(name: &str) -> Result<&'static Family, CatalogueError> {
        let built_in = entry(name).map(|entry| &entry.family);
        let in_gdl = || library_game(&name.to_ascii_lowercase()).map(|(game, _)| &game.family);
        built_in.or_else(in_gdl).ok_or_else(|| unknown(name))
    }

    /// The game with this name, size and options. Every game has the option [`START`].
    ///
    /// ```
    /// use winset::{Catalogue, Choices, START};
    /// let start = Choices::default().with(START, "xo./.../... x");
    /// let rules = Catalogue::default().game("TicTacToe", None, &start).unwrap();
    /// assert_eq!(rules.game.title(), "tictactoe 3x3, start xo./.../... x");
    /// ```
    pub fn game(&self, name: &str, size: Option<&str>, choices: &Choices) -> Result<Rules, CatalogueError> {
        let (choices, start) = take_start(choices);
        if entry(name).is_some() {
            let game = winset_games::build(name, size, &choices).map_err(|error| match error {
                winset_games::GameError::Family(error) => refused(error),
                other => CatalogueError::Game(other),
            })?;
            let game = match position(&game, start)? {
                None => game,
                Some(state) => {
                    let written = game.print(&state);
                    started(game, written, Some(state))?
                }
            };
            return Ok(Rules::with(game, None, vec![]));
        }
        match winset_gdl::rules(&name.to_ascii_lowercase(), size, &choices) {
            Some(Ok(rules)) => self.begun_text(&RulesText::of(rules.name, rules.text), start),
            Some(Err(error)) => Err(refused(error)),
            None => Err(unknown(name)),
        }
    }

    /// Rules in GDL.
    pub fn gdl(&self, name: &str, text: &str) -> Result<Rules, CatalogueError> {
        self.text(&RulesText::of(name.to_owned(), text.to_owned()))
    }

    /// The same with options, of which rules in GDL have only [`START`].
    pub fn gdl_with(&self, name: &str, text: &str, choices: &Choices) -> Result<Rules, CatalogueError> {
        let (choices, start) = take_start(choices);
        Self::takes_nothing("a game in GDL", None, &choices)?;
        self.begun_text(&RulesText::of(name.to_owned(), text.to_owned()), start)
    }

    /// Rules in GDL that have been read.
    pub fn text(&self, text: &RulesText) -> Result<Rules, CatalogueError> {
        self.begun_text(text, None)
    }

    /// The same from another start.
    fn begun_text(&self, text: &RulesText, start: Option<&str>) -> Result<Rules, CatalogueError> {
        let (compiled, suspicions) = text.ground(&self.gdl)?;
        let usual = compiled.game;
        let game = match position(&usual, start)? {
            None => usual,
            Some(state) => {
                let derived = || CatalogueError::DerivedStart(text.shown().to_owned());
                let again = restart(&text.text(), &usual, &state).ok_or_else(derived)?;
                let (compiled, _) = RulesText::of(usual.name().to_owned(), again).ground(&self.gdl)?;
                started(compiled.game, usual.print(&state), None)?
            }
        };
        Ok(Rules::with(game, Some(text.text()), suspicions))
    }

    /// What a user means by a word: a file if it looks like the path of one, standard input if it is `-`, else a
    /// game by its name. Files take no size and no options but [`START`].
    pub fn find(&self, word: &str, size: Option<&str>, choices: &Choices) -> Result<Rules, CatalogueError> {
        if !RulesText::is_meant(word) {
            return self.game(word, size, choices);
        }
        let (choices, start) = take_start(choices);
        Self::takes_nothing("a file of rules", size, &choices)?;
        self.begun_text(&RulesText::read(word)?, start)
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
        self.gdl_with(&record.name, &source.text, &choices)
    }
}

/// The option of every game that says where it starts: a position as the game writes it.
pub const START: &str = "start";

/// The options that the game's family declares, and where to start.
fn take_start(choices: &Choices) -> (Choices, Option<&str>) {
    let mut declared = choices.clone();
    declared.0.remove(START);
    (declared, choices.get(START))
}

/// The position that a text means, if it is not the usual start.
fn position(game: &Game, start: Option<&str>) -> Result<Option<State>, CatalogueError> {
    let Some(start) = start else { return Ok(None) };
    let state = game.parse(start).map_err(|why| CatalogueError::Start {
        start: start.to_owned(),
        why,
        usual: game.print(game.initial()),
    })?;
    Ok((state != *game.initial()).then_some(state))
}

/// The game with its start recorded among its options, in the one way that the game writes it.
fn started(game: Game, written: String, state: Option<State>) -> Result<Game, CatalogueError> {
    let mut parts = game.into_builder();
    parts.choices.0.insert(START.to_owned(), written);
    parts.initial = state.unwrap_or(parts.initial);
    parts.build().map_err(CatalogueError::Model)
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
    /// The text is not a position of the game.
    #[error("this is not a position to start from; the usual start is {usual:?}\n{}", render("--start", start.as_bytes(), why))]
    Start {
        /// What was given.
        start: String,
        /// Why not.
        why: TextError,
        /// Where the game starts otherwise.
        usual: String,
    },
    /// Rules in GDL whose start follows from other rules.
    #[error("{0} cannot start elsewhere: it says by rules what holds at first, (<= (init ...) ...)")]
    DerivedStart(String),
    /// No game can be made of these parts.
    #[error(transparent)]
    Model(ModelError),
    /// The rules are refused, with every reason beside its place in the text.
    #[error("{0}")]
    Refused(Box<Refusal>),
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
    if option == START {
        return "every game has it".to_owned();
    }
    let have = Catalogue::families().filter(|f| f.choices.iter().any(|choice| choice.name == option));
    let names: Vec<&str> = have.map(|family| family.name).collect();
    if names.is_empty() {
        return "no game has it".to_owned();
    }
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
