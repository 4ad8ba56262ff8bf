//! Several processes write what one writes, byte for byte: here they are threads.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use winset::{Catalogue, Engine, Job, Layers, Rules, StoreCheckpoint};
use winset_cluster::{ClusterError, Done, Group, Settings, run_in_threads, solve};
use winset_model::Opponent;
use winset_reference::Random;
use winset_store::OsDisk;

/// The files of a directory, but the lock.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name != "lock" {
            files.insert(name, std::fs::read(&path).unwrap());
        }
    }
    files
}

fn rules(name: &str, size: Option<&str>) -> Rules {
    Catalogue::default().game(name, size, &Default::default()).unwrap()
}

fn job(rules: &Rules) -> Job {
    let opponent = Opponent::usual(rules.game.players().len());
    Job { opponent, keep: true, memory: 512 << 20, threads: Some(1), ..Job::default() }
}

fn store<'a>(rules: &'a Rules, job: &Job, directory: &Path) -> StoreCheckpoint<'a> {
    let record = rules.record.clone();
    StoreCheckpoint::new(Arc::new(OsDisk), directory, &rules.game, record, job.opponent, job.memory, 1)
}

/// Solved by one process.
fn alone(rules: &Rules, by_rank: bool, directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let job = job(rules);
    let mut store = store(rules, &job, directory);
    Layers { by_rank, ..Layers::default() }.solve(&rules.game, &job, &mut store, &mut ()).unwrap();
    drop(store);
    files(directory)
}

/// Solved by several. `lives[rank]`: that one is gone when it has written n files.
fn together(
    rules: &Rules,
    (by_rank, small): (bool, u64),
    directory: &Path,
    size: usize,
    lives: &(dyn Fn(usize) -> Option<u64> + Sync),
) -> Vec<Result<Done, ClusterError>> {
    let job = job(rules);
    run_in_threads(size, |transport| {
        let rank = winset_cluster::Transport::rank(&*transport);
        let group = Group::new(transport);
        let settings =
            Settings { least: 64, small: Some(small), lives: lives(rank), ..Settings::new(directory) };
        let mut store = (rank == 0).then(|| store(rules, &job, directory));
        let checkpoint = store.as_mut().map(|store| store as &mut dyn winset::Checkpoint);
        let engine = Layers { by_rank, ..Layers::default() };
        let done = solve(&group, &rules.game, &engine, &job, checkpoint, &settings, &mut ());
        if done.is_err() {
            group.transport.fail();
        }
        done
    })
}

fn same(name: &str, size: Option<&str>, counts: &[usize]) {
    same_in_a_form(name, size, counts, (false, 1000));
    // All layers are shared; none is.
    same_in_a_form(name, size, &counts[..1], (false, 0));
    same_in_a_form(name, size, &counts[..1], (false, u64::MAX));
    same_in_a_form(name, size, &counts[..1], (true, 1000));
}

fn same_in_a_form(name: &str, size: Option<&str>, counts: &[usize], (by_rank, small): (bool, u64)) {
    let rules = rules(name, size);
    let scratch = tempfile::tempdir().unwrap();
    let expected = alone(&rules, by_rank, &scratch.path().join("alone"));
    for &count in counts {
        let directory = scratch.path().join(format!("by-{count}"));
        for done in together(&rules, (by_rank, small), &directory, count, &|_| None) {
            done.unwrap();
        }
        let found = files(&directory);
        let names: Vec<&String> = found.keys().collect();
        assert_eq!(names, expected.keys().collect::<Vec<_>>(), "{name} {size:?} by {count}");
        for (file, bytes) in &expected {
            assert!(found[file] == *bytes, "{name} {size:?} by {count}: {file} differs");
        }
    }
}

/// Whoever is killed whenever: the same command with any number of processes goes on, and ends with the same bytes.
#[test]
fn what_was_finished_when_a_process_was_killed_is_not_lost() {
    let mut random = Random::new(7);
    let games = [
        ("connect4", Some("4x4")),
        ("connect4", Some("4x5")),
        ("tictactoe", None),
        ("othello", Some("4x4")),
        ("mu-torere", None),
    ];
    for (name, size) in games {
        let rules = rules(name, size);
        let scratch = tempfile::tempdir().unwrap();
        let expected = alone(&rules, false, &scratch.path().join("alone"));
        for round in 0..4 {
            let directory = scratch.path().join(format!("round-{round}"));
            let mut kills = 0;
            loop {
                let count = 1 + random.below(4);
                let (victim, lives) = (random.below(count), random.below(40) as u64);
                // Several kilobytes at first, then all there is, then nothing.
                let form = (false, [5000, u64::MAX, 0, 500][round]);
                let done =
                    together(&rules, form, &directory, count, &|rank| (rank == victim).then_some(lives));
                if done.iter().all(Result::is_ok) {
                    break;
                }
                for error in done.into_iter().filter_map(Result::err) {
                    assert!(matches!(error, ClusterError::Peer), "{name} {size:?}: {error}");
                }
                kills += 1;
                assert!(kills < 1000, "{name} gets nowhere");
            }
            assert!(files(&directory) == expected, "{name} after {kills} kills");
        }
    }
}

/// Random games: what one process refuses several refuse too, and else the bytes are the same. (That one process is right
/// is tested against `reference` where the engine is.)
#[test]
fn random_games_have_the_same_bytes() {
    let mut random = Random::new(11);
    let mut solved = 0;
    for seed in 0..40 {
        let rules = Rules::of(winset_reference::random_game(seed, 3000).game);
        let scratch = tempfile::tempdir().unwrap();
        let job = job(&rules);
        let alone_at = scratch.path().join("alone");
        let mut kept = store(&rules, &job, &alone_at);
        let alone = Layers::default().solve(&rules.game, &job, &mut kept, &mut ());
        drop(kept);
        let directory = scratch.path().join("together");
        let count = 2 + random.below(3);
        let small = random.pick(&[0, 300, u64::MAX]);
        let done = together(&rules, (false, small), &directory, count, &|_| None);
        match alone {
            Err(alone) => assert!(done.iter().all(Result::is_err), "seed {seed}: {alone}"),
            Ok(_) => {
                done.into_iter().for_each(|done| _ = done.unwrap());
                assert!(files(&directory) == files(&alone_at), "seed {seed} by {count}");
                solved += 1;
            }
        }
    }
    assert!(solved > 10, "{solved}");
}

#[test]
fn boards_have_the_same_bytes() {
    same("connect4", Some("4x4"), &[1, 2, 3, 4]);
    // With mirror images.
    same("connect4", Some("5x4"), &[2, 3]);
    same("connect4", Some("4x5"), &[1, 4]);
    same("tictactoe", None, &[2, 4]);
    same("tictactoe", Some("4x3"), &[3]);
    same("othello", Some("4x4"), &[2, 3]);
    same("breakthrough", Some("3x4"), &[2, 4]);
    // Moves reach many layers.
    same("breakthrough", Some("4x4"), &[1, 2]);
    same("kayles", None, &[2]);
}

#[test]
fn games_that_go_in_circles_have_the_same_bytes() {
    same("mu-torere", None, &[1, 2, 4]);
    same("pong-hau-ki", None, &[2, 3]);
    same("dodgem", None, &[2, 4]);
    same("hexapawn", None, &[2]);
}
