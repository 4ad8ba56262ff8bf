//! 7x6: Table 1's last column, Table 2, and the paper's prediction.

use super::published;
use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::Setting;
use winset_games::connect4;
use winset_layers::Summary;
use winset_report::table::grouped;

/// Table 2 has a layer's states that are not terminal, by who wins; how many they are is known once they are counted. Needs
/// hours and many gigabytes.
pub fn table_2(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    let table = published::symbolic_7x6();
    let [won, draw, lost] = ["won", "draw", "lost"].map(|who| table.column(who));
    let together = |i: usize| won[i] + draw[i] + lost[i];
    if !setting.is_large() {
        comparison.beside("7x6, Table 2", "12 layers", "not computed", "with --large");
        return Ok(());
    }
    setting.begin("hybrid-connect4", "7x6");
    let game = connect4(7, 6, 4);
    let counted = winset_layers::count(&game, &setting.layers(), &mut ())?;
    let ours: Vec<u128> = counted.layers.iter().map(|layer| u128::from(layer.positions)).collect();
    comparison.layers(
        |layer| format!("7x6 layer {layer}, states (Table 1)"),
        &published::states().column("7x6"),
        &ours,
    );
    for (i, layer) in table.column("layer").into_iter().enumerate() {
        let going_on = counted.layers.get(layer as usize).map_or(0, going_on);
        let what = format!("7x6 layer {layer}, won, drawn and lost together (Table 2)");
        comparison.must_match(what, grouped(together(i)), grouped(going_on));
    }
    comparison.note(
        "Table 2: its three columns of states add up to what is not terminal in each layer; who wins how many of them is \
         not computed here.",
    );
    Ok(())
}

/// The states of a layer that are not terminal.
fn going_on(layer: &Summary) -> u128 {
    let ended: u64 = layer.terminal.iter().map(|(_, states)| states).sum();
    u128::from(layer.positions - ended)
}

/// What the paper expects of 7x6, its arithmetic, and the same with our speed.
pub fn prediction(fastest: Option<(String, u64)>, comparison: &mut Comparison) {
    let states = published::states().column("7x6");
    let two_bits = |layers: &[usize]| layers.iter().map(|&layer| states[layer]).sum::<u128>();
    const GIB: u128 = 1 << 30;
    for (what, published, layers) in
        [("layers 32 and 33", "229.5", &[32, 33][..]), ("layer 29", "82.1", &[29][..])]
    {
        let exact = [two_bits(layers), 4 * GIB];
        let ours = format!("{:.3}", exact[0] as f64 / exact[1] as f64);
        comparison.fraction(format!("7x6, GiB of two bits, {what}"), published, exact, ours);
    }
    // Layers 0 to 29, and what is left of layer 30.
    let left: u128 = states[..30].iter().sum::<u128>() + 53_916_883_330;
    comparison.must_match("7x6, states that the paper leaves unsolved", "1,265,297,048,241", grouped(left));
    for (what, published, states) in [("layer 29", "488", states[29]), ("all unsolved states", "1,752", left)]
    {
        let hours = states / 200_000 / 3600;
        let why = "the paper's own figures, 200,000 states/s, give this";
        comparison.declared(format!("7x6, {what}, predicted hours"), published, grouped(hours), why);
        if let Some((board, speed)) = &fastest {
            let ours = format!("{:.2}", states as f64 / *speed as f64 / 3600.0);
            let why =
                "all of our cores, at the speed that the layer engine has on the largest board of this run";
            comparison.beside(format!("7x6, {what}, hours at our speed on {board}"), published, ours, why);
        }
    }
}
