//! What a player has to tell: one line for people, one object for machines.

use serde::Serialize;
use std::fmt;

/// Something happened in a match.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A match began.
    Start {
        /// The match.
        id: String,
        /// Whom we play.
        role: String,
        /// Seconds to prepare.
        start_clock: u64,
        /// Seconds for a move.
        play_clock: u64,
    },
    /// A START was not taken.
    Busy {
        /// The match.
        id: String,
    },
    /// The rules can be played.
    Ready {
        /// The match.
        id: String,
        /// Seconds since the start.
        seconds: f64,
    },
    /// The rules cannot be played.
    Refused {
        /// The match.
        id: String,
        /// Why.
        reason: String,
    },
    /// The game is solved.
    Solved {
        /// The match.
        id: String,
        /// Seconds since the start.
        seconds: f64,
        /// It had been solved before.
        cached: bool,
        /// What each role gets if all play perfectly.
        value: Option<Vec<u8>>,
    },
    /// The game is not solved, and search goes on alone.
    Unsolved {
        /// The match.
        id: String,
        /// Seconds since the start.
        seconds: f64,
        /// Why.
        reason: String,
    },
    /// A move of ours.
    Move {
        /// The match.
        id: String,
        /// Moves made before.
        ply: usize,
        /// The answer.
        answer: String,
        /// How it was found.
        how: How,
        /// Seconds that it took.
        seconds: f64,
        /// How often the search looked at it.
        #[serde(skip_serializing_if = "Option::is_none")]
        visits: Option<u32>,
        /// What the search thinks we get, 0 to 100.
        #[serde(skip_serializing_if = "Option::is_none")]
        expected: Option<f64>,
    },
    /// What the server says cannot have been done.
    Strange {
        /// The match.
        id: String,
        /// What is strange.
        reason: String,
    },
    /// A match is over.
    End {
        /// The match.
        id: String,
        /// How: `stop`, `abort`, or `dropped` when its clock had long passed.
        how: &'static str,
        /// What each role got, if the game has ended.
        goals: Option<Vec<u8>>,
    },
}

/// How a move was found.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// The game is solved.
    Solved,
    /// The search has proved that there is none better.
    Proved,
    /// The search likes it best.
    Search,
    /// There is no other.
    Only,
    /// There was no time for anything but a legal move.
    Any,
    /// The rules are not read yet, or not at all.
    Unknown,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Start { id, role, start_clock, play_clock } => {
                write!(f, "{id}: start as {role}, {start_clock} s to prepare, {play_clock} s for a move")
            }
            Event::Busy { id } => write!(f, "{id}: not taken, there is another match"),
            Event::Ready { id, seconds } => write!(f, "{id}: rules read after {seconds:.2} s"),
            Event::Refused { id, reason } => write!(f, "{id}: these rules cannot be played: {reason}"),
            Event::Solved { id, seconds, cached, value } => {
                let how = if *cached { "found solved" } else { "solved" };
                let worth = |value: &Vec<u8>| value.iter().map(u8::to_string).collect::<Vec<_>>().join(":");
                let value = value.as_ref().map(worth).unwrap_or_default();
                write!(f, "{id}: {how} after {seconds:.2} s {value}")
            }
            Event::Unsolved { id, seconds, reason } => {
                let line = reason.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
                write!(f, "{id}: not solved after {seconds:.2} s: {line}")
            }
            Event::Move { id, ply, answer, how, seconds, visits, expected } => {
                write!(f, "{id}: move {ply}: {answer} ({how:?} after {seconds:.2} s")?;
                if let (Some(visits), Some(expected)) = (visits, expected) {
                    write!(f, ", {visits} visits, {expected:.0} expected")?;
                }
                write!(f, ")")
            }
            Event::Strange { id, reason } => write!(f, "{id}: {reason}"),
            Event::End { id, how, goals } => {
                let got = |goals: &Vec<u8>| goals.iter().map(u8::to_string).collect::<Vec<_>>().join(":");
                write!(f, "{id}: {how} {}", goals.as_ref().map(got).unwrap_or_default())
            }
        }
    }
}
