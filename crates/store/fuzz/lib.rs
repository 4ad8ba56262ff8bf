//! A small store in which a fuzzer's bytes take the place of one part of one file. Checksums, seals and digests are
//! computed anew for every input, as anybody could: nothing may panic, and what is proved has the right answers.
//!
//! `cargo fuzz run seeds -- -runs=1` writes what the targets begin with (`corpus/TARGET`): the parts of the right files.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use winset_explore::{Lookup, Session};
use winset_model::State;
use winset_reference::forge::{Container, Forged, Made, alternatives, assemble, manifest_text, pointers};
use winset_reference::{Cut, build, open, scratch, solve, write};
use winset_store::Store;

/// A store on trial: one file of it is replaced again and again.
pub struct Trial {
    game: (&'static str, &'static str),
    directory: PathBuf,
    /// The right one.
    pub right: Forged,
    made: Made,
    /// What is right to answer.
    answers: Vec<(State, Lookup)>,
    /// The file that differs from the right one at the moment.
    changed: Mutex<Option<String>>,
}

/// The games whose stores are tried: a small one, and one with values that are shorter packed than as diagrams.
const SMALL: (&str, &str) = ("tictactoe", "3x2x2");
const PACKED: (&str, &str) = ("connect4", "3x3x3");
const LEAVES: (&str, &str) = ("tictactoe", "3x3");

/// The trial of this process.
pub fn trial() -> &'static Trial {
    static TRIAL: OnceLock<Trial> = OnceLock::new();
    TRIAL.get_or_init(|| Trial::new(SMALL, false))
}

/// The same for packed values.
pub fn packed_trial() -> &'static Trial {
    static TRIAL: OnceLock<Trial> = OnceLock::new();
    TRIAL.get_or_init(|| Trial::new(PACKED, false))
}

/// The same for values as leaves, of which one of two mirror images is kept.
pub fn leaves_trial() -> &'static Trial {
    static TRIAL: OnceLock<Trial> = OnceLock::new();
    TRIAL.get_or_init(|| Trial::new(LEAVES, true))
}

/// The parts of a file that are replaced.
const PARTS: [&str; 4] = ["head", "header", "chunk", "frame"];

impl Trial {
    fn new(game: (&'static str, &'static str), leaves: bool) -> Self {
        let directory = scratch().keep();
        let rules = build(game.0, game.1);
        let mut solution = solve(&rules, Cut::Stones, !leaves);
        if leaves {
            solution.frame = Some(winset_reference::leaves::stones(&rules, &solution, 2, true));
        }
        write(&directory, &solution);
        let right = Forged::read(&directory);
        right.write(&directory);
        let store = open(&directory).expect("the right store");
        let states: Vec<State> = solution.values.into_keys().collect();
        let values = Session::new(&store).values(&states).expect("the right answers");
        let (made, changed) = (right.made(), Mutex::new(None));
        Trial { game, directory, right, made, answers: states.into_iter().zip(values).collect(), changed }
    }

    /// The files of a kind: their names end so, and their manifest entries are of this encoding.
    fn files(&self, ending: &str, encoding: Option<&str>) -> Vec<&String> {
        let of_encoding = |name: &str| {
            let layers = self.right.manifest["layers"].as_array().expect("layers");
            let values = layers.iter().map(|layer| &layer["values"]).find(|values| values["file"] == name);
            values.and_then(|values| values["encoding"].as_str()) == encoding
        };
        let names = self.right.files.keys();
        names.filter(|name| name.ends_with(ending) && of_encoding(name)).collect()
    }

    /// Replaces a part of a file of a kind by a fuzzer's bytes. The first bytes say of which file, which part, and
    /// which chunk.
    pub fn replace(&self, ending: &str, encoding: Option<&str>, data: &[u8]) {
        let [file, part, chunk, bytes @ ..] = data else { return };
        let names = self.files(ending, encoding);
        let name = names[usize::from(*file) % names.len()];
        let mut changed: Container = self.right.files[name].clone();
        let chunk = usize::from(*chunk).checked_rem(changed.chunks.len());
        let (made, seal) = match (PARTS[usize::from(*part) % PARTS.len()], chunk) {
            ("chunk", Some(chunk)) => {
                changed.chunks[chunk] = bytes.to_vec();
                changed.bytes()
            }
            ("frame", Some(chunk)) => {
                let [a, b, c, d, frame @ ..] = bytes else { return };
                let length = u32::from_le_bytes([*a, *b, *c, *d]);
                let frames = frames(&changed).into_iter().enumerate();
                let frames =
                    frames.map(|(i, right)| if i == chunk { (frame.to_vec(), length) } else { right });
                assemble(&changed.header, frames, &changed.head)
            }
            ("header", _) => {
                let length = bytes.len().min(changed.header.len());
                changed.header[..length].copy_from_slice(&bytes[..length]);
                changed.bytes()
            }
            _ => {
                changed.head = bytes.to_vec();
                changed.bytes()
            }
        };
        let mut before = self.changed.lock().expect("one thread");
        if let Some(before) = before.replace(name.clone()).filter(|before| before != name) {
            std::fs::write(self.directory.join(&before), &self.made[&before].0).expect("it can be written");
        }
        std::fs::write(self.directory.join(name), &made).expect("it can be written");
        let mut all = self.made.clone();
        all.insert(name.clone(), (made, seal));
        self.replace_manifest(&manifest_text(&self.right.sealed(&all)));
    }

