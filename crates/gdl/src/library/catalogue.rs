//! The games that come with the crate: files, and generators for games of any size.

use crate::library::generate::{breakthrough, clobber, connect_four, cubi_cup};
use winset_model::{Choices, Family, FamilyError, Number, Outcome};

/// One game of the library.
#[derive(Debug)]
pub struct LibraryGame {
    /// Its name and sizes.
    pub family: Family,
    /// What perfect play gives whoever begins at the default size, where that is said.
    pub value: Option<Outcome>,
    text: Text,
}

/// Where the rules come from.
#[derive(Debug)]
enum Text {
    File(&'static str),
    Made(fn(&[usize]) -> String),
}

impl LibraryGame {
    const fn file(name: &'static str, about: &'static str, value: Outcome, text: &'static str) -> Self {
        let family = Family { name, size: "", default: "", about, numbers: &[], choices: &[] };
        LibraryGame { family, value: Some(value), text: Text::File(text) }
    }

    fn rules(&self, size: Option<&str>, choices: &Choices) -> Result<Rules, FamilyError> {
        let name = self.family.name;
        self.family.member(size, choices).map(|member| match self.text {
            Text::File(text) => Rules { name: name.to_owned(), text: text.to_owned() },
            Text::Made(make) => {
                Rules { name: format!("{name}-{}", member.size), text: make(&member.numbers) }
            }
        })
    }

    /// The size is part of the name, as in `clobber-3x4`.
    pub fn is_sized(&self) -> bool {
        !self.family.numbers.is_empty()
    }
}

/// Rules with their name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// With the size, if the game has several: `clobber-3x4`.
    pub name: String,
    /// In GDL.
    pub text: String,
}

const COLUMNS: Number = Number { what: "columns", min: 1, max: 20, preset: None };
const ROWS: Number = Number { what: "rows", min: 1, max: 20, preset: None };

/// All games of the library.
pub const LIBRARY: &[LibraryGame] = &[
    LibraryGame::file(
        "sum-15",
        "the numbers 1 to 9 are taken; three that add up to 15 win",
        Outcome::Tie,
        include_str!("../../games/sum_15.kif"),
    ),
    LibraryGame::file(
        "number-tic-tac-toe",
        "odd and even numbers on 3x3 squares; a line that adds up to 15 wins",
        Outcome::Win,
        include_str!("../../games/number_tic_tac_toe.kif"),
    ),
    LibraryGame::file(
        "nim",
        "heaps of 11, 12, 15 and 25; who takes the last one wins",
        Outcome::Win,
        include_str!("../../games/nim.kif"),
    ),
    LibraryGame::file(
        "chomp",
        "8 columns by 7 rows; who eats the corner loses",
        Outcome::Win,
        include_str!("../../games/chomp.kif"),
    ),
    LibraryGame::file(
        "sheep-and-wolf",
        "four sheep surround the wolf on 8x8 squares, or do not",
        Outcome::Loss,
        include_str!("../../games/sheep_and_wolf.kif"),
    ),
    LibraryGame::file(
        "catch-a-mouse",
        "the catcher lays traps, the mouse runs for a hole",
        Outcome::Win,
        include_str!("../../games/catch_a_mouse.kif"),
    ),
    LibraryGame {
        family: Family {
            name: "clobber",
            size: "COLUMNSxROWS",
            default: "4x5",
            about: "a piece takes a neighbour of the other colour; who cannot loses",
            numbers: &[COLUMNS, ROWS],
            choices: &[],
        },
        value: Some(Outcome::Win),
        text: Text::Made(|n| clobber(n[0], n[1])),
    },
    LibraryGame {
        family: Family {
            name: "cubi-cup",
            size: "EDGE",
            default: "4",
            about: "cubes are stacked on three others; who sets the last one wins",
            numbers: &[Number { what: "cubes along an edge", min: 2, max: 8, preset: None }],
            choices: &[],
        },
        value: Some(Outcome::Loss),
        text: Text::Made(|n| cubi_cup(n[0])),
    },
];

