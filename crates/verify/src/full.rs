//! Checking everything.

use crate::check::{Checker, Faults, KEPT_FAULTS};
use crate::fault::{Fault, Wrong};
use crate::layers::{Layer, Layers};
use crate::plan::Plan;
use crate::{Report, VerifyError, Watch};
use rayon::prelude::*;
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
    let of: u64 = store.manifest().layers.iter().map(|l| l.positions - l.terminal).sum();
    let mut report = Report { of, ..Default::default() };
    check_start(store, &mut report)?;
    let solved = store.manifest().layers.iter().rev().filter(|l| l.values.is_some());
    for record in solved {
        let number = record.layer;
        let Some(layer) = layers.get(number)? else { continue };
        check_counts(store, &layer, &mut report);
        let ranges = layer.index.len().div_ceil(RANGE);
        let before = report.checked;
        let done = std::sync::atomic::AtomicU64::new(before);
        let found: Vec<Faults> = (0..ranges)
            .into_par_iter()
            .map_init(
                || Checker::new(&plan, &layers),
                |checker, range| {
                    let found = checker.check(&layer, range * RANGE, RANGE)?;
                    let some = RANGE.min(layer.index.len() - range * RANGE);
                    let so_far = done.fetch_add(some, std::sync::atomic::Ordering::Relaxed) + some;
                    watch(so_far, of);
                    Ok::<Faults, VerifyError>(found)
                },
            )
            .collect::<Result<_, _>>()?;
        report.checked += layer.index.len();
        for faults in found {
            report.faults += faults.count;
            let room = KEPT_FAULTS - report.examples.len().min(KEPT_FAULTS);
            report.examples.extend(faults.kept.into_iter().take(room));
        }
        layers.retain(|other| match header.layering {
            Layering::Bfs => other == number,
            _ => other >= number && other <= number + 2,
        });
    }
    Ok(report)
}

/// The start is stored, or terminal, with the manifest's value.
pub fn check_start(store: &Store, report: &mut Report) -> Result<(), VerifyError> {
    let game = store.game();
    let lookup = store.session().value(&game.initial)?;
    let found = lookup.valuation().map(|v| v.rewards);
    let missing = matches!(lookup, Lookup::NotReachable);
    let differs = store.manifest().value.is_some_and(|value| Some(value.rewards) != found);
    if missing || differs {
        let position = game.print(&game.initial);
        report.push(Fault { layer: 0, rank: None, position, what: Wrong::Start });
    }
    Ok(())
}

/// The manifest's counts are those of the values.
fn check_counts(store: &Store, layer: &Layer, report: &mut Report) {
    let Some(record) = store.manifest().layer(layer.number) else { return };
    let Some(values) = &record.values else { return };
    for (code, &stored) in values.by_code.iter().enumerate() {
        let expected = count(layer, code as u32);
        if stored != expected {
            let what = Wrong::Count { stored, expected };
            report.push(Fault { layer: layer.number, rank: None, position: String::new(), what });
        }
    }
}

fn count(layer: &Layer, code: u32) -> u64 {
    let planes = &layer.codes.planes;
    let words = layer.index.len().div_ceil(64);
    let lanes = |w: u64| {
        let rest = layer.index.len() - 64 * w;
        let used = if rest >= 64 { !0 } else { (1u64 << rest) - 1 };
        let one = |lanes: u64, (b, plane): (usize, &Vec<u64>)| {
            lanes & if code >> b & 1 == 1 { plane[w as usize] } else { !plane[w as usize] }
        };
        u64::from(planes.iter().enumerate().fold(used, one).count_ones())
    };
    (0..words).map(lanes).sum()
}
