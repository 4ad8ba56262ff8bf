//! Checking everything.

use crate::check::{Checker, Faults, KEPT_FAULTS, Pass, Shared};
use crate::ends::{Ends, Keys};
use crate::fault::{Fault, Wrong};
use crate::layers::{Layer, Layers};
use crate::peers::{Alone, Peers, numbers, sum};
use crate::plan::Plan;
use crate::report::Report;
use crate::room::Room;
use crate::settled::Settled;
use crate::tally::{Tally, about, unused_codes};
use crate::threads::in_threads;
use crate::{VerifyError, Watch};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use winset_model::{Explicit, Remoteness, Valuation};
use winset_store::{Layering, Store, Stored};

/// The memory that a check takes at most if nobody says otherwise.
pub const MEMORY: u64 = 256 << 20;
/// The process itself, with what the store keeps of it.
const PROCESS: u64 = 48 << 20;
/// What a thread needs for itself.
const THREAD: u64 = 8 << 20;
/// States checked in one go. Large enough that starting does not matter.
const RANGE: u64 = 1 << 15;

/// Checks everything that a solution says: what can be reached, every stored value, the start, and the manifest's
/// numbers. In parallel in the present thread pool, or else in one of its own, with so much memory for the whole process.
/// `watch` hears of the progress.
pub fn verify_full(store: &Store, memory: u64, watch: &Watch<'_>) -> Result<Report, VerifyError> {
    // A few states are checked faster than threads are started.
    if store.manifest().layers.iter().all(|layer| layer.stored <= RANGE) {
        return check_all(store, memory, 1, &Alone, watch);
    }
    verify_full_together(store, memory, &Alone, watch)
}

/// The same by several processes, each with the same store and so much memory. All of them hear how many faults there
/// are; each has examples of those that it has found itself.
pub fn verify_full_together(
    store: &Store,
    memory: u64,
    peers: &dyn Peers,
    watch: &Watch<'_>,
) -> Result<Report, VerifyError> {
    in_threads(|| check_all(store, memory, rayon::current_num_threads(), peers, watch))
}

fn check_all(
    store: &Store,
    memory: u64,
    threads: usize,
    peers: &dyn Peers,
    watch: &Watch<'_>,
) -> Result<Report, VerifyError> {
    let (manifest, game) = (store.manifest(), store.game());
    store.check_files()?;
    let blocks = store.blocks()?;
    let digits: usize = blocks.blocks.iter().map(|b| b.digits.len() * (128 + 4 * b.vars.len())).sum();
    let room = Room::new(memory, PROCESS + threads as u64 * THREAD + digits as u64);
    let _plan = room.take(Plan::bytes(game, blocks))?;
    let plan = Plan::new(game, blocks, manifest);
    let layers = Layers::new(store, room.clone())?;
    let ends = Ends::new(room.clone(), peers.size() > 1);
    let keys = Keys::new(game.variables(), blocks);
    let (mut report, mut unsaid) = (Report::new(manifest, None), Report::default());
    // What all of them find is said by the first.
    let first = peers.rank() == 0;
    check_start(store, if first { &mut report } else { &mut unsaid })?;
    begin(&plan, &layers, &keys, &ends)?;
    let (mut passed, of) = (0, report.of);
    for record in &manifest.layers {
        let number = record.layer;
        let Some(layer) = layers.get(number)? else { continue };
        let _settled = room.take(Settled::bytes(layer.index.len()))?;
        let settled = Settled::new(layer.index.len());
        let shared = Shared { plan: &plan, layers: &layers, keys: &keys, ends: &ends, settled: &settled };
        // The others get about as far meanwhile.
        let watch = |some: u64| watch((passed + some * peers.size() as u64).min(of), of);
        let mut tally = check_layer(shared, &layer, peers, &mut report, &watch)?;
        passed += layer.index.len();
        let known = if first { &mut report } else { &mut unsaid };
        unreached(&plan, &layer, known);
        let mut ended = ends.up_to(number.into(), peers)?;
        tally.add_ends(&ended.remove(&number.into()).unwrap_or_default());
        unrecorded(&ended, peers, known)?;
        tally.of_all(peers)?.compare(record, known);
        if record.values.is_some() {
            report.checked += layer.marks.count();
        }
        layers.retain(number, |other| match manifest.header.layering {
            Layering::Bfs => other == number + 1,
            _ => other > number && other <= number.saturating_add(3),
        });
    }
    let known = if first { &mut report } else { &mut unsaid };
    unrecorded(&ends.up_to(i64::MAX, peers)?, peers, known)?;
    if known.is_complete() {
        unused_codes(manifest, known);
    }
    report.faults = sum(peers, report.faults)?;
    Ok(report)
}

/// Enters the start, from which everything is reached.
fn begin(plan: &Plan<'_>, layers: &Layers<'_>, keys: &Keys, ends: &Ends) -> Result<(), VerifyError> {
    let (start, layering) = (plan.game.initial(), &plan.header.layering);
    let number = layering.layer(start).unwrap_or(0);
    if plan.is_ahead(number) {
        return Ok(());
    }
    let layer = u32::try_from(number).ok().map(|number| layers.get(number)).transpose()?.flatten();
    let rank = layer.as_ref().and_then(|layer| layer.index.rank(&plan.blocks.digits(start)?));
    if let (Some(layer), Some(rank)) = (layer, rank) {
        layer.marks.reach(rank);
    } else if let Some(code) = Explicit::new(plan.game).at(start).rewards().and_then(|r| plan.code(r)) {
        ends.add(&mut vec![(number, keys.of(start), code)])?;
    }
    Ok(())
}

