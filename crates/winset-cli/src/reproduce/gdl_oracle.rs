//! Games in GDL from a directory, solved beside what a table says of them.
//!
//! The directory has `oracle.tsv` and `games/`. Every game is solved in a process of its own, so that its
//! time is limited whatever it does.

use super::Setting;
use crate::failure::Failure;
use crate::report::comparison::{Comparison, Row};
use crate::report::table::{grouped, seconds};
use anyhow::Context;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Where the games are looked for unless the user says.
const DIRECTORY: &str = "../shared/gdl";

/// What a run came to.
enum Run {
    Solved(Value),
    Refused(String),
    OutOfTime,
}

/// Solves every game of the table.
pub fn table(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), Failure> {
    let directory: PathBuf = setting.games.map_or_else(|| DIRECTORY.into(), Path::to_owned);
    let path = directory.join("oracle.tsv");
    if setting.games.is_some() && !path.is_file() {
        return Err(Failure::wrong_use(format!(
            "there is no {}: --games names its directory",
            path.display()
        )));
    }
    let Ok(text) = std::fs::read_to_string(&path) else {
        let what = format!("There is no {}: nothing was compared. Use --games DIR.", path.display());
        comparison.notes.push(what);
        return Ok(());
    };
    let (mut agree, mut differ, mut beyond) = (0, 0, 0);
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, expect, ..] = cells[..] else { continue };
        setting.progress.step("gdl-oracle", 0, None, file);
        let clock = Instant::now();
        let (ours, verdict) = verdict(setting, &directory.join("games").join(file), expect, &cells)?;
        match verdict {
            "match" => agree += 1,
            "differs" => differ += 1,
            _ => beyond += 1,
        }
        comparison.rows.push(Row {
            what: file.trim_end_matches(".kif").to_owned(),
            published: expectation(expect, &cells),
            ours,
            verdict,
            why: format!("{} s", seconds(clock.elapsed().as_secs_f64())),
            fault: verdict == "differs",
        });
    }
    comparison.notes.push(format!(
        "{agree} agree, {differ} differ, {beyond} are out of reach within {} s each. States, layers of the search \
         from the start and their states together, rewards at the start (maximising the difference; then \
         maximising their own).",
        setting.limit.as_secs()
    ));
    Ok(())
}

/// What the table says, as it is printed.
fn expectation(expect: &str, cells: &[&str]) -> String {
    match cells {
        [_, "solve", states, layers, together, difference, own, ..] => {
            let counts = [states, layers, together].map(|c| count(c)).join(" ");
            format!("{counts} {} {}", pair(difference), pair(own))
        }
        _ => expect.to_owned(),
    }
}

fn count(cell: &str) -> String {
    cell.parse::<u64>().map_or_else(|_| cell.to_owned(), grouped)
}

/// A pair of rewards without the table's brackets.
fn pair(cell: &str) -> String {
    let numbers: Vec<&str> =
        cell.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    numbers.join("/")
}

/// What we find, and whether it agrees.
fn verdict(
    setting: &Setting<'_>,
    path: &Path,
    expect: &str,
    cells: &[&str],
) -> Result<(String, &'static str), Failure> {
    let refuse = expect.strip_prefix("refuse: ");
    let solved = match solve(setting, path, "difference")? {
        Run::Solved(solved) => solved,
        Run::OutOfTime => return Ok(("out of reach".into(), "")),
        Run::Refused(code) => {
            // Found while compiling it is a code, found by an engine it is a sentence.
            let (name, sentence) = match refuse {
                Some("simultaneous") => ("simultaneous-moves", "a choice at the same time"),
                Some("dead ends") => ("dead-end", "no legal move"),
                Some("goals missing") => ("goal-missing", "no goal value"),
                _ => ("none", "none"),
            };
            let verdict = match expect {
                _ if refuse.is_some() && (code == name || code.contains(sentence)) => "match",
                "hard to ground" => "match",
                _ if code.starts_with("limit") || code.contains("memory") => "",
                _ => "differs",
            };
            return Ok((format!("refused: {code}"), verdict));
        }
    };
    let states = solved["positions"].as_u64().map_or_else(String::new, grouped);
    let difference = rewards(&solved);
    if expect != "solve" {
        let verdict = if refuse.is_some() { "differs" } else { "match" };
        return Ok((format!("{states} {difference}"), verdict));
    }
    // Layers by the number of moves are what the layered algorithm works on.
    let layered = ["--engine", "bdd", "--algorithm", "layered"];
    let (layers, own) = match solve_by(setting, path, &layered, "own", Instant::now() + setting.limit)? {
        Run::Solved(solved) => {
            let layers = solved["layers"].as_array().map_or(0, Vec::len);
            let together = solved["layer_positions"].as_u64().map_or_else(String::new, grouped);
            (format!("{layers} {together}"), rewards(&solved))
        }
        Run::OutOfTime => return Ok((format!("{states} {difference}, layers out of reach"), "")),
        Run::Refused(code) => (String::new(), format!("refused: {code}")),
    };
    let ours = format!("{states} {layers} {difference} {own}");
    let verdict = if ours == expectation(expect, cells) { "match" } else { "differs" };
    Ok((ours, verdict))
}

