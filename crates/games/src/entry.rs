//! What is declared about a built-in game: sizes, options, rules in words, and what the literature knows.

use winset_model::{Choice, Choices, Family, FamilyError, GameBuilder, Member, Number, Outcome};

/// One built-in game.
#[derive(Debug)]
pub struct Entry {
    /// Its name, sizes and options.
    pub family: Family,
    /// Other names that people know it by.
    pub aliases: &'static [&'static str],
    /// The rules in two sentences.
    pub rules: &'static str,
    /// Values that are known from elsewhere, or from plain code that shares nothing with the rules here.
    pub known: &'static [Known],
    pub(crate) make: fn(&[usize], &Choices) -> GameBuilder,
    /// The options as they are recorded, if they fit the size.
    pub(crate) fit: fn(&Member) -> Result<Choices, FamilyError>,
}

impl Entry {
    /// The name is this game's, or one of its other names; case does not matter.
    pub fn is_called(&self, name: &str) -> bool {
        let names = std::iter::once(&self.family.name).chain(self.aliases);
        names.into_iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// What is known of the game at its default size with no option.
    pub fn known_default(&self) -> Option<&'static Known> {
        self.known.iter().find(|known| known.size == self.family.default && known.options.is_empty())
    }
}

/// What strongly solving a game costs here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A few seconds at most.
    Seconds,
    /// Up to some minutes, or gigabytes.
    Minutes,
    /// More than that: the value is quoted.
    Beyond,
}

/// A value that somebody else has found.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The size, as it is written.
    pub size: &'static str,
    /// The options that are not as by default.
    pub options: &'static [(&'static str, &'static str)],
    /// What perfect play gives the first player.
    pub value: Outcome,
    /// How many positions can arise.
    pub positions: Option<u64>,
    /// The most plies that a win takes, over all positions that can arise.
    pub longest: Option<u32>,
    /// What it costs to find it here.
    pub effort: Effort,
    /// Who says so.
    pub source: &'static str,
}

/// The source of values for which there is no other.
pub(crate) const PLAIN: &str = "compared with plain code in crates/games/tests/plain";

impl Known {
    const fn new(size: &'static str, value: Outcome, source: &'static str) -> Self {
        let (positions, longest) = (None, None);
        Known { size, options: &[], value, positions, longest, effort: Effort::Seconds, source }
    }

    pub(crate) const fn win(size: &'static str, source: &'static str) -> Self {
        Self::new(size, Outcome::Win, source)
    }

    pub(crate) const fn loss(size: &'static str, source: &'static str) -> Self {
        Self::new(size, Outcome::Loss, source)
    }

    pub(crate) const fn tie(size: &'static str, source: &'static str) -> Self {
        Self::new(size, Outcome::Tie, source)
    }

    pub(crate) const fn draw(size: &'static str, source: &'static str) -> Self {
        Self::new(size, Outcome::Draw, source)
    }

    pub(crate) const fn with(mut self, options: &'static [(&'static str, &'static str)]) -> Self {
        self.options = options;
        self
    }

    pub(crate) const fn positions(mut self, positions: u64) -> Self {
        self.positions = Some(positions);
        self
    }

    pub(crate) const fn longest(mut self, plies: u32) -> Self {
        self.longest = Some(plies);
        self
    }

    pub(crate) const fn takes(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }
}

/// Any options go with any size.
pub(crate) fn any(member: &Member) -> Result<Choices, FamilyError> {
    Ok(member.choices.clone())
}

/// A number of a size that must be given.
pub(crate) const fn number(what: &'static str, min: usize, max: usize) -> Number {
    Number { what, min, max, preset: None }
}

/// A number of a size that may be left out.
pub(crate) const fn preset(what: &'static str, min: usize, max: usize, preset: usize) -> Number {
    Number { what, min, max, preset: Some(preset) }
}

/// The name of the option below.
pub(crate) const MISERE_NAME: &str = "misere";

/// Who would win loses: the rewards are exchanged when the game is built, for every game that declares this.
pub(crate) const MISERE: Choice = Choice {
    name: MISERE_NAME,
    values: &["no", "yes"],
    default: "no",
    about: "who would win loses, and the other way round",
};
