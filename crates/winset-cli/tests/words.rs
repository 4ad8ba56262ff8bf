//! One vocabulary and one numbering: whatever command is asked about a position or a layer says the same, and what
//! it says is true.

use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use winset_model::{Game, Outcome, Player, Remoteness, State, Valuation};
use winset_reference::circles;
use winset_store::{GameRecord, LayerCounts, LayerValues, Manifest, Store, StoreWriter};

const DODGEM: &str = include_str!("../../winset/tests/circles/dodgem.kif");

/// A directory of its own, removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("winset-words-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(args: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_winset"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_owned());
    // A command that reads nothing may have closed the pipe.
    let writing = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn text(args: &[&str]) -> String {
    run(args, "")
}

fn json_of(args: &[&str]) -> Value {
    serde_json::from_str(&text(args)).expect("one JSON object")
}

fn build(record: &GameRecord) -> Result<Game, String> {
    match &record.source {
        Some(source) => winset_gdl::compile(&record.name, source.text.as_bytes(), &Default::default())
            .map(|compiled| compiled.game)
            .map_err(|e| e.to_string()),
        None => {
            let choices = winset_model::Choices(record.options.clone());
            winset_games::build(&record.name, Some(&record.size), &choices).map_err(|e| e.to_string())
        }
    }
}

fn open(directory: &str) -> Store {
    Store::open(Path::new(directory), |manifest: &Manifest| build(&manifest.header.game)).unwrap()
}

/// The word for a value, by the truth alone.
fn word(value: Valuation, player: usize) -> &'static str {
    match (value.rewards[Player::new(player)], value.remoteness) {
        (100, _) => "win",
        (0, _) => "loss",
        (_, Remoteness::Endless) => "draw",
        _ => "tie",
    }
}

fn plies(value: Valuation) -> Value {
    value.remoteness.plies().map_or(Value::Null, Value::from)
}

/// What a sentence about the start must contain.
fn phrase(word: &str) -> &'static str {
    match word {
        "win" | "loss" => "wins",
        "tie" => "tie",
        _ => "draw: play never has to end",
    }
}

#[test]
fn every_command_says_the_same_and_the_truth() {
    let scratch = Scratch::new("same");
    let dodgem = scratch.path("dodgem.kif");
    std::fs::write(&dodgem, DODGEM).unwrap();
    let games: [(&[&str], bool); 5] = [
        (&["checkers", "4"], true),
        (&["checkers", "3"], true),
        (&["tictactoe"], false),
        (&["connect4", "4x3x3"], false),
        (&[&dodgem], true),
    ];
    for (number, (game, circles)) in games.into_iter().enumerate() {
        let out = scratch.path(&format!("store{number}"));
        let solve = |more: &[&str]| json_of(&[&["solve"][..], game, &["--json"], more].concat());
        let (kept, asked, plain) = (solve(&["--out", &out]), solve(&["--distance"]), solve(&[]));
        let store = open(&out);
        let truth: HashMap<State, Valuation> = circles::values(store.game()).into_iter().collect();
        let start = truth[store.game().initial()];
        let expected = word(start, 0);
        let level = !["win", "loss"].contains(&expected);
        // Distances are kept where they are needed, and it is said.
        assert_eq!(store.manifest().header.remoteness, circles, "{game:?}");
        assert_eq!(kept.get("distances_needed").is_some(), circles, "{game:?}");
        // The start: known, or null, and never something else.
        assert_eq!((&asked["value"], &asked["remoteness"]), (&json!(expected), &plies(start)), "{game:?}");
        let known = |circles: bool| if circles && level { Value::Null } else { json!(expected) };
        assert_eq!(plain["value"], known(circles), "{game:?}");
        assert_eq!(kept["value"], json!(expected), "{game:?}");
        assert_eq!(plain["remoteness"], Value::Null);
        assert_eq!(kept["remoteness"], if circles { plies(start) } else { Value::Null }, "{game:?}");
        let said = text(&[&["solve"][..], game, &["--distance"]].concat());
        assert!(said.contains(phrase(expected)) && !said.contains("level:"), "{said}");
        let answer = json_of(&["query", &out, "--json"]);
        assert_eq!(answer["positionValue"], expected);
        assert_eq!(answer["remoteness"], kept["remoteness"]);
        assert_eq!(answer["reachable"], true);
        let said = text(&["query", &out]);
        assert!(said.to_lowercase().contains(phrase(expected)), "{said}");
        one_numbering(&out, &kept, &scratch);
        every_position(&store, &out, &truth, circles);
        assert_eq!(json_of(&["verify", &out, "--json"])["faults"], 0, "{game:?}");
    }
}

