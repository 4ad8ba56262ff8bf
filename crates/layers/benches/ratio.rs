//! The layer engine against the yardstick in one run: CPU time in yardstick units.
//!
//! A unit is the CPU time of `winset-yardstick`, measured before each row. Arguments after `--` choose rows by a part of
//! their name; `large` adds the boards that take minutes.

use std::time::Instant;
use winset_games::{Baseline, build};
use winset_layers::{Options, solve};

/// CPU seconds of this process so far.
fn cpu() -> f64 {
    winset_yardstick::cpu_seconds().expect("the system tells CPU times")[0]
}

struct Row {
    name: &'static str,
    size: &'static str,
    baseline: Baseline,
    /// The most yardstick units that it may take.
    bar: f64,
    large: bool,
}

const fn row(name: &'static str, size: &'static str, baseline: Baseline, bar: f64, large: bool) -> Row {
    Row { name, size, baseline, bar, large }
}

const ROWS: &[Row] = &[
    row("connect4", "4x4", Baseline::Made, 1.0, false),
    row("connect4", "5x4", Baseline::Made, 1.0, false),
    row("connect4", "5x5", Baseline::Made, 1.0, false),
    row("othello", "4x5", Baseline::Made, 1.5, false),
    row("breakthrough", "5x4", Baseline::CanBeMade, 2.0, false),
    row("breakthrough", "7x3", Baseline::CanBeMade, 2.0, false),
    row("breakthrough", "5x4", Baseline::Made, 6.0, false),
    row("breakthrough", "7x3", Baseline::Made, 6.0, false),
    row("connect4", "6x5", Baseline::Made, 16.0, true),
];

fn main() {
    winset_yardstick::be_child();
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let large = wanted.iter().any(|w| w == "large");
    let chosen = |row: &&Row| {
        let named = wanted.iter().filter(|w| *w != "large").collect::<Vec<_>>();
        (large || !row.large) && (named.is_empty() || named.iter().any(|w| row.name.contains(w.as_str())))
    };
    println!(
        "{:<22} {:>13} {:>8} {:>8} {:>7} {:>6} {:>8} {:>8}",
        "", "positions", "CPU s", "ns/pos", "units", "bar", "2 thr", "portable"
    );
    for row in ROWS.iter().filter(chosen) {
        let game = build(row.name, Some(row.size), &row.baseline.into()).unwrap();
        let one = winset_yardstick::unit(2).expect("a processor with BMI2, on Linux");
        let timed = |options: &Options| {
            let (before, clock) = (cpu(), Instant::now());
            let solution = solve(&game, options, &mut ()).unwrap();
            (solution.positions(), cpu() - before, clock.elapsed().as_secs_f64())
        };
        let runs = if row.large { 1 } else { 3 };
        // The least CPU and the least wall clock, perhaps of different runs.
        let best = |options: &Options| {
            let least = |a: (u128, f64, f64), b: (u128, f64, f64)| (b.0, a.1.min(b.1), a.2.min(b.2));
            (0..runs).map(|_| timed(options)).reduce(least).unwrap()
        };
        let (positions, cpu, wall) = best(&Options::default());
        let (_, _, two) = best(&Options { threads: 2, ..Default::default() });
        let (_, portable, _) = best(&Options { portable: true, ..Default::default() });
        println!(
            "{:<22} {positions:>13} {cpu:>8.2} {:>8.1} {:>7.2} {:>6} {:>7.2}x {:>7.2}x",
            format!("{} {} {:?}", row.name, row.size, row.baseline),
            cpu * 1e9 / positions as f64,
            cpu / one,
            row.bar,
            wall / two,
            portable / cpu,
        );
    }
}
