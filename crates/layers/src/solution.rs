//! What is known about a game in the end.

use crate::backward::layer_by_layer::lost_level_won;
use crate::backward::tier::Tally;
use crate::blocks::layering::Layering;
use crate::forward::resume::PastLayer;
use crate::sets::layer::Layer;
use winset_index::Blocks;
use winset_model::{Code, CodeTable, Player, Remoteness, Rewards, Valuation};

/// In which form values were kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A few bits for every state, for this reason.
    Ranks(&'static str),
    /// As a diagram over leaves of the last blocks, in which the best takes no room.
    Leaves {
        /// The number of blocks in a leaf.
        blocks: usize,
        /// The number of bits of the widest leaf.
        widest: usize,
        /// Of two positions that are each other's mirror images only one was looked at.
        halved: bool,
    },
}

/// The states of a layer with one player to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movers {
    /// Who moves.
    pub player: Player,
    /// The number of states that are not terminal.
    pub states: u64,
    /// How many have each outcome, by code; empty until solved.
    pub by_code: Vec<u64>,
}

/// What is known about a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The value of the measure, or the number of moves made.
    pub measure: i64,
    /// The number of states.
    pub positions: u64,
    /// The number of terminal states by code.
    pub terminal: Vec<(Code, u64)>,
    /// Terminal states without a place may have ended under conditions that do not show their outcome.
    pub unclear: bool,
    /// The other states.
    pub movers: Vec<Movers>,
    /// The number of states that have a place.
    pub places: u64,
    /// The number of nodes of the layer's diagram.
    pub nodes: u64,
    /// The memory that the layer's diagram takes.
    pub bytes: u64,
}

impl Summary {
    pub(crate) fn new(layer: &Layer) -> Self {
        let mut movers: Vec<Movers> = vec![];
        for part in &layer.parts {
            match movers.iter_mut().find(|m| m.player == part.player) {
                Some(m) => m.states += part.len,
                None => movers.push(Movers { player: part.player, states: part.len, by_code: vec![] }),
            }
        }
        Summary {
            measure: layer.measure,
            positions: layer.positions,
            terminal: layer.terminal.clone(),
            unclear: layer.default_unclear,
            movers,
            places: layer.len,
            nodes: layer.nodes(),
            bytes: layer.bytes(),
        }
    }

    /// What an earlier run has said; the rest is filled in when the layer is read.
    pub(crate) fn of_past(past: &PastLayer) -> Self {
        Summary {
            measure: past.measure,
            positions: past.positions,
            terminal: past.terminal.clone(),
            unclear: past.unclear,
            movers: vec![],
            places: 0,
            nodes: 0,
            bytes: 0,
        }
    }

    pub(crate) fn add_tallies(&mut self, layer: &Layer, tallies: Vec<Tally>) {
        for (part, tally) in layer.parts.iter().zip(tallies) {
            let movers = self.movers.iter_mut().find(|m| m.player == part.player);
            let by_code = &mut movers.expect("summarised before").by_code;
            by_code.resize(tally.len().max(by_code.len()), 0);
            by_code.iter_mut().zip(tally).for_each(|(sum, n)| *sum += n);
        }
    }

    /// The number of terminal states.
    pub fn ended(&self) -> u64 {
        self.terminal.iter().map(|&(_, n)| n).sum()
    }

    /// The states that are not terminal, for the player to move: lost, level, won.
    pub fn lost_level_won(&self, outcomes: &CodeTable) -> [u64; 3] {
        let mut sum = [0; 3];
        for m in &self.movers {
            let part = lost_level_won(outcomes, &m.by_code, m.player.index());
            sum.iter_mut().zip(part).for_each(|(sum, n)| *sum += n);
        }
        sum
    }
}

/// What is known about a game.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The blocks and their digits.
    pub blocks: Blocks,
    /// The rewards of every code.
    pub outcomes: CodeTable,
    /// How the states were cut into layers.
    pub layering: Layering,
    /// The layers, in the order in which they were reached.
    pub layers: Vec<Summary>,
    /// What the players get from the initial state; none if it was only counted.
    pub value: Option<Rewards>,
    /// How long perfect play lasts from there, if distances were asked for.
    pub remoteness: Remoteness,
    /// Every move was seen to leave its layer, so that every play comes to an end, whatever the rules show. Not known,
    /// and so false, of layers from earlier runs.
    pub every_move_leaves: bool,
    /// In which form values were kept.
    pub kept: Kept,
    /// How many layers were found with the last blocks of their states as bits.
    pub found_by_leaves: usize,
}

impl Solution {
    pub(crate) fn set_value(&mut self, value: Valuation) {
        (self.value, self.remoteness) = (Some(value.rewards), value.remoteness);
    }

    /// The number of states.
    pub fn positions(&self) -> u128 {
        self.layers.iter().map(|layer| u128::from(layer.positions)).sum()
    }

    /// The states that are not terminal, for the player to move: lost, level, won.
    pub fn lost_level_won(&self) -> [u128; 3] {
        let mut sum = [0; 3];
        for layer in &self.layers {
            let part = layer.lost_level_won(&self.outcomes);
            sum.iter_mut().zip(part).for_each(|(sum, n)| *sum += u128::from(n));
        }
        sum
    }
}
