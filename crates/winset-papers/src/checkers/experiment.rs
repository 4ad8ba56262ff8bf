//! American checkers by symbolic model checking (Tables 1 and 2, the peaks, Figure 6, the results).

use super::tables;
use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::Setting;
use crate::winners;
use std::time::Duration;
use winset::Lengths;
use winset_games::checkers;
use winset_layers::{Observer, Refusal, Solved};
use winset_reorder::Limits;
use winset_report::table::grouped;
use winset_symbolic::Options;

/// Why diagrams have other sizes than the paper's.
const ENCODING: &str = "the paper's encoding of squares and captures is not given in full";

/// All tables, up to 5x5, the last result by the layer engine; with `--large` the larger boards of Table 1
/// and 5x5 by the formulas too.
pub fn all(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    let (largest, seconds) = match () {
        () if setting.is_large() => (8, 600),
        () if setting.is_small() => (4, 5),
        () => (5, 20),
    };
    let limits = Limits { growth: 150, time: Duration::from_secs(seconds) };
    let options = Options { memory: setting.memory, ..Options::default() };
    let step = |what: &str| setting.begin("checkers", what);
    let mut rows = vec![];
    step("Table 1");
    rows.extend(tables::relations(largest, &limits, setting.memory)?);
    step("Table 2");
    rows.extend(tables::reachable_sets(largest.min(5), &limits, setting.memory)?);
    // Garbage is collected after every operation: minutes.
    if !setting.is_small() {
        step("section 4.2");
        rows.extend(tables::peaks(setting.memory)?);
    }
    step("results");
    rows.extend(tables::results(if setting.is_large() { 5 } else { 4 }, &options)?);
    for row in rows {
        let ours = row.ours.parse::<u64>().map_or(row.ours, grouped);
        if row.published.is_empty() {
            comparison.ours(row.label, ours);
            continue;
        }
        // Who wins does not depend on how a board is written as bits, nor do the steps within the piece limit.
        let why = match row.note.as_str() {
            _ if row.label.contains("result") => "",
            _ if row.label == "4x4 iterations, with the piece limit" => "",
            "" => ENCODING,
            note => note,
        };
        comparison.declared(row.label, row.published, ours, why);
    }
    for n in 3..=largest.min(5) {
        by_layers(setting, n, comparison)?;
    }
    Ok(())
}

/// Who wins a board, by the layer engine with tiers.
fn by_layers(setting: &Setting<'_>, n: usize, comparison: &mut Comparison) -> Result<(), PapersError> {
    let mut longest = Longest(None);
    let options = winset_layers::Options { distance: true, ..setting.layers() };
    let solved = winset_layers::solve(&checkers(n), &options, &mut longest)?;
    let winner = solved.value.and_then(|rewards| rewards.leader());
    let what = format!("{n}x{n} result, by the layer engine");
    comparison.must_match(what, tables::published_result(n), tables::result(winner));
    let [white, draw, black] = winners::of_all(&solved).map(grouped);
    let longest = longest.0.map_or("none".to_owned(), grouped);
    comparison.notes.push(format!(
        "{n}x{n} by the layer engine: {} states, won by black {black}, by white {white}, drawn {draw}; longest win {longest} moves.",
        grouped(solved.positions())
    ));
    Ok(())
}

/// Takes the longest win.
struct Longest(Option<u64>);

impl Observer for Longest {
    fn solved(&mut self, layer: &Solved<'_>) -> Result<(), Refusal> {
        self.0 = self.0.max(Lengths::of(layer)?.longest_win);
        Ok(())
    }
}