fn rewards(solved: &Value) -> String {
    let each = solved["rewards"].as_array().map_or(&[][..], Vec::as_slice);
    each.iter().map(ToString::to_string).collect::<Vec<_>>().join("/")
}

/// Solves a file in a process of its own: by the layer engine, or where that cannot, by the BDD engine.
fn solve(setting: &Setting<'_>, path: &Path, opponent: &str) -> Result<Run, Failure> {
    let mut last = Run::OutOfTime;
    let begun = Instant::now();
    for (engine, share) in [("layers", setting.limit / 2), ("bdd", setting.limit)] {
        last = solve_by(setting, path, &["--engine", engine], opponent, begun + share)?;
        match &last {
            Run::Solved(_) => break,
            // The rules themselves are at fault, whatever the engine.
            Run::Refused(code) if !code.contains(' ') => break,
            _ => {}
        }
    }
    Ok(last)
}

fn solve_by(
    setting: &Setting<'_>,
    path: &Path,
    engine: &[&str],
    opponent: &str,
    deadline: Instant,
) -> Result<Run, Failure> {
    const PAUSE: Duration = Duration::from_millis(5);
    let program = std::env::current_exe().context("cannot find this program")?;
    let mut child = Command::new(program)
        .args(["solve", "--json", "--progress", "none", "--opponent", opponent])
        .args(engine)
        .args(["--memory", &setting.memory.to_string()])
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start this program again")?;
    // What is printed is read as it comes, so that the process never waits for us.
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let out = std::thread::spawn(move || out.as_mut().map(std::io::read_to_string));
    let err = std::thread::spawn(move || err.as_mut().map(std::io::read_to_string));
    let status = loop {
        match child.try_wait().context("cannot wait for the solver")? {
            Some(status) => break status,
            None if Instant::now() >= deadline => {
                child.kill().context("cannot stop the solver")?;
                child.wait().context("cannot wait for the solver")?;
                return Ok(Run::OutOfTime);
            }
            None => std::thread::sleep(PAUSE),
        }
    };
    let text = |reader: std::thread::JoinHandle<Option<std::io::Result<String>>>| {
        reader.join().ok().flatten().and_then(Result::ok).unwrap_or_default()
    };
    let (out, err) = (text(out), text(err));
    Ok(match serde_json::from_str(&out) {
        Ok(solved) if status.success() => Run::Solved(solved),
        _ => Run::Refused(reason(&err)),
    })
}

/// The code of the first error in what was printed, or the beginning of its last line, without the state
/// that it may name.
fn reason(text: &str) -> String {
    let code = text.split("error[").nth(1).and_then(|rest| rest.split(']').next());
    let line =
        || text.lines().map(str::trim).rfind(|l| !l.is_empty()).unwrap_or("").trim_start_matches("winset: ");
    let start = || line().split(": (").next().unwrap_or("").chars().take(80).collect();
    code.map_or_else(start, str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_are_read_whatever_the_brackets() {
        assert_eq!(pair("[100, 0]"), "100/0");
        assert_eq!(pair("50/50"), "50/50");
        assert_eq!(
            expectation("solve", &["x.kif", "solve", "5478", "10", "6046", "(50, 50)", "50 50"]),
            "5,478 10 6,046 50/50 50/50"
        );
    }

    #[test]
    fn the_code_of_an_error_is_its_reason() {
        assert_eq!(reason("winset: x is refused\nerror[dead-end]: nobody\n  --> x:1:1\n"), "dead-end");
        assert_eq!(reason("winset: no goal value (black): (cell 1)"), "no goal value (black)");
    }
}
