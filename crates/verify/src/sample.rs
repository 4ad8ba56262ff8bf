//! Checking a sample, with little memory whatever the solution's size.

use crate::fault::{Fault, Wrong};
use crate::full::check_start;
use crate::{Report, VerifyError, Watch};
use winset_model::{Liking, Remoteness, Rewards, Valuation};
use winset_store::{Lookup, Position, Store};

/// Checks `count` states chosen at random, each with the same probability, from the solved layers. The same
/// seed chooses the same states.
pub fn verify_sample(store: &Store, count: u64, seed: u64, watch: &Watch<'_>) -> Result<Report, VerifyError> {
    let solved: Vec<(u32, u64)> =
        store.manifest().layers.iter().filter(|l| l.values.is_some()).map(|l| (l.layer, l.stored)).collect();
    let all: u64 = solved.iter().map(|l| l.1).sum();
    let of = store.manifest().layers.iter().map(|l| l.stored).sum();
    let mut report = Report { of, seed: Some(seed), ..Default::default() };
    check_start(store, &mut report)?;
    if all == 0 {
        return Ok(report);
    }
    let mut random = Random(seed);
    let mut chosen: Vec<u64> = (0..count).map(|_| random.below(all)).collect();
    // In order, so that neighbours share what must be read.
    chosen.sort_unstable();
    let (mut session, blocks) = (store.session(), store.blocks()?);
    let (mut layers, mut first) = (solved.iter(), 0);
    let mut layer = *layers.next().expect("some layer has states");
    for (i, number) in chosen.into_iter().enumerate() {
        while number - first >= layer.1 {
            first += layer.1;
            layer = *layers.next().expect("the numbers are below the sum");
        }
        let rank = number - first;
        let digits = store.unrank(layer.0, rank)?;
        let in_range = digits.iter().zip(&blocks.blocks).all(|(&d, b)| usize::from(d) < b.digits.len());
        if !in_range {
            let reason = "it has a digit without meaning";
            return Err(winset_store::StoreError::Layer { layer: layer.0, reason }.into());
        }
        let position = session.position(&blocks.state(&digits))?;
        report.checked += 1;
        if let Some(what) = wrong(store, &position) {
            let text = store.game().print(&position.state);
            report.push(Fault { layer: layer.0, rank: Some(rank), position: text, what });
        }
        if i % 256 == 0 {
            watch(report.checked, count);
        }
    }
    watch(report.checked, count);
    Ok(report)
}

/// What is wrong with a position, judged by its successors.
fn wrong(store: &Store, position: &Position) -> Option<Wrong> {
    let stored = match position.lookup {
        // What is stored about an end is never asked for: the rules answer.
        Lookup::Terminal { .. } => return None,
        Lookup::Solved(stored) => stored,
        _ => return Some(Wrong::Layer { expected: -1 }),
    };
    let Some(mover) = position.mover.filter(|_| !position.moves.is_empty()) else {
        return Some(Wrong::Stuck);
    };
    let opponent = store.manifest().header.opponent;
    let mut best: Option<(Liking, Vec<Valuation>)> = None;
    for m in &position.moves {
        let Some(value) = m.lookup.valuation() else {
            let by = store.game().moves()[m.id].name.clone();
            return Some(Wrong::Open { by, to: store.game().print(&m.state) });
        };
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
