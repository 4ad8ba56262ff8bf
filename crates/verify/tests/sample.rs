//! What a sample says is right: planted faults are found as often as its size promises.

use winset_reference::{Cut, Solution, build, open, scratch, solve, write};
use winset_verify::{MEMORY, Report, verify_sample};

fn sample(store: &winset_store::Store, count: u64, seed: u64) -> Report {
    verify_sample(store, count, seed, MEMORY, &|_, _| ()).unwrap()
}

/// The chance of at most `hits` in `tries` if each has the chance `p`.
fn at_most(hits: u64, tries: u64, p: f64) -> f64 {
    let ln_choose = |k: u64| (0..k).map(|i| ((tries - i) as f64 / (k - i) as f64).ln()).sum::<f64>();
    let chance = |k: u64| (ln_choose(k) + k as f64 * p.ln() + (tries - k) as f64 * (1.0 - p).ln()).exp();
    (0..=hits).map(chance).sum()
}

/// Changes the values of some states of the last layers.
fn plant(solution: &mut Solution, count: u64) {
    for i in 0..count {
        let layer = &mut solution.layers[6];
        let rank = i * layer.index.len() / count;
        let right = layer.codes.get(rank);
        layer.codes.set(rank, (right + 1) % 3);
    }
}

#[test]
fn planted_faults_are_found_as_often_as_promised() {
    const SEEDS: u64 = 500;
    for planted in [5, 20, 60] {
        let mut solution = solve(&build("tictactoe", "3x3"), Cut::Stones, false);
        plant(&mut solution, planted);
        let directory = scratch();
        write(directory.path(), &solution);
        let store = open(directory.path()).unwrap();
        // A false value makes those before it look false too: all that a look at single states can see count.
        let all = sample(&store, u64::MAX, 0);
        let (wrong, of) = (all.faults, all.solved);
        assert!(all.checked == of && wrong >= planted, "{all}");
        for size in [of / wrong / 3, of / wrong, 3 * of / wrong] {
            let found = (0..SEEDS).filter(|&seed| !sample(&store, size, seed).holds()).count() as u64;
            let p = 1.0 - (1.0 - wrong as f64 / of as f64).powf(size as f64);
            let (low, high) = (at_most(found, SEEDS, p), at_most(SEEDS - found, SEEDS, 1.0 - p));
            println!(
                "{wrong} of {of} wrong, {size} drawn: {found} of {SEEDS} found, expected {:.1}",
                p * SEEDS as f64
            );
            assert!(low > 1e-9 && high > 1e-9, "{found} of {SEEDS}, chance {p}: {low} {high}");
        }
        // A sample that finds nothing bounds the wrong ones; with k wrong ones it may find nothing in 5 of 100 cases.
        let size = (3 * of).div_ceil(wrong);
        let missed =
            (0..SEEDS).map(|seed| sample(&store, size, seed)).filter(|r| r.holds() && r.bound() < wrong);
        let missed = missed.count() as u64;
        assert!(at_most(SEEDS - missed, SEEDS, 0.95) > 1e-9, "{missed} of {SEEDS} bounds are wrong");
    }
}

#[test]
fn samples_of_any_size() {
    let solution = solve(&build("tictactoe", "3x3"), Cut::Stones, true);
    let directory = scratch();
    write(directory.path(), &solution);
    let store = open(directory.path()).unwrap();
    let of = sample(&store, 0, 1).solved;
    for (count, checked) in
        [(0, 0), (1, 1), (of - 1, of - 1), (of, of), (of + 1, of), (1 << 40, of), (u64::MAX, of)]
    {
        let report = sample(&store, count, u64::MAX);
        assert!(report.holds() && !report.is_proof() && report.checked == checked, "{count}: {report}");
        assert_eq!(
            report.bound(),
            match checked {
                n if n == of => 0,
                n => (3 * of).div_ceil(n.max(1)).min(of),
            }
        );
        assert!(!report.verdict().proved, "{count}");
    }
}
