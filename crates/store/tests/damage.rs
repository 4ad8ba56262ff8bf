//! A damaged store refuses to answer, or answers right; it never answers wrong and never panics.

use std::path::Path;
use winset_model::{State, Valuation};
use winset_reference::{Cut, Solution, build, contents, open, scratch, solve, write};
use winset_store::{LOCK, Layering, StoreError};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// What a damaged store does.
#[derive(Default)]
struct Outcome {
    refused: u32,
    harmless: u32,
}

/// Asks for everything; panics at a wrong answer. Whether anything was refused.
fn interrogate(directory: &Path, solution: &Solution, states: &[&State]) -> Result<(), StoreError> {
    let store = open(directory)?;
    let mut refused = store.check_files();
    for state in states {
        match store.stored(state) {
            Ok(stored) => {
                let expected: Valuation = solution.values[*state];
                assert_eq!(stored.valuation(), Some(expected), "a wrong answer");
            }
            Err(error) => refused = Err(error),
        }
    }
    for (l, layer) in solution.layers.iter().enumerate() {
        let walked = store.positions(l as u32).and_then(|positions| positions.collect::<Result<Vec<_>, _>>());
        match walked {
            Ok(walked) => {
                assert_eq!(walked.len(), layer.states.len());
                for (state, value) in walked {
                    assert_eq!(value, solution.values[&state], "a wrong answer on the way");
                }
            }
            Err(error) => refused = Err(error),
        }
        match store.read_set(l as u32, u64::MAX) {
            Ok(index) => {
                assert_eq!(index, layer.index);
                match store.read_values(l as u32, &index, u64::MAX) {
                    Ok((codes, distances)) => {
                        assert_eq!(
                            (codes, distances.as_ref()),
                            (layer.codes.clone(), Some(&layer.distances))
                        );
                    }
                    Err(error) => refused = Err(error),
                }
            }
            Err(error) => refused = Err(error),
        }
    }
    refused
}

#[test]
fn flipped_bits_missing_tails_and_swapped_files() {
    for (name, size, cut) in [("tictactoe", "3x3", Cut::Stones), ("breakthrough", "4x3", Cut::Bfs)] {
        let solution = solve(&build(name, size), cut, true);
        let directory = scratch();
        write(directory.path(), &solution);
        let original = contents(directory.path());
        let files: Vec<&(String, Vec<u8>)> = original.iter().filter(|file| file.0 != LOCK).collect();
        let all: Vec<&State> = solution.layers.iter().flat_map(|l| l.states.iter()).collect();
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut outcome = Outcome::default();
        let mut damage = |file: &str, bytes: &[u8], whole: &[u8], random: &mut Random| {
            let path = directory.path().join(file);
            std::fs::write(&path, bytes).unwrap();
            let states: Vec<&State> = (0..60).map(|_| all[random.below(all.len())]).collect();
            match interrogate(directory.path(), &solution, &states) {
                Ok(()) => {
                    assert_eq!(bytes, whole, "damage to {file} went unnoticed");
                    outcome.harmless += 1;
                }
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    outcome.refused += 1;
                }
            }
            std::fs::write(&path, whole).unwrap();
        };
        for _ in 0..1000 {
            let (file, whole) = files[random.below(files.len())];
            let mut bytes = whole.clone();
            let at = random.below(bytes.len() * 8);
            bytes[at / 8] ^= 1 << (at % 8);
            damage(file, &bytes, whole, &mut random);
        }
        for _ in 0..250 {
            let (file, whole) = files[random.below(files.len())];
            let length = random.below(whole.len());
            damage(file, &whole[..length], whole, &mut random);
        }
        for _ in 0..100 {
            let (file, whole) = files[random.below(files.len())];
            let (_, other) = files[random.below(files.len())];
            damage(file, other, whole, &mut random);
        }
        eprintln!("{name}: {} refused, {} harmless, 0 wrong", outcome.refused, outcome.harmless);
        assert!(outcome.refused > 1300);
        interrogate(directory.path(), &solution, &all).unwrap();
    }
}

#[test]
fn files_of_another_store_of_the_same_game_are_refused() {
    let solution = solve(&build("breakthrough", "4x3"), Cut::Bfs, true);
    let mut other = solve(&build("breakthrough", "4x3"), Cut::Bfs, true);
    for layer in &mut other.layers {
        for rank in 0..layer.codes.len() {
            layer.codes.set(rank, 2 - layer.codes.get(rank));
        }
    }
    other.value.rewards = other.value.rewards.iter().rev().copied().collect();
    let (right, wrong) = (scratch(), scratch());
    write(right.path(), &solution);
    write(wrong.path(), &other);
    let state = &solution.layers[5].states[100];
    let file = "layer-0005.val";
    std::fs::copy(wrong.path().join(file), right.path().join(file)).unwrap();
    let refused = open(right.path()).unwrap().stored(state);
    assert!(matches!(refused, Err(StoreError::Damaged { .. })), "{refused:?}");
}

#[test]
fn other_versions_are_refused() {
    let solution = solve(&build("tictactoe", "3x3"), Cut::Stones, false);
    let directory = scratch();
    write(directory.path(), &solution);
    let path = directory.path().join(winset_store::MANIFEST);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"format\": 1", "\"format\": 2")).unwrap();
    assert!(matches!(open(directory.path()), Err(StoreError::Version { found: 2, known: 1, .. })));
    std::fs::write(&path, text.replace("\"engine\": \"explicit\"", "\"engine\": \"implicit\"")).unwrap();
    assert!(matches!(open(directory.path()), Err(StoreError::Damaged { .. })));
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(open(directory.path()), Err(StoreError::NoStore(_))));
}

#[test]
fn other_rules_are_refused() {
    let directory = scratch();
    let solution = solve(&build("tictactoe", "3x3"), Cut::Stones, false);
    write(directory.path(), &solution);
    let other = winset_store::Store::open(directory.path(), |_| {
        winset_games::build("tictactoe", Some("3x3x2"), &Default::default())
    });
    assert!(matches!(other, Err(StoreError::Rules { .. })));
    let failed = winset_store::Store::open(directory.path(), |_| Err("no such game"));
    assert!(matches!(failed, Err(StoreError::Game { .. })));
    let mut header = solution.header.clone();
    header.layering = Layering::Bfs;
    let resumed = winset_store::StoreWriter::create_or_resume(directory.path(), header);
    assert!(matches!(resumed, Err(StoreError::Mismatch { what: "the layering", .. })));
}
