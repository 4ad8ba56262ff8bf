//! What the thesis leaves to others: the encoding of its Figure 4.2, and orders of the variables.

use super::{names, options, upward, visited};
use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::{Setting, within_memory};
use winset_games::{Baseline, breakthrough};
use winset_model::Game;
use winset_report::table::grouped;
use winset_symbolic::{Encoding, Options, Order, TurnPlace};

/// The encodings with what they are called.
const ENCODINGS: [(&str, Encoding); 4] = [
    ("Figure 4.1 (11 unused)", Encoding::Binary),
    ("Figure 4.2 (black in one bit)", Encoding::ShortLast),
    ("standard (empty first, 01 unused)", Encoding::Standard),
    ("empty in one bit", Encoding::ShortEmpty),
];

/// Peaks of the visited set under every encoding and order, the turn at the bottom and at the top.
pub fn orders(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    let (rows, columns, published) =
        if setting.is_small() { (7, 3, [57_865u64, 51_133]) } else { (5, 4, [170_075, 155_056]) };
    let game = breakthrough(rows, columns, Baseline::CanBeMade);
    let own = options(setting, upward(&game, rows, columns));
    // For tests: the thesis's order with its own and its proposed encoding.
    let (orders, encodings) = if setting.is_small() { (1, 2) } else { (usize::MAX, usize::MAX) };
    let mut found: Vec<(u64, String)> = vec![];
    for (at, (order_name, order)) in candidates(&game, rows, columns).into_iter().enumerate().take(orders) {
        for (encoding_name, encoding) in ENCODINGS.into_iter().take(encodings) {
            // Where the turn goes is tried with the thesis's order only.
            let turns = if at == 0 && !setting.is_small() { 2 } else { 1 };
            let places = [("turn last", TurnPlace::Bottom), ("turn first", TurnPlace::Top)];
            for (turn_name, turn) in places.into_iter().take(turns) {
                let options = Options { encoding, order: Order::List(order.clone()), turn, ..own.clone() };
                let what =
                    format!("{rows}x{columns}, {order_name}, {encoding_name}, {turn_name}, peak nodes");
                setting.begin("breakthrough-orders", &what);
                let sizes = visited(setting, rows, columns, &options);
                let Some(sizes) = within_memory(sizes, &what, comparison)? else { continue };
                let peak = sizes.iter().max().copied().unwrap_or(0);
                if (encoding, turn) == (own.encoding, own.turn) && options.order == own.order {
                    let end = sizes.last().copied().unwrap_or(0);
                    comparison.must_match(&what, grouped(published[0]), grouped(peak));
                    let what = format!("{rows}x{columns}, the same, nodes at the end");
                    comparison.must_match(what, grouped(published[1]), grouped(end));
                } else {
                    comparison.ours(&what, grouped(peak));
                }
                found.push((peak, what));
            }
        }
    }
    if let Some((peak, what)) = found.iter().min() {
        comparison.note(format!("The least: {what}: {}.", grouped(*peak)));
    }
    comparison.note("By M2, and the sets that the thesis's Table 5.2 is about.");
    Ok(())
}

/// Orders of the squares.
fn candidates(game: &Game, rows: usize, columns: usize) -> Vec<(&'static str, Vec<String>)> {
    let upward = upward(game, rows, columns);
    let downward = names(game, (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))));
    let by_columns = names(game, (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column))));
    // From both home rows towards the middle, and back.
    let mut inward: Vec<usize> = (0..rows).collect();
    inward.sort_by_key(|&row| (row.min(rows - 1 - row), row));
    let rows_of = |order: &[usize]| {
        names(game, order.iter().flat_map(|&row| (0..columns).map(move |column| (row, column))))
    };
    let towards = rows_of(&inward);
    inward.reverse();
    let away = rows_of(&inward);
    // The middle column first: pawns cross it most.
    let mut middle: Vec<usize> = (0..columns).collect();
    middle.sort_by_key(|&column| (2 * column + 1).abs_diff(columns));
    let from_middle = names(game, middle.iter().flat_map(|&column| (0..rows).map(move |row| (row, column))));
    vec![
        ("rows from white's home (the thesis's order)", upward),
        ("rows from black's home", downward),
        ("columns", by_columns),
        ("columns from the middle", from_middle),
        ("rows from both homes inwards", towards),
        ("rows from the middle outwards", away),
    ]
}
