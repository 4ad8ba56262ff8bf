//! Runs the commands of a set as child processes, with their CPU time and peak memory, and the yardstick before and after.

#![allow(
    unsafe_code,
    reason = "what one child process has used is told by a function of the C library alone"
)]

use crate::{Done, root};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use winset_papers::results::{Measured, Run, Set};

/// Runs every command of the set with the word in it that begins with `winset `, and writes the file after each.
pub fn again(path: &Path, word: &str) -> Done {
    let mut set = Set::read(path)?;
    let commit = commit()?;
    for at in 0..set.runs.len() {
        let command = set.runs[at].command.clone();
        let Some(arguments) = command.strip_prefix("winset ").filter(|_| command.contains(word)) else {
            continue;
        };
        eprintln!("{command}");
        let before = winset_yardstick::unit(1);
        let (out, cost) = run(arguments)?;
        let after = winset_yardstick::unit(1);
        let unit = before.zip(after).map(|(before, after)| (before + after) / 2.0);
        let units = cost.cpu_seconds.zip(unit).map(|(cpu, unit)| hundredths(cpu / unit));
        take(&mut set, at, &out)?;
        set.runs[at].measured = Measured { commit: commit.clone(), machine: machine(), units, ..cost };
        std::fs::write(path, set.text())?;
    }
    Ok(())
}

/// Takes the figures from what the command printed.
fn take(set: &mut Set, at: usize, out: &str) -> Done {
    let printed: Value = serde_json::from_str(out)?;
    let Run { figures, comparisons, .. } = &mut set.runs[at];
    if printed.is_array() {
        *comparisons = serde_json::from_value(printed)?;
        return Ok(());
    }
    for (figure, column) in figures.iter_mut().zip(&set.columns) {
        if let Some(pointer) = &column.pointer {
            *figure = printed.pointer(pointer).cloned().unwrap_or(Value::Null);
        }
    }
    Ok(())
}

/// Runs `winset` and gives back what it printed and what it cost.
fn run(arguments: &str) -> Result<(String, Measured), Box<dyn std::error::Error>> {
    let clock = Instant::now();
    let mut child = Command::new(program()?)
        .args(arguments.split_whitespace())
        .args((!arguments.contains("--json")).then_some("--json"))
        .args(["--progress", "none"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let out = std::io::read_to_string(child.stdout.take().ok_or("no output")?)?;
    let [status, user, system, peak] = wait(i32::try_from(child.id())?)?;
    let exit = if status & 0x7f == 0 { (status >> 8) & 0xff } else { -1 };
    let cost = Measured {
        cpu_seconds: Some(hundredths((user + system) as f64 / 1e6)),
        wall_seconds: Some(hundredths(clock.elapsed().as_secs_f64())),
        peak_bytes: Some(peak as u64 * 1024),
        exit: (exit != 0).then_some(exit as i32),
        ..Measured::default()
    };
    Ok((out, cost))
}

/// Waits for a child: its status, microseconds of user and system time, KiB of its largest resident set.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn wait(child: i32) -> std::io::Result<[i64; 4]> {
    unsafe extern "C" {
        fn wait4(child: i32, status: *mut i32, options: i32, usage: *mut [i64; 18]) -> i32;
    }
    let (mut status, mut usage) = (0, [0i64; 18]);
    // SAFETY: a function of the C library with the types of its manual: two times of two words and 14 words.
    let found = unsafe { wait4(child, &raw mut status, 0, &raw mut usage) };
    if found != child {
        return Err(std::io::Error::last_os_error());
    }
    let micros = |at: usize| usage[at] * 1_000_000 + usage[at + 1];
    Ok([i64::from(status), micros(0), micros(2), usage[4]])
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn wait(_: i32) -> std::io::Result<[i64; 4]> {
    Err(std::io::Error::other("results are measured on 64-bit Linux only"))
}

/// The program beside this example.
fn program() -> Result<PathBuf, Box<dyn std::error::Error>> {
    let here = std::env::current_exe()?;
    let program = here.parent().and_then(Path::parent).ok_or("no folder")?.join("winset");
    if !program.is_file() {
        return Err(format!("there is no {}: cargo build --release", program.display()).into());
    }
    Ok(program)
}

/// The commit that is checked out; marked if files differ from it.
fn commit() -> Result<String, Box<dyn std::error::Error>> {
    let git = |arguments: &[&str]| -> Result<String, Box<dyn std::error::Error>> {
        let output = Command::new("git").args(arguments).current_dir(root()).output()?;
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    let short = git(&["rev-parse", "--short=7", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no", "--", "crates", "Cargo.toml"])?;
    Ok(if changed.is_empty() { short } else { format!("{short}, changed") })
}

/// The processor and the number of its cores, where the system tells.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", model.map_or("unknown processor", |(_, name)| name.trim()))
}

fn hundredths(n: f64) -> f64 {
    (n * 100.0).round() / 100.0
}
