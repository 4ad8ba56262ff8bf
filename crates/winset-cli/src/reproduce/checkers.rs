//! American checkers by symbolic model checking (Tables 1 and 2, the peaks, Figure 6, the results).

use super::Setting;
use crate::engines::failure;
use crate::failure::Failure;
use crate::report::comparison::Comparison;
use crate::report::table::grouped;
use std::time::Duration;
use winset::Lengths;
use winset_checkers::tables;
use winset_games::checkers;
use winset_layers::{Observer, Refusal, Solved};
use winset_reorder::Limits;
use winset_symbolic::Options;

/// Why diagrams have other sizes than the paper's.
const ENCODING: &str = "the paper's encoding of squares and captures is not given in full";

/// All tables, up to 5x5, the last result by the layer engine; with `--large` the larger boards of Table 1
/// and 5x5 by the formulas too.
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
    rows.extend(tables::results(if setting.large { 5 } else { 4 }, &options).map_err(failure)?);
    for row in rows {
        let ours = row.ours.parse::<u64>().map_or(row.ours, grouped);
        // Who wins does not depend on how a board is written as bits.
        let why = match row.note.as_str() {
            _ if row.label.contains("result") => "",
            "" => ENCODING,
            note => note,
        };
        comparison.compare(row.label, row.published, ours, why);
    }
    for n in 3..=5 {
        by_layers(setting, n, comparison)?;
    }
    Ok(())
}

/// Who wins a board, by the layer engine with tiers.
fn by_layers(setting: &Setting<'_>, n: usize, comparison: &mut Comparison) -> Result<(), Failure> {
    let mut longest = Longest(None);
    let options = winset_layers::Options { distance: true, ..setting.layers() };
    let solved = winset_layers::solve(&checkers(n), &options, &mut longest)?;
    let winner = solved.value.and_then(|rewards| rewards.leader());
    let what = format!("{n}x{n} result, by the layer engine");
    comparison.compare(what, tables::published_result(n), tables::result(winner), "");
    let totals = totals(&solved);
    let [black, white, draw] = totals.map(grouped);
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

/// States won by black, by white, and drawn.
fn totals(solved: &winset_layers::Solution) -> [u64; 3] {
    let mut totals = [0; 3];
    let mut add = |code: usize, states: u64| match *solved.outcomes.table()[code] {
        [100, 0] => totals[0] += states,
        [0, 100] => totals[1] += states,
        _ => totals[2] += states,
    };
    for layer in &solved.layers {
        layer.terminal.iter().for_each(|&(code, states)| add(usize::from(code), states));
        for movers in &layer.movers {
            movers.by_code.iter().enumerate().for_each(|(code, &states)| add(code, states));
        }
    }
    totals
}
