//! Solutions of the BDD engine that are kept: the same values as the reference's and the layer engine's, the same bytes
//! wherever it goes on one by one and wherever it was stopped, and proved by both checks.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use winset::{Bdd, BddAlgorithm, Catalogue, EngineError, Job, Layers, Report, StoreCheckpoint, Watcher, run};
use winset_model::{Game, Opponent, State, Valuation};
use winset_reference::{Truth, random_game};
use winset_store::{Disk, GameRecord, RamDisk, Store};
use winset_verify::{MEMORY, verify_by_diagrams, verify_full};

/// How many random games are tried.
const GAMES: u64 = 120;

const DIRECTORY: &str = "memory";

fn job(opponent: Opponent) -> Job {
    Job { keep: true, opponent, memory: 64 << 20, threads: Some(1), ..Job::default() }
}

fn record(game: &Game) -> GameRecord {
    winset_store::Header::new(game, "", &[], winset_store::Layering::Single).game
}

/// Stops after n pieces of work.
struct Stopper(u64);

impl Watcher for Stopper {
    fn stop(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 == 0
    }
}

fn engine(switch_at: Option<usize>) -> Bdd {
    Bdd { algorithm: BddAlgorithm::Hybrid, switch_at, ..Bdd::default() }
}

/// Solves into a store in memory, or goes on with one.
fn solve_on(
    disk: &Arc<RamDisk>,
    game: &Game,
    engine: &Bdd,
    opponent: Opponent,
    watcher: &mut dyn Watcher,
) -> Result<Report, EngineError> {
    let disk: Arc<dyn Disk> = disk.clone();
    let job = job(opponent);
    let mut store =
        StoreCheckpoint::new(disk, Path::new(DIRECTORY), game, record(game), opponent, job.memory, 1);
    run(game, engine, &job, &mut store, watcher)
}

/// Every file with its contents.
fn contents(disk: &Arc<RamDisk>) -> BTreeMap<String, Vec<u8>> {
    let directory = Path::new(DIRECTORY);
    let names = disk.names(directory).unwrap();
    let read = |name: String| {
        let file = disk.open(&directory.join(&name)).unwrap();
        let mut bytes = vec![0; file.length().unwrap() as usize];
        file.read_at(&mut bytes, 0).unwrap();
        (name, bytes)
    };
    names.into_iter().map(read).collect()
}

fn open(disk: &Arc<RamDisk>, game: &Game) -> Store {
    Store::open_on(disk.clone(), Path::new(DIRECTORY), 1 << 20, |_| Ok::<_, String>(game.clone())).unwrap()
}

fn proved(store: &Store, what: &str) {
    for report in [verify_full(store, MEMORY, &|_, _| ()), verify_by_diagrams(store, MEMORY, &|_, _| ())] {
        let report = report.unwrap();
        assert!(report.is_proof(), "{what}: {report} {:?}", report.examples.first());
    }
}

/// All stored values.
fn values(store: &Store) -> BTreeMap<State, Valuation> {
    let mut all = BTreeMap::new();
    for record in &store.manifest().layers {
        for rank in 0..record.stored {
            let (digits, value) = store.at(record.layer, rank).unwrap();
            all.insert(store.blocks().unwrap().state(&digits), value);
        }
    }
    all
}

/// Solves with the change to one by one at every layer, and looks that nothing else changes.
fn at_every_layer(game: &Game, opponent: Opponent, what: &str) -> (Store, Report) {
    let whole = Arc::new(RamDisk::default());
    let report = solve_on(&whole, game, &engine(None), opponent, &mut ()).unwrap();
    let expected = contents(&whole);
    let shares = |report: &Report| -> Vec<_> {
        let layers = report.layers.iter();
        layers
            .map(|l| (l.positions, l.terminal, l.won, l.level, l.lost, format!("{:?}", l.rewards)))
            .collect()
    };
    let layers = report.layers.len();
    for number in 0..=layers {
        let disk = Arc::new(RamDisk::default());
        let other = solve_on(&disk, game, &engine(Some(number)), opponent, &mut ()).unwrap();
        assert!(contents(&disk) == expected, "{what}: other bytes when it changes at layer {number}");
        assert_eq!(shares(&other), shares(&report), "{what}, {number}");
        // Without keeping anything.
        let job = Job { keep: false, ..job(opponent) };
        let other = run(game, &engine(Some(number)), &job, &mut (), &mut ()).unwrap();
        assert_eq!((&other.rewards, other.positions), (&report.rewards, report.positions), "{what}");
        // Who keeps nothing may use a measure that does not show that every play ends.
        if other.layers[0].measure == report.layers[0].measure {
            assert_eq!(shares(&other), shares(&report), "{what}");
        }
    }
    // Stopped after every piece of work, with a change somewhere, and gone on with.
    for pieces in 1..2 * layers as u64 + 2 {
        let disk = Arc::new(RamDisk::default());
        let switch = (pieces % 3 > 0).then_some(pieces as usize / 3);
        let stopped = solve_on(&disk, game, &engine(switch), opponent, &mut Stopper(pieces));
        let again = solve_on(&disk, game, &engine(switch), opponent, &mut ()).unwrap();
        // Who is asked in the last piece has everything, and says so.
        assert_eq!(stopped.is_ok(), pieces >= 2 * layers as u64, "{what}: stopped after {pieces}");
        assert!(contents(&disk) == expected, "{what}: other bytes when stopped after {pieces}");
        assert_eq!(shares(&again), shares(&report), "{what}, stopped after {pieces}");
    }
    (open(&whole, game), report)
}

