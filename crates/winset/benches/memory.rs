//! What `--memory` promises against what the process really takes: every board under several budgets.
//!
//! Arguments after `--` are budgets (default 64M 128M 256M 1G); `large` adds boards that take minutes.

use std::process::Command;

const BOARDS: &[&[&str]] = &[
    &["connect4", "5x5"],
    &["othello", "4x5"],
    &["breakthrough", "5x4", "--baseline", "m2"],
    &["breakthrough", "7x3", "--baseline", "m2"],
    &["breakthrough", "5x4"],
    &["checkers", "4"],
];

const LARGE: &[&[&str]] = &[&["connect4", "6x5"], &["breakthrough", "5x5", "--baseline", "m2"]];

fn bytes(budget: &str) -> f64 {
    let (number, unit) = budget.split_at(budget.len() - 1);
    number.parse::<f64>().expect("like 64M or 1G") * if unit == "G" { 1073741824.0 } else { 1048576.0 }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let mut budgets: Vec<&str> = args.iter().map(String::as_str).filter(|arg| *arg != "large").collect();
    if budgets.is_empty() {
        budgets = vec!["64M", "128M", "256M", "1G"];
    }
    let large = if args.iter().any(|arg| arg == "large") { LARGE } else { &[] };
    println!("{:<36} {:>7} {:>10} {:>7} {:>9}", "", "budget", "peak MiB", "ratio", "seconds");
    for board in BOARDS.iter().chain(large) {
        for budget in &budgets {
            let mut command = Command::new(env!("CARGO_BIN_EXE_winset"));
            command.arg("solve").args(*board).args(["--json", "--threads", "1", "--memory", budget]);
            let output = command.output().expect("winset runs");
            let Ok(report) = serde_json::from_slice::<serde_json::Value>(&output.stdout) else {
                let message = String::from_utf8_lossy(&output.stderr);
                println!("{:<36} {budget:>7} {}", board.join(" "), message.trim());
                continue;
            };
            let peak = report["peak_memory_bytes"].as_f64().unwrap_or(f64::NAN);
            println!(
                "{:<36} {budget:>7} {:>10.1} {:>7.2} {:>9.2}",
                board.join(" "),
                peak / 1048576.0,
                peak / bytes(budget),
                report["seconds"].as_f64().unwrap_or(f64::NAN),
            );
        }
    }
}
