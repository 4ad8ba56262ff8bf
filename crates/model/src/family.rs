//! Families of games: what a user may say about a game by name - its size and its options - declared once.
//!
//! What is not declared is refused: a size or an option that a game would ignore makes its user believe
//! that another game was solved.

use crate::names::similar;
use std::collections::BTreeMap;
use thiserror::Error;

/// Games that differ by size and options only.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// What the user types.
    pub name: &'static str,
    /// What the numbers of a size mean, in their order; empty if the game has one size only.
    pub size: &'static str,
    /// The size when none is given.
    pub default: &'static str,
    /// The rules in one line.
    pub about: &'static str,
    /// The numbers of a size.
    pub numbers: &'static [Number],
    /// The options.
    pub choices: &'static [Choice],
}

/// The range of one number of a size; a number with a preset may be left out.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// What it counts.
    pub what: &'static str,
    /// The least possible.
    pub min: usize,
    /// The greatest possible.
    pub max: usize,
    /// What it is when it is left out.
    pub preset: Option<usize>,
}

/// An option of a family.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// What the user types.
    pub name: &'static str,
    /// Its values.
    pub values: &'static [&'static str],
    /// What is meant when it is not given; empty if that depends on the size.
    pub default: &'static str,
    /// What it means.
    pub about: &'static str,
}

/// Options by name, with the values that were chosen.
///
/// ```
/// let choices = winset_model::Choices::default().with("baseline", "m2");
/// assert_eq!((choices.get("baseline"), choices.get("colour")), (Some("m2"), None));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices(pub BTreeMap<String, String>);

impl Choices {
    /// These and one more.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.insert(name.to_owned(), value.to_owned());
        self
    }

    /// What was chosen.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// One game of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The numbers of its size, all of them.
    pub numbers: Vec<usize>,
    /// Its size as it is written: one way for each.
    pub size: String,
    /// The options that are not as by default.
    pub choices: Choices,
}

/// Why there is no such game in the family.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FamilyError {
    /// A size is given to a game that has one only.
    #[error("{game} takes no size, but {found:?} is given")]
    NoSize {
        /// The game.
        game: String,
        /// What was given.
        found: String,
    },
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
    /// The game has no such option.
    #[error("{game} has no option {option:?}; {has}")]
    NoOption {
        /// The game.
        game: &'static str,
        /// What was given.
        option: String,
        /// The options that it has, as a sentence.
        has: String,
    },
    /// The option has no such value.
    #[error("{value:?} is not possible for the option {option} of {game}; possible: {possible}")]
    NoValue {
        /// The game.
        game: &'static str,
        /// The option.
        option: &'static str,
        /// What was given.
        value: String,
        /// The values that it has.
        possible: String,
    },
}

impl Family {
    /// The game with this size and these options, if there is one.
    pub fn member(&self, size: Option<&str>, choices: &Choices) -> Result<Member, FamilyError> {
        let numbers = match size {
            Some(size) if self.numbers.is_empty() && !size.is_empty() => {
                return Err(FamilyError::NoSize { game: self.name.to_owned(), found: size.to_owned() });
            }
            _ if self.numbers.is_empty() => vec![],
            size => self.parse(size.unwrap_or(self.default))?,
        };
        let size = self.written(&numbers);
        Ok(Member { numbers, size, choices: self.chosen(choices)? })
    }

    fn parse(&self, size: &str) -> Result<Vec<usize>, FamilyError> {
        let malformed = || FamilyError::Malformed(size.to_owned(), self.name, self.size, self.default);
        let parse = |part: &str| part.parse::<usize>().map_err(|_| malformed());
        let lower = size.to_ascii_lowercase();
        let mut numbers = lower.split('x').map(parse).collect::<Result<Vec<usize>, _>>()?;
        // A game with one number has a square board, whose size may be written in full.
        if let ([_], &[rows, columns]) = (self.numbers, numbers.as_slice())
            && rows == columns
        {
            numbers.pop();
        }
        if numbers.len() > self.numbers.len() {
            return Err(malformed());
        }
        for number in &self.numbers[numbers.len()..] {
            numbers.push(number.preset.ok_or_else(malformed)?);
        }
        for (&found, number) in numbers.iter().zip(self.numbers) {
            let Number { what, min, max, .. } = *number;
            if !(min..=max).contains(&found) {
                return Err(FamilyError::Range { game: self.name, what, found, min, max });
            }
        }
        Ok(numbers)
    }

