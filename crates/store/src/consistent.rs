//! That the parts of a manifest fit together, so that nothing later can go out of bounds and no sum overflows.
//! Whether they are true is another question, which a check against files and rules answers.

use crate::manifest::{Encoding, Header, LayerRecord, Layering, Manifest};
use winset_model::{Game, MOST_PLAYERS, Player, Remoteness};

/// The most digits of a block.
const MOST_DIGITS: u64 = 1 << 16;
/// The most codes.
const MOST_CODES: usize = 1 << 16;
/// No sum of weights is greater.
const MOST_WEIGHT: i64 = 1 << 60;

/// The name of a layer's set.
pub fn set_name(layer: u32) -> String {
    format!("layer-{layer:04}.set")
}

/// The name of a layer's values.
pub fn values_name(layer: u32) -> String {
    format!("layer-{layer:04}.val")
}

/// The name of the file that says which states belong together where values are leaves.
pub const FRAME_NAME: &str = "leaves.frm";

/// The name of a file of n digits in each block.
pub fn digits_name(counts: &[u64]) -> String {
    format!("digits-{}.dig", counts.iter().sum::<u64>())
}

impl Manifest {
    /// What does not fit together, if something does not.
    pub(crate) fn inconsistency(&self) -> Option<String> {
        let of_header = self.header.inconsistency().map(str::to_owned);
        of_header.or_else(|| self.inconsistency_of_files().map(str::to_owned)).or_else(|| {
            let mut layers = self.layers.iter();
            layers.find_map(|l| Some(format!("layer {}: {}", l.layer, self.inconsistency_of_layer(l)?)))
        })
    }

    fn inconsistency_of_files(&self) -> Option<&'static str> {
        let (header, layers) = (&self.header, &self.layers);
        if let Some(digits) = &self.digits {
            let counts = &digits.counts;
            if counts.len() != header.blocks.len() || counts.iter().any(|&count| count > MOST_DIGITS) {
                return Some("the digits' counts do not fit the blocks");
            }
            if digits.file.file != digits_name(counts) {
                return Some("the file of digits has another name than it should have");
            }
        } else if !layers.is_empty() {
            return Some("there are layers and no digits");
        }
        if self.leaves.as_ref().is_some_and(|frame| frame.file != FRAME_NAME || self.digits.is_none()) {
            return Some(
                "the file about leaves has another name than it should have, or there are no digits",
            );
        }
        let numbered = match &header.layering {
            Layering::Measure { .. } => layers.windows(2).all(|pair| pair[0].layer < pair[1].layer),
            Layering::Bfs => layers.iter().zip(0..).all(|(l, number)| l.layer == number),
            Layering::Single => layers.len() <= 1,
        };
        if !numbered || layers.first().is_some_and(|first| first.layer != 0) {
            return Some("the layers are not numbered as the layering demands");
        }
        let fits = |of: fn(&LayerRecord) -> u64| {
            layers.iter().map(of).try_fold(0u64, |sum, n| sum.checked_add(n)).is_some()
        };
        let bytes = |l: &LayerRecord| {
            l.values.as_ref().map_or(0, |values| values.file.bytes).saturating_add(l.set.bytes)
        };
        if !fits(|l| l.positions) || !fits(bytes) {
            return Some("there are more positions or bytes than can be");
        }
        let solved = layers.iter().filter(|l| l.values.is_some()).count();
        if solved > 0 && !self.forward_complete {
            return Some("values before all sets are there");
        }
        if let Some(value) = &self.value {
            if value.rewards.len() != header.game.players.len() {
                return Some("the value of the start must have one reward for each player");
            }
            if !self.forward_complete || solved != layers.len() || layers.is_empty() {
                return Some("a value of the start before all layers are solved");
            }
            if (value.remoteness != Remoteness::Unknown) != header.remoteness {
                return Some("the start has a distance and distances are not kept, or the other way round");
            }
        }
        None
    }

    fn inconsistency_of_layer(&self, l: &LayerRecord) -> Option<&'static str> {
        let header = &self.header;
        let add_up = |counts: &[u64], to: u64| {
            counts.len() <= header.codes.len()
                && counts.iter().try_fold(0u64, |sum, &n| sum.checked_add(n)) == Some(to)
        };
        let Some(others) = l.positions.checked_sub(l.terminal) else {
            return Some("more terminal positions than positions");
        };
        if l.positions == 0 {
            return Some("a layer without positions");
        }
        if l.stored < others || l.stored > l.positions {
            return Some("the set must have all positions that are not terminal, and no more than there are");
        }
        if !add_up(&l.terminal_by_code, l.terminal) {
            return Some("the terminal positions of each code do not add up");
        }
        if l.mover.is_some_and(|player| player >= Player::new(header.game.players.len())) {
            return Some("a mover who does not exist");
        }
        if l.set.file != set_name(l.layer) {
            return Some("its set has another name than it should have");
        }
        let values = l.values.as_ref()?;
        if !add_up(&values.by_code, others) {
            return Some("the positions of each code do not add up");
        }
        if values.encoding == Encoding::Leaves && self.leaves.is_none() {
            return Some("its values are leaves, and nothing says of which states");
        }
        if values.longest.is_some() != header.remoteness {
            return Some("a longest distance where distances are not kept, or none where they are");
        }
        (values.file.file != values_name(l.layer))
            .then_some("its values have another name than they should have")
    }
}

impl Header {
    fn inconsistency(&self) -> Option<&'static str> {
        if !(1..=MOST_PLAYERS).contains(&self.game.players.len()) {
            return Some("there must be one to eight players");
        }
        if !(1..=MOST_CODES).contains(&self.codes.len()) {
            return Some("there must be 1 to 65,536 codes");
        }
        if self.codes.iter().any(|rewards| rewards.len() != self.game.players.len()) {
            return Some(
                "each code must have one reward for each player (an older version wrote two for one player: solve \
                 the game again)",
            );
        }
        let mut codes = self.codes.clone();
        codes.sort_unstable();
        if !codes.is_sorted_by(|a, b| a < b) {
            return Some("two codes mean the same");
        }
        let Layering::Measure { weights, base } = &self.layering else { return None };
        let fits = weights.len() == self.variables.len()
            && weights.iter().zip(&self.variables).all(|(w, v)| w.len() == v.values.len());
        if !fits {
            return Some("the weights do not fit the variables");
        }
        let heaviest = |w: &Vec<i64>| w.iter().map(|n| n.unsigned_abs()).max().unwrap_or(0);
        let sum = weights.iter().map(heaviest).try_fold(base.unsigned_abs(), |sum, n| sum.checked_add(n));
        (sum.is_none_or(|sum| sum > MOST_WEIGHT as u64)).then_some("the weights are too large")
    }

    /// What is not as in this game, if something is not.
    pub(crate) fn differs_from_game(&self, game: &Game) -> Option<&'static str> {
        let record = &self.game;
        let same_variables = self.variables.len() == game.variables().len()
            && self
                .variables
                .iter()
                .zip(game.variables())
                .all(|(a, b)| a.name == b.name && a.values == b.values);
        let pairs = [
            ("name and size", record.name == game.name() && record.size == game.size()),
            ("options", record.options == game.choices().0),
            ("players", record.players == game.players()),
            ("variables", same_variables),
        ];
        pairs.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
    }
}
