//! "Symbolic and Explicit Search Hybrid Through Perfect Hash Functions" (2014): Connect Four, Tables 1 to 6 and the
//! prediction for 7x6.

mod published;
mod seven_by_six;
mod space;
mod two_bit;

use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::{Setting, Size};
use crate::winners;
use std::time::Instant;
use winset_games::connect4;
use winset_report::table::{bytes, grouped, seconds};

/// The boards of Table 1, with the size from which on they are solved.
const BOARDS: [(usize, usize, Size); 4] =
    [(5, 5, Size::Small), (6, 5, Size::Usual), (5, 6, Size::Usual), (6, 6, Size::Large)];

/// All tables; 6x6, 7x6, most of Table 3 and Table 4 with `--large`.
pub fn tables(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    let states = published::states();
    let mut fastest = None;
    for (columns, rows, from) in BOARDS {
        if setting.size < from {
            continue;
        }
        let name = format!("{columns}x{rows}");
        setting.begin("hybrid-connect4", &name);
        let game = connect4(columns, rows, 4);
        let clock = Instant::now();
        let solved = winset_layers::solve(&game, &setting.layers(), &mut ())?;
        let time = clock.elapsed().as_secs_f64();
        let ours: Vec<u128> = solved.layers.iter().map(|layer| u128::from(layer.positions)).collect();
        let what = |layer: usize| format!("{name} layer {layer}, states (Table 1)");
        comparison.layers(what, &states.column(&name), &ours);
        if name == "6x6" {
            let table = published::values_6x6();
            for (at, who) in ["black", "draw", "white"].into_iter().enumerate() {
                let of = |layer| winners::of_layer(layer, &solved.outcomes)[at];
                let ours: Vec<u128> = solved.layers.iter().map(of).collect();
                let what = |layer: usize| format!("6x6 layer {layer}, {who} (Table 6)");
                comparison.layers(what, &table.column(who), &ours);
            }
        }
        let speed = (solved.positions() as f64 / time) as u64;
        let ours = format!("{} states/s, {} s", grouped(speed), seconds(time));
        comparison.ours(format!("{name} by the layer engine, forward and backward"), ours);
        let indices: u64 = solved.layers.iter().map(|layer| layer.bytes).sum();
        let places: u64 = solved.layers.iter().map(|layer| layer.places).sum();
        comparison.ours(format!("{name} by the layer engine, diagrams of all layers"), bytes(indices));
        comparison.ours(format!("{name} by the layer engine, values at 2 bits"), bytes(places.div_ceil(4)));
        fastest = Some((name, speed));
    }
    space::table_5(setting, comparison)?;
    two_bit::tables_3_and_4(setting, comparison)?;
    seven_by_six::table_2(setting, comparison)?;
    seven_by_six::prediction(fastest, comparison);
    if !setting.is_large() {
        comparison.note(
            "With --large: 6x6 (Tables 1 and 6), 7x6 (Tables 1 and 2), the rest of Table 3, and Table 4.",
        );
    }
    comparison.note(
        "The total printed for 6x6 in Table 1, 69,212,342,175, is a slip: its entries add up to 69,173,028,785. Black is the \
         second player.",
    );
    Ok(())
}
