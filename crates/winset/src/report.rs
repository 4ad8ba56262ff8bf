//! What an engine found out about a game: counts, layer by layer, and the value of the start.

use serde::Serialize;
use std::collections::BTreeMap;
use winset_model::{Game, Outcome, Player, Rewards, Valuation};

/// What was found out about a game.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// The game's name or file.
    pub game: String,
    /// The board's size; empty if the game has none.
    pub size: String,
    /// The game's options that are not as by default.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// What people call it: name, size and options.
    #[serde(skip)]
    pub title: String,
    /// The engine that did the work.
    pub engine: String,
    /// Its algorithm.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub algorithm: String,
    /// Why that engine, where winset chose it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// "win", "loss", "tie" or "draw" for the first player under perfect play; null where that is not known,
    /// absent when only counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Option<&'static str>>,
    /// How many moves perfect play lasts; null where it is not known or play never has to end, absent when only
    /// counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remoteness: Option<Option<u32>>,
    /// What each player gets under perfect play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewards: Option<Vec<u8>>,
    /// What each of more than two players wants, "own" or "difference": see [`winset_model::value`](winset_model).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent: Option<&'static str>,
    /// Distinct reachable positions, terminal ones included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<u128>,
    /// The sum over the layers, where a position can be in several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer_positions: Option<u128>,
    /// How many of the states considered each player wins, and how many nobody does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<Partition>,
    /// The most moves that a win takes under best play, where distances were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_win: Option<u64>,
    /// Distances are kept though nobody asked for them: without them the store could not say how to win.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub distances_needed: bool,
    /// Layer by layer, from the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
    /// Iteration by iteration, for algorithms that work so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub iterations: Vec<Iteration>,
    /// Wall-clock time.
    pub seconds: f64,
}

/// The states considered, by who wins.
#[derive(Debug, Serialize)]
pub struct Partition {
    /// Won by the first player.
    pub first: u128,
    /// Won by the second player.
    pub second: u128,
    /// Ties and draws.
    pub level: u128,
}

/// One layer: how many positions, and who wins them for the player to move.
#[derive(Debug, Default, Serialize)]
pub struct Layer {
    /// Its number, in the order of play.
    pub layer: u64,
    /// How much higher than at the start the progress measure is; null if the layers are not those of a measure.
    pub measure: Option<i64>,
    /// All positions.
    pub positions: u128,
    /// Those in which the game has ended.
    pub terminal: u128,
    /// Non-terminal positions by their value for the player to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub won: Option<u128>,
    /// Those that nobody wins: ties and draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u128>,
    /// Those that end level; absent where it is not known which do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tied: Option<u128>,
    /// Those from which play never has to end; absent where it is not known which do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawn: Option<u128>,
    /// Likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<u128>,
    /// All positions by the rewards of perfect play.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rewards: Vec<RewardCount>,
    /// The size of the layer's diagram.
    pub nodes: u64,
    /// The time that it took, both passes.
    pub seconds: f64,
}

impl Layer {
    /// Counts ties and draws apart, where it is known from how many positions play never has to end.
    pub fn tell_ties_from_draws(&mut self, endless: Option<u128>) {
        if let Some((level, endless)) = self.level.zip(endless) {
            (self.tied, self.drawn) = (level.checked_sub(endless), Some(endless));
        }
    }
}

/// How many positions of a layer lead to the same rewards.
#[derive(Debug, Serialize)]
pub struct RewardCount {
    /// The reward of each player.
    pub rewards: Vec<u8>,
    /// The number of positions.
    pub positions: u128,
}

impl RewardCount {
    /// Counts in the order of the rewards.
    pub fn all(counts: impl IntoIterator<Item = (Rewards, u128)>) -> Vec<Self> {
        let mut sums: BTreeMap<Rewards, u128> = BTreeMap::new();
        for (rewards, positions) in counts.into_iter().filter(|&(_, positions)| positions > 0) {
            *sums.entry(rewards).or_default() += positions;
        }
        let count =
            |(rewards, positions): (Rewards, u128)| RewardCount { rewards: rewards.to_vec(), positions };
        sums.into_iter().map(count).collect()
    }
}

/// One iteration of a fixed point.
#[derive(Debug, Serialize)]
pub struct Iteration {
    /// What is being computed, for example "reachable" or "won by black".
    pub phase: String,
    /// Its number, from 0.
    pub iteration: i64,
    /// The states in the set.
    pub states: u128,
    /// The size of its diagram.
    pub nodes: u64,
    /// The most nodes that there were at a time.
    pub peak_nodes: u64,
    /// The time that it took.
    pub seconds: f64,
}

impl Report {
    /// A report about this game with nothing in it yet.
    pub fn of(game: &Game, engine: &str, algorithm: &str) -> Self {
        Report {
            game: game.name().to_owned(),
            size: game.size().to_owned(),
            options: game.choices().0.clone(),
            title: game.title(),
            engine: engine.to_owned(),
            algorithm: algorithm.to_owned(),
            ..Default::default()
        }
    }

    /// Records what perfect play leads to. `ends` says that every play comes to an end.
    pub fn set_value(&mut self, value: Valuation, ends: bool) {
        self.value = Some(value.outcome(Player(0), ends).map(Outcome::word));
        self.remoteness = Some(value.remoteness.plies());
        self.rewards = Some(value.rewards.to_vec());
    }
}
