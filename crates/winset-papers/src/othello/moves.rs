//! Othello 8x8: the number of pairs in each move relation, by formula 5.3 and by the diagrams.

use super::options;
use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::Setting;
use winset_games::othello;
use winset_report::table::grouped;
use winset_symbolic::{Bcdd, Symbolic, order};

const SIZE: usize = 8;

/// Formula 5.3: boards where a stone on the square encloses something, for both players.
fn formula(row: usize, column: usize) -> u128 {
    let reach = |at: usize, step: isize| match step {
        1 => SIZE - 1 - at,
        -1 => at,
        _ => SIZE,
    };
    let mut lengths = vec![];
    for down in [-1, 0, 1] {
        for right in [-1, 0, 1] {
            if (down, right) != (0, 0) {
                lengths.push(reach(row, down).min(reach(column, right)) as u32);
            }
        }
    }
    let power = |n: u32| 3u128.pow(n);
    let all: u128 = lengths.iter().map(|&length| power(length)).product();
    let enclosing = |length: u32| (0..length.saturating_sub(1)).map(power).sum::<u128>();
    let none: u128 = lengths.iter().map(|&length| power(length) - enclosing(length)).product();
    let others = (SIZE * SIZE - 1) as u32 - lengths.iter().sum::<u32>();
    (all - none) * power(others) * 2
}

/// All 64 squares.
pub fn moves(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    let game = othello(SIZE, SIZE);
    let mut system = game.system();
    // Only the moves that place a stone: where the game ends is another matter, and a huge diagram.
    system.stops.clear();
    system.sets.clear();
    system.relations.retain(|relation| relation.unless.is_empty());
    let options = options(setting);
    let variables = order(&game, &options.order, options.turn)?;
    let symbolic = Symbolic::<Bcdd>::from_system(&system, variables, &options)?;
    for row in 0..SIZE {
        for column in 0..SIZE {
            let square = &game.variables()[game.cell(row, column).index()].name;
            let both: Vec<usize> =
                (0..system.relations.len()).filter(|&i| system.relations[i].name == *square).collect();
            let ours = symbolic.count_pairs(&both)?;
            comparison.must_match(square, grouped(formula(row, column)), grouped(ours));
        }
    }
    let slip = "a slip: the formula that stands beside it gives 9.633e29";
    comparison.declared("e_00 as published", "8.80385e9", format!("{:.5e}", formula(0, 0) as f64), slip);
    comparison.rounded("e_33 as published", "1.68160e30", formula(3, 3));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corner_and_centre() {
        assert_eq!(formula(0, 0), 963_308_244_040_845_343_276_213_462_248);
        assert_eq!(format!("{:.5e}", formula(3, 3) as f64), "1.68160e30");
    }
}