/// Games that are built in too, under one name and one order of sizes: their rules in GDL are for comparison.
const TWINS: &[LibraryGame] = &[
    LibraryGame::file(
        "tic-tac-toe",
        "three in a row on 3x3 squares",
        Outcome::Tie,
        include_str!("../../games/tic_tac_toe.kif"),
    ),
    LibraryGame {
        family: Family {
            name: "breakthrough",
            size: "COLUMNSxROWS",
            default: "5x4",
            about: "two rows of pawns race to the far row; white begins",
            numbers: &[COLUMNS, Number { min: 4, ..ROWS }],
            choices: &[],
        },
        value: None,
        text: Text::Made(|n| breakthrough(n[0], n[1])),
    },
    LibraryGame {
        family: Family {
            name: "connect-four",
            size: "COLUMNSxROWS",
            default: "5x6",
            about: "stones fall down their column; four in a row win",
            numbers: &[COLUMNS, ROWS],
            choices: &[],
        },
        value: None,
        text: Text::Made(|n| connect_four(n[0], n[1])),
    },
];

/// What the user has to write for a built-in game that goes by another name in the library of GDL texts.
///
/// ```
/// assert_eq!(winset_gdl::built_in("breakthrough-3x5").as_deref(), Some("breakthrough 5x3 --pawns 2"));
/// assert_eq!(winset_gdl::built_in("tic-tac-toe").as_deref(), Some("tictactoe"));
/// ```
pub fn built_in(name: &str) -> Option<String> {
    let (game, size) = find(TWINS, name)?;
    let size = size.unwrap_or("");
    Some(match (game.family.name, size.split_once('x')) {
        ("breakthrough", Some((columns, rows))) => format!("breakthrough {rows}x{columns} --pawns 2"),
        ("connect-four", _) => format!("connect4 {size}").trim_end().to_owned(),
        _ => "tictactoe".to_owned(),
    })
}

/// Name and text of the games with a fixed size.
pub fn games() -> impl Iterator<Item = (&'static str, &'static str)> {
    LIBRARY.iter().chain(TWINS).filter_map(|game| match game.text {
        Text::File(text) => Some((game.family.name, text)),
        Text::Made(_) => None,
    })
}

/// The game that a name means, with the size that is part of the name: `nim`, `clobber-3x4`, `clobber`.
///
/// ```
/// let (game, size) = winset_gdl::library_game("clobber-3x4").unwrap();
/// assert_eq!((game.family.name, size), ("clobber", Some("3x4")));
/// ```
pub fn library_game(name: &str) -> Option<(&'static LibraryGame, Option<&str>)> {
    find(LIBRARY, name)
}

fn find<'n>(list: &'static [LibraryGame], name: &'n str) -> Option<(&'static LibraryGame, Option<&'n str>)> {
    if let Some(game) = list.iter().find(|game| game.family.name == name) {
        return Some((game, None));
    }
    let (kind, size) =
        name.rsplit_once('-').filter(|(_, size)| size.starts_with(|c: char| c.is_ascii_digit()))?;
    let game = list.iter().find(|game| game.family.name == kind && game.is_sized())?;
    Some((game, Some(size)))
}

/// The rules of a game of the library; nothing if there is none of this name.
pub fn rules(name: &str, size: Option<&str>, choices: &Choices) -> Option<Result<Rules, FamilyError>> {
    let (game, in_name) = library_game(name)?;
    if let (Some(_), Some(found)) = (in_name, size) {
        return Some(Err(FamilyError::NoSize { game: name.to_owned(), found: found.to_owned() }));
    }
    Some(game.rules(in_name.or(size), choices))
}

/// The text of a game by name: one of [`games`], or a generated one with its size: `clobber-3x4`, `cubi-cup-3`, and of
/// games that are built in too `breakthrough-5x4`, `connect-four-5x6` (columns by rows).
pub fn game(name: &str) -> Option<String> {
    let (game, size) = find(LIBRARY, name).or_else(|| find(TWINS, name))?;
    game.rules(size, &Choices::default()).ok().map(|rules| rules.text)
}
