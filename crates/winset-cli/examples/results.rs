//! Measures what RESULTS.md says, and writes the page from what was measured.
//!
//! ```console
//! $ cargo build --release && cargo run --release -p winset-cli --example results -- measure results/layers.json
//! $ cargo run --release -p winset-cli --example results -- measure results/layers.json "connect4 5x5"
//! $ cargo run --release -p winset-cli --example results -- page results/*.json > RESULTS.md
//! ```
//!
//! A file of `results/` is a table: a title, a note, and rows with a name and the arguments of `winset`. `measure` runs
//! them one after the other and writes into each row which commit on which machine took how much. A row that was
//! never measured stays empty on the page: nothing is filled in by hand.

use serde::{Deserialize, Serialize};
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use winset_report::table::{bytes, grouped, seconds};

/// One table of the page.
#[derive(Serialize, Deserialize)]
struct Results {
    title: String,
    note: String,
    rows: Vec<Row>,
}

/// One line of a table.
#[derive(Serialize, Deserialize)]
struct Row {
    name: String,
    /// The arguments of `winset`; it prints one JSON object.
    command: Vec<String>,
    measured: Option<Measured>,
}

/// What a run took and found.
#[derive(Serialize, Deserialize)]
struct Measured {
    commit: String,
    machine: String,
    cpu_seconds: f64,
    /// CPU seconds of the yardstick just before.
    unit_seconds: f64,
    peak_memory_bytes: Option<u64>,
    positions: Option<u64>,
    value: Option<String>,
}

fn main() -> ExitCode {
    winset_yardstick::be_child();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.split_first() {
        Some((verb, [file, names @ ..])) if verb == "measure" => measure(Path::new(file), names),
        Some((verb, files)) if verb == "page" && !files.is_empty() => page(files),
        _ => {
            eprintln!("results measure FILE [ROW ...] or results page FILE ...");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("results: {error}");
            ExitCode::FAILURE
        }
    }
}

fn read(file: &Path) -> Result<Results, Box<dyn Error>> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?)
}

/// Measures the rows with these names, or all, and writes the file after each.
fn measure(file: &Path, names: &[String]) -> Result<(), Box<dyn Error>> {
    let mut results = read(file)?;
    // Examples lie in a folder beside the program.
    let example = std::env::current_exe()?;
    let program = example.parent().and_then(Path::parent).ok_or("no folder")?.join("winset");
    for i in 0..results.rows.len() {
        let row = &mut results.rows[i];
        if names.is_empty() || names.contains(&row.name) {
            eprintln!("{}: winset {}", row.name, row.command.join(" "));
            row.measured = Some(run(&program, &row.command)?);
            std::fs::write(file, serde_json::to_string_pretty(&results)? + "\n")?;
        }
    }
    Ok(())
}

fn run(program: &Path, command: &[String]) -> Result<Measured, Box<dyn Error>> {
    let unit_seconds = winset_yardstick::unit(1).ok_or("the unit of speed cannot be measured here")?;
    let children = || winset_yardstick::cpu_seconds().ok_or("the system does not tell CPU times");
    let before = children()?[1];
    let output = Command::new(program)
        .args(command)
        .arg("--json")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}; cargo build --release makes it", program.display()))?;
    if !output.status.success() {
        return Err(format!("winset {} failed", command.join(" ")).into());
    }
    let cpu_seconds = children()?[1] - before;
    let found: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    Ok(Measured {
        commit: commit()?,
        machine: machine(),
        cpu_seconds,
        unit_seconds,
        peak_memory_bytes: found["peak_memory_bytes"].as_u64(),
        positions: found["positions"].as_u64(),
        value: found["value"].as_str().map(str::to_owned),
    })
}

/// The commit, and whether something differs from it.
fn commit() -> Result<String, Box<dyn Error>> {
    let git = |args: &[&str]| -> Result<String, Box<dyn Error>> {
        let output = Command::new("git").args(args).output()?;
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    let changed = !git(&["status", "--porcelain", "--untracked-files=no", "--", "crates"])?.is_empty();
    Ok(git(&["rev-parse", "--short=12", "HEAD"])? + if changed { " with changes" } else { "" })
}

/// The processor and the number of cores.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", model.map_or("unknown", |(_, name)| name))
}

/// Prints the page.
fn page(files: &[String]) -> Result<(), Box<dyn Error>> {
    println!("# Results\n");
    println!(
        "Written by `results page` from `results/*.json`: do not edit. CPU is user and system time of all threads; a"
    );
    println!("unit is the CPU time of `winset-yardstick` just before.");
    for file in files {
        let results = read(Path::new(file))?;
        println!("\n## {}\n\n{}\n", results.title, results.note);
        println!("| | command | value | positions | CPU s | units | peak memory | commit | machine |");
        println!("|---|---|---|---|---|---|---|---|---|");
        for row in &results.rows {
            let figures = row.measured.as_ref().map_or(" | | | | | | ".to_owned(), Measured::cells);
            println!("| {} | `winset {}` | {figures} |", row.name, row.command.join(" "));
        }
    }
    Ok(())
}

impl Measured {
    fn cells(&self) -> String {
        [
            self.value.clone().unwrap_or_default(),
            self.positions.map_or(String::new(), grouped),
            seconds(self.cpu_seconds),
            format!("{:.2}", self.cpu_seconds / self.unit_seconds),
            self.peak_memory_bytes.map_or(String::new(), bytes),
            self.commit.clone(),
            self.machine.clone(),
        ]
        .join(" | ")
    }
}
