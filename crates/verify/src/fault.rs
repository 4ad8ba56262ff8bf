//! What can be wrong with a solution.

use std::fmt;
use winset_model::{Player, Remoteness, Rewards, grouped};

/// Something in a solution that the rules contradict.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The layer.
    pub layer: u32,
    /// The position's number in the layer; none if the fault is about the layer as a whole.
    pub rank: Option<u64>,
    /// The position as the game writes it.
    pub position: String,
    /// What is wrong.
    pub what: Wrong,
}

/// In what way a position contradicts the rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// The stored value does not follow from the successors' values.
    Value {
        /// The rewards that are stored.
        stored: Rewards,
        /// The rewards that follow.
        expected: Rewards,
    },
    /// The stored distance does not follow from the successors' distances.
    Distance {
        /// What is stored.
        stored: Remoteness,
        /// What follows.
        expected: Remoteness,
    },
    /// A move leads to a position that is neither stored nor terminal: the set is not closed.
    Open {
        /// The move.
        by: String,
        /// Where it leads.
        to: String,
    },
    /// A terminal position has rewards that no code stands for.
    Rewards {
        /// The move that leads there.
        by: String,
        /// The rewards.
        rewards: Rewards,
    },
    /// A terminal position is stored with other rewards than the rules give.
    Terminal {
        /// What the rules give.
        expected: Rewards,
    },
    /// Play has not ended, but there is no legal move.
    Stuck,
    /// The position belongs to another layer.
    Layer {
        /// The measure there, from that of the start.
        expected: i64,
    },
    /// The value rests on itself: play can go in circles inside the layer, and neither the moves' values nor
    /// stored distances show that it does not.
    Cycle,
    /// A move leads to an earlier layer.
    Back {
        /// The move.
        by: String,
    },
    /// The start is not stored, or not with the value that the manifest gives.
    Start,
    /// No move leads to the position, and it is not the start.
    Unreachable,
    /// A move leads to a position that has no value yet.
    Unsolved {
        /// The move.
        by: String,
    },
    /// The stored number has no meaning.
    Code,
    /// No position has these rewards, for which there is a code.
    Unused {
        /// The rewards.
        rewards: Rewards,
    },
    /// The manifest names another player than moves in all positions of the layer, or one where not all have the
    /// same, or none where they have.
    Mover {
        /// Who really does.
        expected: Option<Player>,
    },
    /// A number in the manifest is not the true one.
    Count {
        /// Of what.
        of: &'static str,
        /// The number in the manifest.
        stored: u64,
        /// The true one.
        expected: u64,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "layer {}", self.layer)?;
        if !self.position.is_empty() {
            write!(f, ", position {}", self.position)?;
        }
        write!(f, ": {}", self.what)
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plies = |distance: &Remoteness| match distance {
            Remoteness::Plies(plies) => format!("{plies} plies"),
            Remoteness::Endless => "endless play".to_owned(),
            Remoteness::Unknown => "no distance".to_owned(),
        };
        match self {
            Wrong::Value { stored, expected } => {
                write!(f, "rewards {stored} are stored, {expected} expected")
            }
            Wrong::Distance { stored, expected } => {
                write!(f, "{} are stored, {} expected", plies(stored), plies(expected))
            }
            Wrong::Open { by, to } => {
                write!(f, "{by} leads to {to}, which is neither stored nor terminal")
            }
            Wrong::Rewards { by, rewards } => {
                write!(f, "{by} ends the game with {rewards}, for which there is no code")
            }
            Wrong::Terminal { expected } => {
                write!(f, "the game has ended here with {expected}, another value is stored")
            }
            Wrong::Stuck => write!(f, "the game has not ended here, a legal move is expected"),
            Wrong::Layer { expected } => write!(f, "expected in the layer where the measure is {expected}"),
            Wrong::Cycle => {
                write!(f, "the value rests on itself; expected: one that follows from the game's end")
            }
            Wrong::Back { by } => write!(f, "{by} leads to an earlier layer; expected: a later one"),
            Wrong::Start => write!(f, "the start is expected here with the manifest's value"),
            Wrong::Unreachable => write!(f, "no move leads here; expected: only what can be reached"),
            Wrong::Unsolved { by } => write!(f, "{by} leads to a position without a value; one is expected"),
            Wrong::Code => write!(f, "a value without meaning is stored; one of the codes is expected"),
            Wrong::Unused { rewards } => {
                write!(f, "no position has the rewards {rewards} of a code; one is expected")
            }
            Wrong::Mover { expected: Some(player) } => {
                write!(
                    f,
                    "the manifest says something else, expected: player {} always moves here",
                    player.index() + 1
                )
            }
            Wrong::Mover { expected: None } => {
                write!(f, "the manifest names a mover, expected: not always the same")
            }
            Wrong::Count { of, stored, expected } => {
                write!(f, "{of}: the manifest says {}, expected {}", grouped(*stored), grouped(*expected))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped() {
        let what = Wrong::Count { of: "positions", stored: 1_234_567, expected: 999 };
        let fault = Fault { layer: 7, rank: None, position: String::new(), what };
        assert_eq!(fault.to_string(), "layer 7: positions: the manifest says 1,234,567, expected 999");
        assert_eq!(grouped(1000u64), "1,000");
    }
}
