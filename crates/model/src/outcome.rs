//! What the players get when a game has ended.

use std::fmt;

/// A reward for each player, 0 to 100, in the order of the players.
pub type Rewards = Vec<u8>;

/// Win, draw or loss, from the point of view of one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The other player wins.
    Loss,
    /// Neither wins.
    Draw,
    /// The player wins.
    Win,
}

impl Outcome {
    /// The same outcome seen by the other player.
    ///
    /// ```
    /// use winset_model::Outcome;
    /// assert_eq!(Outcome::Win.reversed(), Outcome::Loss);
    /// assert_eq!(Outcome::Draw.reversed(), Outcome::Draw);
    /// ```
    pub fn reversed(self) -> Self {
        match self {
            Outcome::Loss => Outcome::Win,
            Outcome::Draw => Outcome::Draw,
            Outcome::Win => Outcome::Loss,
        }
    }

    /// The outcome of a pair of rewards for the player who got `own`.
    ///
    /// ```
    /// use winset_model::Outcome;
    /// assert_eq!(Outcome::of(40, 0), Outcome::Win);
    /// ```
    pub fn of(own: u8, other: u8) -> Self {
        match own.cmp(&other) {
            std::cmp::Ordering::Less => Outcome::Loss,
            std::cmp::Ordering::Equal => Outcome::Draw,
            std::cmp::Ordering::Greater => Outcome::Win,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Loss => "loss",
            Outcome::Draw => "draw",
            Outcome::Win => "win",
        })
    }
}
