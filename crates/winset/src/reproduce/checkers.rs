//! American checkers by symbolic model checking (Tables 1 and 2, the peaks, Figure 6, the results).

use super::Setting;
use crate::engines::bdd::failure;
use crate::failure::Failure;
use crate::report::comparison::Comparison;
use std::time::Duration;
use winset_checkers::tables;
use winset_reorder::Limits;
use winset_symbolic::Options;

/// All tables, up to 5x5; with `--large` the larger boards of Table 1 too.
pub fn all(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let (largest, seconds) = if setting.large { (8, 600) } else { (5, 20) };
    let limits = Limits { growth: 150, time: Duration::from_secs(seconds) };
    let options = Options { memory: setting.memory, ..Options::default() };
    let step = |what: &str| setting.progress.step("checkers", 0, None, what);
    let mut rows = vec![];
    step("Table 1");
    rows.extend(tables::relations(largest, &limits, setting.memory).map_err(failure)?);
    step("Table 2");
    rows.extend(tables::reachable_sets(largest.min(5), &limits, setting.memory).map_err(failure)?);
    step("section 4.2");
    rows.extend(tables::peaks(setting.memory).map_err(failure)?);
    step("results");
    rows.extend(tables::results(5, &options).map_err(failure)?);
    for row in rows {
        comparison.compare(row.label, row.published, row.ours, &row.note);
    }
    Ok(())
}
