//! Checking a sample, with little memory whatever the size of the solution and of the sample.

use crate::fault::{Fault, Wrong};
use crate::full::check_start;
use crate::peers::{Alone, Peers, sum};
use crate::report::Report;
use crate::{VerifyError, Watch};
use winset_model::{Explicit, Liking, Player, Remoteness, Rewards, State, Valuation};
use winset_store::{Store, StoreError};

/// States that are drawn and looked up together.
const TOGETHER: u64 = 1 << 16;

/// Checks `count` states chosen at random, each with the same probability, from the solved layers; all of them,
/// once, if that is not less. The same seed chooses the same states.
///
/// States are drawn by their numbers in the sets, so every set is read once and its numbers are checked: false ones
/// could keep a state from ever being drawn. A set takes no more than `memory` bytes.
pub fn verify_sample(
    store: &Store,
    count: u64,
    seed: u64,
    memory: u64,
    watch: &Watch<'_>,
) -> Result<Report, VerifyError> {
    verify_sample_together(store, count, seed, memory, &Alone, watch)
}

/// The same states by several processes, each with the same store and so much memory. All of them hear how many faults
/// there are; each has examples of those that it has found itself.
pub fn verify_sample_together(
    store: &Store,
    count: u64,
    seed: u64,
    memory: u64,
    peers: &dyn Peers,
    watch: &Watch<'_>,
) -> Result<Report, VerifyError> {
    let mut report = Report::new(store.manifest(), Some(seed));
    if peers.rank() == 0 {
        check_start(store, &mut report)?;
    }
    let layers = store.manifest().layers.iter().filter(|l| l.values.is_some());
    let solved: Vec<(u32, u64)> = layers.map(|l| (l.layer, l.stored)).collect();
    for &(layer, _) in &solved {
        // Checking a set's numbers takes about half of what it takes itself.
        store.read_set(layer, memory / 5 * 3)?;
    }
    let (all, mut random) = (report.solved, Random(seed));
    let count = count.min(all);
    let mut sample = Sample { store, solved: &solved, explicit: Explicit::new(store.game()) };
    let mut drawn = 0;
    while drawn < count {
        let (first, some) = (drawn, TOGETHER.min(count - drawn));
        drawn += some;
        // In order, so that neighbours share what must be read.
        let mut chosen: Vec<u64> = match count == all {
            true => (first..first + some).collect(),
            false => (0..some).map(|_| random.below(all)).collect(),
        };
        chosen.sort_unstable();
        let own =
            chosen.len() * peers.rank() / peers.size()..chosen.len() * (peers.rank() + 1) / peers.size();
        sample.check(&chosen[own], &mut report)?;
        watch(drawn, count);
    }
    report.checked = sum(peers, report.checked)?;
    report.faults = sum(peers, report.faults)?;
    Ok(report)
}

struct Sample<'s> {
    store: &'s Store,
    /// The solved layers with their numbers of states.
    solved: &'s [(u32, u64)],
    explicit: Explicit<'s>,
}

impl Sample<'_> {
    /// Checks states by their numbers among those of all solved layers, ascending.
    fn check(&mut self, chosen: &[u64], report: &mut Report) -> Result<(), VerifyError> {
        let blocks = self.store.blocks()?;
        let (mut layers, mut first) = (self.solved.iter().copied(), 0);
        let mut layer = layers.next();
        for &number in chosen {
            while let Some((_, stored)) = layer.filter(|l| number - first >= l.1) {
                first += stored;
                layer = layers.next();
            }
            let Some((layer, _)) = layer else { return Ok(()) };
            let rank = number - first;
            let digits = self.store.unrank(layer, rank)?;
            if digits.iter().zip(&blocks.blocks).any(|(&d, b)| usize::from(d) >= b.digits.len()) {
                let reason = "it has a digit without meaning";
                return Err(StoreError::Layer { layer, reason }.into());
            }
            let state = blocks.state(&digits);
            report.checked += 1;
            if let Some(what) = self.wrong(&state)? {
                let position = self.store.game().print(&state);
                report.push(Fault { layer, rank: Some(rank), position, what });
            }
        }
        Ok(())
    }

    /// What is wrong with a position, judged by its successors.
    fn wrong(&mut self, state: &State) -> Result<Option<Wrong>, StoreError> {
        let store = self.store;
        let at = self.explicit.at(state);
        if at.is_terminal() {
            // What is stored about an end is never asked for: the rules answer.
            return Ok(None);
        }
        let mover = at.turn();
        let successors: Vec<_> = at.moves().map(|id| (id, at.apply(id))).collect();
        let Some(stored) = store.stored(state)?.valuation() else {
            return Ok(Some(Wrong::Layer { expected: -1 }));
        };
        let Some(mover) = mover.filter(|_| !successors.is_empty()) else {
            return Ok(Some(Wrong::Stuck));
        };
        let mut values = Vec::with_capacity(successors.len());
        for batch in successors.chunks(64) {
            self.explicit.load(batch.iter().map(|(_, state)| state.clone()).collect());
            for (lane, (id, state)) in batch.iter().enumerate() {
                let value = match self.explicit.lane(lane).rewards() {
                    Some(rewards) => Some(Valuation::ended(rewards)),
                    None => store.stored(state)?.valuation(),
                };
                let Some(value) = value else {
                    let by = store.game().move_at(*id).name.clone();
                    return Ok(Some(Wrong::Open { by, to: store.game().print(state) }));
                };
                values.push(value);
            }
        }
        Ok(differs(store, mover, stored, &values))
    }
}

/// How a position's value differs from what its successors' values give.
fn differs(store: &Store, mover: Player, stored: Valuation, after: &[Valuation]) -> Option<Wrong> {
    let opponent = store.manifest().header.opponent;
    let mut best: Option<(Liking, Vec<Valuation>)> = None;
    for &value in after {
        let liking = opponent.liking(mover, value.rewards);
        match &mut best {
            Some((most, equal)) if *most == liking => equal.push(value),
            Some((most, _)) if *most > liking => {}
            _ => best = Some((liking, vec![value])),
        }
    }
    let (_, equal) = best?;
    let expected = equal[0].rewards;
    if stored.rewards != expected {
        return Some(Wrong::Value { stored: stored.rewards, expected });
    }
    let stored = stored.remoteness;
    if stored == Remoteness::Unknown {
        return None;
    }
    let distances = equal.iter().map(|v| v.remoteness);
    let after = if opponent.hurries(mover, expected) { distances.min() } else { distances.max() }?;
    let can_be_endless = expected == Rewards::endless(expected.len());
    let expected = after.before();
    let never = stored == Remoteness::Endless && !can_be_endless;
    (stored != expected || never).then_some(Wrong::Distance { stored, expected })
}

/// A small generator (SplitMix64): the sample must not depend on a library's version.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Uniform below n: what would make some numbers likelier is drawn again.
    fn below(&mut self, n: u64) -> u64 {
        let zone = u64::MAX - u64::MAX % n;
        loop {
            let x = self.next();
            if x < zone {
                return x % n;
            }
        }
    }
}
