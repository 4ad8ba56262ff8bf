//! Whether `auto` is ever much slower than the engine that suits a game: every game by `auto`, `bdd` and `layers`
//! with one thread. Prints each game where `auto` takes more CPU than three times the best and a second more.
//!
//! Arguments after `--`: a folder of games in GDL (default: `../shared/gdl/games` beside the project, if it is
//! there), and the seconds after which a run is stopped (default 20).

#![allow(unsafe_code, reason = "the processor time of children is asked from the C library")]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const BOARDS: &[(&str, &[&str])] = &[
    ("tictactoe", &["3x3", "4x3", "4x4"]),
    ("connect4", &["4x4", "5x4", "4x5", "5x5"]),
    ("othello", &["3x3", "3x4", "4x4", "4x5"]),
    ("breakthrough", &["4x3", "4x4", "5x3", "5x4", "6x3", "7x3"]),
    ("checkers", &["3", "4", "5"]),
];

const LIBRARY: &[&str] = &[
    "sum-15",
    "number-tic-tac-toe",
    "nim",
    "chomp",
    "sheep-and-wolf",
    "catch-a-mouse",
    "clobber-3x4",
    "clobber-4x4",
    "cubi-cup-3",
];

const ENGINES: [&str; 3] = ["auto", "bdd", "layers"];

/// Seconds of CPU that all processes have taken that this one has started and that have ended.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn cpu_of_children() -> f64 {
    unsafe extern "C" {
        fn getrusage(who: i32, usage: *mut [i64; 18]) -> i32;
    }
    const RUSAGE_CHILDREN: i32 = -1;
    let mut usage = [0i64; 18];
    // SAFETY: a function of the C library with the types of its manual: two times of two words and 14 words.
    unsafe { getrusage(RUSAGE_CHILDREN, &raw mut usage) };
    (usage[0] + usage[2]) as f64 + (usage[1] + usage[3]) as f64 / 1e6
}

/// Elsewhere the time by the clock, which is the same on an idle machine.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn cpu_of_children() -> f64 {
    use std::sync::OnceLock;
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// The seconds of CPU and how it ended: solved, refused, or none if it was stopped.
fn run(game: &[&str], engine: &str, limit: Duration) -> (f64, Option<bool>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_winset"));
    command.arg("solve").args(game).args(["--engine", engine, "--threads", "1", "--memory", "2G", "--json"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let (before, began) = (cpu_of_children(), Instant::now());
    let mut process = command.spawn().expect("winset runs");
    let status = loop {
        if let Some(status) = process.try_wait().expect("it is ours") {
            break Some(status.success());
        }
        if began.elapsed() > limit {
            process.kill().expect("it is ours");
            process.wait().expect("it is ours");
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    (cpu_of_children() - before, status)
}

/// The games in GDL of a folder.
fn files(folder: &PathBuf) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        println!("{} is not there: its games are left out", folder.display());
        return vec![];
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path().to_str()?.to_owned()));
    let mut paths: Vec<String> = paths.filter(|path| path.ends_with(".kif")).collect();
    paths.sort();
    paths
}

fn main() {
    let mut limit = Duration::from_secs(20);
    let mut folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/gdl/games"));
    for argument in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        match argument.parse() {
            Ok(seconds) => limit = Duration::from_secs(seconds),
            Err(_) => folder = PathBuf::from(argument),
        }
    }
    let mut games: Vec<Vec<String>> = vec![];
    for (name, sizes) in BOARDS {
        games.extend(sizes.iter().map(|size| vec![(*name).to_owned(), (*size).to_owned()]));
    }
    games.extend(LIBRARY.iter().map(|name| vec![(*name).to_owned()]));
    games.extend(files(&folder).into_iter().map(|path| vec![path]));
    let (mut compared, mut beyond) = (0, 0);
    for game in &games {
        let words: Vec<&str> = game.iter().map(String::as_str).collect();
        let [auto, bdd, layers] = ENGINES.map(|engine| run(&words, engine, limit));
        let solved =
            [bdd, layers].into_iter().filter(|(_, end)| *end == Some(true)).map(|(seconds, _)| seconds);
        let Some(best) = solved.reduce(f64::min) else { continue };
        compared += 1;
        let slow = auto.1 != Some(true) || auto.0 > 3.0 * best + 1.0;
        beyond += usize::from(slow);
        let show = |(seconds, end): (f64, Option<bool>)| match end {
            Some(true) => format!("{seconds:.2}"),
            Some(false) => "refused".to_owned(),
            None => format!("> {seconds:.0}"),
        };
        let name = game.join(" ");
        let name = name.rsplit('/').next().unwrap_or(&name);
        let mark = if slow { "  BEYOND" } else { "" };
        println!("{name:36} auto {:>8}  bdd {:>8}  layers {:>8}{mark}", show(auto), show(bdd), show(layers));
    }
    println!(
        "{} games, {compared} solved by an engine within {} s; auto beyond three times the best plus a second: {beyond}",
        games.len(),
        limit.as_secs()
    );
}
