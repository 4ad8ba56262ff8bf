//! `yardstick COLUMNS ROWS` solves Connect Four once and says what it found and took. Without arguments, 5x5: the unit.

use std::process::ExitCode;
use winset_yardstick::{cpu_seconds, solve};

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Option<Vec<usize>> = given.iter().map(|text| text.parse().ok()).collect();
    let (columns, rows) = match numbers.as_deref() {
        Some([]) => (5, 5),
        Some(&[columns, rows]) if (2..=8).contains(&columns) && (1..=6).contains(&rows) => (columns, rows),
        _ => {
            eprintln!("yardstick COLUMNS ROWS, with 2 to 8 columns and 1 to 6 rows");
            return ExitCode::from(2);
        }
    };
    let Some(report) = solve(columns, rows) else {
        eprintln!("this processor has no BMI2: there is no unit of speed here");
        return ExitCode::FAILURE;
    };
    println!("{columns}x{rows}: {} positions", report.positions);
    println!(
        "where the game goes on, for the player to move: {} loss, {} draw, {} win",
        report.loss, report.draw, report.win
    );
    if let Some([seconds, _]) = cpu_seconds() {
        println!("{seconds:.2} s of CPU");
    }
    ExitCode::SUCCESS
}