#[test]
fn random_games() {
    let (mut kept, mut refused) = (0, 0);
    for seed in 0..GAMES {
        let made = random_game(seed, 300);
        let game = &made.game;
        for opponent in [Opponent::Difference, Opponent::Own] {
            let what = format!("seed {seed}, {opponent:?}");
            let disk = Arc::new(RamDisk::default());
            let solved = solve_on(&disk, game, &engine(None), opponent, &mut ());
            let truth = match (Truth::of(&made.positions, opponent), solved) {
                (Truth::Refused | Truth::NoValue, solved) => {
                    assert!(solved.is_err(), "{what}");
                    refused += 1;
                    continue;
                }
                // Play may go on for ever.
                (Truth::Solved(_), Err(error)) => {
                    assert!(!made.ends && error.to_string().contains("--engine layers"), "{what}: {error}");
                    continue;
                }
                (Truth::Solved(truth), Ok(_)) => truth,
            };
            kept += 1;
            let (store, _) = at_every_layer(game, opponent, &what);
            proved(&store, &what);
            let found = values(&store);
            assert_eq!(found.len(), truth.len(), "{what}");
            // By layers in memory, which is another engine.
            let layers =
                run(game, &Layers::default(), &Job { keep: false, ..job(opponent) }, &mut (), &mut ());
            assert_eq!(
                layers.unwrap().rewards.as_deref(),
                Some(&*store.manifest().value.unwrap().rewards.to_vec()),
                "{what}"
            );
            for (position, value) in made.positions.iter().zip(truth) {
                let state = &position.state;
                assert_eq!(found[state].rewards, value.rewards, "{what}: {}", game.print(state));
            }
        }
    }
    assert!(kept > 40 && refused > 10, "{kept} kept, {refused} refused");
}

#[test]
fn small_boards() {
    let boards = [
        ("tictactoe", "3x3"),
        ("connect4", "3x3"),
        ("connect4", "4x3"),
        ("othello", "3x4"),
        ("breakthrough", "3x4"),
        ("breakthrough", "4x3"),
    ];
    for (name, size) in boards {
        let rules = match Catalogue::default().game(name, Some(size), &Default::default()) {
            Ok(rules) => rules,
            Err(error) => panic!("{name} {size}: {error}"),
        };
        let (store, report) = at_every_layer(&rules.game, Opponent::Difference, name);
        proved(&store, name);
        let layers = run(
            &rules.game,
            &Layers::default(),
            &Job { keep: false, ..job(Opponent::Difference) },
            &mut (),
            &mut (),
        );
        let layers = layers.unwrap();
        assert_eq!((layers.rewards, layers.positions), (report.rewards, report.positions), "{name} {size}");
    }
}

/// Where diagrams do not fit, it goes on one by one by itself, with several rewards too.
#[test]
fn too_little_memory_for_diagrams() {
    let rules = Catalogue::default().game("connect4", Some("5x4"), &Default::default()).unwrap();
    let mut went_on = 0;
    for mebibytes in (32..=48).step_by(2) {
        let small = Job { memory: mebibytes << 20, keep: false, ..job(Opponent::Difference) };
        match run(&rules.game, &Bdd::default(), &small, &mut (), &mut ()) {
            Ok(report) => {
                assert_eq!(report.positions, Some(3_945_711), "{mebibytes} MiB");
                went_on += usize::from(report.algorithm.contains("do not fit"));
            }
            // Neither do the sets, for which there is no other way.
            Err(error) => assert!(error.to_string().contains("do not fit"), "{mebibytes} MiB: {error}"),
        }
    }
    assert!(went_on > 0, "no budget was too small for diagrams of values");
}
