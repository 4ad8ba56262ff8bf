//! Table 7.3: how much the immediately won states of a player take, what section 7.2 makes of that, and the parts of
//! those states that can be counted by hand (section 5.3).

use super::boards::{by_lead, without};
use super::{FIRST_CODE, options};
use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::held::held;
use crate::setting::Setting;
use winset_games::othello;
use winset_model::Value;
use winset_report::table::grouped;
use winset_symbolic::{Bcdd, SymbolicError, SymbolicGame};

/// The contents of a square.
const EMPTY: Value = 0;
const OTHER: Value = 2;

struct Board {
    rows: usize,
    columns: usize,
    states: &'static str,
    bytes: u64,
    /// Bytes per state.
    each: &'static str,
    /// Over the bytes per state of the board before.
    factor: &'static str,
}

const BOARDS: [Board; 4] = [
    Board { rows: 4, columns: 4, states: "901,134", bytes: 1_072_054, each: "1.1397", factor: "" },
    Board { rows: 4, columns: 5, states: "1.51722e7", bytes: 7_012_428, each: "0.46219", factor: "0.4055" },
    Board { rows: 5, columns: 5, states: "4.6418e8", bytes: 35_523_524, each: "0.0765", factor: "0.1655" },
    Board { rows: 5, columns: 6, states: "1.55636e10", bytes: 272_472_389, each: "0.0175", factor: "0.22" },
];

/// The four boards, the last one with `--large`.
pub fn storage(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    let largest = match () {
        () if setting.is_large() => 4,
        () if setting.is_small() => 2,
        () => 3,
    };
    let (mut published, mut measured) = (vec![], vec![]);
    for board in &BOARDS[..largest] {
        let name = format!("{}x{}", board.rows, board.columns);
        setting.begin("othello-storage", &name);
        let game = othello(board.rows, board.columns);
        let symbolic = SymbolicGame::<Bcdd>::new(&game, &options(setting))?;
        let space = &symbolic.symbolic.space;
        let won = symbolic.won_at_once(FIRST_CODE, space.domain())?;
        let exact = space.count(&won)?;
        // The thesis's program compares with half the squares, rounded down.
        let missed = if board.rows * board.columns % 2 == 1 { won_by_one_stone(&symbolic)? } else { 0 };
        comparison.rounded(format!("{name}, states"), board.states, exact - missed);
        if missed > 0 {
            comparison.note(format!(
                "On {name} the thesis's program leaves out the {} full boards won by one stone; the immediately \
                 won states are {}.",
                grouped(missed),
                grouped(exact)
            ));
        }
        by_hand(&symbolic, &won, &name, comparison)?;
        comparison.ours(format!("{name}, nodes"), grouped(space.nodes_of(&won) as u64));
        let bytes = held(setting, space, &won)?;
        let ours = bytes.map_or("not measured".to_owned(), grouped);
        comparison.beside(
            format!("{name}, bytes"),
            grouped(board.bytes),
            ours,
            "another package, other nodes",
        );
        arithmetic(board, &name, exact - missed, comparison);
        published.push(board.bytes as f64 / (exact - missed) as f64);
        if let Some(bytes) = bytes {
            let each = bytes as f64 / exact as f64;
            let why = "of other bytes";
            comparison.beside(
                format!("{name}, bytes per state, ours"),
                board.each,
                format!("{each:.4}"),
                why,
            );
            if let Some(before) = measured.last() {
                let factor = format!("{:.4}", each / before);
                comparison.beside(format!("{name}, factor, ours"), board.factor, factor, why);
            }
            measured.push(each);
        }
    }
    if largest == BOARDS.len() {
        extrapolation("from the published bytes, without the slip", &published, comparison);
        if measured.len() == BOARDS.len() {
            extrapolation("from our bytes", &measured, comparison);
        }
    } else {
        comparison.note("5x6, and with it the extrapolation to 8x8, is computed with --large.");
    }
    comparison.note(
        "Bytes are what the allocator gave to a manager of diagrams that has room for exactly these nodes: the nodes, the \
         tables in which they are found, and what the manager itself needs.",
    );
    Ok(())
}

/// The columns of the table that follow from others: the thesis's own bytes and states give its bytes per state.
fn arithmetic(board: &Board, name: &str, states: u128, comparison: &mut Comparison) {
    let exact = [u128::from(board.bytes), states];
    let ours = format!("{:.5}", board.bytes as f64 / states as f64);
    let what = format!("{name}, bytes per state, from the published bytes");
    if board.each == "1.1397" {
        // 1,072,054 / 901,134 = 1.1897: a digit was taken for another, and the next factor and the mean follow from it.
        comparison.declared(
            what,
            board.each,
            ours,
            "a slip: the published bytes over the published states are 1.1897",
        );
    } else {
        comparison.fraction(what, board.each, exact, ours);
    }
}

/// Section 7.2: the mean factor from one size to the next, five times, times a lower bound of final positions.
fn extrapolation(label: &str, each: &[f64], comparison: &mut Comparison) {
    let factors: Vec<f64> = each.windows(2).map(|pair| pair[1] / pair[0]).collect();
    let mean = factors.iter().sum::<f64>() / factors.len() as f64;
    let last = each.last().copied().unwrap_or(f64::NAN);
    let eight = last * mean.powi(5);
    let why = "its mean has the slip of 4x4 in it";
    comparison.beside(format!("mean factor, {label}"), "0.2637", format!("{mean:.4}"), why);
    comparison.beside(format!("8x8, bytes per state, {label}"), "2.23e-5", format!("{eight:.2e}"), why);
    let all = format!("{:.2e}", eight * 1e22);
    comparison.beside(format!("8x8, bytes of 10^22 states, {label}"), "2.23e17", all, why);
}

/// The two of the three parts of section 5.3 that can be counted by hand, beside what the diagrams have.
fn by_hand(
    game: &SymbolicGame<'_, Bcdd>,
    won: &Bcdd,
    name: &str,
    comparison: &mut Comparison,
) -> Result<(), SymbolicError> {
    let space = &game.symbolic.space;
    let squares = game.game.board().map_or(0, |board| board.cells.iter().flatten().count()) as u128;
    let full = without(game, won, EMPTY)?;
    let one_colour = space.diff(&without(game, won, OTHER)?, &full)?;
    let rest = space.diff(&space.diff(won, &full)?, &one_colour)?;
    // More than half of the squares are the winner's, or some but not all and none the other's; either player to move.
    let ahead = (squares / 2 + 1..=squares).map(|own| choose(squares, own)).sum::<u128>();
    comparison.must_match(
        format!("{name}, full boards, by the formula"),
        grouped(2 * ahead),
        grouped(space.count(&full)?),
    );
    let alone = (1u128 << squares) - 2;
    let what = format!("{name}, one colour and not full, by the formula");
    comparison.must_match(what, grouped(2 * alone), grouped(space.count(&one_colour)?));
    comparison.ours(format!("{name}, neither"), grouped(space.count(&rest)?));
    Ok(())
}

/// The number of ways to choose k of n.
fn choose(n: u128, k: u128) -> u128 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

/// The number of full boards that the first player has won by one stone, either player to move.
fn won_by_one_stone(game: &SymbolicGame<'_, Bcdd>) -> Result<u128, SymbolicError> {
    let space = &game.symbolic.space;
    let ahead = space.and(&by_lead(game)?[&1], space.domain())?;
    space.count(&without(game, &ahead, EMPTY)?)
}
