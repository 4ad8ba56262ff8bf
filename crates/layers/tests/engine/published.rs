//! Published counts.

use winset_games::{Baseline, build};
use winset_layers::{Options, Solution, solve};
use winset_model::Player;

fn solved(name: &str, size: &str, baseline: Baseline) -> Solution {
    let game = build(name, Some(size), &baseline.into()).unwrap();
    solve(&game, &Options { threads: 2, ..Default::default() }, &mut ()).unwrap()
}

/// Lost, drawn and won, with full boards counted as drawn like other positions.
fn with_full_boards([lost, drawn, won]: [u128; 3], solution: &Solution) -> [u128; 3] {
    let level = solution.outcomes.code([50, 50].into()).unwrap();
    let full = solution.layers.iter().flat_map(|layer| &layer.terminal).filter(|t| t.0 == level);
    [lost, drawn + full.map(|t| u128::from(t.1)).sum::<u128>(), won]
}

#[test]
fn connect4() {
    for (size, positions, values) in [
        ("4x4", 161_029, [10_830, 90_120, 38_675]),
        ("5x4", 3_945_711, [443_561, 1_303_636, 1_390_516]),
        ("4x5", 1_706_255, [163_499, 712_421, 509_601]),
    ] {
        let solution = solved("connect4", size, Baseline::Made);
        assert_eq!(solution.positions(), positions, "{size}");
        assert_eq!(with_full_boards(solution.lost_level_won(), &solution), values, "{size}");
        assert_eq!(solution.value, Some([50, 50].into()), "{size}");
    }
}

#[test]
fn connect4_5x5_by_layer() {
    let solution = solved("connect4", "5x5", Baseline::Made);
    let layers: Vec<u64> = solution.layers.iter().map(|layer| layer.positions).collect();
    assert_eq!(solution.positions(), 69_763_700);
    assert_eq!(layers[..10], [1, 5, 25, 95, 345, 1_075, 3_350, 9_355, 25_060, 60_842]);
    let values = with_full_boards(solution.lost_level_won(), &solution);
    assert_eq!(values, [9_345_820, 14_419_273, 27_296_634]);
}

#[test]
fn othello_4x4() {
    let solution = solved("othello", "4x4", Baseline::Made);
    let layers: Vec<u64> = solution.layers.iter().map(|layer| layer.positions).collect();
    assert_eq!(layers, [1, 4, 12, 42, 124, 400, 1124, 2792, 6716, 12442, 17962, 16118, 5052]);
    assert_eq!(solution.value, Some([0, 100].into()));
    let mut by_winner = [0; 3];
    for layer in &solution.layers {
        for &(code, n) in &layer.terminal {
            by_winner[solution.outcomes.standing(code, Player(0)).unwrap() as usize] += n;
        }
        for m in &layer.movers {
            for (code, n) in m.by_code.iter().enumerate() {
                by_winner
                    [solution.outcomes.standing(code as winset_layers::Code, Player(0)).unwrap() as usize] +=
                    n;
            }
        }
    }
    assert_eq!(by_winner, [28_483, 5_009, 29_297]);
}

#[test]
fn breakthrough() {
    for (size, winner, made, can_be_made) in [
        ("4x3", 0, 10_689, 3_207),
        ("4x4", 0, 387_693, 74_682),
        ("5x3", 1, 2_418_400, 417_529),
        ("6x3", 0, 35_546_763, 8_656_168),
    ] {
        for (baseline, positions) in [(Baseline::Made, made), (Baseline::CanBeMade, can_be_made)] {
            let solution = solved("breakthrough", size, baseline);
            assert_eq!(solution.positions(), positions, "{size} {baseline:?}");
            assert_eq!(solution.value.unwrap()[Player::new(winner)], 100, "{size} {baseline:?}");
        }
    }
}
