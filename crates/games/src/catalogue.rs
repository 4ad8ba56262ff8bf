//! Which games there are, and how to build one from its name. What is declared about a game is in its own file.

use crate::entry::{Entry, MISERE_NAME};
use crate::{
    amazons, awari, breakthrough, bridg_it, checkers, chess, chomp, clobber, col, connect4, dodgem,
    domineering, dots_and_boxes, fair_shares, gobblet, hex, hexapawn, hunts, isolation, kalah, kayles,
    konane, l_game, loa, merels, morris, nim, notakto, order_and_chaos, othello, pentago, quarto, quixo,
    rings, sim, tac_tix, teeko, tictactoe, toads_and_frogs, treblecross, wild,
};
use thiserror::Error;
use winset_model::{Choices, FamilyError, Game, ModelError, similar};

/// Why a game cannot be built.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum GameError {
    /// No such game.
    #[error("there is no game {0:?}; {1}")]
    Unknown(String, String),
    /// The game has no such size or option.
    #[error(transparent)]
    Family(#[from] FamilyError),
    /// The builder made something that is not a game.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// All built-in games, in the order of their names.
pub const CATALOGUE: &[Entry] = &[
    merels::ACHI,
    amazons::ENTRY,
    awari::ENTRY,
    breakthrough::ENTRY,
    bridg_it::ENTRY,
    checkers::ENTRY,
    chomp::ENTRY,
    clobber::ENTRY,
    col::ENTRY,
    connect4::ENTRY,
    domineering::CRAM,
    kayles::DAWSON,
    dodgem::ENTRY,
    domineering::ENTRY,
    dots_and_boxes::ENTRY,
    nim::EUCLID,
    fair_shares::ENTRY,
    hunts::FOX,
    gobblet::ENTRY,
    hunts::HARE,
    hex::ENTRY,
    hexapawn::ENTRY,
    isolation::ENTRY,
    kalah::ENTRY,
    kayles::ENTRY,
    chess::KBNK,
    konane::ENTRY,
    chess::KPK,
    chess::KQK,
    chess::KRK,
    l_game::ENTRY,
    loa::ENTRY,
    rings::MU_TORERE,
    nim::ENTRY,
    merels::NINE_HOLES,
    morris::NINE,
    notakto::ENTRY,
    order_and_chaos::ENTRY,
    othello::ENTRY,
    pentago::ENTRY,
    merels::PICARIA,
    rings::PONG_HAU_KI,
    quarto::ENTRY,
    quixo::ENTRY,
    sim::ENTRY,
    morris::SIX,
    col::SNORT,
    nim::SUBTRACTION,
    tac_tix::ENTRY,
    merels::TAPATAN,
    teeko::ENTRY,
    merels::THREE,
    tictactoe::ENTRY,
    toads_and_frogs::ENTRY,
    treblecross::ENTRY,
    wild::ENTRY,
    nim::WYTHOFF,
];

/// The game of this name, or that people also call so; case does not matter.
///
/// ```
/// assert_eq!(winset_games::entry("Gomoku").unwrap().family.name, "tictactoe");
/// ```
pub fn entry(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.is_called(name))
}

/// Builds a game of the catalogue.
///
/// ```
/// let error = winset_games::build("othello", Some("2x9"), &Default::default()).unwrap_err();
/// assert_eq!(error.to_string(), "othello cannot have 2 rows: 3 to 16 are possible");
/// ```
pub fn build(name: &str, size: Option<&str>, choices: &Choices) -> Result<Game, GameError> {
    let entry = entry(name).ok_or_else(|| {
        let all: Vec<&str> = CATALOGUE.iter().map(|entry| entry.family.name).collect();
        let hint = match similar(name, all.iter().copied()).first() {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("there are: {}", all.join(", ")),
        };
        GameError::Unknown(name.to_owned(), hint)
    })?;
    let member = entry.family.member(size, choices)?;
    let choices = (entry.fit)(&member)?;
    let mut game = (entry.make)(&member.numbers, &choices);
    if choices.get(MISERE_NAME) == Some("yes") {
        game.rewards.swap(0, 1);
    }
    game.size = member.size;
    game.choices = choices;
    Ok(game.build()?)
}
