//! Stores in which one thing is false, with every checksum computed anew: either the check refuses them, or every
//! answer is the same.
//!
//! `WINSET_EXHAUSTIVE=1 cargo test --release -p winset-verify --test falsified -- --nocapture` changes every field of
//! the manifest and every bit and number of every file; without it, of the files' contents only a part.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use winset_explore::{Lookup, Session};
use winset_model::{Game, MoveId, Player, State, Valuation};
use winset_reference::forge::{
    Container, Forged, Made, alternatives, changed_bytes, manifest_text, pointers,
};
use winset_reference::{
    Cut, Random, Solution, build, chase, scratch, solve, solve_cyclic, write, write_until,
};
use winset_store::{MANIFEST, OsDisk, Store};
use winset_verify::{MEMORY, verify_by_diagrams, verify_full};

/// Everything that anybody is shown.
#[derive(Debug, PartialEq)]
struct Answers {
    stats: Value,
    start: Option<Valuation>,
    every_play_ends: bool,
    /// What is known of every state, of those too that cannot be reached.
    values: Vec<Lookup>,
    /// The moves, best first, of every stored state.
    moves: Vec<Vec<(MoveId, Lookup)>>,
    /// The stored states of each layer, as an export writes them.
    exported: Vec<Vec<(State, Valuation)>>,
}

/// Every state of a game with few variables.
fn all_states(game: &Game) -> Vec<State> {
    let mut all = vec![vec![]];
    for variable in game.variables() {
        let more = |state: Vec<u16>| {
            (0..variable.size() as u16).map(move |value| [state.as_slice(), &[value]].concat())
        };
        all = all.into_iter().flat_map(more).collect();
    }
    all.into_iter().map(|values| State(values.into())).collect()
}

fn answers(store: &Store, states: &[State]) -> Answers {
    let mut stats = serde_json::to_value(winset_explore::stats::stats(store)).unwrap();
    // What compression gives is not said by the game; verify compares it with the files. Layers by moves need no
    // measure, and who has none names none.
    let rows = stats["layers"].as_array_mut().unwrap();
    for row in rows.iter_mut() {
        row.as_object_mut().unwrap().retain(|key, _| !key.ends_with("bytes") && key != "measure");
    }
    stats["total"] = Value::Null;
    let mut session = Session::new(store);
    let export = |layer: u32, stored: u64| -> Vec<(State, Valuation)> {
        let one = |rank| {
            let (digits, value) = store.at(layer, rank).unwrap();
            (store.blocks().unwrap().state(&digits), value)
        };
        (0..stored).map(one).collect()
    };
    let exported = store.manifest().layers.iter().map(|l| export(l.layer, l.stored));
    // The mirror image of a set is as good a set of a game that has mirror images; only the order is another.
    let exported: Vec<Vec<_>> =
        exported.map(|list| BTreeMap::from_iter(list).into_iter().collect()).collect();
    let moves = |state: &State| {
        let position = session.position(state).unwrap();
        position.moves.into_iter().map(|m| (m.id, m.lookup)).collect()
    };
    let moves = exported.iter().flatten().map(|(state, _)| state).map(moves).collect();
    Answers {
        stats,
        start: store.manifest().value,
        every_play_ends: store.every_play_ends(),
        values: Session::new(store).values(states).unwrap(),
        moves,
        exported,
    }
}

/// A store on trial.
struct Trial<'a> {
    game: &'a dyn Fn() -> Game,
    directory: &'a Path,
    right: Forged,
    made: Made,
    states: Vec<State>,
    answers: Answers,
    tried: u64,
    refused: u64,
}

