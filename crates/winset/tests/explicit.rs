//! The explicit engine beside the layer engine: the same report, and stores with the same answers that are proved.

use std::collections::BTreeSet;
use std::sync::Arc;
use winset::{
    Catalogue, Cause, Checkpoint, Choices, Engine, EngineError, ExplicitSearch, Finished, FoundLayer, Job,
    Layers, Options, Past, Plan, Report, Rules, SolvedLayer, Stage, StoreCheckpoint, Watcher,
};
use winset_index::{Index, Planes};
use winset_model::{Opponent, Rewards, Valuation};
use winset_reference::random_game;
use winset_store::{Disk, RamDisk};

fn solve(engine: &dyn Engine, rules: &Rules, job: &Job) -> Result<Report, String> {
    match engine.solve(&rules.game, job, &mut (), &mut ()) {
        Ok(Finished::Done(report)) => Ok(*report),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.to_string()),
    }
}

fn rules(name: &str, size: Option<&str>) -> Rules {
    Catalogue::default().game(name, size, &Choices::default()).unwrap()
}

/// What does not depend on how states are cut: all but nodes, seconds and the engine's name.
fn counts(report: &Report) -> Vec<String> {
    let layers = report.layers.iter().map(|layer| {
        format!(
            "{} {} {:?} {:?} {:?} {:?} {:?} {:?}",
            layer.positions,
            layer.terminal,
            layer.won,
            layer.level,
            layer.lost,
            layer.tied,
            layer.drawn,
            layer.rewards
        )
    });
    let whole = format!(
        "{:?} {:?} {:?} {:?} {:?}",
        report.value, report.remoteness, report.rewards, report.positions, report.longest_win
    );
    layers.chain([whole]).collect()
}

const GAMES: &[(&str, Option<&str>)] = &[
    ("tictactoe", None),
    ("connect4", Some("4x4")),
    ("othello", Some("3x4")),
    ("breakthrough", Some("4x3")),
    ("checkers", Some("4")),
    ("dodgem", Some("3")),
    ("mu-torere", None),
    ("quixo", Some("3")),
    ("achi", None),
    ("kalah", Some("2x3")),
    ("nim", None),
    ("hex", Some("3")),
    ("sum-15", None),
    ("cubi-cup-3", None),
];

#[test]
fn both_engines_report_the_same() {
    for &(name, size) in GAMES {
        let rules = rules(name, size);
        for (distance, solves) in [(true, true), (false, true), (false, false)] {
            let job = Job { distance, solve: solves, memory: 1 << 30, threads: Some(1), ..Job::default() };
            let found = solve(&ExplicitSearch::default(), &rules, &job).unwrap();
            let expected = solve(&Layers::default(), &rules, &job).unwrap();
            // Layers are cut by turn where that makes each of them one player's: their sums are the same.
            let sums = |report: &Report| {
                let sum = |of: &dyn Fn(&winset::Layer) -> Option<u128>| {
                    report.layers.iter().map(|layer| of(layer).unwrap_or(0)).sum::<u128>()
                };
                [
                    sum(&|l| Some(l.positions)),
                    sum(&|l| Some(l.terminal)),
                    sum(&|l| l.won),
                    sum(&|l| l.level),
                    sum(&|l| l.lost),
                    sum(&|l| l.tied),
                    sum(&|l| l.drawn),
                ]
            };
            assert_eq!(sums(&found), sums(&expected), "{name}");
            assert_eq!(counts(&found).last(), counts(&expected).last(), "{name}");
            if found.layers.len() == expected.layers.len() {
                assert_eq!(counts(&found), counts(&expected), "{name}");
            }
        }
    }
}

/// A store that the engine fills is proved, and answers as one by layers does.
#[test]
fn stores_are_proved_and_answer_alike() {
    for &(name, size) in GAMES {
        let engines: [Box<dyn Engine>; 2] =
            [Box::new(ExplicitSearch::default()), Box::new(Layers::default())];
        let [found, expected] = engines.map(|engine| {
            let (engine, memory, threads) = (Some(engine), Some(1 << 30), Some(1));
            let options = Options { engine, distance: true, memory, threads, ..Options::default() };
            winset::solve(rules(name, size), &options).unwrap()
        });
        let verdict = found.verify().unwrap();
        assert!(verdict.is_proof(), "{name}: {verdict:?}");
        let start = found.start().clone();
        let (mut open, mut seen) = (vec![start.clone()], std::collections::HashSet::from([start]));
        while let Some(state) = open.pop().filter(|_| seen.len() < 2_000) {
            let [a, b] = [&found, &expected].map(|solved| solved.answer(&state).unwrap());
            assert_eq!(a.position_value, b.position_value, "{name}");
            assert_eq!((a.remoteness, &a.rewards), (b.remoteness, &b.rewards), "{name}");
            let next = found.moves(&state).unwrap().into_iter().map(|m| m.state.clone());
            open.extend(next.filter(|state| seen.insert(state.clone())));
        }
    }
}

