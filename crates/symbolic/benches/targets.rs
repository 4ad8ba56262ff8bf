//! Solves boards with the best algorithm and prints the cost in yardstick units: CPU time divided by that
//! of `connect4-stream 5 5`, run before and after in the same process's time.
//!
//! `WINSET_YARDSTICK` names the yardstick's binary; without it the program is built from
//! `../shared/yardstick` beside the project if that is there, otherwise only CPU times are printed.
//! Arguments choose boards by parts of their names; `large` adds the boards that take minutes.

use std::path::{Path, PathBuf};
use std::process::Command;
use winset_games::{Baseline, build};
use winset_symbolic::{Options, SolveOptions, solve};

struct Board {
    name: &'static str,
    game: &'static str,
    size: &'static str,
    baseline: Baseline,
    /// At most so many units.
    target: Option<f64>,
    large: bool,
}

const fn board(name: &'static str, game: &'static str, size: &'static str) -> Board {
    Board { name, game, size, baseline: Baseline::Made, target: None, large: false }
}

const M2: Baseline = Baseline::CanBeMade;

const BOARDS: &[Board] = &[
    Board { target: Some(25.0), ..board("othello 4x5", "othello", "4x5") },
    Board { target: Some(6.0), ..board("breakthrough 5x4 M1", "breakthrough", "5x4") },
    Board { target: Some(6.0), baseline: M2, ..board("breakthrough 5x4 M2", "breakthrough", "5x4") },
    board("connect4 5x5", "connect4", "5x5"),
    board("breakthrough 7x3 M1", "breakthrough", "7x3"),
    Board { baseline: M2, ..board("breakthrough 7x3 M2", "breakthrough", "7x3") },
    Board { baseline: M2, large: true, ..board("breakthrough 6x4 M2", "breakthrough", "6x4") },
    Board { large: true, ..board("breakthrough 6x4 M1", "breakthrough", "6x4") },
    Board { baseline: M2, large: true, ..board("breakthrough 5x5 M2", "breakthrough", "5x5") },
    Board { large: true, ..board("breakthrough 5x5 M1", "breakthrough", "5x5") },
    Board { large: true, ..board("connect4 5x6", "connect4", "5x6") },
];

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let large = chosen.iter().any(|arg| arg == "large");
    let names: Vec<&String> = chosen.iter().filter(|arg| *arg != "large").collect();
    let yardstick = yardstick();
    if yardstick.is_none() {
        println!("the yardstick is absent: set WINSET_YARDSTICK to its binary; CPU seconds only");
    }
    for board in BOARDS {
        let named = names.iter().any(|name| board.name.contains(name.as_str()));
        if !named && (!names.is_empty() || board.large && !large) {
            continue;
        }
        let before = yardstick.as_deref().and_then(unit);
        let game = build(board.game, Some(board.size), &board.baseline.into()).expect("a board of the list");
        let started = cpu_seconds();
        let budget = Options { memory: 12 << 30, ..Options::default() };
        let solution = solve(&game, &budget, SolveOptions::default(), &mut ());
        let seconds = cpu_seconds() - started;
        let after = yardstick.as_deref().and_then(unit);
        let text = match &solution {
            Ok(solution) => format!("{} positions, rewards {:?}", solution.positions, solution.rewards),
            Err(error) => error.to_string(),
        };
        let unit = before.into_iter().chain(after).fold(f64::INFINITY, f64::min);
        let ratio = if unit.is_finite() { format!(", {:.2} units", seconds / unit) } else { String::new() };
        let target = board.target.map_or(String::new(), |target| format!(" (target {target})"));
        println!("{}: {seconds:.2} s{ratio}{target}, peak {} MiB; {text}", board.name, peak_mib());
    }
}

/// CPU time of this process so far, from the kernel.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// CPU time of the children waited for.
fn children_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(13) + ticks(14)) / 100.0
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)).and_then(|n| n.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

/// The CPU time of one run of the yardstick.
fn unit(binary: &Path) -> Option<f64> {
    let before = children_seconds();
    let run = Command::new(binary).args(["5", "5"]).output().ok()?;
    run.status.success().then(|| children_seconds() - before)
}

fn yardstick() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("WINSET_YARDSTICK") {
        return Some(path.into());
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/yardstick/connect4-stream");
    let target = std::env::temp_dir().join("winset-yardstick");
    let built = Command::new("cargo")
        .args(["build", "--release", "--quiet"])
        .current_dir(&source)
        .env("CARGO_TARGET_DIR", &target)
        .status();
    let binary = target.join("release/connect4-stream");
    (built.is_ok_and(|status| status.success()) && binary.exists()).then_some(binary)
}
