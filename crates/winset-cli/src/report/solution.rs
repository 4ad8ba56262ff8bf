//! The result of `solve` and `count`: one value, shown as a table, JSON, CSV or a plot.

use super::excerpt::Warning;
use super::plot::Series;
use super::table::{Table, bytes, grouped, seconds};
use serde::Serialize;
use std::collections::BTreeMap;
use winset_model::{Game, Outcome, Rewards, Valuation};

/// What was found out about a game.
#[derive(Debug, Default, Serialize)]
pub struct Solution {
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
    /// What is suspicious about the rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Wall-clock time.
    pub seconds: f64,
    /// The largest resident set of the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_memory_bytes: Option<u64>,
}

/// The states considered, by who wins.
#[derive(Debug, Serialize)]
pub struct Partition {
    pub first: u128,
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
    pub positions: u128,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<u128>,
    /// All positions by the rewards of perfect play.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rewards: Vec<RewardCount>,
    /// The size of the layer's diagram.
    pub nodes: u64,
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

/// How many positions of a layer lead to a reward pair.
#[derive(Debug, Serialize)]
pub struct RewardCount {
    pub rewards: Vec<u8>,
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
    pub iteration: i64,
    pub states: u128,
    pub nodes: u64,
    pub peak_nodes: u64,
    pub seconds: f64,
}

impl Solution {
    /// A solution of this game with nothing in it yet.
    pub fn of(game: &Game, engine: &str, algorithm: &str) -> Self {
        Solution {
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
        self.value = Some(value.outcome(0, ends).map(Outcome::word));
        self.remoteness = Some(value.remoteness.plies());
        self.rewards = Some(value.rewards.to_vec());
    }

    /// The table of layers or iterations.
    pub fn table(&self) -> Table {
        if self.layers.is_empty() { self.iteration_table() } else { self.layer_table() }
    }

    fn layer_table(&self) -> Table {
        let solved = self.layers.iter().any(|layer| layer.won.is_some());
        let rewarded = self.layers.iter().any(|layer| !layer.rewards.is_empty());
        let measured = self.layers.iter().any(|layer| layer.measure.is_some());
        // Where it is known which of the level positions are ties, and that there are draws.
        let told = self.layers.iter().all(|layer| layer.level.is_none() || layer.drawn.is_some());
        let draws = self.layers.iter().any(|layer| layer.drawn.is_some_and(|n| n > 0));
        let level: &[&str] = match (told, draws) {
            (false, _) => &["level"],
            (true, false) => &["tied"],
            (true, true) => &["tied", "drawn"],
        };
        let mut headers = vec!["layer"];
        headers.extend(measured.then_some("measure"));
        headers.extend(["positions", "terminal"]);
        if solved {
            headers.push("won");
            headers.extend(level);
            headers.push("lost");
        }
        if rewarded {
            headers.push("rewards");
        }
        headers.extend(["nodes", "seconds"]);
        let mut table = Table::new(headers);
        for layer in &self.layers {
            let mut row = vec![layer.layer.to_string()];
            row.extend(measured.then(|| layer.measure.map_or(String::new(), |n| n.to_string())));
            row.extend([grouped(layer.positions), grouped(layer.terminal)]);
            if solved {
                let cell = |n: Option<u128>| n.map_or(String::new(), grouped);
                row.push(cell(layer.won));
                row.extend(level.iter().map(|&column| match column {
                    "tied" => cell(layer.tied),
                    "drawn" => cell(layer.drawn),
                    _ => cell(layer.level),
                }));
                row.push(cell(layer.lost));
            }
            if rewarded {
                let pair = |r: &RewardCount| {
                    let each: Vec<String> = r.rewards.iter().map(u8::to_string).collect();
                    format!("{}: {}", each.join("/"), grouped(r.positions))
                };
                row.push(layer.rewards.iter().map(pair).collect::<Vec<_>>().join("; "));
            }
            row.extend([grouped(layer.nodes), seconds(layer.seconds)]);
            table.row(row);
        }
        table
    }

    fn iteration_table(&self) -> Table {
        let mut table = Table::new(["phase", "iteration", "states", "nodes", "peak nodes", "seconds"]);
        for it in &self.iterations {
            table.row([
                it.phase.clone(),
                it.iteration.to_string(),
                grouped(it.states),
                grouped(it.nodes),
                grouped(it.peak_nodes),
                seconds(it.seconds),
            ]);
        }
        table
    }

    /// What perfect play leads to, in words.
    fn result(&self, players: &[String]) -> String {
        let Some((value, rewards)) = self.value.zip(self.rewards.as_deref()) else {
            return "counted".to_owned();
        };
        let words = match (value, rewards) {
            (Some("draw"), _) => "a draw: play never has to end".to_owned(),
            (_, [alone]) => format!("the best reward is {alone}"),
            (Some("win"), _) => format!("the first player ({}) wins", players[0]),
            (Some("loss"), _) => format!("the second player ({}) wins", players[1]),
            (Some(_), _) => "a tie".to_owned(),
            (None, _) => "level: it ends so or goes on for ever (--distance finds out which)".to_owned(),
        };
        let words = match rewards {
            [_] | [0, 100] | [50, 50] | [100, 0] => words,
            _ => format!("{words} {}", rewards.iter().map(u8::to_string).collect::<Vec<_>>().join(":")),
        };
        match self.remoteness.flatten() {
            None => words,
            Some(1) => format!("{words} in 1 ply"),
            Some(plies) => format!("{words} in {plies} plies"),
        }
    }

    /// The sentence a tired person wants to read, with the figures below it.
    pub fn text(&self, players: &[String]) -> String {
        let mut text = self.table().text();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{}: {}\n", self.title, self.result(players)));
        let mut facts = vec![];
        if let Some(positions) = self.positions {
            facts.push(format!("{} positions", grouped(positions)));
        }
        if let Some(sum) = self.layer_positions.filter(|&sum| Some(sum) != self.positions) {
            facts.push(format!("{} over all layers", grouped(sum)));
        }
        if let Some(Partition { first, second, level }) = &self.partition {
            let [first, second, level] = [first, second, level].map(|&n| grouped(n));
            facts.push(format!("won by the first {first}, by the second {second}, level {level}"));
        }
        if let Some(longest) = self.longest_win {
            facts.push(format!("longest win {longest} moves"));
        }
        facts.push(format!("{} s", seconds(self.seconds)));
        if let Some(peak) = self.peak_memory_bytes {
            facts.push(format!("{} peak memory", bytes(peak)));
        }
        text.push_str(&facts.join("; "));
        let how = [self.engine.as_str(), self.algorithm.as_str()].join(" ");
        text.push_str(&format!("; engine {}\n", how.trim_end()));
        if self.distances_needed {
            text.push_str(
                "distances kept: moves can go in circles, and a win is won only by coming nearer to it\n",
            );
        }
        if !self.reason.is_empty() {
            text.push_str(&format!("engine chosen: {}\n", self.reason));
        }
        text
    }

    /// What a plot of the work shows: states and nodes per layer, or nodes per iteration of each phase.
    pub fn series(&self) -> Vec<Series> {
        if !self.layers.is_empty() {
            let line = |name: &str, y: fn(&Layer) -> f64| Series {
                name: name.to_owned(),
                points: self.layers.iter().map(|l| (l.layer as f64, y(l))).collect(),
            };
            return vec![line("positions", |l| l.positions as f64), line("nodes", |l| l.nodes as f64)];
        }
        let mut series: Vec<Series> = vec![];
        for it in &self.iterations {
            let point = (it.iteration as f64, it.nodes as f64);
            match series.last_mut().filter(|s| s.name == it.phase) {
                Some(line) => line.points.push(point),
                None => series.push(Series { name: it.phase.clone(), points: vec![point] }),
            }
        }
        series
    }
}
