//! What `--memory` promises against what the process really takes: every built-in game from its smallest board
//! to the usual one, by both engines, under several budgets.
//!
//! Arguments after `--` are budgets (default 64M 512M), engines (default all), or the seconds after which a run is
//! stopped (default 10): a promise must hold from the first moment on, so that a stopped run tells as much as one
//! that ends.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const BOARDS: &[(&str, &[&str])] = &[
    ("tictactoe", &["3x3", "4x3", "4x4", "5x5x4"]),
    ("connect4", &["4x4", "5x4", "4x5", "5x5", "6x5", "6x6", "7x6", "8x8"]),
    ("othello", &["3x3", "3x4", "4x4", "4x5", "4x6", "5x5", "6x6", "8x8"]),
    ("breakthrough", &["4x3", "4x4", "5x3", "5x4", "6x3", "7x3", "6x4", "5x5", "6x5", "5x6", "8x8"]),
    ("checkers", &["3", "4", "5", "6", "7", "8"]),
];

/// Engines with the number of threads that they are given, by the names under which they are chosen.
const ENGINES: [(&str, &str, &str); 3] =
    [("layers", "layers", "1"), ("layers2", "layers", "2"), ("bdd", "bdd", "1")];

const BASELINES: [&[&str]; 2] = [&[], &["--baseline", "m2"]];

fn bytes(budget: &str) -> Option<f64> {
    let unit = match budget.chars().last()? {
        'G' => 1073741824.0,
        'M' => 1048576.0,
        _ => return None,
    };
    budget[..budget.len() - 1].parse::<f64>().ok().map(|number| number * unit)
}

/// The most memory that a process has had.
fn peak(process: &Child) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib * 1024.0)
}

/// How a run ended, and its peak.
fn run(arguments: &[&str], limit: Duration) -> (String, f64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_winset"));
    command.arg("solve").args(arguments).arg("--json");
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("winset runs");
    let (began, mut most) = (Instant::now(), 0f64);
    loop {
        most = peak(&process).unwrap_or(0.0).max(most);
        if let Some(status) = process.try_wait().expect("it is ours") {
            let mut message = String::new();
            let stderr = process.stderr.as_mut().expect("piped");
            stderr.read_to_string(&mut message).expect("text");
            let end = match status.code() {
                Some(0) => format!("solved in {:.1} s", began.elapsed().as_secs_f64()),
                Some(1) => message.lines().next().unwrap_or("").to_owned(),
                other => format!("EXIT {other:?}: {message}"),
            };
            return (end, most);
        }
        if began.elapsed() > limit {
            process.kill().expect("it is ours");
            process.wait().expect("it is ours");
            return ("stopped".to_owned(), most);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let seconds = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(10);
    let mut budgets: Vec<&str> = args.iter().map(String::as_str).filter(|arg| bytes(arg).is_some()).collect();
    if budgets.is_empty() {
        budgets = vec!["64M", "512M"];
    }
    let chosen = |name: &str| {
        let named = |arg: &String| ENGINES.iter().any(|engine| engine.0 == arg);
        !args.iter().any(named) || args.iter().any(|arg| arg == name)
    };
    let mut worst = 0f64;
    println!("{:<28} {:<7} {:>7} {:>10} {:>7}", "", "engine", "budget", "peak MiB", "ratio");
    for (game, sizes) in BOARDS {
        let baselines = if *game == "breakthrough" { &BASELINES[..] } else { &BASELINES[..1] };
        for (size, baseline) in sizes.iter().flat_map(|size| baselines.iter().map(move |b| (size, b))) {
            for (name, engine, threads) in ENGINES.into_iter().filter(|engine| chosen(engine.0)) {
                for budget in &budgets {
                    let mut arguments = vec![*game, *size, "--engine", engine, "--memory", budget];
                    arguments.extend(["--threads", threads]);
                    arguments.extend_from_slice(baseline);
                    let (end, peak) = run(&arguments, Duration::from_secs(seconds));
                    let ratio = peak / bytes(budget).expect("checked above");
                    worst = worst.max(ratio);
                    let board = format!("{game} {size} {}", baseline.last().unwrap_or(&""));
                    let mib = peak / 1048576.0;
                    println!("{board:<28} {name:<7} {budget:>7} {mib:>10.1} {ratio:>7.2}  {end}");
                }
            }
        }
    }
    println!("largest ratio {worst:.2}");
}
