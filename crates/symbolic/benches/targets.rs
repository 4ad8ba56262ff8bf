//! Solves boards with the best algorithm and prints the cost in yardstick units: CPU time divided by that of
//! `winset-yardstick`, measured before and after. Where there is no unit, only CPU times are printed.
//!
//! Arguments choose boards by parts of their names; `large` adds the boards that take minutes.

use winset_games::{Baseline, build};
use winset_symbolic::{Options, SolveOptions, solve};

struct Board {
    name: &'static str,
    game: &'static str,
    size: &'static str,
    baseline: Baseline,
    /// The most units that it may take.
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
    winset_yardstick::be_child();
    let chosen: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let large = chosen.iter().any(|arg| arg == "large");
    let names: Vec<&String> = chosen.iter().filter(|arg| *arg != "large").collect();
    for board in BOARDS {
        let named = names.iter().any(|name| board.name.contains(name.as_str()));
        if !named && (!names.is_empty() || board.large && !large) {
            continue;
        }
        let before = winset_yardstick::unit(1);
        let game = build(board.game, Some(board.size), &board.baseline.into()).expect("a board of the list");
        let started = cpu_seconds();
        let budget = Options { memory: 12 << 30, ..Options::default() };
        let solution = solve(&game, &budget, SolveOptions::default(), &mut ());
        let seconds = cpu_seconds() - started;
        let after = winset_yardstick::unit(1);
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

/// CPU time of this process so far.
fn cpu_seconds() -> f64 {
    winset_yardstick::cpu_seconds().map_or(0.0, |[own, _]| own)
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)).and_then(|n| n.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
