//! Published counts, node counts and peaks.

use oxidd::Function;
use winset_games::{Baseline, build};
use winset_model::{Game, Player};
use winset_symbolic::*;

fn game(name: &str, size: &str) -> Game {
    build(name, Some(size), &Default::default()).unwrap()
}

fn solved(game: &Game) -> Solution {
    let options = Options { memory: 1 << 30, ..Options::default() };
    solve(game, &options, SolveOptions::default(), &mut ()).unwrap()
}

fn winners(solution: &Solution) -> [u128; 3] {
    solution.layers.iter().fold([0; 3], |sum, layer| {
        let more = layer.by_winner();
        [sum[0] + more[0], sum[1] + more[1], sum[2] + more[2]]
    })
}

#[test]
fn othello_4x4() {
    let solution = solved(&game("othello", "4x4"));
    assert_eq!(solution.rewards, [0, 100]);
    assert_eq!(solution.positions, 62_789);
    assert_eq!(winners(&solution), [29_297, 28_483, 5009]);
    let layers: Vec<u128> = solution.layers.iter().map(|layer| layer.positions).collect();
    assert_eq!(layers, [1, 4, 12, 42, 124, 400, 1124, 2792, 6716, 12442, 17962, 16118, 5052]);
    let terminal: u128 = solution.layers.iter().map(|layer| layer.terminal).sum();
    assert_eq!(terminal, 2683 + 2730 + 755);
}

#[test]
fn connect_four() {
    for (size, positions, by_mover) in [
        ("4x4", 161_029, [10_830, 90_120, 38_675]),
        ("5x4", 3_945_711, [443_561, 1_303_636, 1_390_516]),
        ("4x5", 1_706_255, [163_499, 712_421, 509_601]),
    ] {
        let solution = solved(&game("connect4", size));
        assert_eq!((solution.positions, solution.rewards), (positions, [50, 50].into()), "{size}");
        let mut sums = [0; 3];
        for layer in &solution.layers {
            layer.by_mover().iter().zip(&mut sums).for_each(|(n, sum)| *sum += n);
        }
        // The published draws count full boards too.
        sums[1] = winners(&solution)[2];
        assert_eq!(sums, by_mover, "{size}");
    }
}

#[test]
fn breakthrough() {
    let m2 = Baseline::CanBeMade.into();
    for (size, first_wins, made, can_be_made) in
        [("4x3", true, 10_689, 3207), ("4x4", true, 387_693, 74_682), ("5x3", false, 2_418_400, 417_529)]
    {
        let rewards = if first_wins { [100, 0] } else { [0, 100] };
        let solution = solved(&game("breakthrough", size));
        assert_eq!((solution.positions, solution.rewards), (made, rewards.into()), "{size}");
        let solution = solved(&build("breakthrough", Some(size), &m2).unwrap());
        assert_eq!((solution.positions, solution.rewards), (can_be_made, rewards.into()), "{size}");
    }
}

/// As in the thesis's program: by M2, white's home row first, the turn last, the unused code word 11.
#[test]
fn breakthrough_table_5_2_nodes() {
    struct Sizes(Vec<usize>);
    impl Observer for Sizes {
        fn iteration(&mut self, iteration: &Iteration) {
            self.0.push(iteration.nodes);
        }
    }
    let (rows, columns) = (7, 3);
    let game = winset_games::breakthrough(rows, columns, Baseline::CanBeMade);
    let squares = (0..rows).rev().flat_map(|row| (0..columns).map(move |column| (row, column)));
    let name = |(row, column)| game.variables()[game.cell(row, column).index()].name.clone();
    let options = Options {
        memory: 1 << 30,
        encoding: Encoding::Binary,
        order: Order::List(squares.map(name).collect()),
        turn: TurnPlace::Bottom,
        ..Options::default()
    };
    let symbolic = Symbolic::<Bcdd>::from_game(&game, &options).unwrap();
    let mut sizes = Sizes(vec![]);
    reach(&symbolic, &mut sizes).unwrap();
    assert_eq!(sizes.0.iter().max(), Some(&57_865));
    assert_eq!(sizes.0.last(), Some(&51_133));
}

