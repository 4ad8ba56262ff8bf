//! Othello 4x5 by Alg 5 under different orders (Figures 7.6 and 7.7).

use super::{WHITE, options};
use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::{Setting, Watch, within_memory};
use winset_games::othello;
use winset_report::plot::Series;
use winset_report::table::grouped;
use winset_symbolic::{
    Bcdd, Options, Order, Phase, Symbolic, SymbolicError, SymbolicGame, TurnPlace, Variant, reach,
    retrograde_for,
};

/// Nothing was published of the board for tests.
fn board(setting: &Setting<'_>) -> (usize, usize) {
    if setting.is_small() { (4, 4) } else { (4, 5) }
}

/// Alg 5: the peak of white's won states and the nodes per iteration.
fn sweep(setting: &Setting<'_>, options: &Options, name: &str) -> Result<(u64, Series), SymbolicError> {
    let (rows, columns) = board(setting);
    let game = othello(rows, columns);
    let mut symbolic = SymbolicGame::<Bcdd>::new(&game, options)?;
    let mut watch = Watch::new(setting);
    let reached = reach(&symbolic.symbolic, &mut watch)?;
    let variant = Variant::SweepReachable;
    let won = retrograde_for(&mut symbolic, variant, WHITE, &reached, &mut watch)?;
    let backward = watch.iterations.iter().filter(|it| it.phase == Phase::Backward);
    let points = backward.map(|it| (it.index as f64, it.nodes as f64)).collect();
    Ok((won.peak as u64, Series { name: name.to_owned(), points }))
}

/// The nodes of the whole relation as one diagram.
fn relation(setting: &Setting<'_>, options: &Options) -> Result<u64, SymbolicError> {
    let (rows, columns) = board(setting);
    let symbolic = Symbolic::<Bcdd>::from_game(&othello(rows, columns), options)?;
    let whole = symbolic.monolithic()?;
    Ok(symbolic.space.nodes_of(&whole) as u64)
}

/// Figure 7.6: three orders of the squares.
pub fn orders(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    let mut series = vec![];
    let mut peaks = vec![];
    for (order, name) in [(Order::Rows, "VO_a"), (Order::RingsInward, "VO_b"), (Order::RingsOutward, "VO_c")]
    {
        let options = Options { order, ..options(setting) };
        let what = format!("{name}, peak nodes");
        let found = sweep(setting, &options, name);
        let Some((peak, line)) = within_memory(found, &what, comparison)? else { continue };
        comparison.ours(what, grouped(peak));
        peaks.push(u128::from(peak));
        series.push(line);
    }
    if let [rows, inward, outward] = peaks[..] {
        let ratio = |peak: u128| format!("{:.4}", peak as f64 / rows as f64);
        if setting.is_small() {
            comparison.ours("VO_b / VO_a at their peaks", ratio(inward));
        } else {
            comparison.fraction("VO_b / VO_a at their peaks", "1.13", [inward, rows], ratio(inward));
        }
        comparison.ours("VO_c / VO_a at their peaks", ratio(outward));
    }
    comparison.note("Published: VO_a and VO_c perform equally, VO_b constantly worse.");
    comparison.figure("othello-orders", "Othello 4x5, Alg 5 (Figure 7.6)", "iteration", "nodes", &series)
}

/// Figure 7.7: the turn variable at the top or at the bottom.
pub fn turn(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    let mut series = vec![];
    for (turn, name, published) in [(TurnPlace::Top, "top", "1.4e6"), (TurnPlace::Bottom, "bottom", "2e6")] {
        let options = Options { turn, ..options(setting) };
        let what = format!("{name}, peak nodes");
        let found = sweep(setting, &options, name);
        if let Some((peak, line)) = within_memory(found, &what, comparison)? {
            comparison.ours(what, grouped(peak));
            series.push(line);
        }
        let what = format!("{name}, relation nodes");
        let Some(nodes) = within_memory(relation(setting, &options), &what, comparison)? else { continue };
        if setting.is_small() {
            comparison.ours(what, grouped(nodes));
        } else {
            comparison.rounded(what, published, u128::from(nodes));
        }
    }
    comparison.note("Published: the place makes a negligible difference for the sets.");
    comparison.figure("othello-turn", "Othello 4x5, Alg 5 (Figure 7.7)", "iteration", "nodes", &series)
}
