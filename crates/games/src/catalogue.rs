//! Which games there are, what their sizes mean, and how to build one from its name.

use crate::{Baseline, breakthrough, checkers, connect4, othello, tictactoe};
use thiserror::Error;
use winset_model::{Game, ModelError};

/// One built-in game.
#[derive(Debug)]
pub struct Entry {
    /// What the user types.
    pub name: &'static str,
    /// What the numbers of a size mean, in their order.
    pub size: &'static str,
    /// The size when none is given.
    pub default: &'static str,
    /// The rules in one line.
    pub about: &'static str,
    limits: &'static [Limit],
    make: fn(&[usize], &Options) -> Game,
}

/// The range of one number of a size; a number with a preset may be left out.
#[derive(Debug)]
struct Limit {
    what: &'static str,
    min: usize,
    max: usize,
    preset: Option<usize>,
}

const fn limit(what: &'static str, min: usize, max: usize, preset: Option<usize>) -> Limit {
    Limit { what, min, max, preset }
}

/// Choices that only some games have.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Breakthrough: when a position counts as won.
    pub baseline: Baseline,
}

/// Why a game cannot be built.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum GameError {
    /// No such game.
    #[error("there is no game {0:?}; there are: {1}")]
    Unknown(String, String),
    /// The size is not numbers joined by `x`.
    #[error("{0:?} is not a size: {1} takes {2}, for example {3}")]
    Malformed(String, &'static str, &'static str, &'static str),
    /// A number of the size is out of range.
    #[error("{game} cannot have {found} {what}: {min} to {max} are possible")]
    Range {
        /// The game.
        game: &'static str,
        /// What the number means.
        what: &'static str,
        /// The number given.
        found: usize,
        /// The least possible.
        min: usize,
        /// The greatest possible.
        max: usize,
    },
    /// The builder made something that is not a game.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// All built-in games.
pub const CATALOGUE: &[Entry] = &[
    Entry {
        name: "breakthrough",
        size: "ROWSxCOLUMNS",
        default: "5x4",
        about: "pawns race to the far row; white begins at the bottom",
        limits: &[limit("rows", 3, 16, None), limit("columns", 2, 16, None)],
        make: |n, options| breakthrough(n[0], n[1], options.baseline),
    },
    Entry {
        name: "checkers",
        size: "N",
        default: "4",
        about: "American checkers on NxN squares; every jump is a move of its own; black begins",
        limits: &[limit("rows", 3, 8, None)],
        make: |n, _| checkers(n[0]),
    },
    Entry {
        name: "connect4",
        size: "COLUMNSxROWS[xK]",
        default: "5x4",
        about: "stones fall down their column; four (or K) in a row win",
        limits: &[
            limit("columns", 1, 16, None),
            limit("rows", 1, 16, None),
            limit("in a row", 1, 16, Some(4)),
        ],
        make: |n, _| connect4(n[0], n[1], n[2]),
    },
    Entry {
        name: "othello",
        size: "ROWSxCOLUMNS",
        default: "4x4",
        about: "enclosed stones change colour; most stones win; black begins",
        limits: &[limit("rows", 3, 16, None), limit("columns", 3, 16, None)],
        make: |n, _| othello(n[0], n[1]),
    },
    Entry {
        name: "tictactoe",
        size: "COLUMNSxROWS[xK]",
        default: "3x3",
        about: "the m,n,k-game: three (or K) in a row win",
        limits: &[
            limit("columns", 1, 16, None),
            limit("rows", 1, 16, None),
            limit("in a row", 1, 16, Some(3)),
        ],
        make: |n, _| tictactoe(n[0], n[1], n[2]),
    },
];

/// Builds a game of the catalogue.
///
/// ```
/// let error = winset_games::build("othello", Some("2x9"), &Default::default()).unwrap_err();
/// assert_eq!(error.to_string(), "othello cannot have 2 rows: 3 to 16 are possible");
/// ```
pub fn build(name: &str, size: Option<&str>, options: &Options) -> Result<Game, GameError> {
    let entry = CATALOGUE.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let all: Vec<&str> = CATALOGUE.iter().map(|entry| entry.name).collect();
        GameError::Unknown(name.to_owned(), all.join(", "))
    })?;
    let size = size.unwrap_or(entry.default);
    let numbers = entry.numbers(size)?;
    let mut game = (entry.make)(&numbers, options);
    game.size = size.to_ascii_lowercase();
    Ok(game.finish()?)
}

impl Entry {
    fn numbers(&self, size: &str) -> Result<Vec<usize>, GameError> {
        let malformed = || GameError::Malformed(size.to_owned(), self.name, self.size, self.default);
        let parse = |part: &str| part.parse::<usize>().map_err(|_| malformed());
        let lower = size.to_ascii_lowercase();
        let mut numbers = lower.split('x').map(parse).collect::<Result<Vec<usize>, _>>()?;
        // A game with one number has a square board, whose size may be written in full.
        if let ([_], &[rows, columns]) = (self.limits, numbers.as_slice())
            && rows == columns
        {
            numbers.pop();
        }
        if numbers.len() > self.limits.len() {
            return Err(malformed());
        }
        for limit in &self.limits[numbers.len()..] {
            numbers.push(limit.preset.ok_or_else(malformed)?);
        }
        for (&found, limit) in numbers.iter().zip(self.limits) {
            if !(limit.min..=limit.max).contains(&found) {
                let Limit { what, min, max, .. } = *limit;
                return Err(GameError::Range { game: self.name, what, found, min, max });
            }
        }
        Ok(numbers)
    }
}