/// Games of every kind, whose stores are proved.
#[test]
fn stores_of_random_games_are_proved() {
    let mut solved = 0;
    for seed in 0..120 {
        let made = random_game(7_000_000 + seed, 300);
        let opponent = [Opponent::Own, Opponent::Difference][(seed % 2) as usize];
        let options = Options {
            engine: Some(Box::new(ExplicitSearch::default())),
            opponent: Some(opponent),
            distance: seed % 3 > 0,
            memory: Some(256 << 20),
            threads: Some(1),
            ..Options::default()
        };
        let Ok(found) = winset::solve(Rules::of(made.game.clone()), &options) else { continue };
        let verdict = found.verify().unwrap();
        assert!(verdict.is_proof(), "seed {seed}: {verdict:?}");
        solved += 1;
    }
    assert!(solved > 40, "{solved}");
}

/// Part by part, with a directory for what is known, the report is that of lists; and so it is when the directory is there
/// already.
#[test]
fn parts_report_the_same() {
    let directory = std::env::temp_dir().join(format!("winset-parts-{}", std::process::id()));
    for &(name, size) in GAMES {
        let rules = rules(name, size);
        for (distance, solves) in [(true, true), (false, true), (false, false)] {
            let _ = std::fs::remove_dir_all(&directory);
            let job = Job { distance, solve: solves, memory: 1 << 30, threads: Some(2), ..Job::default() };
            let expected = solve(&ExplicitSearch::default(), &rules, &job).unwrap();
            let kept = Job { checkpoint: Some(directory.clone()), ..job.clone() };
            for _ in 0..2 {
                let found = solve(&ExplicitSearch::default(), &rules, &kept).unwrap();
                assert_eq!(counts(&found), counts(&expected), "{name}, {distance}, {solves}");
            }
            // Whoever keeps positions cannot have both.
            let both = Job { keep: true, ..kept };
            assert!(solve(&ExplicitSearch::default(), &rules, &both).unwrap_err().contains("leave out"));
        }
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn memory_that_does_not_do_is_an_error() {
    let rules = rules("connect4", Some("5x4"));
    let job = Job { memory: 16 << 20, ..Job::default() };
    let said = solve(&ExplicitSearch::default(), &rules, &job).unwrap_err();
    assert!(said.contains("--memory") && said.contains("--engine layers"), "{said}");
}

/// A store in memory that is asked what it is asked.
struct Counted<'a> {
    store: StoreCheckpoint<'a>,
    put: [BTreeSet<usize>; 2],
    read: [BTreeSet<usize>; 2],
}

impl<'a> Counted<'a> {
    fn new(disk: &RamDisk, rules: &'a Rules, job: &Job) -> Self {
        let (disk, record) = (Arc::new(disk.clone()), rules.record.clone());
        let store =
            StoreCheckpoint::new(disk, "store".as_ref(), &rules.game, record, job.opponent, job.memory, 1);
        Counted { store, put: Default::default(), read: Default::default() }
    }
}

impl Checkpoint for Counted<'_> {
    fn begin(&mut self, plan: &Plan<'_>) -> Result<Past, Cause> {
        self.store.begin(plan)
    }

    fn takes_values(&self) -> bool {
        true
    }

    fn put_set(&mut self, layer: &FoundLayer<'_>) -> Result<(), Cause> {
        assert!(self.put[0].insert(layer.number));
        self.store.put_set(layer)
    }

    fn put_values(&mut self, layer: &SolvedLayer<'_>) -> Result<(), Cause> {
        assert!(self.put[1].insert(layer.number));
        self.store.put_values(layer)
    }

    fn set(&mut self, number: usize) -> Result<Index, Cause> {
        self.read[0].insert(number);
        self.store.set(number)
    }

    fn values(&mut self, number: usize, index: &Index) -> Result<(Planes, Option<Planes>), Cause> {
        assert!(self.read[1].insert(number));
        self.store.values(number, index)
    }

    fn finish(&mut self, rewards: Rewards) -> Result<Option<Valuation>, Cause> {
        self.store.finish(rewards)
    }
}