    /// Replaces fields of the manifest: every three bytes name a field and what stands there instead.
    pub fn replace_fields(&self, data: &[u8]) {
        let mut manifest = self.right.sealed(&self.made);
        for change in data.chunks_exact(3).take(8) {
            let all = pointers(&manifest);
            let pointer = &all[usize::from(u16::from_le_bytes([change[0], change[1]])) % all.len()];
            let field = manifest.pointer_mut(pointer).expect("a pointer into it");
            let others = alternatives(field);
            *field = others[usize::from(change[2]) % others.len()].clone();
        }
        self.replace_manifest(&manifest_text(&manifest));
    }

    /// Writes a manifest, and asks everything that can be asked.
    pub fn replace_manifest(&self, text: &str) {
        std::fs::write(self.directory.join("manifest.json"), text).expect("it can be written");
        if let Ok(store) = open(&self.directory) {
            self.ask(&store);
        }
    }

    fn ask(&self, store: &Store) {
        let _ = winset_explore::stats::stats(store);
        let _ = Session::new(store).line(store.game().initial());
        let mut exported = vec![];
        let layers: Vec<usize> = (0..store.manifest().layers.len().min(3)).collect();
        if store.manifest().layers.iter().all(|l| l.stored < 10_000) {
            let _ = winset_explore::export::write_csv(&mut exported, store, &layers);
        }
        let _ = winset_verify::verify_sample(store, 20, 1, winset_verify::MEMORY, &|_, _| ());
        let Ok(report) = winset_verify::verify_full(store, winset_verify::MEMORY, &|_, _| ()) else { return };
        let game = &store.manifest().header.game;
        if report.is_proof() && self.game == (game.name.as_str(), game.size.as_str()) {
            let mut session = Session::new(store);
            for (state, right) in &self.answers {
                let value = session.values(std::slice::from_ref(state)).expect("it is proved");
                assert_eq!(value, [*right], "proved, with another answer");
            }
        }
    }

    /// Writes what targets begin with: each part of each right file of their kinds.
    fn seeds(&self, corpus: &Path, kinds: &[(&str, &str, Option<&str>)]) {
        for &(target, ending, encoding) in kinds {
            for (f, name) in self.files(ending, encoding).into_iter().enumerate() {
                let file = &self.right.files[name];
                let keep = |name: String, part: u8, chunk: usize, bytes: &[u8]| {
                    keep(corpus, target, &name, &[&[f as u8, part, chunk as u8], bytes].concat());
                };
                keep(format!("{f}-head"), 0, 0, &file.head);
                keep(format!("{f}-header"), 1, 0, &file.header);
                for (c, chunk) in file.chunks.iter().enumerate() {
                    keep(format!("{f}-chunk-{c}"), 2, c, chunk);
                }
                for (c, (frame, length)) in frames(file).into_iter().enumerate() {
                    let bytes = [&length.to_le_bytes()[..], &frame].concat();
                    keep(format!("{f}-frame-{c}"), 3, c, &bytes);
                }
            }
        }
    }
}

/// Writes what all targets begin with.
pub fn seeds(corpus: &Path) {
    let kinds = [("digits", ".dig", None), ("set", ".set", None), ("diagram", ".val", Some("diagram"))];
    trial().seeds(corpus, &kinds);
    packed_trial().seeds(corpus, &[("packed", ".val", Some("packed"))]);
    leaves_trial().seeds(corpus, &[("leaves", ".val", Some("leaves")), ("frame", ".frm", None)]);
    let right = trial();
    let keep = |target: &str, name: String, bytes: Vec<u8>| keep(corpus, target, &name, &bytes);
    let manifest = manifest_text(&right.right.sealed(&right.made));
    keep("manifest", "text".to_owned(), manifest.into_bytes());
    for field in 0..pointers(&right.right.manifest).len() as u16 {
        let [low, high] = field.to_le_bytes();
        keep("manifest", format!("field-{field}"), vec![0, low, high, 0]);
    }
    let game = build("tictactoe", "3x3");
    let row = |choice: &str| format!("{}\t{choice}\t1\n", game.print(game.initial()));
    for (name, choice) in [("any", "any"), ("over", ""), ("move", &game.moves()[0].name)] {
        keep("strategy", name.to_owned(), format!("position\tmove\trounds\n{}", row(choice)).into_bytes());
    }
}

fn keep(corpus: &Path, target: &str, name: &str, bytes: &[u8]) {
    let place = corpus.join(target);
    std::fs::create_dir_all(&place).expect("it can be made");
    std::fs::write(place.join(name), bytes).expect("it can be written");
}

/// The compressed chunks of a file with their lengths when decompressed.
fn frames(file: &Container) -> Vec<(Vec<u8>, u32)> {
    let (bytes, _) = file.bytes();
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    let directory = number(bytes.len() - 72) as usize;
    let frame = |chunk: usize| {
        let (from, lengths) = (number(directory + 24 * chunk) as usize, number(directory + 24 * chunk + 8));
        (bytes[from..from + (lengths & 0xffff_ffff) as usize].to_vec(), (lengths >> 32) as u32)
    };
    (0..file.chunks.len()).map(frame).collect()
}
