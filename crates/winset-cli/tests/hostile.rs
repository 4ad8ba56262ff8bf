//! Games, models and stores whose names attack the terminal, a table or a picture: every command shows them
//! escaped, and what is shown can be typed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const WINSET: &str = env!("CARGO_BIN_EXE_winset");

/// Names that clear the screen, set a title, turn the text around, hide, and end a cell, an element or a comment.
const HOSTILE: [&str; 6] = [
    "x\u{1b}[2J\u{1b}]0,owned\u{7}",
    "o\u{9b}31m\u{202e}\u{2066}",
    "p\u{200b}\u{feff}\u{2028}\u{61c}",
    "<script>\"a,b\"&'--\u{7f}\u{85}",
    "t\u{e0041}\u{301}\u{3164}\u{8}",
    "esac\u{2029}\u{1b}c\u{200f}",
];

/// Two players take one or two of three; who takes the last wins. All names are hostile.
fn game() -> String {
    let [x, o, pile, take, one, two] = HOSTILE;
    format!(
        "(role {x}) (role {o}) (init ({pile} 3)) (init (turn {x}))
         (other {x} {o}) (other {o} {x}) (less 3 {one} 2) (less 2 {one} 1) (less 1 {one} 0) (less 3 {two} 1) (less 2 {two} 0)
         (<= (legal ?r ({take} ?n)) (true (turn ?r)) (true ({pile} ?m)) (less ?m ?n ?k))
         (<= (legal ?r noop) (role ?r) (other ?r ?s) (true (turn ?s)))
         (<= (next ({pile} ?k)) (true ({pile} ?m)) (does ?r ({take} ?n)) (less ?m ?n ?k))
         (<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
         (<= terminal (true ({pile} 0)))
         (<= (goal ?r 100) (true ({pile} 0)) (true (turn ?s)) (other ?r ?s))
         (<= (goal ?s 0) (true ({pile} 0)) (true (turn ?s)))
         (<= (goal ?s 0) (true (turn ?r)) (other ?r ?s) (not (true ({pile} 0))))
         (<= (goal ?r 0) (true (turn ?r)) (not (true ({pile} 0))))"
    )
}

fn folder(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("winset-hostile-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// The characters that must not reach people, stated without the program's own list.
fn is_forbidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(u32::from(c),
            0x61c | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfeff | 0x301 | 0xe0000..=0xe007f)
}

fn assert_clean(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let found = text.chars().find(|&c| is_forbidden(c));
    assert!(found.is_none(), "{what} shows {found:?}:\n{}", text.escape_debug());
}

fn run(directory: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(WINSET);
    command.args(arguments).current_dir(directory);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert!(matches!(output.status.code(), Some(0..=3)), "{arguments:?}: {:?}", output.status);
    assert_clean(&format!("{arguments:?}, stdout"), &output.stdout);
    assert_clean(&format!("{arguments:?}, stderr"), &output.stderr);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{arguments:?}");
    output
}

fn succeeds(directory: &Path, arguments: &[&str], input: &str) -> String {
    let output = run(directory, arguments, input);
    // A false specification is an answer too.
    let answered = output.status.success() || (arguments[0] == "check" && output.status.code() == Some(3));
    assert!(answered, "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Every command that takes a game, a store or a strategy, in every form of output.
#[test]
fn escape_sequences_in_names_reach_no_terminal() {
    let here = folder("game");
    let file = "evil\u{1b}[2J\n\u{202e}.kif";
    std::fs::write(here.join(file), game()).unwrap();
    let escape = "\\u{1b}[2j\\u{1b}]0,owned\\u{7}";
    let all = |arguments: &[&str]| succeeds(&here, arguments, "");
    assert!(all(&["ground", file, "--full"]).contains(escape));
    for command in [
        &["ground", file][..],
        &["lint", file],
        &["lint", file, "--json"],
        &["ground", file, "--json"],
        &["solve", file, "--csv", "solve.csv", "--plot", "solve.svg", "--progress", "json"],
        &["solve", file, "--json"],
        &["solve", file, "--engine", "bdd", "--dddmp", "dddmp", "--progress", "json"],
        &["count", file, "--csv", "count.csv", "--progress", "json"],
        &["count", file, "--engine", "bdd", "--json"],
        &["solve", file, "--distance", "--out", "store", "--progress", "json"],
        &["verify", "store"],
        &["verify", "store", "--json", "--progress", "json"],
        &["verify", "store", "--sample", "3", "--record"],
        &["stats", "store", "--plot", "stats.svg"],
        &["stats", "store", "--plot", "stats.png"],
        &["stats", "store", "--csv"],
        &["stats", "store", "--json"],
        &["query", "store", "--line"],
        &["query", "store", "--json"],
        &["export", "store"],
        &["export", "store", "--format", "jsonl"],
        &["export", "store", "--format", "dot", "--layer", "0"],
        &["check", file, "--formula", "EF terminal"],
        &["check", file, "--formula", "mu X. terminal | EX X", "--strategy", "strategy.tsv", "--json"],
        &["query", "strategy.tsv", "--line"],
        &["emit-smv", file],
        &["order", file],
    ] {
        all(command);
    }
    for name in ["solve.csv", "solve.svg", "count.csv", "stats.svg", "strategy.tsv"] {
        let text = std::fs::read(here.join(name)).unwrap();
        assert_clean(name, &text);
        assert!(!name.ends_with("svg") || !String::from_utf8_lossy(&text).contains("<script"), "{name}");
    }
    for entry in std::fs::read_dir(here.join("dddmp")).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert_clean("dddmp", &bytes);
    }
    // The SMV model is one that the program reads again.
    let model = all(&["emit-smv", file]);
    std::fs::write(here.join("game.smv"), model).unwrap();
    all(&["check", "game.smv"]);
    // Wrong input is repeated in messages.
    for wrong in [
        &["query", "store", "\u{1b}[2J"][..],
        &["query", "store", "--moves", "\u{9b}2J\u{202e}"],
        &["solve", "\u{1b}[2Jgame"],
        &["solve", "\u{1b}[2J/none.kif"],
        &["solve", file, "--engine", "\u{1b}[2J"],
        &["check", file, "--formula", "\u{1b}[2J = \u{202e}"],
        &["solve", file, "--order", "\u{1b},\u{202e}"],
        &["solve", file, "--blocks", "\u{1b},\u{202e}"],
        &["export", "\u{1b}[2J"],
        &["reproduce", "\u{1b}[2J"],
        &["games", "\u{1b}[2J"],
        &["\u{1b}[2J"],
    ] {
        assert!(!run(&here, wrong, "").status.success(), "{wrong:?}");
    }
    std::fs::remove_dir_all(&here).unwrap();
}

/// A row of a CSV table as its cells.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted, mut cell) = (vec![], false, String::new());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    cells.push(cell);
    assert!(!quoted, "{line}");
    cells
}

#[test]
fn what_is_shown_can_be_typed_again() {
    let here = folder("typed");
    std::fs::write(here.join("evil.kif"), game()).unwrap();
    succeeds(&here, &["solve", "evil.kif", "--distance", "--out", "store"], "");
    // Positions: from the table back to the same answers, one by one and as a stream.
    let table = succeeds(&here, &["export", "store"], "");
    let rows: Vec<Vec<String>> = table.lines().map(cells).collect();
    assert!(rows.len() > 2 && rows.iter().all(|row| row.len() == rows[0].len()), "{table}");
    let positions: Vec<&str> = rows[1..].iter().map(|row| row[2].as_str()).collect();
    assert!(positions.iter().all(|position| position.contains("\\u{200b}")), "{table}");
    let stream = succeeds(&here, &["query", "store", "-"], &positions.join("\n"));
    assert_eq!(stream.lines().count(), positions.len());
    for (row, line) in rows[1..].iter().zip(stream.lines()) {
        let answer: serde_json::Value =
            serde_json::from_str(&succeeds(&here, &["query", "store", &row[2], "--json"], "")).unwrap();
        assert_eq!(answer["positionValue"], row[4].as_str(), "{line}");
        assert!(line.starts_with(&row[2]) && !line.contains("not possible"), "{line}");
        assert_eq!(answer["remoteness"].to_string(), row[row.len() - 1], "{line}");
        // JSON gives the names themselves.
        let raw = answer["position"].as_str().unwrap();
        assert!(raw.contains('\u{200b}'));
        let by_name: serde_json::Value =
            serde_json::from_str(&succeeds(&here, &["query", "store", raw, "--json"], "")).unwrap();
        assert_eq!(by_name, answer);
    }
    // Moves: as the query lists them, and in play.
    let text = succeeds(&here, &["query", "store"], "");
    let best = text.lines().find(|line| line.starts_with("  (")).unwrap().trim();
    let best = &best[..=best.find(')').unwrap()];
    assert!(best.contains("\\u{"), "{text}");
    succeeds(&here, &["query", "store", "--moves", best], "");
    let played =
        succeeds(&here, &["play", "store", "--hints"], &format!("{best}\nmoves\nvalues\nline\nquit\n"));
    assert!(!played.contains("is not a "), "{played}");
    assert!(played.contains("plays"), "{played}");
    std::fs::remove_dir_all(&here).unwrap();
}

#[test]
fn an_smv_model_cannot_speak_to_the_terminal() {
    let here = folder("model");
    let hostile = HOSTILE.join(" ");
    let good = "MODULE main VAR x : {a, b}; ASSIGN init(x) := a; next(x) := {a, b};";
    for (name, text, code) in [
        // In a comment, between words of a specification, where a name should be.
        ("a.smv", format!("{good} -- {hostile}\nSPEC\u{2028}AG\u{a0}x = a\n"), 3),
        ("b.smv", format!("{good} SPEC AG /-- {hostile} --/ x = a\n"), 3),
        ("c.smv", format!("MODULE main VAR {hostile} : boolean;"), 2),
        ("d.smv", format!("{good} SPEC AG {hostile}"), 2),
        ("\u{1b}[2J\u{202e}.smv", format!("{good} SPEC AG x = a"), 3),
        ("\u{1b}[2J\u{202e}b.smv", "MODULE".to_owned(), 2),
    ] {
        std::fs::write(here.join(name), text).unwrap();
        for form in [&["check", name][..], &["check", name, "--json"]] {
            let output = run(&here, form, "");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(code), "{name:?}: {said}");
        }
    }
    std::fs::remove_dir_all(&here).unwrap();
}

/// A manifest is a text that anybody can change: its strings are shown, or refused.
#[test]
fn a_manifest_cannot_speak_to_the_terminal() {
    let here = folder("manifest");
    succeeds(&here, &["solve", "tictactoe", "--out", "store"], "");
    let path = here.join("store/manifest.json");
    let whole = std::fs::read_to_string(&path).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&whole).unwrap();
    let mut strings = vec![];
    find_strings(&manifest, String::new(), &mut strings);
    assert!(strings.len() > 10);
    let hostile = format!("\n{}", HOSTILE.join("\n"));
    for pointer in strings {
        let mut changed = manifest.clone();
        *changed.pointer_mut(&pointer).unwrap() = hostile.clone().into();
        std::fs::write(&path, serde_json::to_vec_pretty(&changed).unwrap()).unwrap();
        for command in ["verify", "stats", "query", "export", "play"] {
            run(&here, &[command, "store"], "moves\nquit\n");
        }
    }
    std::fs::remove_dir_all(&here).unwrap();
}

/// Where the strings of a JSON text are.
fn find_strings(value: &serde_json::Value, at: String, found: &mut Vec<String>) {
    match value {
        serde_json::Value::String(_) => found.push(at),
        serde_json::Value::Array(all) => {
            // The layers are all alike.
            all.iter().take(2).enumerate().for_each(|(i, v)| find_strings(v, format!("{at}/{i}"), found));
        }
        serde_json::Value::Object(all) => {
            all.iter().for_each(|(key, v)| find_strings(v, format!("{at}/{key}"), found));
        }
        _ => {}
    }
}
