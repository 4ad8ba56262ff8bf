//! The explicit engine beside the layer engine: the same report, and stores with the same answers that are proved.

use winset::{Catalogue, Choices, Engine, ExplicitSearch, Finished, Job, Layers, Options, Report, Rules};
use winset_model::Opponent;
use winset_reference::random_game;

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
    ("kalah", None),
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
            let found = solve(&ExplicitSearch, &rules, &job).unwrap();
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
        let engines: [Box<dyn Engine>; 2] = [Box::new(ExplicitSearch), Box::new(Layers::default())];
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
            engine: Some(Box::new(ExplicitSearch)),
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

#[test]
fn memory_that_does_not_do_is_an_error() {
    let rules = rules("connect4", Some("5x4"));
    let job = Job { memory: 16 << 20, ..Job::default() };
    let said = solve(&ExplicitSearch, &rules, &job).unwrap_err();
    assert!(said.contains("--memory") && said.contains("--engine layers"), "{said}");
}
