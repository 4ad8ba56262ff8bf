//! Othello: encodings (Table 7.1), algorithms (Table 7.2, Figure 7.2), storage (Table 7.3).

use super::Setting;
use crate::engines::bdd::{Watch, failure};
use crate::failure::Failure;
use crate::report::comparison::Comparison;
use crate::report::plot::Series;
use crate::report::table::grouped;
use winset_games::othello;
use winset_symbolic::{Bcdd, Encoding, Options, Order, Phase, SymbolicGame, Variant, reach, retrograde_for};

/// The thesis's setting: complement edges, row by row, the turn at the top.
pub fn options(setting: &Setting<'_>) -> Options {
    Options { order: Order::Rows, memory: setting.memory, ..Options::default() }
}

/// Under the other assignments of code words to squares the relation's nodes differ too.
const WINNING: &str =
    "not explained: initial and relation agree only under these code words; with unused codes let in 357,675";

/// Table 7.1: the same three sets under both encodings.
pub fn encodings(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let game = othello(4, 4);
    let published = [
        (Encoding::Standard, "standard", [34u64, 215_801, 45_478]),
        (Encoding::ShortEmpty, "3T", [22, 192_422, 32_636]),
    ];
    for (encoding, name, nodes) in published {
        let options = Options { encoding, ..options(setting) };
        let symbolic = SymbolicGame::<Bcdd>::new(&game, &options).map_err(failure)?;
        let space = &symbolic.symbolic.space;
        let initial = space.nodes_of(&symbolic.symbolic.initial);
        let relation = space.nodes_of(&symbolic.symbolic.monolithic().map_err(failure)?);
        let won = symbolic.won_at_once(0, space.domain()).map_err(failure)?;
        let ours = [initial, relation, space.nodes_of(&won)];
        for ((what, published), ours) in ["initial", "relation", "winning"].iter().zip(nodes).zip(ours) {
            let what = format!("{what}, {name} encoding");
            comparison.compare(what, grouped(published), grouped(ours as u64), WINNING);
        }
    }
    Ok(())
}

/// The thesis does not say whose won states it counts; of the two players' peaks these are the ones that agree.
const WHITE: usize = 1;

/// Table 7.2 and Figure 7.2: the growing set's nodes under the five algorithms.
pub fn algorithms(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let published = [2_279_148u64, 37_298, 620_067, 15_656];
    for (rows, columns) in [(4, 4), (4, 5)] {
        let small = (rows, columns) == (4, 4);
        let game = othello(rows, columns);
        let mut symbolic = SymbolicGame::<Bcdd>::new(&game, &options(setting)).map_err(failure)?;
        let mut watch = Watch::new(setting.progress);
        let reached = reach(&symbolic.symbolic, &mut watch).map_err(failure)?;
        let line = |watch: &Watch<'_>, phase: Phase| {
            let those = watch.iterations.iter().filter(|it| it.phase == phase);
            those.map(|it| (it.index as f64, it.nodes as f64)).collect()
        };
        let mut series = vec![Series { name: "Alg 1".into(), points: line(&watch, Phase::Forward) }];
        let what = |alg: usize| format!("{rows}x{columns} Alg {alg}, peak nodes");
        let peak = watch.iterations.iter().map(|it| it.nodes as u64).max().unwrap_or(0);
        comparison.compare(what(1), "", grouped(peak), "");
        for (i, variant) in Variant::ALL.into_iter().enumerate() {
            // On 4x5 only what is limited to the reachable states is a matter of seconds.
            if !small && !variant.is_limited() && !setting.large {
                continue;
            }
            let mut watch = Watch::new(setting.progress);
            let won = retrograde_for(&mut symbolic, variant, WHITE, &reached, &mut watch).map_err(failure)?;
            let published = if small { grouped(published[i]) } else { String::new() };
            comparison.compare(what(i + 2), published, grouped(won.peak as u64), "");
            let points = line(&watch, Phase::Backward);
            series.push(Series { name: format!("Alg {}", i + 2), points });
        }
        let name = format!("othello-algorithms-{rows}x{columns}");
        let title = format!("Othello {rows}x{columns}: nodes per iteration (Figure 7.2)");
        setting.figure(&name, &title, "iteration", "nodes", &series)?;
    }
    comparison
        .notes
        .push("Peak: the most nodes of the growing set of white's won states after an iteration. The thesis does not say \
             whose it counts; black's differ for Alg 3 and Alg 5.".into());
    Ok(())
}

/// Table 7.3: how much the immediately won states of black take.
pub fn storage(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let published = [
        (4, 4, "901,134", "1,072,054"),
        (4, 5, "1.51722e7", "7,012,428"),
        (5, 5, "4.6418e8", "35,523,524"),
        (5, 6, "1.55636e10", "272,472,389"),
    ];
    for (rows, columns, states, bytes) in published {
        if rows * columns > 25 && !setting.large {
            comparison.notes.push("5x6 is computed with --large.".to_owned());
            continue;
        }
        let game = othello(rows, columns);
        let symbolic = SymbolicGame::<Bcdd>::new(&game, &options(setting)).map_err(failure)?;
        let space = &symbolic.symbolic.space;
        let won = symbolic.won_at_once(0, space.domain()).map_err(failure)?;
        let exact = space.count(&won).map_err(failure)?;
        let nodes = space.nodes_of(&won) as u64;
        let board = format!("{rows}x{columns}");
        let why = "not explained: 4x4, 4x5 and 5x6 agree to the last digit given";
        comparison.compare_rounded(format!("{board}, states"), states, exact, why);
        let ours = nodes * NODE_BYTES;
        comparison.compare(format!("{board}, bytes"), bytes, grouped(ours), "another package, other nodes");
        let each = format!("{:.4}", ours as f64 / exact as f64);
        comparison.compare(format!("{board}, bytes per state"), "", each, "");
    }
    comparison.notes.push(format!("A node takes {NODE_BYTES} bytes here, about 33 in the thesis."));
    Ok(())
}

/// What OxiDD keeps per node.
const NODE_BYTES: u64 = 16;
