//! What people are told of a solution by layers.

use crate::report::{Layer, Report, RewardCount};
use std::collections::BTreeMap;
use winset_index::Planes;
use winset_layers::{Distance, Kept, Layering, LayersError, NEVER_ENDS, Solved, Summary};
use winset_model::{CodeTable, Game, Remoteness, Valuation};

/// What is known of a solution besides the counts.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// The most moves that a win takes, if distances are asked for.
    pub longest_win: Option<u64>,
    /// How many positions of each layer play never has to end from, if distances are asked for.
    pub endless: BTreeMap<usize, u64>,
    /// How long each layer took.
    pub seconds: BTreeMap<usize, f64>,
}

/// What the distances of a layer's states say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lengths {
    /// The most moves to the end of states that are won by either player.
    pub longest_win: Option<u64>,
    /// States from which play never has to end.
    pub endless: u64,
}

impl Lengths {
    /// Those of a layer, if distances are asked for.
    pub fn of(layer: &Solved<'_>) -> Result<Self, LayersError> {
        let mut seen = Lengths::default();
        layer.each_distance(|code, distance| {
            seen.add(layer.outcomes.rewards(code).leader().is_some(), distance);
        })?;
        Ok(seen)
    }

    /// Takes a state into account; decided if somebody wins.
    pub fn add(&mut self, decided: bool, distance: Distance) {
        if distance == NEVER_ENDS {
            self.endless += 1;
        } else if decided {
            self.longest_win = self.longest_win.max(Some(distance.into()));
        }
    }
}

/// Distances as a store wants them: one more than the plies, 0 for endless play.
pub fn planes(distances: &[Distance]) -> Planes {
    let plies = |d: Distance| if d == NEVER_ENDS { 0 } else { u32::from(d) + 1 };
    let longest = distances.iter().map(|&d| plies(d)).max().unwrap_or(0);
    let bits = (u32::BITS - longest.leading_zeros()).max(1) as usize;
    let mut planes = Planes::new(distances.len() as u64, bits);
    for (rank, &distance) in distances.iter().enumerate() {
        planes.set(rank as u64, plies(distance));
    }
    planes
}

/// The layering shows that every play comes to an end.
pub(super) fn ends(game: &Game, layering: &Layering) -> bool {
    match layering {
        Layering::Measure(weights) => winset_progress::every_play_ends(game, weights),
        Layering::Plies => true,
        Layering::OneTier => false,
    }
}

/// What people are told of a solution.
pub fn report(game: &Game, solved: &winset_layers::Solution, figures: &Figures) -> Report {
    let how = match solved.layering {
        Layering::Measure(_) => "by a progress measure",
        Layering::Plies => "by plies",
        Layering::OneTier => "as one tier, for want of a progress measure",
    };
    let form = match solved.kept {
        Kept::Leaves { blocks, halved, .. } => {
            let of = if blocks == 1 { "a block".to_owned() } else { format!("{blocks} blocks") };
            let images = if halved { ", without mirror images" } else { "" };
            format!(", values as leaves of {of}{images}")
        }
        Kept::Ranks(_) => String::new(),
    };
    let mut report = Report::of(game, "layers", &format!("{how}{form}"));
    report.layer_positions = Some(solved.layers.iter().map(|layer| u128::from(layer.positions)).sum());
    let every_play_ends = solved.every_move_leaves || ends(game, &solved.layering);
    if let Some(rewards) = solved.value {
        report.set_value(Valuation { rewards, remoteness: solved.remoteness }, every_play_ends);
    }
    report.positions = Some(solved.positions());
    report.longest_win = figures.longest_win;
    let simple = game.is_win_draw_loss();
    let first = solved.layers.first().map_or(0, |summary| summary.measure);
    let measured = matches!(solved.layering, Layering::Measure(_));
    report.layers = solved
        .layers
        .iter()
        .enumerate()
        .map(|(number, summary)| Layer {
            layer: number as u64,
            measure: measured.then_some(summary.measure - first),
            seconds: figures.seconds.get(&number).copied().unwrap_or(0.0),
            ..layer(summary, &solved.outcomes, solved.value.is_some(), simple)
        })
        .collect();
    for layer in &mut report.layers {
        let endless = match solved.remoteness {
            _ if every_play_ends => Some(0),
            Remoteness::Unknown => None,
            _ => figures.endless.get(&(layer.layer as usize)).copied().map(u128::from),
        };
        layer.tell_ties_from_draws(endless);
    }
    report
}

fn layer(summary: &Summary, outcomes: &CodeTable, solved: bool, simple: bool) -> Layer {
    let mut layer = Layer {
        positions: summary.positions.into(),
        terminal: summary.ended().into(),
        nodes: summary.nodes,
        ..Default::default()
    };
    if solved && simple {
        let [lost, level, won] = summary.lost_level_won(outcomes).map(u128::from);
        (layer.won, layer.level, layer.lost) = (Some(won), Some(level), Some(lost));
    } else if solved {
        let moving = summary.movers.iter().flat_map(|m| (0..).zip(m.by_code.iter().copied()));
        let all = moving.chain(summary.terminal.iter().copied());
        layer.rewards = RewardCount::all(all.map(|(code, n)| (outcomes.rewards(code), u128::from(n))));
    }
    layer
}