impl<'a> Trial<'a> {
    fn new(game: &'a dyn Fn() -> Game, solution: &Solution, directory: &'a Path) -> Self {
        write(directory, solution);
        let right = Forged::read(directory);
        right.write(directory);
        let store = Store::open(directory, |_| Ok::<_, String>(game())).unwrap();
        let report = verify_full(&store, MEMORY, &|_, _| ()).unwrap();
        assert!(report.is_proof(), "{report} {:?}", report.examples.first());
        let report = verify_by_diagrams(&store, MEMORY, &|_, _| ()).unwrap();
        assert!(report.is_proof(), "{report} {:?}", report.examples.first());
        let mut states = all_states(store.game());
        if std::env::var_os("WINSET_EXHAUSTIVE").is_none() {
            let (mut random, each) = (Random::new(21), 1 + states.len() / 2000);
            states.retain(|state| solution.values.contains_key(state) || random.one_in(each));
        }
        let answers = answers(&store, &states);
        let made = right.made();
        Trial { game, directory, right, made, states, answers, tried: 0, refused: 0 }
    }

    /// Tries the store as it lies in the directory; true if it was refused.
    fn judge(&mut self, what: &str) -> bool {
        self.tried += 1;
        let judged = catch_unwind(AssertUnwindSafe(|| {
            let Ok(store) = Store::open(self.directory, |_| Ok::<_, String>((self.game)())) else {
                return true;
            };
            let by_diagrams = verify_by_diagrams(&store, MEMORY, &|_, _| ());
            let by_diagrams = by_diagrams.is_ok_and(|report| report.is_proof());
            let report = verify_full(&store, MEMORY, &|_, _| ());
            let proved = report.as_ref().is_ok_and(|report| report.is_proof());
            assert!(proved == by_diagrams, "{what}: proved {proved}, by diagrams {by_diagrams}");
            match report {
                Ok(report) if report.is_proof() => {
                    // Not `assert_eq`: nobody reads a hundred thousand lines.
                    assert!(
                        answers(&store, &self.states) == self.answers,
                        "{what}: proved, with other answers"
                    );
                    false
                }
                _ => true,
            }
        }));
        let refused = judged.unwrap_or_else(|_| panic!("{what}: a panic"));
        self.refused += u64::from(refused);
        refused
    }

    fn write_manifest(&self, manifest: &Value) {
        std::fs::write(self.directory.join(MANIFEST), manifest_text(manifest)).unwrap();
    }

    /// Every field, one at a time.
    fn fields(&mut self) {
        let right = self.right.sealed(&self.made);
        for pointer in pointers(&right) {
            let field = right.pointer(&pointer).unwrap();
            for other in alternatives(field) {
                let what = format!("{pointer} = {other} instead of {field}");
                let mut changed = right.clone();
                *changed.pointer_mut(&pointer).unwrap() = other;
                self.write_manifest(&changed);
                let refused = self.judge(&what);
                // These are there to be shown or used, so that a change must be noticed.
                let is_leaf = !field.is_array() && !field.is_object();
                let counts = ["/layers/", "/variables/", "/game/players/", "/value/", "/digits/", "/rules"];
                let noticed = is_leaf && counts.iter().any(|begin| pointer.starts_with(begin));
                assert!(refused || !noticed, "{what} is proved");
            }
        }
        self.write_manifest(&right);
    }

    /// A file's contents changed in one place, by name.
    fn file(&mut self, name: &str, (bytes, seal): (Vec<u8>, [u8; 32]), what: &str) {
        let right = std::mem::replace(self.made.get_mut(name).unwrap(), (bytes, seal));
        std::fs::write(self.directory.join(name), &self.made[name].0).unwrap();
        self.write_manifest(&self.right.sealed(&self.made));
        self.judge(&format!("{name}: {what}"));
        std::fs::write(self.directory.join(name), &right.0).unwrap();
        *self.made.get_mut(name).unwrap() = right;
    }

