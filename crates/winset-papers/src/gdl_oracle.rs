//! Games in GDL from a directory, solved beside what a table says of them.
//!
//! The directory has `oracle.tsv` and `games/`. Every game is solved in a process of its own, so that its
//! time is limited whatever it does.

use crate::comparison::Comparison;
use crate::error::PapersError;
use crate::setting::Setting;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use winset_report::table::{grouped, seconds};

/// Where the games are looked for unless the user says.
const DIRECTORY: &str = "../shared/gdl";

/// What a run came to.
enum Run {
    Solved(Value),
    Refused(String),
    OutOfTime,
}

/// Solves every game of the table.
pub fn table(setting: &Setting<'_>, comparison: &mut Comparison) -> Result<(), PapersError> {
    let directory: PathBuf = setting.games.map_or_else(|| DIRECTORY.into(), Path::to_owned);
    let path = directory.join("oracle.tsv");
    let text = std::fs::read_to_string(&path).map_err(|error| {
        let path = path.display();
        let what = "--games DIR names a directory with oracle.tsv and games/, the GDL files that it is about";
        PapersError::WrongUse(format!("gdl-oracle: cannot read {path} ({error}): {what}"))
    })?;
    let mut beyond = 0;
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, expect, ..] = cells[..] else { continue };
        setting.begin("gdl-oracle", file);
        let clock = Instant::now();
        let found = find(setting, &directory.join("games").join(file), expect)?;
        let time = format!("{} s", seconds(clock.elapsed().as_secs_f64()));
        let (what, published) = (file.trim_end_matches(".kif").to_owned(), expectation(expect, &cells));
        match found {
            Found::Known(ours) => comparison.must_match(what, published, ours),
            Found::Unknown(ours, why) => {
                beyond += usize::from(why == BEYOND);
                comparison.beside(what, published, ours, &format!("{why}, {time}"));
            }
        }
    }
    comparison.note(format!(
        "{beyond} are out of reach within {} s each. States, layers of the search from the start and their states \
         together, rewards at the start (maximising the difference; then maximising their own). Nothing is known of \
         games that are larger or hard to ground, so that whatever is found of them is not compared.",
        setting.limit.as_secs()
    ));
    Ok(())
}

/// Why a row is not compared.
const BEYOND: &str = "out of reach";
const NOTHING_KNOWN: &str = "nothing is known of it";

/// What we find of a game.
enum Found {
    /// Something that the table says too.
    Known(String),
    /// Something else, and why it cannot be compared.
    Unknown(String, &'static str),
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

/// The reasons for which the table has games refused: its word, the code that compiling gives, and the words of an engine.
const REFUSALS: [(&str, &str, &str); 3] = [
    ("refuse: simultaneous", "simultaneous-moves", "a choice at the same time"),
    ("refuse: dead ends", "dead-end", "no legal move"),
    ("refuse: goals missing", "goal-missing", "no goal value"),
];

/// What we find of a game, written like what is expected.
fn find(setting: &Setting<'_>, path: &Path, expect: &str) -> Result<Found, PapersError> {
    let known = expect == "solve" || expect.starts_with("refuse: ");
    let refused = |code: String| {
        let reason = REFUSALS.iter().find(|(_, name, sentence)| code == *name || code.contains(sentence));
        match reason {
            _ if code.starts_with("limit") || code.contains("memory") => {
                Found::Unknown(format!("refused: {code}"), BEYOND)
            }
            _ if !known => Found::Unknown(format!("refused: {code}"), NOTHING_KNOWN),
            Some((word, ..)) => Found::Known((*word).to_owned()),
            None => Found::Known(format!("refused: {code}")),
        }
    };
    let solved = match solve(setting, path, "difference")? {
        Run::Solved(solved) => solved,
        Run::OutOfTime => return Ok(Found::Unknown(String::new(), BEYOND)),
        Run::Refused(code) => return Ok(refused(code)),
    };
    let states = solved["positions"].as_u64().map_or_else(String::new, grouped);
    let difference = rewards(&solved);
    if expect != "solve" {
        let ours = format!("{states} {difference}");
        return Ok(if known { Found::Known(ours) } else { Found::Unknown(ours, NOTHING_KNOWN) });
    }
    // Layers by the number of moves are what the layered algorithm works on.
    let layered = ["--engine", "bdd", "--algorithm", "layered"];
    Ok(match solve_by(setting, path, &layered, "own", Instant::now() + setting.limit)? {
        Run::Solved(solved) => {
            let layers = solved["layers"].as_array().map_or(0, Vec::len);
            let together = solved["layer_positions"].as_u64().map_or_else(String::new, grouped);
            Found::Known(format!("{states} {layers} {together} {difference} {}", rewards(&solved)))
        }
        Run::OutOfTime => Found::Unknown(format!("{states} {difference}, layers not found"), BEYOND),
        Run::Refused(code) => refused(code),
    })
}

fn rewards(solved: &Value) -> String {
    let each = solved["rewards"].as_array().map_or(&[][..], Vec::as_slice);
    each.iter().map(ToString::to_string).collect::<Vec<_>>().join("/")
}

/// Solves a file in a process of its own: by the layer engine, or where that cannot, by the BDD engine.
fn solve(setting: &Setting<'_>, path: &Path, opponent: &str) -> Result<Run, PapersError> {
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
) -> Result<Run, PapersError> {
    const PAUSE: Duration = Duration::from_millis(5);
    let mut child = Command::new(setting.program)
        .args(["solve", "--json", "--progress", "none", "--opponent", opponent])
        .args(engine)
        .args(["--memory", &setting.memory.to_string()])
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| PapersError::Io("cannot start this program again", error))?;
    // What is printed is read as it comes, so that the process never waits for us.
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let out = std::thread::spawn(move || out.as_mut().map(std::io::read_to_string));
    let err = std::thread::spawn(move || err.as_mut().map(std::io::read_to_string));
    let waiting = |error| PapersError::Io("cannot wait for the solver", error);
    let status = loop {
        match child.try_wait().map_err(waiting)? {
            Some(status) => break status,
            None if Instant::now() >= deadline => {
                child.kill().map_err(waiting)?;
                child.wait().map_err(waiting)?;
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