/// Layers have the same numbers, measures and positions in `solve`, `stats`, `export` and all CSV.
fn one_numbering(out: &str, solved: &Value, scratch: &Scratch) {
    let stats = json_of(&["stats", out, "--json"]);
    let pairs = |layers: &Value| -> Vec<(u64, Option<u64>, u64)> {
        let of = |l: &Value| {
            (l["layer"].as_u64().unwrap(), l["measure"].as_u64(), l["positions"].as_u64().unwrap())
        };
        layers.as_array().unwrap().iter().map(of).collect()
    };
    let layers = pairs(&solved["layers"]);
    assert_eq!(pairs(&stats["layers"]), layers);
    assert!(layers.iter().map(|l| l.0).eq(0..layers.len() as u64), "0, 1, 2, ...");
    let cells = |csv: &str| -> Vec<Vec<String>> {
        csv.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let row = |&(layer, measure, _): &(u64, Option<u64>, u64)| {
        vec![layer.to_string(), measure.map_or(String::new(), |m| m.to_string())]
    };
    let expected: Vec<Vec<String>> = layers.iter().map(row).collect();
    let csv = cells(&text(&["stats", out, "--csv"]));
    assert_eq!(csv[0][..2], ["layer", "measure"]);
    let file = scratch.path("stats.csv");
    text(&["stats", out, "--csv", &file]);
    assert_eq!(cells(&std::fs::read_to_string(&file).unwrap()), csv);
    assert_eq!(cells(&text(&["stats", out, "--csv", "-"])), csv);
    assert!(csv[1..].iter().map(|line| line[..2].to_vec()).eq(expected.iter().cloned()));
    let name = solved["game"].as_str().unwrap();
    if solved["size"] != "" {
        let file = scratch.path("layers.csv");
        let (size, engine) = (solved["size"].as_str().unwrap(), solved["engine"].as_str().unwrap());
        text(&["solve", name, size, "--engine", engine, "--csv", &file]);
        let csv = cells(&std::fs::read_to_string(&file).unwrap());
        let measure = csv[0].iter().position(|title| title == "measure");
        let got = csv[1..].iter().map(|line| vec![line[0].clone(), line[measure.unwrap()].clone()]);
        assert!(got.eq(expected.iter().cloned()));
    }
    for (number, measure, positions) in layers {
        let lines = text(&["export", out, "--format", "jsonl", "--layer", &number.to_string()]);
        assert!(lines.lines().count() as u64 <= positions);
        for line in lines.lines() {
            let entry: Value = serde_json::from_str(line).unwrap();
            assert_eq!(entry["layer"], number);
            assert_eq!(entry["measure"].as_u64(), measure);
        }
    }
}

/// Every position in every form: `export` in both formats, and `query` for many.
fn every_position(store: &Store, out: &str, truth: &HashMap<State, Valuation>, distances: bool) {
    let game = store.game();
    let mut explicit = winset_model::Explicit::new(game);
    let csv: HashMap<String, String> = text(&["export", out])
        .lines()
        .skip(1)
        .map(|line| {
            let parts: Vec<&str> = line.split('"').collect();
            (parts[1].to_owned(), parts[2].to_owned())
        })
        .collect();
    let all: Vec<&State> = truth.keys().collect();
    let asked: String = all.iter().map(|state| format!("{}\n", game.print(state))).collect();
    let answers = run(&["query", out, "-", "--json"], &asked);
    let mut open = 0;
    for (state, line) in all.iter().zip(answers.lines()) {
        let (answer, value): (Value, Valuation) = (serde_json::from_str(line).unwrap(), truth[*state]);
        let at = explicit.at(state);
        let turn = at.turn().unwrap();
        assert_eq!(answer["reachable"], true, "{answer}");
        assert_eq!(answer["positionValue"], word(value, turn.index()), "{answer}");
        let known = distances || at.is_terminal();
        assert_eq!(answer["remoteness"], if known { plies(value) } else { Value::Null }, "{answer}");
        if at.is_terminal() {
            continue;
        }
        open += 1;
        let [a, b] = [value.rewards[Player(0)], value.rewards[Player(1)]];
        let remoteness =
            value.remoteness.plies().filter(|_| distances).map_or(String::new(), |n| n.to_string());
        let player = &game.players()[turn.index()];
        let row = format!(",{player},{},{a},{b},{remoteness}", word(value, turn.index()));
        assert_eq!(csv[&game.print(state)], row);
    }
    assert_eq!(csv.len(), open);
    let mut counts: BTreeMap<[u8; 2], u64> = BTreeMap::new();
    truth
        .values()
        .for_each(|v| *counts.entry([v.rewards[Player(0)], v.rewards[Player(1)]]).or_default() += 1);
    let stats = json_of(&["stats", out, "--json"]);
    for (column, count) in
        stats["values"].as_array().unwrap().iter().zip(stats["total"]["by_value"].as_array().unwrap())
    {
        let rewards: [u8; 2] = serde_json::from_value(column["rewards"].clone()).unwrap();
        assert_eq!(count.as_u64(), Some(counts.get(&rewards).copied().unwrap_or(0)), "{column}");
        let name = column["name"].as_str().unwrap();
        let level = if distances { "level" } else { "tied" };
        assert_eq!(name == level, rewards == [50, 50], "{name}");
    }
}

/// A store as earlier versions wrote it.
fn without_distances(from: &Store, to: &str) {
    let manifest = from.manifest();
    let mut header = manifest.header.clone();
    header.remoteness = false;
    let (mut writer, _) = StoreWriter::create_or_resume(Path::new(to), header).unwrap();
    writer.put_blocks(from.blocks().unwrap()).unwrap();
    for l in &manifest.layers {
        let counts = LayerCounts {
            positions: l.positions,
            terminal: l.terminal,
            terminal_by_code: l.terminal_by_code.clone(),
            mover: l.mover,
            ..Default::default()
        };
        writer.put_set(l.layer, &from.read_set(l.layer, u64::MAX).unwrap(), counts).unwrap();
    }
    writer.forward_done().unwrap();
    for l in manifest.layers.iter().rev() {
        let index = from.read_set(l.layer, u64::MAX).unwrap();
        let (codes, _) = from.read_values(l.layer, &index, u64::MAX).unwrap();
        let by_code = l.values.as_ref().map(|values| values.by_code.clone());
        let values = LayerValues { codes: &codes, distances: None, by_code };
        writer.put_values(l.layer, Some(&index), &values).unwrap();
    }
    let value = Valuation { remoteness: Remoteness::Unknown, ..manifest.value.unwrap() };
    writer.finish(value).unwrap();
}

#[test]
fn a_store_without_distances_does_not_promise_what_needs_them() {
    let scratch = Scratch::new("old");
    for game in [&["checkers", "4"][..], &["tictactoe"]] {
        let (new, old) =
            (scratch.path(&format!("{}-new", game[0])), scratch.path(&format!("{}-old", game[0])));
        text(&[&["solve"][..], game, &["--out", &new]].concat());
        without_distances(&open(&new), &old);
        let needs = game[0] == "checkers";
        let answer = json_of(&["query", &old, "--json", "--line"]);
        assert_eq!(answer["warning"].is_string(), needs, "{answer}");
        // Level, and nothing says whether it ends so.
        assert_eq!(answer["positionValue"], if needs { Value::Null } else { json!("tie") });
        for command in [&["query", &old, "--line"][..], &["play", &old, "--plain"]] {
            let said = text(command);
            assert_eq!(said.contains("warning: no distances are kept here"), needs, "{said}");
        }
        assert!(!text(&["query", &new, "--line"]).contains("warning"));
        let again = Command::new(env!("CARGO_BIN_EXE_winset"))
            .args([&["solve"][..], game, &["--out", &old]].concat())
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&again.stderr).into_owned();
        assert_eq!(error.contains("whether distances are kept differs"), needs, "{error}");
    }
}