/// Stops when it has heard of n layers.
struct Impatient(usize);

impl Watcher for Impatient {
    fn stage(&mut self, stage: &Stage<'_>) {
        let layer = matches!(stage.phase, "forward" | "backward");
        self.0 = self.0.saturating_sub(usize::from(layer));
    }

    fn stop(&mut self) -> bool {
        self.0 == 0
    }
}

/// Solves in several runs, each stopped after n layers, and says how many there were. What is finished is never found
/// again.
fn in_pieces(rules: &Rules, job: &Job, layers: usize) -> (usize, Report, Vec<(String, Vec<u8>)>) {
    let disk = RamDisk::default();
    let mut finished = [BTreeSet::new(), BTreeSet::new()];
    for runs in 1.. {
        let mut checkpoint = Counted::new(&disk, rules, job);
        let solved =
            ExplicitSearch::default().solve(&rules.game, job, &mut checkpoint, &mut Impatient(layers));
        for (finished, (put, read)) in finished.iter_mut().zip(checkpoint.put.iter().zip(&checkpoint.read)) {
            assert!(put.is_disjoint(finished), "{put:?} were there");
            assert!(read.is_subset(finished), "{read:?}");
            finished.extend(put);
        }
        drop(checkpoint);
        let report = match solved {
            Ok(Finished::Done(report)) => *report,
            Err(EngineError::Stopped) => continue,
            other => panic!("{other:?}"),
        };
        let mut names = disk.names("store".as_ref()).unwrap();
        names.sort();
        let contents = |name: String| {
            let file = disk.open(&std::path::Path::new("store").join(&name)).unwrap();
            let mut bytes = vec![0; file.length().unwrap() as usize];
            file.read_at(&mut bytes, 0).unwrap();
            (name, bytes)
        };
        return (runs, report, names.into_iter().map(contents).collect());
    }
    unreachable!("runs are counted without end")
}

/// However often a run is stopped, the next one goes on with what there is: the same report and the same bytes come out.
#[test]
fn stopped_runs_go_on() {
    for name in ["tictactoe", "othello", "checkers", "dodgem", "mu-torere", "achi", "nim", "hex"] {
        let size = GAMES.iter().find(|game| game.0 == name).and_then(|game| game.1);
        let rules = rules(name, size);
        for distance in [true, false] {
            let job = Job { distance, keep: true, memory: 1 << 30, threads: Some(1), ..Job::default() };
            let (runs, whole, bytes) = in_pieces(&rules, &job, usize::MAX);
            assert_eq!(runs, 1);
            for layers in [2, 5] {
                let (runs, report, same) = in_pieces(&rules, &job, layers);
                assert_eq!(counts(&report), counts(&whole), "{name}, {layers} layers a run");
                assert!(same == bytes, "{name}: other bytes with {layers} layers a run");
                assert!(runs > 1 || whole.layers.len() < layers, "{name}");
            }
        }
    }
}

/// The same with random games of all kinds, and with too little memory for all tiers at once.
#[test]
fn stopped_runs_of_random_games_go_on() {
    let mut solved = 0;
    for seed in 0..200 {
        let made = random_game(9_000_000 + seed, 300);
        let rules = Rules::of(made.game.clone());
        let (distance, keep) = (seed % 3 > 0, true);
        let job = Job { distance, keep, memory: 64 << 20, threads: Some(1), ..Job::default() };
        let whole = ExplicitSearch::default().solve(&rules.game, &job, &mut (), &mut ());
        let Ok(Finished::Done(_)) = whole else { continue };
        let (_, whole, bytes) = in_pieces(&rules, &job, usize::MAX);
        // A little more than the engine takes before it begins.
        let small = Job { memory: (6 << 20) + 20_000 + 500 * seed, ..job.clone() };
        let fits = |job: &Job| ExplicitSearch::default().solve(&rules.game, job, &mut (), &mut ()).is_ok();
        for job in [&job, &small].into_iter().filter(|job| fits(job)) {
            let (_, report, same) = in_pieces(&rules, job, 1 + seed as usize % 3);
            assert_eq!(counts(&report), counts(&whole), "seed {seed}");
            assert!(same == bytes, "seed {seed}");
            solved += 1;
        }
    }
    assert!(solved > 100, "{solved}");
}