#[test]
fn table_7_1_nodes() {
    let game = game("othello", "4x4");
    let published = [(Encoding::Standard, 34, 215_801), (Encoding::ShortEmpty, 22, 192_422)];
    for (encoding, initial, relation) in published {
        let options = Options { memory: 1 << 30, encoding, order: Order::Rows, ..Options::default() };
        let compiled = SymbolicGame::<Bcdd>::new(&game, &options).unwrap();
        let symbolic = &compiled.symbolic;
        assert_eq!(symbolic.initial.node_count(), initial);
        assert_eq!(symbolic.monolithic().unwrap().node_count(), relation);
        let winning = compiled.won_at_once(Player(1), symbolic.space.domain()).unwrap();
        // Table 7.3 counts the same set's states.
        assert_eq!(symbolic.space.count(&winning), Ok(901_134));
        if encoding == Encoding::ShortEmpty {
            assert_eq!(winning.node_count(), 32_636);
        }
    }
}

#[test]
fn table_7_2_peaks_of_the_limited_variants() {
    let game = game("othello", "4x4");
    for (variant, peak) in [(Variant::Reachable, 37_298), (Variant::SweepReachable, 15_656)] {
        let options = Options { memory: 1 << 30, order: Order::Rows, ..Options::default() };
        let mut compiled = SymbolicGame::<Bcdd>::new(&game, &options).unwrap();
        let measure = prepare(&mut compiled, variant).unwrap();
        let analysis = Retrograde::new(&compiled, variant, measure, &mut ()).unwrap();
        assert_eq!(analysis.winning(Player(1), &mut ()).unwrap().peak, peak, "{variant:?}");
    }
}

/// Formula 5.3: the pairs of states in the move relation of one square.
fn formula_5_3(n: i64, row: i64, column: i64) -> u128 {
    let (mut all, mut without, mut relevant) = (1u128, 1u128, 1);
    for (down, right) in [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)] {
        let inside = |i: i64| (0..n).contains(&(row + i * down)) && (0..n).contains(&(column + i * right));
        let length = (1..).take_while(|&i| inside(i)).count() as u32;
        let enclosers: u128 = (0..length.saturating_sub(1)).map(|w| 3u128.pow(w)).sum();
        all *= 3u128.pow(length);
        without *= 3u128.pow(length) - enclosers;
        relevant += length;
    }
    (all - without) * 3u128.pow((n * n) as u32 - relevant) * 2
}

#[test]
fn formula_5_3_on_4x4() {
    assert_eq!(formula_5_3(8, 0, 0), 963_308_244_040_845_343_276_213_462_248);
    let game = game("othello", "4x4");
    for encoding in [Encoding::Standard, Encoding::ShortEmpty] {
        let options = Options { memory: 256 << 20, encoding, ..Options::default() };
        let symbolic = Symbolic::<Bcdd>::from_game(&game, &options).unwrap();
        for row in 0..4 {
            for column in 0..4 {
                let name = &game.variables()[game.cell(row, column).index()].name;
                let parts: Vec<usize> =
                    (0..game.moves().len()).filter(|&i| game.moves()[i].name == *name).collect();
                let expected = formula_5_3(4, row as i64, column as i64);
                assert_eq!(symbolic.count_pairs(&parts), Ok(expected), "{name}");
            }
        }
    }
}

#[test]
fn too_small_a_budget_is_an_error() {
    let game = game("othello", "4x5");
    let tiny = Options { memory: 1 << 20, ..Options::default() };
    let error = solve(&game, &tiny, SolveOptions::default(), &mut ()).unwrap_err();
    assert!(matches!(error, SymbolicError::Budget(..)));
    let small = Options { memory: 40 << 20, ..Options::default() };
    let error = solve(&game, &small, SolveOptions::default(), &mut ()).unwrap_err();
    assert!(matches!(error, SymbolicError::OutOfMemory { .. }), "{error}");
}