/// All 39,366 texts of boards, with either player to move.
#[test]
fn a_tic_tac_toe_position_that_cannot_arise_has_no_value() {
    let scratch = Scratch::new("arise");
    let out = scratch.path("store");
    text(&["solve", "tictactoe", "--out", &out]);
    let store = open(&out);
    let truth: HashMap<State, Valuation> = circles::values(store.game()).into_iter().collect();
    let mut texts = vec![];
    for code in 0..3usize.pow(9) * 2 {
        let cell = |i: u32| ['.', 'x', 'o'][code / 2 / 3usize.pow(i) % 3];
        let row = |r: u32| (0..3).map(|c| cell(3 * r + c)).collect::<String>();
        texts.push(format!("{}/{}/{} {}", row(0), row(1), row(2), ["x", "o"][code % 2]));
    }
    let answers = run(&["query", &out, "-", "--json"], &texts.join("\n"));
    let mut arise = 0;
    for (asked, line) in texts.iter().zip(answers.lines()) {
        let answer: Value = serde_json::from_str(line).unwrap();
        let state = store.game().parse(asked).unwrap();
        let value = truth.get(&state);
        assert_eq!(answer["reachable"], value.is_some(), "{answer}");
        let turn = winset_model::Explicit::new(store.game()).at(&state).turn().unwrap();
        let expected = value.map_or(Value::Null, |&v| json!(word(v, turn.index())));
        assert_eq!(answer["positionValue"], expected, "{answer}");
        assert_eq!(answer["rewards"], value.map_or(Value::Null, |v| json!(v.rewards.to_vec())), "{answer}");
        arise += usize::from(value.is_some());
    }
    assert_eq!((arise, answers.lines().count()), (5_478, texts.len()));
    // The issue's own position, alone and in words.
    let said = text(&["query", &out, "xxx/ooo/... o"]);
    assert!(said.contains("The game cannot come to this position") && !said.contains("won"), "{said}");
    assert_eq!(json_of(&["query", &out, "xxx/ooo/... o", "--json"])["reachable"], false);
    assert!(Outcome::ALL.iter().all(|outcome| !said.contains(&format!(" {outcome}"))), "{said}");
}
