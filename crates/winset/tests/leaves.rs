//! Solutions that are kept as leaves of bits: the same values as by the BDD engine, proved by both checks, and the same
//! bytes whoever found them and however often it was stopped.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use winset::{
    Bdd, BddAlgorithm, Engine, EngineError, ExplicitSearch, Finished, Job, Layers, Rival, StoreCheckpoint,
    Watcher, run,
};
use winset_model::{Game, Opponent, Rewards, State};
use winset_store::{Disk, Encoding, GameRecord, RamDisk, Store};
use winset_verify::{MEMORY, verify_by_diagrams, verify_full, verify_sample};
use winset_work::Work;

const DIRECTORY: &str = "memory";

/// Boards that are solved by leaves, with mirror images and without.
const BOARDS: [(&str, &str); 4] =
    [("connect4", "4x4"), ("connect4", "5x3"), ("breakthrough", "4x4"), ("breakthrough", "3x5")];

fn build(name: &str, size: &str) -> Game {
    winset_games::build(name, Some(size), &Default::default()).unwrap()
}

fn job(threads: usize, memory: u64) -> Job {
    Job { keep: true, memory, threads: Some(threads), ..Job::default() }
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

fn solve_on(
    disk: &Arc<RamDisk>,
    game: &Game,
    engine: &dyn Engine,
    job: &Job,
    watcher: &mut dyn Watcher,
) -> Result<(), EngineError> {
    let disk: Arc<dyn Disk> = disk.clone();
    let (directory, record, opponent) = (Path::new(DIRECTORY), record(game), Opponent::Difference);
    let mut store = StoreCheckpoint::new(disk, directory, game, record, opponent, job.memory, 1);
    run(game, engine, job, &mut store, watcher).map(|_| ())
}

fn contents(disk: &Arc<RamDisk>) -> BTreeMap<String, Vec<u8>> {
    let directory = Path::new(DIRECTORY);
    let read = |name: String| {
        let file = disk.open(&directory.join(&name)).unwrap();
        let mut bytes = vec![0; file.length().unwrap() as usize];
        file.read_at(&mut bytes, 0).unwrap();
        (name, bytes)
    };
    disk.names(directory).unwrap().into_iter().map(read).collect()
}

fn open(disk: &Arc<RamDisk>, game: &Game) -> Store {
    Store::open_on(disk.clone(), Path::new(DIRECTORY), 1 << 20, |_| Ok::<_, String>(game.clone())).unwrap()
}

/// All stored values, asked for one by one and walked through.
fn values(store: &Store) -> BTreeMap<State, Rewards> {
    let mut all = BTreeMap::new();
    for record in &store.manifest().layers {
        for (rank, walked) in (0..).zip(store.positions(record.layer).unwrap()) {
            let (state, value) = walked.unwrap();
            if rank % 7 == 0 {
                let (digits, asked) = store.at(record.layer, rank).unwrap();
                assert_eq!((store.blocks().unwrap().state(&digits), asked), (state.clone(), value));
                assert_eq!(store.stored(&state).unwrap().valuation(), Some(value));
            }
            all.insert(state, value.rewards);
        }
    }
    all
}

#[test]
fn leaves_have_the_values_of_diagrams() {
    for (name, size) in BOARDS {
        let game = build(name, size);
        let (leaves, diagrams) = (Arc::new(RamDisk::default()), Arc::new(RamDisk::default()));
        solve_on(&leaves, &game, &Layers::default(), &job(1, 256 << 20), &mut ()).unwrap();
        solve_on(&diagrams, &game, &Bdd::default(), &job(1, 256 << 20), &mut ()).unwrap();
        let (store, other) = (open(&leaves, &game), open(&diagrams, &game));
        let mut solved = store.manifest().layers.iter().flat_map(|layer| &layer.values);
        assert!(solved.all(|values| values.encoding == Encoding::Leaves), "{name} {size}");
        let other = values(&other);
        let kept = values(&store);
        assert!(
            kept.len() > 10_000 && kept.iter().all(|(state, value)| other[state] == *value),
            "{name} {size}"
        );
        for report in
            [verify_full(&store, MEMORY, &|_, _| ()), verify_by_diagrams(&store, MEMORY, &|_, _| ())]
        {
            let report = report.unwrap();
            assert!(report.is_proof(), "{name} {size}: {report} {:?}", report.examples.first());
        }
        let report = verify_sample(&store, 5000, 3, MEMORY, &|_, _| ()).unwrap();
        assert!(report.holds() && report.checked == 5000, "{name} {size}: {report}");
    }
}

#[test]
fn threads_and_memory_change_no_byte() {
    for (name, size) in BOARDS {
        let game = build(name, size);
        let stored = |threads, memory: u64| {
            let disk = Arc::new(RamDisk::default());
            solve_on(&disk, &game, &Layers::default(), &job(threads, memory), &mut ()).unwrap();
            contents(&disk)
        };
        let expected = stored(1, 256 << 20);
        for (threads, memory) in [(2, 256), (3, 1024), (1, 96), (2, 8192)] {
            assert!(
                stored(threads, memory << 20) == expected,
                "{name} {size}, {threads} threads, {memory} MiB"
            );
        }
    }
}

#[test]
fn who_is_stopped_goes_on_with_leaves() {
    for (name, size) in BOARDS {
        let game = build(name, size);
        let whole = Arc::new(RamDisk::default());
        solve_on(&whole, &game, &Layers::default(), &job(1, 256 << 20), &mut ()).unwrap();
        let expected = contents(&whole);
        // After every layer forward and backward, and again and again.
        for step in [1, 2, 3, 7, 11, 16, 23] {
            let disk = Arc::new(RamDisk::default());
            let mut runs = 0;
            while solve_on(
                &disk,
                &game,
                &Layers::default(),
                &job(1 + runs % 2, 256 << 20),
                &mut Stopper(step),
            )
            .is_err()
            {
                runs += 1;
                assert!(runs < 200, "it comes to an end");
            }
            assert!(runs > 0, "it was stopped");
            let found = contents(&disk);
            let other: Vec<&String> =
                found.keys().filter(|name| found.get(*name) != expected.get(*name)).collect();
            assert!(found == expected, "{name} {size}, stopped every {step} layers: {other:?}");
        }
    }
}

/// Whoever has everything says so, also when it is asked to stop in its last piece of work.
#[test]
fn who_says_stopped_is_not_through() {
    let hybrid = Bdd { algorithm: BddAlgorithm::Hybrid, switch_at: Some(3), ..Bdd::default() };
    let bdd = Bdd { algorithm: BddAlgorithm::Hybrid, ..Bdd::default() };
    let engines: [&dyn Engine; 4] = [&Layers::default(), &bdd, &hybrid, &ExplicitSearch::default()];
    for (name, size) in [("connect4", "3x3"), ("breakthrough", "3x4"), ("checkers", "3")] {
        let game = build(name, size);
        for engine in engines {
            for pieces in 1.. {
                let disk = Arc::new(RamDisk::default());
                let job = job(1, 64 << 20);
                let what = format!("{name} {size} by {}, {pieces}", engine.name());
                match solve_on(&disk, &game, engine, &job, &mut Stopper(pieces)) {
                    Ok(()) => break,
                    Err(EngineError::Stopped) => {}
                    Err(error) => panic!("{what}: {error}"),
                }
                if contents(&disk).contains_key("manifest.json") {
                    let store = open(&disk, &game);
                    let layers = &store.manifest().layers;
                    let through = layers.first().is_some_and(|layer| layer.values.is_some());
                    assert!(!through, "{what}: it was through and says that it was stopped");
                }
            }
        }
    }
}

/// Who has found more positions than the other engine could look at goes on to the end, however much is left to do: a trial
/// that ended on the way back, in the first layer with more positions than its steps, was a hundred times as long.
#[test]
fn who_has_left_the_rival_behind_has_no_limit() {
    let game = build("connect4", "5x5");
    let rival = Some(Rival { steps: 0, positions: 0 });
    for by_rank in [false, true] {
        let engine = Layers { rival, by_rank, ..Layers::default() };
        let solves = |limit: u64| {
            let job = Job { work: Work::default().part(limit), keep: false, ..job(1, 256 << 20) };
            match engine.solve(&game, &job, &mut (), &mut ()).unwrap() {
                Finished::Done(_) => true,
                Finished::Exhausted => false,
                Finished::Yields(why) => panic!("{why}"),
            }
        };
        // The steps before the first layer is found, with which everything must be found. Layers have millions of positions.
        let least = (20..).map(|bits| 1 << bits).find(|&limit| solves(limit)).unwrap();
        assert!(least <= 1 << 23, "{least} steps");
    }
}
