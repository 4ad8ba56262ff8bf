//! Positions by value and distance, positions by lot, positions that are worth a question.

use crate::error::ExploreError;
use crate::session::{Lookup, Session};
use crate::solution::Solution;
use serde::Serialize;
use std::collections::BTreeMap;
use winset_model::{Rewards, State};
use winset_store::{Store, StoreError};

/// The memory that the values of one layer may take while they are counted.
const LAYER_BYTES: u64 = 256 << 20;
/// How many of the longest are remembered.
const LONGEST: usize = 8;

/// How many positions of each value there are at each distance from the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Histogram {
    /// Distances are kept, so that positions are told apart by them.
    pub has_distances: bool,
    /// The counts, by value and then by distance.
    pub bins: Vec<Bin>,
    /// Positions from which the win of somebody takes longest, longest first.
    pub longest: Vec<Longest>,
}

/// Positions with one value and one distance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Bin {
    /// What each player gets.
    pub rewards: Vec<u8>,
    /// Plies to the end; null if play never has to end, or if distances are not kept.
    pub remoteness: Option<u32>,
    /// Play never has to end.
    pub endless: bool,
    /// How many.
    pub positions: u64,
}

/// A position far from its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Longest {
    /// The position.
    pub position: String,
    /// What each player gets.
    pub rewards: Vec<u8>,
    /// Plies to the end.
    pub remoteness: u32,
}

/// The positions that a store keeps: what a histogram has to look at, and what a lot is drawn from.
pub fn stored(store: &Store) -> u64 {
    solved(store).map(|(_, stored)| stored).sum()
}

/// The layers that are solved with the number of their positions in the sets.
fn solved(store: &Store) -> impl Iterator<Item = (u32, u64)> + '_ {
    let layers = store.manifest().layers.iter().filter(|record| record.values.is_some());
    layers.map(|record| (record.layer, record.stored))
}

/// Counts by value and distance. Reads all values of the store; `stop` is asked now and then.
///
/// Positions in which the game has ended are those of the manifest, at distance 0.
pub fn histogram(store: &Store, stop: &mut dyn FnMut() -> bool) -> Result<Option<Histogram>, ExploreError> {
    let header = &store.manifest().header;
    let mut counts: BTreeMap<(u32, Option<u32>), u64> = BTreeMap::new();
    // Distance, layer and rank of the longest; the shortest of them first.
    let mut longest: Vec<(u32, u32, u64)> = vec![];
    for record in store.manifest().layers.iter().filter(|record| record.values.is_some()) {
        for (code, &n) in record.terminal_by_code.iter().enumerate() {
            *counts.entry((code as u32, Some(0))).or_default() += n;
        }
        if stop() {
            return Ok(None);
        }
        let index = store.read_set(record.layer, LAYER_BYTES)?;
        let (codes, distances) = store.read_values(record.layer, &index, LAYER_BYTES)?;
        let Some(distances) = distances else {
            let Some(values) = &record.values else { continue };
            for (code, &n) in values.by_code.iter().enumerate() {
                *counts.entry((code as u32, None)).or_default() += n;
            }
            continue;
        };
        for rank in 0..record.stored {
            if rank % (1 << 20) == 0 && stop() {
                return Ok(None);
            }
            let (code, plies) = (codes.get(rank), distances.get(rank).checked_sub(1));
            // Some ended positions are in the sets; they have been counted.
            if plies == Some(0) {
                continue;
            }
            *counts.entry((code, plies)).or_default() += 1;
            let Some(plies) = plies else { continue };
            let decided = header.codes.get(code as usize).is_some_and(|r| r.leader().is_some());
            if decided && (longest.len() < LONGEST || plies > longest[0].0) {
                if longest.len() == LONGEST {
                    longest.remove(0);
                }
                let at = longest.partition_point(|other| other.0 < plies);
                longest.insert(at, (plies, record.layer, rank));
            }
        }
    }
    let rewards = |code: u32| header.codes.get(code as usize).map_or(vec![], |r: &Rewards| r.to_vec());
    let kept = header.remoteness;
    let bins = counts.into_iter().filter(|(_, n)| *n > 0).map(|((code, plies), positions)| Bin {
        rewards: rewards(code),
        remoteness: plies.filter(|_| kept),
        endless: kept && plies.is_none(),
        positions,
    });
    let bins = bins.collect();
    let mut far = vec![];
    for &(remoteness, layer, rank) in longest.iter().rev() {
        let (digits, value) = store.at(layer, rank)?;
        let position = store.game().print(&store.blocks()?.state(&digits));
        far.push(Longest { position, rewards: value.rewards.to_vec(), remoteness });
    }
    Ok(Some(Histogram { has_distances: kept, bins, longest: far }))
}

/// Draws positions by lot: every stored position with the same chance, with repetition. The same seed gives the same
/// positions.
pub struct Lot {
    /// The layers with the number of positions up to their end.
    ends: Vec<(u32, u64)>,
    state: u64,
}

impl Lot {
    /// Prepares to draw; none if there is nothing to draw from.
    pub fn new(store: &Store, seed: u64) -> Option<Self> {
        let mut sum = 0u64;
        let ends: Vec<(u32, u64)> = solved(store)
            .map(|(layer, stored)| {
                sum = sum.saturating_add(stored);
                (layer, sum)
            })
            .collect();
        (sum > 0).then_some(Lot { ends, state: seed })
    }

    /// The next number of the splitmix64 sequence.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`, each with the same chance.
    fn below(&mut self, n: u64) -> u64 {
        loop {
            // Lemire's way: the high half of a product, rejected where some numbers would come up more often.
            let product = u128::from(self.next()) * u128::from(n);
            if product as u64 >= n.wrapping_neg() % n {
                return (product >> 64) as u64;
            }
        }
    }

    /// The layer and the rank of the next position.
    pub fn place(&mut self) -> (u32, u64) {
        let total = self.ends.last().map_or(1, |end| end.1);
        let at = self.below(total);
        let layer = self.ends.partition_point(|&(_, end)| end <= at);
        let before = if layer == 0 { 0 } else { self.ends[layer - 1].1 };
        (self.ends[layer].0, at - before)
    }

    /// The next position.
    pub fn draw(&mut self, store: &Store) -> Result<State, ExploreError> {
        let (layer, rank) = self.place();
        Ok(store.blocks()?.state(&store.at(layer, rank)?.0))
    }
}

/// Draws until a position has exactly one good move: one move keeps what the position is worth, and another, which is
/// legal too, does not. Gives up after `tries` positions, because some games have no such position.
pub fn puzzle(session: &mut Session<'_>, lot: &mut Lot, tries: u32) -> Result<Option<State>, ExploreError> {
    let store = session.store();
    for _ in 0..tries {
        let state = lot.draw(store)?;
        let found = Solution::position(session, &state)?;
        let Lookup::Solved(value) = found.lookup else { continue };
        let keeps = |lookup: &Lookup| lookup.valuation().is_some_and(|v| v.rewards == value.rewards);
        let good = found.moves.iter().filter(|m| keeps(&m.lookup)).count();
        if good == 1 && found.moves.len() > 1 {
            return Ok(Some(state));
        }
    }
    Ok(None)
}

/// Whether what went wrong is that a layer does not fit into memory.
pub fn is_too_large(error: &ExploreError) -> bool {
    matches!(error, ExploreError::Store(StoreError::TooLarge { .. }))
}
