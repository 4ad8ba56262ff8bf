//! The result of `solve` and `count`: one value, shown as a table, JSON, CSV or a plot.

use super::plot::{Bar, Content, Figure, Panel, Series};
use super::table::{Table, bytes, grouped, seconds};
use serde::Serialize;
use winset::Opponent;
use winset::{Layer, Partition, Report, RewardCount};
use winset_diagnostic::Located;

/// A number of a layer, where it is known.
type Column = fn(&Layer) -> Option<u128>;

/// What was found out about a game, and what people want to know besides.
#[derive(Debug, Serialize)]
pub struct Solution {
    /// What the engine says.
    #[serde(flatten)]
    pub report: Report,
    /// What the processes of a job did, if there were several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<winset_cluster::Figures>,
    /// What is suspicious about the rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Located>,
    /// The largest resident set of the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_memory_bytes: Option<u64>,
}

/// Who gets most of more than two players.
fn among_many(players: &[String], rewards: &[u8]) -> String {
    let most = rewards.iter().max();
    let leading = players.iter().zip(rewards).filter(|&(_, reward)| Some(reward) == most);
    match leading.map(|(name, _)| name.as_str()).collect::<Vec<_>>().as_slice() {
        [winner] => format!("{winner} wins"),
        [some @ .., last] => format!("a tie of {} and {last}", some.join(", ")),
        [] => String::new(),
    }
}

/// What the processes of a job did.
fn processes(cluster: &winset_cluster::Figures) -> String {
    let mut text = String::new();
    for rank in &cluster.ranks {
        let busy = 100.0 * (1.0 - rank.waiting_seconds / rank.seconds.max(1e-9)).clamp(0.0, 1.0);
        text.push_str(&format!(
            "process {} ({}): busy {busy:.0} %, {} s of CPU, {} pieces, sent {}, read {} and wrote {} of pieces\n",
            rank.rank,
            rank.host,
            seconds(rank.cpu_seconds),
            rank.units,
            bytes(rank.sent),
            bytes(rank.read),
            bytes(rank.written)
        ));
    }
    let bound = match cluster.bound {
        None => return text,
        Some(winset_cluster::Bound::Computing) => "computing",
        Some(winset_cluster::Bound::Waiting) => "waiting for each other",
        Some(winset_cluster::Bound::Transfer) => "files and messages",
    };
    let per_byte = cluster.wire as f64 / cluster.stored.max(1) as f64;
    text.push_str(&format!(
        "{} over the wire, {per_byte:.2} for each byte stored; {} pieces taken over; bounded by {bound}\n",
        bytes(cluster.wire),
        cluster.moved_units
    ));
    text
}

/// Rewards that a picture tells apart: as many as there are colours, less one for the others. A table in a terminal has
/// no more room.
const MOST_PARTS: usize = 6;

/// At most n rewards, those of the most positions, in their order; and how many others there are, of how many
/// positions. One that is alone is shown rather than counted.
fn most_frequent(all: &[RewardCount], most: usize) -> (Vec<&RewardCount>, Option<(usize, u128)>) {
    if all.len() <= most.saturating_add(1) {
        return (all.iter().collect(), None);
    }
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(all[at].positions));
    let others = order.split_off(most);
    order.sort_unstable();
    let positions = others.iter().map(|&at| all[at].positions).sum();
    (order.into_iter().map(|at| &all[at]).collect(), Some((others.len(), positions)))
}

fn panel(heading: &str, x: &str, y: &str, content: Content) -> Panel {
    let [heading, x, y] = [heading, x, y].map(str::to_owned);
    Panel { heading, x, y, content }
}

impl Solution {
    /// The table of layers or iterations, with everything in it.
    pub fn table(&self) -> Table {
        self.short_table(usize::MAX)
    }

    /// The same with at most n rewards to a layer, those of the most positions.
    fn short_table(&self, most: usize) -> Table {
        if self.report.layers.is_empty() { self.iteration_table() } else { self.layer_table(most) }
    }

