//! What is said of a solution that is not finished is true: values that a search finds above the solved layers are those
//! of the whole solution, also while further results of the game are not known yet, and also when the work has gone on since
//! the solution was opened.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use winset::{Engine, EngineError, ExplicitSearch, Job, Layers, Session, StoreCheckpoint, Watcher, run};
use winset_explore::query;
use winset_model::{Explicit, Game, Opponent, State};
use winset_reference::random_game;
use winset_store::{Disk, GameRecord, Header, Layering, RamDisk, Store};

const DIRECTORY: &str = "store";

/// Stops after n pieces of work.
struct Stopper(u64);

impl Watcher for Stopper {
    fn stop(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 == 0
    }
}

/// A store that was stopped after n pieces of work; whether it was finished. None if the engine cannot solve the game.
fn stopped(game: &Game, engine: &dyn Engine, distance: bool, pieces: u64) -> Option<(Option<Store>, bool)> {
    go_on(game, engine, distance, pieces, Arc::new(RamDisk::default()))
}

/// The same, which goes on from what is on a disk.
fn go_on(
    game: &Game,
    engine: &dyn Engine,
    distance: bool,
    pieces: u64,
    disk: Arc<dyn Disk>,
) -> Option<(Option<Store>, bool)> {
    let job = Job { distance, keep: true, memory: 256 << 20, threads: Some(1), ..Job::default() };
    let record: GameRecord = Header::new(game, "", &[], Layering::Single).game;
    let directory = Path::new(DIRECTORY);
    let mut kept =
        StoreCheckpoint::new(disk.clone(), directory, game, record, Opponent::Difference, job.memory, 1);
    let done = match run(game, engine, &job, &mut kept, &mut Stopper(pieces)) {
        Ok(_) => true,
        Err(EngineError::Stopped) => false,
        Err(_) => return None,
    };
    drop(kept);
    let build = |_: &winset_store::Manifest| Ok::<_, String>(game.clone());
    // Stopped before the first layer there is nothing to open.
    Some((Store::open_on(disk, directory, 1 << 20, build).ok(), done))
}

/// All positions that can arise, up to n.
fn reachable(game: &Game, most: usize) -> Vec<State> {
    let mut explicit = Explicit::new(game);
    let (mut all, mut seen) = (vec![game.initial().clone()], BTreeSet::from([game.initial().clone()]));
    let mut next = 0;
    while next < all.len() && all.len() < most {
        let at = explicit.at(&all[next]);
        let after: Vec<State> = at.moves().map(|m| at.apply(m)).collect();
        all.extend(after.into_iter().filter(|state| seen.insert(state.clone())));
        next += 1;
    }
    all
}

/// Compares what every unfinished store says with the finished one; gives how many values were found by search.
fn compare(name: &str, game: &Game, engine: &dyn Engine, distance: bool) -> usize {
    let Some((Some(whole), true)) = stopped(game, engine, distance, u64::MAX) else { return 0 };
    let mut truth = Session::new(&whole);
    let all = reachable(game, 400);
    let states: Vec<&State> = all.iter().step_by(all.len().div_ceil(8)).collect();
    let mut searched = 0;
    for pieces in 1.. {
        let Some((store, done)) = stopped(game, engine, distance, pieces) else { panic!("{name}") };
        if done {
            break;
        }
        let Some(store) = store else { continue };
        let mut session = Session::new(&store);
        for &state in &states {
            let said = query::answer_played(&mut session, state).unwrap();
            let Some(rewards) = &said.rewards else { continue };
            searched += usize::from(said.searched);
            let right = query::answer_played(&mut truth, state).unwrap();
            let context = || format!("{name} after {pieces}: {}", said.position);
            assert_eq!(Some(rewards), right.rewards.as_ref(), "{}", context());
            for m in said.moves.iter().filter(|m| m.rewards.is_some()) {
                let same = right.moves.iter().find(|other| other.name == m.name).unwrap();
                assert_eq!(m.rewards, same.rewards, "{} {}", context(), m.name);
            }
            // Whoever plays the first move keeps what is promised.
            if let Some(first) = said.moves.first() {
                assert_eq!(first.rewards.as_ref(), Some(rewards), "{}", context());
            }
        }
    }
    searched
}

#[test]
fn searches_in_unfinished_stores_find_the_truth() {
    let engines: [&dyn Engine; 2] = [&Layers::default(), &ExplicitSearch::default()];
    let mut searched = 0;
    for (name, size) in [("tictactoe", "3x2"), ("nim", "2x3x2"), ("chomp", "3x3")] {
        let game = winset_games::build(name, Some(size), &Default::default()).unwrap();
        for engine in engines {
            searched += compare(name, &game, engine, false);
        }
    }
    assert!(searched > 5, "{searched}");
    for seed in 0..40 {
        let made = random_game(4_000_000 + seed, 200);
        for engine in engines {
            searched += compare(&format!("seed {seed}"), &made.game, engine, seed % 2 == 0);
        }
    }
    assert!(searched > 40, "{searched}");
}

/// A server may have opened a solution that was found and kept on meanwhile.
#[test]
fn solutions_opened_before_the_end_tell_the_truth_after_it() {
    let engines: [&dyn Engine; 2] = [&Layers::default(), &ExplicitSearch::default()];
    let mut known = 0;
    for seed in 0..40 {
        let game = random_game(5_000_000 + seed, 200).game;
        let all = reachable(&game, 400);
        for engine in engines {
            let distance = seed % 2 == 0;
            let Some((Some(whole), true)) = stopped(&game, engine, distance, u64::MAX) else { continue };
            let mut truth = Session::new(&whole);
            for pieces in (1..).step_by(3) {
                let disk: Arc<dyn Disk> = Arc::new(RamDisk::default());
                let Some((store, done)) = go_on(&game, engine, distance, pieces, disk.clone()) else {
                    panic!("seed {seed}")
                };
                if done {
                    break;
                }
                let Some(store) = store else { continue };
                let finished = go_on(&game, engine, distance, u64::MAX, disk);
                assert!(finished.is_some_and(|(_, done)| done), "seed {seed}");
                let mut session = Session::new(&store);
                for state in all.iter().step_by(all.len().div_ceil(8)) {
                    // Files that are not those of its manifest are refused.
                    let Ok(said) = query::answer_played(&mut session, state) else { continue };
                    let right = query::answer_played(&mut truth, state).unwrap();
                    if said.rewards.is_some() {
                        known += 1;
                        assert_eq!(
                            said.rewards, right.rewards,
                            "seed {seed} after {pieces}: {}",
                            said.position
                        );
                    }
                }
            }
        }
    }
    assert!(known > 100, "{known}");
}
