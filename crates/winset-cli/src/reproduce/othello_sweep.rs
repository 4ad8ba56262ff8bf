//! Othello 4x5 by Alg 5 under different orders (Figures 7.6 and 7.7).

use super::Setting;
use super::othello::{WHITE, options};
use crate::engines::{Watch, failure};
use crate::failure::Failure;
use crate::report::comparison::Comparison;
use crate::report::plot::Series;
use crate::report::table::grouped;
use winset_games::othello;
use winset_symbolic::{
    Bcdd, Options, Order, Phase, Symbolic, SymbolicGame, TurnPlace, Variant, reach, retrograde_for,
};

/// Alg 5 on 4x5: the peak of white's won states and the nodes per iteration.
fn sweep(setting: &Setting<'_>, options: &Options, name: &str) -> Result<(u64, Series), Failure> {
    let game = othello(4, 5);
    let mut symbolic = SymbolicGame::<Bcdd>::new(&game, options).map_err(failure)?;
    let mut watch = Watch::new(setting.progress);
    let reached = reach(&symbolic.symbolic, &mut watch).map_err(failure)?;
    let variant = Variant::SweepReachable;
    let won = retrograde_for(&mut symbolic, variant, WHITE, &reached, &mut watch).map_err(failure)?;
    let backward = watch.iterations.iter().filter(|it| it.phase == Phase::Backward);
    let points = backward.map(|it| (it.index as f64, it.nodes as f64)).collect();
    Ok((won.peak as u64, Series { name: name.to_owned(), points }))
}

/// The nodes of the whole relation of 4x5 as one diagram.
fn relation(options: &Options) -> Result<u64, Failure> {
    let symbolic = Symbolic::<Bcdd>::from_game(&othello(4, 5), options).map_err(failure)?;
    let whole = symbolic.monolithic().map_err(failure)?;
    Ok(symbolic.space.nodes_of(&whole) as u64)
}

/// Figure 7.6: three orders of the squares.
pub fn orders(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let mut series = vec![];
    let mut peaks = vec![];
    for (order, name) in [(Order::Rows, "VO_a"), (Order::RingsInward, "VO_b"), (Order::RingsOutward, "VO_c")]
    {
        let options = Options { order, ..options(setting) };
        let (peak, line) = sweep(setting, &options, name)?;
        comparison.compare(format!("{name}, peak nodes"), "", grouped(peak), "");
        peaks.push(peak);
        series.push(line);
    }
    let ratio = format!("{:.2}", peaks[1] as f64 / peaks[0] as f64);
    comparison.compare(
        "VO_b / VO_a at their peaks",
        "1.13",
        ratio,
        "the published ratio is read off a figure",
    );
    let ratio = format!("{:.2}", peaks[2] as f64 / peaks[0] as f64);
    comparison.compare("VO_c / VO_a at their peaks", "", ratio, "");
    comparison.notes.push("Published: VO_a and VO_c perform equally, VO_b constantly worse.".to_owned());
    setting.figure("othello-orders", "Othello 4x5, Alg 5 (Figure 7.6)", "iteration", "nodes", &series)
}

/// Figure 7.7: the turn variable at the top or at the bottom.
pub fn turn(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let mut series = vec![];
    let published = ["1.4e6", "2e6"];
    for (i, (turn, name)) in [(TurnPlace::Top, "top"), (TurnPlace::Bottom, "bottom")].into_iter().enumerate()
    {
        let options = Options { turn, ..options(setting) };
        let (peak, line) = sweep(setting, &options, name)?;
        let relation = relation(&options)?;
        comparison.compare(format!("{name}, peak nodes"), "", grouped(peak), "");
        let what = format!("{name}, relation nodes");
        comparison.compare_rounded(what, published[i], u128::from(relation));
        series.push(line);
    }
    comparison.notes.push("Published: the place makes a negligible difference for the sets.".to_owned());
    setting.figure("othello-turn", "Othello 4x5, Alg 5 (Figure 7.7)", "iteration", "nodes", &series)
}
