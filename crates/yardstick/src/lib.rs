//! Our unit of speed.
//!
//! Seconds mean little: machines differ, and the same machine differs from minute to minute. So the cost of a solution
//! is given in *yardstick units*. One unit is the CPU time that this crate's program takes for Connect Four 5x5 (about 3 s) on
//! the same machine in the same minutes. It strongly solves that one game as a program written for it would: one
//! thread, everything in memory, a column of the board per level, 64 positions at a time. What changes its speed changes
//! the unit: leave it as it is.
//!
//! ```
//! use winset_yardstick::{Report, solve};
//! let report = solve(4, 4).expect("this processor has the instructions");
//! assert_eq!(report.positions, 161_029);
//! assert_eq!(report, Report { positions: 161_029, loss: 10_830, draw: 90_120, win: 38_675 });
//! ```
//!
//! A bench that wants to know the unit lets its own program be the yardstick for a while: it calls [`be_child`] first
//! of all and [`unit()`] whenever it likes. A process of its own keeps the bench's memory out of the figures.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_imports, reason = "there is no unit there"))]

mod board;
mod image;
mod index;
mod set;
#[cfg(target_arch = "x86_64")]
mod stream;
mod wins;

use board::Board;
use index::Index;
use set::{EMPTY, Set};
use std::process::{Command, Stdio};
#[cfg(target_arch = "x86_64")]
use stream::{Values, stream};

/// What is found: the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// All positions that can arise.
    pub positions: u64,
    /// Positions in which the game has not ended and the player to move loses.
    pub loss: u64,
    /// Those that are level.
    pub draw: u64,
    /// Those that the player to move wins.
    pub win: u64,
}

/// Strongly solves Connect Four with 2 to 8 columns and 1 to 6 rows. None where the processor has no BMI2: then
/// there is no unit.
///
/// # Panics
/// If the board is smaller or larger than that.
pub fn solve(columns: usize, rows: usize) -> Option<Report> {
    assert!((2..=8).contains(&columns) && (1..=6).contains(&rows), "2 to 8 columns and 1 to 6 rows");
    #[cfg(target_arch = "x86_64")]
    return solve_bmi2(columns, rows);
    #[cfg(not(target_arch = "x86_64"))]
    None
}

#[cfg(target_arch = "x86_64")]
fn solve_bmi2(columns: usize, rows: usize) -> Option<Report> {
    let instructions = stream::Bmi2::detect()?;
    let board = Board { columns, rows };
    let mut report = Report { positions: 1, ..Report::default() };

    // Forward: the positions of each layer in which the game goes on.
    let (mut set, mut root) = Set::start(columns);
    let mut layers = vec![Index::new(&set, root)];
    for ply in 0..columns * rows {
        let player = (ply % 2) as u8;
        let (reached, top) = image::image(&board, player, &set, root);
        report.positions += Index::new(&reached, top).len;
        (set, root) = wins::without(&board, player, &reached, top);
        layers.push(Index::new(&set, root));
        if root == EMPTY {
            break;
        }
    }

    // Backward: each layer's values from those of the next. Who can still move in the last layer has a full board.
    let mut next = layers.pop()?;
    let mut known = Values::all_drawn(next.len);
    report.draw = next.len;
    while let Some(this) = layers.pop() {
        let player = (layers.len() % 2) as u8;
        let (values, [loss, draw, win]) = stream(instructions, &board, player, &this, &next, &known);
        report.loss += loss;
        report.draw += draw;
        report.win += win;
        (known, next) = (values, this);
    }
    Some(report)
}

const CHILD: &str = "--be-the-yardstick";

/// Lets this process be the yardstick if [`unit()`] started it for that; otherwise does nothing.
pub fn be_child() {
    if std::env::args().nth(1).as_deref() == Some(CHILD) {
        let expected = Report { positions: 69_763_700, loss: 9_345_820, draw: 14_419_273, win: 27_296_634 };
        std::process::exit(if solve(5, 5) == Some(expected) { 0 } else { 1 });
    }
}

/// The CPU seconds of one unit now, the least of a few runs. None if it cannot be measured here, because the processor
/// has no BMI2 or the system does not tell CPU times. The process must call [`be_child`] first thing in `main`.
pub fn unit(runs: usize) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let run = || {
        let before = cpu_seconds()?[1];
        let status = Command::new(&program).arg(CHILD).stdout(Stdio::null()).status().ok()?;
        status.success().then_some(())?;
        Some(cpu_seconds()?[1] - before)
    };
    (0..runs).map(|_| run()).reduce(|a, b| Some(a?.min(b?)))?
}

/// CPU seconds of this process and of its finished children so far, where the system tells them.
pub fn cpu_seconds() -> Option<[f64; 2]> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the program's name in brackets; the kernel counts in hundredths of a second.
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i)?.parse::<f64>().ok().map(|n| n / 100.0);
    Some([ticks(11)? + ticks(12)?, ticks(13)? + ticks(14)?])
}
