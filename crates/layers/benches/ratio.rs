//! The layer engine against the yardstick in one run: CPU time in yardstick units.
//!
//! The yardstick is a program that strongly solves Connect Four; its path is taken from
//! `WINSET_YARDSTICK`, or it is built from `../shared/yardstick` if that is there. Arguments after `--`
//! choose rows by a part of their name; `large` adds the boards that take minutes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use winset_games::{Baseline, build};
use winset_layers::{Options, solve};

/// CPU seconds of this process and of its finished children so far.
fn cpu() -> [f64; 2] {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> = text
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0.0))
        .collect();
    let ticks = |i: usize| fields.get(i).copied().unwrap_or(0.0) / 100.0;
    [ticks(11) + ticks(12), ticks(13) + ticks(14)]
}

fn yardstick() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("WINSET_YARDSTICK") {
        return Some(path.into());
    }
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/yardstick/connect4-stream"));
    let target = std::env::temp_dir().join("winset-yardstick");
    let built = Command::new("cargo")
        .args(["build", "--release", "--quiet", "--manifest-path"])
        .arg(source.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .status();
    matches!(built, Ok(status) if status.success()).then(|| target.join("release/connect4-stream"))
}

/// The CPU seconds that the yardstick takes for a board, the best of a few runs.
fn unit(path: &Path, columns: &str, rows: &str, runs: usize) -> f64 {
    let run = || {
        let before = cpu()[1];
        let status = Command::new(path).args([columns, rows]).stdout(std::process::Stdio::null()).status();
        assert!(status.is_ok_and(|status| status.success()), "the yardstick runs");
        cpu()[1] - before
    };
    (0..runs).map(|_| run()).fold(f64::INFINITY, f64::min)
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
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let Some(path) = yardstick() else {
        eprintln!("no yardstick: set WINSET_YARDSTICK to its program");
        return;
    };
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
        let one = unit(&path, "5", "5", 2);
        let timed = |options: &Options| {
            let (before, clock) = (cpu()[0], Instant::now());
            let solution = solve(&game, options, &mut ()).unwrap();
            (solution.positions(), cpu()[0] - before, clock.elapsed().as_secs_f64())
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