    /// Every number of every file; `take` says which of the changes of a chunk are tried.
    fn files(&mut self, mut take: impl FnMut(usize) -> bool) {
        let files: BTreeMap<String, Container> = self.right.files.clone();
        for (name, file) in &files {
            for (i, other) in file.changed_frames().into_iter().enumerate() {
                self.file(name, other, &format!("frame change {i}"));
            }
            for bit in (0..8 * file.header.len()).filter(|bit| bit % 8 == 0 || bit / 8 > 6 && bit / 8 < 16) {
                let mut other = file.clone();
                other.header[bit / 8] ^= 1 << (bit % 8);
                self.file(name, other.bytes(), &format!("bit {bit} of the header"));
            }
            for head in changed_bytes(&file.head) {
                let what = format!("head {:02x?}", head);
                self.file(name, Container { head, ..file.clone() }.bytes(), &what);
            }
            for (c, chunk) in file.chunks.iter().enumerate() {
                let all = changed_bytes(chunk);
                let of = all.len();
                for (i, raw) in all.into_iter().enumerate().filter(|(_, _)| take(of)) {
                    let mut other = file.clone();
                    other.chunks[c] = raw;
                    self.file(name, other.bytes(), &format!("chunk {c}, change {i}"));
                }
                let mut other = file.clone();
                other.chunks.remove(c);
                self.file(name, other.bytes(), &format!("without chunk {c}"));
                let mut other = file.clone();
                other.chunks.insert(c, chunk.clone());
                self.file(name, other.bytes(), &format!("chunk {c} twice"));
            }
        }
    }

    /// Lies that fit together.
    fn consistent_lies(&mut self) {
        let right = self.right.sealed(&self.made);
        let layers = right["layers"].as_array().unwrap().len();
        for l in 0..layers {
            let codes = right["codes"].as_array().unwrap().len();
            let at = |manifest: &Value, key: &str| manifest["layers"][l][key].as_u64().unwrap();
            let list = |manifest: &Value, pointer: &str| -> Vec<u64> {
                let list = manifest.pointer(pointer).unwrap().as_array().unwrap();
                let mut list: Vec<u64> = list.iter().map(|n| n.as_u64().unwrap()).collect();
                list.resize(codes, 0);
                list
            };
            let ended = format!("/layers/{l}/terminal_by_code");
            let by_code = format!("/layers/{l}/values/by_code");
            for code in 0..codes {
                // One terminal position more, one less, one of another code.
                for more in [true, false] {
                    let mut other = right.clone();
                    let mut counts = list(&right, &ended);
                    let sum = |n: u64| if more { Some(n + 1) } else { n.checked_sub(1) };
                    let Some(count) = sum(counts[code]) else { continue };
                    counts[code] = count;
                    *other.pointer_mut(&ended).unwrap() = json!(counts);
                    for key in ["positions", "terminal"] {
                        other["layers"][l][key] = json!(sum(at(&right, key)));
                    }
                    self.lie(&other, &format!("layer {l}: terminal positions of code {code}, more: {more}"));
                }
                for pointer in [&ended, &by_code] {
                    let mut counts = list(&right, pointer);
                    if counts[code] > 0 {
                        counts[code] -= 1;
                        counts[(code + 1) % codes] += 1;
                        let mut other = right.clone();
                        *other.pointer_mut(pointer).unwrap() = json!(counts);
                        self.lie(&other, &format!("layer {l}: {pointer} moved from code {code}"));
                    }
                }
            }
        }
        for value in right["codes"].as_array().unwrap() {
            let mut other = right.clone();
            other["value"]["rewards"] = value.clone();
            if other != right {
                self.lie(&other, "another value of the start");
            }
        }
        self.write_manifest(&right);
    }

    fn lie(&mut self, manifest: &Value, what: &str) {
        self.write_manifest(manifest);
        assert!(self.judge(what), "{what} is proved");
    }
}

/// The number of changes of a chunk that are tried in an ordinary run, about.
const EACH: usize = 16;

