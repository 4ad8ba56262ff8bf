//! States by who wins them, whoever is to move and whether the game has ended or not.

use winset_layers::{CodeTable, Solution, Summary};
use winset_model::Player;

/// The states of a layer: won by the second player, level, won by the first.
pub fn of_layer(summary: &Summary, outcomes: &CodeTable) -> [u128; 3] {
    let mut counts = [0u128; 3];
    let moving = summary.movers.iter().flat_map(|m| m.by_code.iter().enumerate());
    let ended = summary.terminal.iter().map(|(code, n)| (usize::from(*code), n));
    for (code, &n) in moving.chain(ended) {
        let at = match outcomes.table()[code].leader() {
            Some(Player(0)) => 2,
            Some(_) => 0,
            None => 1,
        };
        counts[at] += u128::from(n);
    }
    counts
}

/// All states: won by the second player, level, won by the first.
pub fn of_all(solved: &Solution) -> [u128; 3] {
    let mut sum = [0; 3];
    for layer in &solved.layers {
        let part = of_layer(layer, &solved.outcomes);
        sum.iter_mut().zip(part).for_each(|(sum, n)| *sum += n);
    }
    sum
}