/// Checks what can be reached of a layer.
fn check_layer(
    shared: Shared<'_, '_>,
    layer: &Layer,
    peers: &dyn Peers,
    report: &mut Report,
    watch: &(dyn Fn(u64) + Sync),
) -> Result<Tally, VerifyError> {
    let done = AtomicU64::new(0);
    let (rank, size) = (peers.rank() as u64, peers.size() as u64);
    // Several processes take turns.
    let length = match size {
        1 => RANGE,
        _ => (layer.index.len() / (8 * size) / 64 * 64).clamp(64, RANGE),
    };
    let ranges = layer.index.len().div_ceil(length);
    let pass = |pass: Pass| {
        let one = |checker: &mut Checker<'_, '_>, range: u64| {
            let found = checker.check(layer, range * length, length)?;
            if pass == Pass::Reached {
                let some = found.tally.moving.iter().sum::<u64>();
                watch(done.fetch_add(some, Ordering::Relaxed) + some);
            }
            Ok::<Faults, VerifyError>(found)
        };
        let checker = || Checker::new(shared, pass);
        let found = if ranges == 1 && size == 1 {
            vec![one(&mut checker(), 0)?]
        } else {
            let own = (0..ranges).into_par_iter().filter(|range| range % size == rank);
            own.map_init(checker, one).collect::<Result<Vec<Faults>, VerifyError>>()?
        };
        layer.marks.unite(peers)?;
        shared.settled.unite(peers)?;
        Ok::<_, VerifyError>(found)
    };
    let mut tally = Tally { by_code: vec![0; shared.plan.header.codes.len()], ..Tally::default() };
    let mut take = |found: Vec<Faults>| {
        for faults in found {
            tally.add(&faults.tally);
            report.add_faults(faults.count, faults.kept);
        }
    };
    layer.marks.unite(peers)?;
    // Where moves stay inside the layer, more of it may have been reached meanwhile.
    while layer.marks.is_left(0, layer.index.len()) {
        take(pass(Pass::Reached)?);
    }
    if layer.codes.is_some() {
        settle(shared.settled, layer.marks.count(), |last| {
            let again = pass(if last { Pass::Last } else { Pass::Unsettled })?;
            if last {
                take(again.into_iter().map(Faults::only_cycles).collect());
            }
            Ok(())
        })?;
    }
    Ok(tally)
}

/// States of a layer that nothing leads to.
fn unreached(plan: &Plan<'_>, layer: &Layer, report: &mut Report) {
    let unreached = layer.index.len() - layer.marks.count();
    let examples = KEPT_FAULTS.min(unreached as usize);
    for rank in layer.marks.unreached().take(examples) {
        let state = layer.index.unrank(rank).map(|digits| plan.blocks.state(&digits));
        let position = state.map_or(String::new(), |state| plan.game.print(&state));
        report.push(Fault { layer: layer.number, rank: Some(rank), position, what: Wrong::Unreachable });
    }
    report.faults += unreached - examples as u64;
}

/// Passes over a layer until nothing more gets settled of its n states, and a last one if something is left.
fn settle(
    settled: &Settled,
    of: u64,
    mut pass: impl FnMut(bool) -> Result<(), VerifyError>,
) -> Result<(), VerifyError> {
    let mut count = settled.count();
    while count < of {
        pass(false)?;
        let now = settled.count();
        if now == count {
            return pass(true);
        }
        count = now;
    }
    Ok(())
}

/// Terminal positions in layers that the manifest does not know, everybody's together.
fn unrecorded(
    ended: &BTreeMap<i64, Vec<u64>>,
    peers: &dyn Peers,
    report: &mut Report,
) -> Result<(), VerifyError> {
    let mine: Vec<u64> =
        ended.iter().flat_map(|(&layer, by_code)| [layer as u64, by_code.iter().sum()]).collect();
    let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
    for &[layer, count] in numbers(peers, &mine)?.iter().flat_map(|theirs| theirs.as_chunks().0) {
        *counts.entry(layer as i64).or_default() += count;
    }
    for (layer, expected) in counts {
        let what = Wrong::Count { of: "positions", stored: 0, expected };
        report.push(about(u32::try_from(layer).unwrap_or(0), what));
    }
    Ok(())
}

/// The start is stored, or terminal, with the manifest's value.
pub fn check_start(store: &Store, report: &mut Report) -> Result<(), VerifyError> {
    let (game, manifest) = (store.game(), store.manifest());
    let (missing, found) = match Explicit::new(game).at(game.initial()).rewards() {
        Some(rewards) => (false, Some(Valuation::ended(rewards))),
        None => {
            let stored = store.stored(game.initial())?;
            (stored == Stored::NotReachable, stored.valuation())
        }
    };
    let found = found.map(|found| match manifest.header.remoteness {
        true => found,
        // A terminal start has a distance whether or not distances are kept.
        false => Valuation { remoteness: Remoteness::Unknown, ..found },
    });
    let differs = manifest.value.is_some_and(|value| Some(value) != found);
    if missing || differs {
        let position = game.print(game.initial());
        report.push(Fault { layer: 0, rank: None, position, what: Wrong::Start });
    }
    Ok(())
}
