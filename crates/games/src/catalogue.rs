//! Which games there are, what their sizes and options mean, and how to build one from its name.

use crate::{Baseline, breakthrough, checkers, connect4, othello, tictactoe};
use thiserror::Error;
use winset_model::{
    Choice, Choices, Family, FamilyError, Game, GameBuilder, Member, ModelError, Number, similar,
};

/// One built-in game.
#[derive(Debug)]
pub struct Entry {
    /// Its name, sizes and options.
    pub family: Family,
    make: fn(&[usize], &Choices) -> GameBuilder,
    /// The options as they are recorded, if they fit the size.
    fit: fn(&Member) -> Result<Choices, FamilyError>,
}

fn any(member: &Member) -> Result<Choices, FamilyError> {
    Ok(member.choices.clone())
}

const fn number(what: &'static str, min: usize, max: usize, preset: Option<usize>) -> Number {
    Number { what, min, max, preset }
}

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

/// All built-in games.
pub const CATALOGUE: &[Entry] = &[
    Entry {
        family: Family {
            name: "breakthrough",
            size: "ROWSxCOLUMNS",
            default: "5x4",
            about: "pawns race to the far row; white begins at the bottom",
            numbers: &[number("rows", 3, 16, None), number("columns", 2, 16, None)],
            choices: &[
                Choice {
                    name: "baseline",
                    values: &["m1", "m2"],
                    default: "m1",
                    about: "a position counts as won when the winning move has been made (m1) or can be made (m2)",
                },
                Choice {
                    name: "pawns",
                    values: &["1", "2"],
                    default: "",
                    about: "each player's rows of pawns; if not given, 1 below five rows, else 2",
                },
            ],
        },
        make: |n, choices| {
            let can_be_made = choices.get("baseline") == Some("m2");
            let pawns = choices.get("pawns").and_then(|pawns| pawns.parse().ok());
            let pawns = pawns.unwrap_or_else(|| breakthrough::usual_pawns(n[0]));
            let baseline = if can_be_made { Baseline::CanBeMade } else { Baseline::Made };
            breakthrough::rules(n[0], n[1], pawns, baseline)
        },
        fit: breakthrough::fit,
    },
    Entry {
        family: Family {
            name: "checkers",
            size: "N",
            default: "4",
            about: "American checkers on NxN squares; every jump is a move of its own; black begins",
            numbers: &[number("rows", 3, 8, None)],
            choices: &[],
        },
        make: |n, _| checkers::rules(n[0]),
        fit: any,
    },
    Entry {
        family: Family {
            name: "connect4",
            size: "COLUMNSxROWS[xK]",
            default: "5x4",
            about: "stones fall down their column; four (or K) in a row win",
            numbers: &[
                number("columns", 1, 16, None),
                number("rows", 1, 16, None),
                number("in a row", 1, 16, Some(4)),
            ],
            choices: &[],
        },
        make: |n, _| connect4::rules(n[0], n[1], n[2]),
        fit: any,
    },
    Entry {
        family: Family {
            name: "othello",
            size: "ROWSxCOLUMNS",
            default: "4x4",
            about: "enclosed stones change colour; most stones win; black begins",
            numbers: &[number("rows", 3, 16, None), number("columns", 3, 16, None)],
            choices: &[],
        },
        make: |n, _| othello::rules(n[0], n[1]),
        fit: any,
    },
    Entry {
        family: Family {
            name: "tictactoe",
            size: "COLUMNSxROWS[xK]",
            default: "3x3",
            about: "the m,n,k-game: three (or K) in a row win",
            numbers: &[
                number("columns", 1, 16, None),
                number("rows", 1, 16, None),
                number("in a row", 1, 16, Some(3)),
            ],
            choices: &[],
        },
        make: |n, _| tictactoe::rules(n[0], n[1], n[2]),
        fit: any,
    },
];

/// Builds a game of the catalogue.
///
/// ```
/// let error = winset_games::build("othello", Some("2x9"), &Default::default()).unwrap_err();
/// assert_eq!(error.to_string(), "othello cannot have 2 rows: 3 to 16 are possible");
/// ```
pub fn build(name: &str, size: Option<&str>, choices: &Choices) -> Result<Game, GameError> {
    let entry = CATALOGUE.iter().find(|entry| entry.family.name == name).ok_or_else(|| {
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
    game.size = member.size;
    game.choices = choices;
    Ok(game.build()?)
}