fn try_everything(game: &dyn Fn() -> Game, solution: &Solution) {
    let directory = scratch();
    let mut trial = Trial::new(game, solution, directory.path());
    // The check says what is wrong before anything can panic; if it does not, the trial's message is enough.
    trial.fields();
    let of_fields = (trial.tried, trial.refused);
    trial.consistent_lies();
    let of_lies = (trial.tried - of_fields.0, trial.refused - of_fields.1);
    let exhaustive = std::env::var_os("WINSET_EXHAUSTIVE").is_some();
    let mut random = Random::new(20);
    trial.files(|of| exhaustive || random.below(of) < EACH);
    let of_files = (trial.tried - of_fields.0 - of_lies.0, trial.refused - of_fields.1 - of_lies.1);
    println!(
        "{} {}: manifest {} changes, {} refused; lies that fit together {}, {} refused; files {} changes, {} refused; seed \
         20{}; others have the same answers",
        solution.header.game.name,
        solution.header.game.size,
        of_fields.0,
        of_fields.1,
        of_lies.0,
        of_lies.1,
        of_files.0,
        of_files.1,
        if exhaustive { ", exhaustive" } else { "" }
    );
}

#[test]
fn tic_tac_toe() {
    let game = || build("tictactoe", "3x3");
    try_everything(&game, &solve(&game(), Cut::Stones, false));
}

/// Values as leaves, of a row and of two, with one of two mirror images and with both.
#[test]
fn leaves() {
    let game = || build("tictactoe", "3x3");
    for (level, mirrored) in [(2, false), (1, true)] {
        let mut solution = solve(&game(), Cut::Stones, false);
        solution.frame = Some(winset_reference::leaves::stones(&game(), &solution, level, mirrored));
        try_everything(&game, &solution);
    }
}

#[test]
fn games_with_circles() {
    use winset_model::Remoteness::{Endless, Plies};
    // With 7 places many plays are endless, with 8 tied, with 9 won late.
    let mut kinds = [0; 4];
    for places in [7, 8, 9] {
        let game = || chase(places);
        let solution = solve_cyclic(&game(), true);
        for value in solution.values.values() {
            kinds[0] += u32::from(value.remoteness == Endless);
            kinds[1] += u32::from(value.rewards.leader().is_none() && matches!(value.remoteness, Plies(1..)));
            kinds[2] += u32::from(
                value.rewards.leader() == Some(Player(0)) && matches!(value.remoteness, Plies(2..)),
            );
            kinds[3] += u32::from(
                value.rewards.leader() == Some(Player(1)) && matches!(value.remoteness, Plies(1..)),
            );
        }
        try_everything(&game, &solution);
    }
    assert!(kinds.iter().all(|&kind| kind > 0), "all kinds of values are there: {kinds:?}");
}

#[test]
fn a_game_by_plies_with_distances() {
    let game = || build("tictactoe", "3x2x2");
    try_everything(&game, &solve(&game(), Cut::Bfs, true));
}

#[test]
fn unfinished_stores_are_not_proved() {
    let solution = solve(&build("tictactoe", "3x2x2"), Cut::Stones, true);
    let layers = solution.layers.len() as u32;
    for steps in 1..2 * layers {
        let directory = scratch();
        write_until(std::sync::Arc::new(OsDisk), directory.path(), &solution, steps).unwrap();
        let store = winset_reference::open(directory.path()).unwrap();
        let report = verify_full(&store, MEMORY, &|_, _| ()).unwrap();
        assert!(report.holds(), "{steps}: {report} {:?}", report.examples.first());
        let by_diagrams = verify_by_diagrams(&store, MEMORY, &|_, _| ()).unwrap();
        assert_eq!(by_diagrams, report, "{steps}");
        assert!(
            !report.is_proof() && !report.is_complete() && !report.missing.is_empty(),
            "{steps}: {report}"
        );
        let verdict = report.verdict();
        assert!(!verdict.proved && !verdict.complete, "{steps}");
        let solved: u64 = solution
            .layers
            .iter()
            .rev()
            .take(steps.saturating_sub(layers) as usize)
            .map(|l| l.index.len())
            .sum();
        assert_eq!(report.checked, solved, "{steps}");
    }
}
