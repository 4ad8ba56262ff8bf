//! Checking everything.

use crate::check::{Checker, Faults, KEPT_FAULTS, Pass, Shared};
use crate::ends::{Ends, Keys};
use crate::fault::{Fault, Wrong};
use crate::layers::{Layer, Layers};
use crate::plan::Plan;
use crate::report::Report;
use crate::room::Room;
use crate::settled::Settled;
use crate::tally::{Tally, about, unused_codes};
use crate::threads::in_threads;
use crate::{VerifyError, Watch};
use rayon::prelude::*;
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
/// numbers. In parallel in the present thread pool, or else in one of its own, with so much memory for the whole process. `watch` hears of
/// the progress.
pub fn verify_full(store: &Store, memory: u64, watch: &Watch<'_>) -> Result<Report, VerifyError> {
    // A few states are checked faster than threads are started.
    if store.manifest().layers.iter().all(|layer| layer.stored <= RANGE) {
        return check_all(store, memory, 1, watch);
    }
    in_threads(|| check_all(store, memory, rayon::current_num_threads(), watch))
}

fn check_all(store: &Store, memory: u64, threads: usize, watch: &Watch<'_>) -> Result<Report, VerifyError> {
    let (manifest, game) = (store.manifest(), store.game());
    store.check_files()?;
    let blocks = store.blocks()?;
    let digits: usize = blocks.blocks.iter().map(|b| b.digits.len() * (128 + 4 * b.vars.len())).sum();
    let room = Room::new(memory, PROCESS + threads as u64 * THREAD + digits as u64);
    let _plan = room.take(Plan::bytes(game, blocks))?;
    let plan = Plan::new(game, blocks, manifest);
    let (layers, ends) = (Layers::new(store, room.clone())?, Ends::new(room.clone()));
    let keys = Keys::new(game.variables(), blocks);
    let mut report = Report::new(manifest, None);
    check_start(store, &mut report)?;
    begin(&plan, &layers, &keys, &ends)?;
    let (mut passed, of) = (0, report.of);
    for record in &manifest.layers {
        let number = record.layer;
        let Some(layer) = layers.get(number)? else { continue };
        let _settled = room.take(Settled::bytes(layer.index.len()))?;
        let settled = Settled::new(layer.index.len());
        let shared = Shared { plan: &plan, layers: &layers, keys: &keys, ends: &ends, settled: &settled };
        let mut tally = check_layer(shared, &layer, &mut report, &|some| watch(passed + some, of))?;
        passed += layer.index.len();
        for (l, found) in ends.up_to(number.into()) {
            if l == i64::from(number) {
                tally.add_ends(&found);
            } else {
                unrecorded(l, &found.by_code, &mut report);
            }
        }
        tally.compare(record, &mut report);
        if record.values.is_some() {
            report.checked += layer.marks.count();
        }
        layers.retain(number, |other| match manifest.header.layering {
            Layering::Bfs => other == number + 1,
            _ => other > number && other <= number.saturating_add(3),
        });
    }
    for (l, found) in ends.up_to(i64::MAX) {
        unrecorded(l, &found.by_code, &mut report);
    }
    if report.is_complete() {
        unused_codes(manifest, &mut report);
    }
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
    report: &mut Report,
    watch: &(dyn Fn(u64) + Sync),
) -> Result<Tally, VerifyError> {
    let done = AtomicU64::new(0);
    let ranges = layer.index.len().div_ceil(RANGE);
    let pass = |pass: Pass| {
        let one = |checker: &mut Checker<'_, '_>, range: u64| {
            let found = checker.check(layer, range * RANGE, RANGE)?;
            if pass == Pass::Reached {
                let some = found.tally.moving.iter().sum::<u64>();
                watch(done.fetch_add(some, Ordering::Relaxed) + some);
            }
            Ok::<Faults, VerifyError>(found)
        };
        let checker = || Checker::new(shared, pass);
        if ranges == 1 {
            return one(&mut checker(), 0).map(|found| vec![found]);
        }
        (0..ranges).into_par_iter().map_init(checker, one).collect::<Result<Vec<Faults>, VerifyError>>()
    };
    let mut tally = Tally { by_code: vec![0; shared.plan.header.codes.len()], ..Tally::default() };
    let mut take = |found: Vec<Faults>| {
        for faults in found {
            tally.add(&faults.tally);
            report.faults += faults.count;
            let room = KEPT_FAULTS - report.examples.len().min(KEPT_FAULTS);
            report.examples.extend(faults.kept.into_iter().take(room));
        }
    };
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
    let unreached = layer.index.len() - layer.marks.count();
    let examples = KEPT_FAULTS.min(unreached as usize);
    for rank in layer.marks.unreached().take(examples) {
        let state = layer.index.unrank(rank).map(|digits| shared.plan.blocks.state(&digits));
        let position = state.map_or(String::new(), |state| shared.plan.game.print(&state));
        report.push(Fault { layer: layer.number, rank: Some(rank), position, what: Wrong::Unreachable });
    }
    report.faults += unreached - examples as u64;
    Ok(tally)
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

/// Terminal positions in a layer that the manifest does not know.
fn unrecorded(layer: i64, by_code: &[u64], report: &mut Report) {
    let what = Wrong::Count { of: "positions", stored: 0, expected: by_code.iter().sum() };
    report.push(about(u32::try_from(layer).unwrap_or(0), what));
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
