//! Checking everything.

use crate::check::{Checker, Faults, KEPT_FAULTS};
use crate::fault::{Fault, Wrong};
use crate::layers::Layers;
use crate::plan::Plan;
use crate::settled::Settled;
use crate::{Report, VerifyError, Watch};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use winset_store::{Layering, Lookup, Store};

/// States checked in one go. Large enough that starting does not matter.
const RANGE: u64 = 1 << 15;

/// Checks every stored value, the set's closedness, the start, and the manifest's counts; in parallel in
/// the present thread pool. `watch` hears of the progress.
pub fn verify_full(store: &Store, watch: &Watch<'_>) -> Result<Report, VerifyError> {
    let header = &store.manifest().header;
    store.check_files()?;
    let layers = Layers::new(store)?;
    let plan = Plan::new(store.game(), store.blocks()?, header);
    let of: u64 = store.manifest().layers.iter().map(|l| l.stored).sum();
    let mut report = Report { of, ..Default::default() };
    check_start(store, &mut report)?;
    let solved = store.manifest().layers.iter().rev().filter(|l| l.values.is_some());
    for record in solved {
        let number = record.layer;
        let Some(layer) = layers.get(number)? else { continue };
        let settled = Settled::new(layer.index.len());
        let before = report.checked;
        let done = AtomicU64::new(before);
        let pass = |last_try: bool, first: bool| {
            let ranges = layer.index.len().div_ceil(RANGE);
            let checker = || Checker::new(&plan, &layers, &settled, last_try);
            let one = |checker: &mut Checker<'_, '_>, range: u64| {
                let found = checker.check(&layer, range * RANGE, RANGE)?;
                if first {
                    let some = RANGE.min(layer.index.len() - range * RANGE);
                    watch(done.fetch_add(some, Ordering::Relaxed) + some, of);
                }
                Ok::<Faults, VerifyError>(found)
            };
            (0..ranges).into_par_iter().map_init(checker, one).collect::<Result<Vec<Faults>, VerifyError>>()
        };
        let mut found = pass(false, true)?;
        settle(&settled, |last_try| {
            let again = pass(last_try, false)?;
            if last_try {
                found.extend(again.into_iter().map(Faults::only_cycles));
            }
            Ok(())
        })?;
        report.checked += layer.index.len();
        let mut by_code = vec![0u64; header.codes.len()];
        for faults in found {
            by_code.iter_mut().zip(faults.by_code).for_each(|(sum, n)| *sum += n);
            report.faults += faults.count;
            let room = KEPT_FAULTS - report.examples.len().min(KEPT_FAULTS);
            report.examples.extend(faults.kept.into_iter().take(room));
        }
        check_counts(store, number, &by_code, &mut report);
        layers.retain(|other| match header.layering {
            Layering::Bfs => other == number,
            _ => other >= number && other <= number + 2,
        });
    }
    Ok(report)
}

/// Passes over a layer until nothing more gets settled, and a last one if something is left.
fn settle(
    settled: &Settled,
    mut pass: impl FnMut(bool) -> Result<(), VerifyError>,
) -> Result<(), VerifyError> {
    let mut left = settled.left();
    while left > 0 {
        pass(false)?;
        let now = settled.left();
        if now == left {
            return pass(true);
        }
        left = now;
    }
    Ok(())
}

/// The start is stored, or terminal, with the manifest's value.
pub fn check_start(store: &Store, report: &mut Report) -> Result<(), VerifyError> {
    let game = store.game();
    let lookup = store.session().value(game.initial())?;
    let found = lookup.valuation().map(|v| v.rewards);
    let missing = matches!(lookup, Lookup::NotReachable);
    let differs = store.manifest().value.is_some_and(|value| Some(value.rewards) != found);
    if missing || differs {
        let position = game.print(game.initial());
        report.push(Fault { layer: 0, rank: None, position, what: Wrong::Start });
    }
    Ok(())
}

/// The manifest's counts are those of the values.
fn check_counts(store: &Store, layer: u32, by_code: &[u64], report: &mut Report) {
    let record = store.manifest().layer(layer).and_then(|record| record.values.as_ref());
    let Some(values) = record else { return };
    for (code, &expected) in by_code.iter().enumerate() {
        let stored = values.by_code.get(code).copied().unwrap_or(0);
        if stored != expected {
            let what = Wrong::Count { stored, expected };
            report.push(Fault { layer, rank: None, position: String::new(), what });
        }
    }
}
