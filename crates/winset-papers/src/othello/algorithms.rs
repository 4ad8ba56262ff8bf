//! Table 7.2 and Figure 7.2: the growing set's nodes under the five algorithms.

use super::{WHITE, options};
use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::{Setting, Watch, within_memory};
use winset_games::othello;
use winset_report::plot::Series;
use winset_report::table::grouped;
use winset_symbolic::{Bcdd, Phase, SymbolicGame, Variant, reach, retrograde_for};

/// Alg 2 to Alg 5 on 4x4: peaks, and how much less than Alg 2's.
const PUBLISHED: [(u64, &str); 4] =
    [(2_279_148, ""), (37_298, "98.36%"), (620_067, "72.79%"), (15_656, "99.31%")];

/// Compares peaks and percentages on 4x4; peaks on 4x5 are in the figure only.
pub fn algorithms(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    for (rows, columns) in [(4, 4), (4, 5)] {
        let small = (rows, columns) == (4, 4);
        if !small && setting.is_small() {
            continue;
        }
        let game = othello(rows, columns);
        let mut symbolic = SymbolicGame::<Bcdd>::new(&game, &options(setting))?;
        let mut watch = Watch::new(setting);
        let reached = reach(&symbolic.symbolic, &mut watch)?;
        let line = |watch: &Watch<'_>, phase: Phase| {
            let those = watch.iterations.iter().filter(|it| it.phase == phase);
            those.map(|it| (it.index as f64, it.nodes as f64)).collect()
        };
        let mut series = vec![Series { name: "Alg 1".into(), points: line(&watch, Phase::Forward) }];
        let what = |alg: usize| format!("{rows}x{columns} Alg {alg}, peak nodes");
        let peak = watch.iterations.iter().map(|it| it.nodes as u64).max().unwrap_or(0);
        comparison.ours(what(1), grouped(peak));
        let mut plain = None;
        for (i, variant) in Variant::ALL.into_iter().enumerate() {
            // Beyond the reachable states: minutes on 4x4, hours on 4x5.
            let quick = if small { !setting.is_small() } else { setting.is_large() };
            if !variant.is_limited() && !quick {
                continue;
            }
            let mut watch = Watch::new(setting);
            let won = retrograde_for(&mut symbolic, variant, WHITE, &reached, &mut watch);
            let Some(won) = within_memory(won, what(i + 2), comparison)? else { continue };
            let peak = won.peak as u64;
            series.push(Series { name: format!("Alg {}", i + 2), points: line(&watch, Phase::Backward) });
            if !small {
                comparison.ours(what(i + 2), grouped(peak));
                continue;
            }
            comparison.must_match(what(i + 2), grouped(PUBLISHED[i].0), grouped(peak));
            let Some(plain) = plain else {
                plain = (variant == Variant::Plain).then_some(u128::from(peak));
                continue;
            };
            let saved = plain.saturating_sub(u128::from(peak));
            let ours = format!("{:.3}%", 100.0 * saved as f64 / plain as f64);
            let what = format!("4x4 Alg {}, reduction compared to Alg 2", i + 2);
            comparison.fraction(what, PUBLISHED[i].1, [100 * saved, plain], ours);
        }
        let name = format!("othello-algorithms-{rows}x{columns}");
        let title = format!("Othello {rows}x{columns}: nodes per iteration (Figure 7.2)");
        comparison.figure(&name, &title, "iteration", "nodes", &series)?;
    }
    comparison.note(
        "Peak: the most nodes of the growing set of white's won states after an iteration, as in the thesis's program. \
         The sweep line of Alg 4 and Alg 5 drops every layer that no later one looks at.",
    );
    if !setting.is_large() {
        comparison.note("Alg 2 and Alg 4 on 4x5 (Figure 7.2, right) are computed with --large.");
    }
    Ok(())
}