    /// The size as text, without the numbers at its end that may be left out.
    fn written(&self, numbers: &[usize]) -> String {
        let mut shown = numbers.len();
        while shown > 0 && self.numbers[shown - 1].preset == Some(numbers[shown - 1]) {
            shown -= 1;
        }
        numbers[..shown].iter().map(usize::to_string).collect::<Vec<_>>().join("x")
    }

    /// The options that are not as by default.
    fn chosen(&self, choices: &Choices) -> Result<Choices, FamilyError> {
        let mut chosen = Choices::default();
        for (name, value) in &choices.0 {
            let Some(choice) = self.choices.iter().find(|choice| choice.name == name) else {
                return Err(FamilyError::NoOption {
                    game: self.name,
                    option: name.clone(),
                    has: self.has(name),
                });
            };
            if !choice.values.contains(&value.as_str()) {
                let (game, option, value) = (self.name, choice.name, value.clone());
                let possible = choice.values.join(", ");
                return Err(FamilyError::NoValue { game, option, value, possible });
            }
            if value != choice.default {
                chosen = chosen.with(name, value);
            }
        }
        Ok(chosen)
    }

    /// Which options there are, in answer to one that there is not.
    fn has(&self, name: &str) -> String {
        let names: Vec<&str> = self.choices.iter().map(|choice| choice.name).collect();
        match (similar(name, names.iter().copied()).first(), names.as_slice()) {
            (Some(near), _) => format!("did you mean {near:?}?"),
            (None, []) => "it has none".to_owned(),
            (None, names) => format!("it has: {}", names.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: Number = Number { what: "rows", min: 3, max: 9, preset: None };
    const LINE: Number = Number { what: "in a row", min: 1, max: 9, preset: Some(3) };
    const COLOUR: Choice = Choice { name: "colour", values: &["red", "blue"], default: "red", about: "" };
    const LINES: Family = Family {
        name: "lines",
        size: "ROWS[xK]",
        default: "4",
        about: "",
        numbers: &[ROWS, LINE],
        choices: &[COLOUR],
    };
    const FIXED: Family =
        Family { name: "fixed", size: "", default: "", numbers: &[], choices: &[], ..LINES };

    #[test]
    fn a_size_is_written_in_one_way() {
        let none = Choices::default();
        for text in ["5", "05", "5x3", "+5X3"] {
            let member = LINES.member(Some(text), &none).unwrap();
            assert_eq!((member.size.as_str(), member.numbers.as_slice()), ("5", &[5, 3][..]), "{text}");
        }
        assert_eq!(LINES.member(Some("5x4"), &none).unwrap().size, "5x4");
        assert_eq!(LINES.member(None, &none).unwrap().size, "4");
        assert_eq!(FIXED.member(None, &none).unwrap().size, "");
        assert_eq!(FIXED.member(Some(""), &none).unwrap().size, "", "as a store writes it");
    }

    #[test]
    fn what_a_game_does_not_have_is_refused_with_what_it_has() {
        let none = Choices::default();
        let refused = |family: &Family, size, choices: &Choices| {
            family.member(size, choices).expect_err("refused").to_string()
        };
        assert_eq!(refused(&FIXED, Some("3"), &none), "fixed takes no size, but \"3\" is given");
        assert!(refused(&LINES, Some("4x"), &none).contains("for example 4"));
        assert_eq!(refused(&LINES, Some("2"), &none), "lines cannot have 2 rows: 3 to 9 are possible");
        let colour = |value| Choices::default().with("colour", value);
        assert_eq!(refused(&FIXED, None, &colour("red")), "fixed has no option \"colour\"; it has none");
        assert!(refused(&LINES, None, &colour("green")).ends_with("possible: red, blue"));
        let misspelt = Choices::default().with("color", "red");
        assert_eq!(
            refused(&LINES, None, &misspelt),
            "lines has no option \"color\"; did you mean \"colour\"?"
        );
    }

    #[test]
    fn an_option_as_by_default_is_the_same_game() {
        let member = |value| LINES.member(None, &Choices::default().with("colour", value)).unwrap();
        assert_eq!(member("red"), LINES.member(None, &Choices::default()).unwrap());
        assert_eq!(member("blue").choices.get("colour"), Some("blue"));
    }
}
