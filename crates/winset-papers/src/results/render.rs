//! RESULTS.md from the sets.

use super::{Measured, Run, Set};
use crate::comparison::{Comparison, Verdict};
use serde_json::Value;
use std::fmt::Write;
use winset_report::table::{bytes, grouped};

/// What stands on top of the page.
const HEAD: &str = "# Results

This page is made from `results/*.json` by `cargo run --release -p winset-papers --example results -- render`; a test holds
it to them. `... -- measure NAME` runs the commands of `results/NAME.json` again.

CPU is user and system time. A unit is the CPU time that `winset-yardstick` (Connect Four 5x5 by a program for this one
game) takes on the same machine in the same minutes, 2.4 to 3.4 s; where no unit is given it was not taken. The commit is
the one that was measured, or where figures were entered by hand, the one that entered them: what is older may be
different today.
";

/// Of a comparison with more rows than this, those that match are counted and not shown.
const MANY: usize = 40;

/// The page.
pub fn page(sets: &[Set]) -> String {
    let mut text = HEAD.to_owned();
    for set in sets {
        section(set, &mut text);
    }
    text
}

fn section(set: &Set, text: &mut String) {
    let _ = write!(text, "\n## {}\n", set.title);
    if !set.about.is_empty() {
        let _ = write!(text, "\n{}\n", set.about);
    }
    let tabled: Vec<&Run> = set.runs.iter().filter(|run| run.comparisons.is_empty()).collect();
    if !tabled.is_empty() {
        table(set, &tabled, text);
    }
    for run in set.runs.iter().filter(|run| !run.comparisons.is_empty()) {
        compared(run, text);
    }
    for note in &set.notes {
        let _ = write!(text, "\n{note}\n");
    }
}

/// A way to show one part of the circumstances, if it is known.
type Show = fn(&Measured) -> Option<String>;

/// The columns that any set may have beside its own.
const COSTS: [(&str, Show); 5] = [
    ("CPU s", |measured| measured.cpu_seconds.map(seconds)),
    ("wall clock s", |measured| measured.wall_seconds.map(seconds)),
    ("units", |measured| measured.units.map(|units| format!("{units:.2}"))),
    ("peak memory", |measured| measured.peak_bytes.map(bytes)),
    ("commit", |measured| Some(measured.commit.clone()).filter(|commit| !commit.is_empty())),
];

fn table(set: &Set, runs: &[&Run], text: &mut String) {
    let costs: Vec<_> =
        COSTS.iter().filter(|cost| runs.iter().any(|run| cost.1(&run.measured).is_some())).collect();
    let noted = runs.iter().any(|run| !run.note.is_empty());
    let mut heads = vec![String::new()];
    heads.extend(set.columns.iter().map(|column| column.name.clone()));
    heads.extend(costs.iter().map(|cost| cost.0.to_owned()));
    heads.extend(noted.then(String::new));
    line(&heads, text);
    line(&vec!["---".to_owned(); heads.len()], text);
    for run in runs {
        let title = if run.name.is_empty() { format!("`{}`", run.command) } else { run.name.clone() };
        let mut cells = vec![title];
        cells.extend(run.figures.iter().map(figure));
        cells.extend(costs.iter().map(|cost| cost.1(&run.measured).unwrap_or_default()));
        cells.extend(noted.then(|| run.note.clone()));
        line(&cells, text);
    }
    // Where the name is not the command, the command has its place below.
    for run in runs.iter().filter(|run| !run.name.is_empty() && !run.command.is_empty()) {
        let _ = write!(text, "\n{}: `{}`\n", run.name, run.command);
    }
}

/// A line of a table; the first one is apart from what stands before it.
fn line(cells: &[String], text: &mut String) {
    if !text.ends_with("|\n") {
        text.push('\n');
    }
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

fn figure(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_u64().map_or_else(|| number.to_string(), grouped),
        other => other.to_string(),
    }
}

fn seconds(n: f64) -> String {
    match n {
        n if n < 100.0 => format!("{n:.2}"),
        n => grouped(n.round() as u64),
    }
}

fn compared(run: &Run, text: &mut String) {
    let costs = COSTS.iter().filter_map(|(name, show)| Some(format!("{name} {}", show(&run.measured)?)));
    let costs: Vec<String> = costs.collect();
    let _ = write!(text, "\n`{}`", run.command);
    if !costs.is_empty() {
        let _ = write!(text, " ({})", costs.join(", "));
    }
    text.push_str(":\n");
    if !run.note.is_empty() {
        let _ = write!(text, "\n{}\n", run.note);
    }
    for comparison in &run.comparisons {
        let matches = comparison.rows.iter().filter(|row| row.verdict == Verdict::Match).count();
        let short = comparison.rows.len() > MANY;
        let shown = || comparison.rows.iter().filter(|row| !short || row.verdict != Verdict::Match);
        let _ = write!(text, "\n{}", comparison.source);
        if short {
            let _ = write!(text, ": {} figures match", grouped(matches as u64));
            text.push_str(if shown().next().is_some() { "; the others:\n" } else { ".\n" });
        } else {
            text.push_str(":\n");
        }
        if shown().next().is_some() {
            let _ = write!(text, "\n```\n{}```\n", Comparison::table(shown()));
        }
        for note in &comparison.notes {
            let _ = write!(text, "\n{note}\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_becomes_a_section() {
        let json = r#"{"title": "Boards", "place": 1, "columns": [{"name": "positions", "pointer": "/positions"}],
            "runs": [{"command": "winset solve a | b", "figures": [1234567], "measured": {"cpu_seconds": 1.5, "peak_bytes": 1048576}},
                     {"name": "by hand", "figures": ["many"]}],
            "notes": ["A note."]}"#;
        let set: Set = serde_json::from_str(json).unwrap();
        let mut text = String::new();
        section(&set, &mut text);
        let expected = "\n## Boards\n\n\
            |  | positions | CPU s | peak memory |\n| --- | --- | --- | --- |\n\
            | `winset solve a \\| b` | 1,234,567 | 1.50 | 1.0 MiB |\n| by hand | many |  |  |\n\nA note.\n";
        assert_eq!(text, expected);
    }
}