    fn layer_table(&self, most: usize) -> Table {
        let solved = self.report.layers.iter().any(|layer| layer.won.is_some());
        let rewarded = self.report.layers.iter().any(|layer| !layer.rewards.is_empty());
        let measured = self.report.layers.iter().any(|layer| layer.measure.is_some());
        // Where it is known which of the level positions are ties, and that there are draws.
        let told = self.report.layers.iter().all(|layer| layer.level.is_none() || layer.drawn.is_some());
        let draws = self.report.layers.iter().any(|layer| layer.drawn.is_some_and(|n| n > 0));
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
        // Who looks at states one by one has no diagrams.
        let diagrams = self.has_diagrams();
        headers.extend(diagrams.then_some("nodes"));
        headers.push("seconds");
        let mut table = Table::new(headers);
        for layer in &self.report.layers {
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
                let (shown, others) = most_frequent(&layer.rewards, most);
                let others = others.map(|(kinds, n)| format!("{kinds} others: {}", grouped(n)));
                row.push(shown.into_iter().map(pair).chain(others).collect::<Vec<_>>().join("; "));
            }
            row.extend(diagrams.then(|| grouped(layer.nodes)));
            row.push(seconds(layer.seconds));
            table.row(row);
        }
        table
    }

    fn iteration_table(&self) -> Table {
        let mut table = Table::new(["phase", "iteration", "states", "nodes", "peak nodes", "seconds"]);
        for it in &self.report.iterations {
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
        let Some((value, rewards)) = self.report.value.zip(self.report.rewards.as_deref()) else {
            return "counted".to_owned();
        };
        let words = match (value, rewards) {
            (Some("draw"), _) => "a draw: play never has to end".to_owned(),
            (_, [alone]) => format!("the best reward is {alone}"),
            (Some(_), [_, _, _, ..]) => among_many(players, rewards),
            (Some("win"), _) => format!("the first player ({}) wins", players[0]),
            (Some("loss"), _) => format!("the second player ({}) wins", players[1]),
            (Some(_), _) => "a tie".to_owned(),
            (None, _) => "level: it ends so or goes on for ever (--distance finds out which)".to_owned(),
        };
        let words = match rewards {
            [_] | [0, 100] | [50, 50] | [100, 0] => words,
            _ => format!("{words} {}", rewards.iter().map(u8::to_string).collect::<Vec<_>>().join(":")),
        };
        match self.report.remoteness.flatten() {
            None => words,
            Some(1) => format!("{words} in 1 ply"),
            Some(plies) => format!("{words} in {plies} plies"),
        }
    }

    /// The sentence a tired person wants to read, with the figures below it.
    pub fn text(&self, players: &[String]) -> String {
        let mut text = self.short_table(MOST_PARTS).text();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{}: {}\n", self.report.title, self.result(players)));
        let mut facts = vec![];
        if let Some(positions) = self.report.positions {
            facts.push(format!("{} positions", grouped(positions)));
        }
        if let Some(sum) = self.report.layer_positions.filter(|&sum| Some(sum) != self.report.positions) {
            facts.push(format!("{} over all layers", grouped(sum)));
        }
        if let Some(Partition { first, second, level }) = &self.report.partition {
            let [first, second, level] = [first, second, level].map(|&n| grouped(n));
            facts.push(format!("won by the first {first}, by the second {second}, level {level}"));
        }
        if let Some(longest) = self.report.longest_win {
            facts.push(format!("longest win {longest} move{}", if longest == 1 { "" } else { "s" }));
        }
        facts.push(format!("{} s", seconds(self.report.seconds)));
        if let Some(peak) = self.peak_memory_bytes {
            facts.push(format!("{} peak memory", bytes(peak)));
        }
        text.push_str(&facts.join("; "));
        let how = [self.report.engine.as_str(), self.report.algorithm.as_str()].join(" ");
        text.push_str(&format!("; engine {}\n", how.trim_end()));
        if self.report.distances_needed {
            text.push_str(
                "distances kept: the rules do not show that every play ends; where it need not, a win is won only by coming nearer to it\n",
            );
        }
        if let Some(word) = self.report.opponent {
            let all = [Opponent::Difference, Opponent::Own];
            let rule = all.into_iter().find(|opponent| opponent.word() == word).map_or("", Opponent::rule);
            text.push_str(&format!("--opponent {word}: {rule}\n"));
        }
        if !self.report.reason.is_empty() {
            text.push_str(&format!("engine chosen: {}\n", self.report.reason));
        }
        if let Some(cluster) = &self.cluster {
            text.push_str(&processes(cluster));
        }
        text
    }

    /// The table as a picture: the values per layer, and how large sets and their diagrams are, or the nodes of each
    /// iteration.
    pub fn figure(&self) -> Figure {
        let mut panels = vec![];
        let layers = &self.report.layers;
        if layers.iter().any(|layer| layer.won.is_some()) {
            panels.push(self.values());
        } else if layers.iter().any(|layer| !layer.rewards.is_empty()) {
            panels.push(self.rewards());
        }
        let (heading, x, y) = match layers.is_empty() {
            false if !self.has_diagrams() => ("positions", "layer", "positions"),
            false => ("positions, and nodes of their diagrams", "layer", "positions or nodes"),
            true => ("nodes of the diagrams", "iteration", "nodes"),
        };
        panels.push(panel(heading, x, y, Content::Lines(self.series())));
        Figure { title: self.report.title.clone(), panels }
    }

    /// Won, tied and lost for who is to move, and where the game has ended, by layer.
    fn values(&self) -> Panel {
        let layers = &self.report.layers;
        let told = layers.iter().all(|layer| layer.level.is_none() || layer.drawn.is_some());
        let draws = told && layers.iter().any(|layer| layer.drawn.is_some_and(|n| n > 0));
        let mut columns: Vec<(&str, Column)> = vec![("won", |l| l.won)];
        match (told, draws) {
            (false, _) => columns.push(("level", |l| l.level)),
            (true, false) => columns.push(("tied", |l| l.tied)),
            (true, true) => {
                columns.extend([("tied", (|l| l.tied) as fn(&Layer) -> Option<u128>), ("drawn", |l| l.drawn)])
            }
        }
        columns.extend([
            ("lost", (|l| l.lost) as fn(&Layer) -> Option<u128>),
            ("ended", |l| l.won.map(|_| l.terminal)),
        ]);
        let bar = |layer: &Layer| {
            let parts: Option<Vec<f64>> = columns.iter().map(|(_, n)| Some(n(layer)? as f64)).collect();
            Bar {
                label: layer.layer.to_string(),
                parts: parts.unwrap_or_else(|| vec![layer.positions as f64]),
            }
        };
        let names = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let bars = layers.iter().map(bar).collect();
        panel("values for the player to move", "layer", "positions", Content::Bars(names, bars))
    }

    /// The same by rewards, where they are more than won, tied and lost.
    fn rewards(&self) -> Panel {
        let layers = &self.report.layers;
        let mut all: Vec<&[u8]> =
            layers.iter().flat_map(|l| &l.rewards).map(|r| r.rewards.as_slice()).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        all.dedup();
        let name = |rewards: &&[u8]| rewards.iter().map(u8::to_string).collect::<Vec<_>>().join(":");
        let (shown, rest) = all.split_at(all.len().min(MOST_PARTS));
        let bar = |layer: &Layer| {
            let count = |wanted: &[u8]| {
                let found = layer.rewards.iter().filter(|r| r.rewards == wanted);
                found.map(|r| r.positions as f64).sum::<f64>()
            };
            let mut parts: Vec<f64> = shown.iter().map(|wanted| count(wanted)).collect();
            parts.extend((!rest.is_empty()).then(|| rest.iter().map(|wanted| count(wanted)).sum::<f64>()));
            Bar { label: layer.layer.to_string(), parts }
        };
        let mut names: Vec<String> = shown.iter().map(name).collect();
        names.extend((!rest.is_empty()).then(|| "others".to_owned()));
        let bars = layers.iter().map(bar).collect();
        panel("rewards of perfect play", "layer", "positions", Content::Bars(names, bars))
    }

    fn has_diagrams(&self) -> bool {
        self.report.layers.iter().any(|layer| layer.nodes > 0)
    }

    /// What a plot of the work shows: states and nodes per layer, or nodes per iteration of each phase.
    fn series(&self) -> Vec<Series> {
        if !self.report.layers.is_empty() {
            let line = |name: &str, y: fn(&Layer) -> f64| Series {
                name: name.to_owned(),
                points: self.report.layers.iter().map(|l| (l.layer as f64, y(l))).collect(),
            };
            let nodes = self.has_diagrams().then(|| line("nodes", |l| l.nodes as f64));
            return [line("positions", |l| l.positions as f64)].into_iter().chain(nodes).collect();
        }
        let mut series: Vec<Series> = vec![];
        for it in &self.report.iterations {
            let point = (it.iteration as f64, it.nodes as f64);
            match series.last_mut().filter(|s| s.name == it.phase) {
                Some(line) => line.points.push(point),
                None => series.push(Series { name: it.phase.clone(), points: vec![point] }),
            }
        }
        series
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table for the eye stays narrow whatever the rewards are, counts every position once, and leaves nothing out
    /// where there is little.
    #[test]
    fn rewards_of_few_positions_are_counted_together() {
        let count = |at: u8| RewardCount { rewards: vec![at, 100 - at], positions: u128::from(at % 7) + 1 };
        for (kinds, most) in [(0, 6), (1, 6), (6, 6), (7, 6), (8, 6), (101, 6), (101, usize::MAX)] {
            let all: Vec<RewardCount> = (0..kinds).map(count).collect();
            let (shown, others) = most_frequent(&all, most);
            let (left, rest) = others.unwrap_or((0, 0));
            assert!(left != 1 && shown.len() <= most.saturating_add(1), "{kinds}");
            assert_eq!(shown.len() + left, all.len());
            let sum = |list: &[&RewardCount]| list.iter().map(|r| r.positions).sum::<u128>();
            assert_eq!(sum(&shown) + rest, all.iter().map(|r| r.positions).sum::<u128>());
            assert!(shown.is_sorted_by_key(|r| &r.rewards));
            let least = shown.iter().map(|r| r.positions).min().unwrap_or(0);
            let hidden = all.iter().filter(|r| !shown.iter().any(|s| s.rewards == r.rewards));
            assert!(hidden.into_iter().all(|r| r.positions <= least), "{kinds}");
        }
    }
}
