//! The games of the library: every value that is known, and both engines against a plain solver.

use std::collections::BTreeMap;
use winset::{Bdd, Catalogue, Choices, Engine, ExplicitSearch, Job, Layers, Options, Rules, run};
use winset_games::{CATALOGUE, Effort, Known};
use winset_model::{Outcome, Remoteness, Valuation};
use winset_reference::solve_cyclic;
use winset_work::Work;

fn rules(name: &str, known: &Known) -> Rules {
    let options = known.options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    Catalogue::default().game(name, Some(known.size), &Choices(options.collect())).unwrap()
}

fn options(distance: bool) -> Options {
    Options { distance, memory: Some(3 << 30), ..Options::default() }
}

/// Solves all games of which something is known that take no more and no less effort than this.
fn as_known(effort: Effort) {
    for (entry, known) in
        CATALOGUE.iter().flat_map(|entry| entry.known.iter().map(move |known| (entry, known)))
    {
        if known.effort != effort {
            continue;
        }
        let rules = rules(entry.family.name, known);
        let title = format!("{}, says {}", rules.game.title(), known.source);
        let solved = winset::solve(rules, &options(known.longest.is_some()));
        let solved = solved.unwrap_or_else(|error| panic!("{title}: {error}"));
        let value = solved.answer(solved.start()).unwrap().position_value;
        assert_eq!(value, Some(known.value.word()), "{title}");
        let report = solved.report().unwrap();
        if let Some(positions) = known.positions {
            assert_eq!(report.positions, Some(positions.into()), "{title}");
        }
        if let Some(longest) = known.longest {
            assert_eq!(report.longest_win, Some(longest.into()), "{title}");
        }
    }
}

#[test]
fn values_are_as_known() {
    as_known(Effort::Seconds);
}

#[test]
#[ignore = "takes minutes and gigabytes"]
fn large_values_are_as_known() {
    as_known(Effort::Minutes);
    games_in_gdl_have_the_values_that_are_listed(|name| name == LARGE_IN_GDL);
}

/// 26,787,440 positions.
const LARGE_IN_GDL: &str = "clobber";

#[test]
fn games_in_gdl_have_their_values() {
    games_in_gdl_have_the_values_that_are_listed(|name| name != LARGE_IN_GDL);
}

fn games_in_gdl_have_the_values_that_are_listed(which: impl Fn(&str) -> bool) {
    for game in Catalogue::library().filter(|game| which(game.family.name)) {
        let name = game.family.name;
        let rules = Catalogue::default().game(name, None, &Choices::default()).unwrap();
        let solved = winset::solve(rules, &options(false)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let value = solved.answer(solved.start()).unwrap().position_value;
        assert_eq!(value, game.value.map(Outcome::word), "{name}");
    }
}

/// The pawn stays on its file, so that the longest mate of all, 28 moves, begins with one on b2.
#[test]
fn the_longest_mate_with_a_pawn() {
    let start = "....k.../......../......../......../......../......../.P....../....K... white";
    let choices = Choices::default().with(winset::START, start);
    let rules = Catalogue::default().game("kpk", Some("8"), &choices).unwrap();
    let solved = winset::solve(rules, &options(true)).unwrap();
    assert_eq!(solved.report().unwrap().longest_win, Some(2 * 28));
}

/// The most positions for which the plain solver is asked.
const FEW: u128 = 6_000;

/// The steps that the layer engine may take: a few seconds.
const STEPS: u64 = 60_000_000;

/// All engines find what the plain solver finds: every position's value and distance, and how many there are.
#[test]
fn all_engines_agree_with_the_plain_solver() {
    let (mut compared, mut slow) = (BTreeMap::new(), vec![]);
    for (entry, known) in
        CATALOGUE.iter().flat_map(|entry| entry.known.iter().map(move |known| (entry, known)))
    {
        if known.effort != Effort::Seconds {
            continue;
        }
        let game = rules(entry.family.name, known).game;
        let title = game.title();
        let job = Job { memory: 1 << 30, ..Job::default() };
        let count = Job { solve: false, ..job.clone() };
        let counted = run(&game, &ExplicitSearch::default(), &count, &mut (), &mut ());
        let counted = counted.unwrap_or_else(|error| panic!("{title}: {error}"));
        if counted.positions.is_none_or(|positions| positions > FEW) {
            continue;
        }
        *compared.entry(entry.family.name).or_insert(0) += 1;
        let plain = solve_cyclic(&game, true);
        assert_eq!(counted.positions, Some(plain.values.len() as u128), "{title}");
        let states: Vec<_> = plain.values.keys().cloned().collect();
        let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(ExplicitSearch::default())];
        // Seconds to minutes for a few thousand positions of Kalah or a pawn ending, whose rules are large.
        let bounded = Job { work: Work::default().part(STEPS), ..job.clone() };
        match run(&game, &Layers::default(), &bounded, &mut (), &mut ()) {
            Ok(_) => engines.push(Box::new(Layers::default())),
            Err(_) => slow.push(title.clone()),
        }
        for engine in engines {
            let title = format!("{title} by {}", engine.name());
            let options = Options { engine: Some(engine), ..options(true) };
            let solved = winset::solve(rules(entry.family.name, known), &options);
            let solved = solved.unwrap_or_else(|error| panic!("{title}: {error}"));
            for (state, lookup) in states.iter().zip(solved.values(&states).unwrap()) {
                let expected = plain.values[state];
                let found = lookup.valuation();
                let found = found.unwrap_or_else(|| panic!("{title}: no value of {}", game.print(state)));
                assert_eq!(same(found), same(expected), "{title}: {}", game.print(state));
            }
        }
        let by_diagrams = run(&game, &Bdd::default(), &job, &mut (), &mut ()).unwrap();
        assert_eq!(by_diagrams.positions, counted.positions, "{title}");
        assert_eq!(by_diagrams.rewards, Some(plain.value.rewards.to_vec()), "{title}");
    }
    assert!(compared.len() >= 40, "{compared:?}");
    assert!(slow.len() <= 8, "the layer engine takes long for {slow:?}");
}

/// Rewards, and how long it takes where somebody wins.
fn same(value: Valuation) -> (Vec<u8>, Option<Remoteness>) {
    (value.rewards.to_vec(), value.rewards.leader().map(|_| value.remoteness))
}

/// A start of one's own: what is solved from there is what it is worth in the whole game, and a store opens again.
#[test]
fn a_game_can_start_anywhere() {
    let catalogue = Catalogue::default();
    for name in ["tictactoe", "Dodgem", "nim", "othello", "hexapawn", "sum-15", "clobber-2x3", "Cubi-Cup-3"] {
        let usual = catalogue.game(name, None, &Choices::default()).unwrap();
        let whole = winset::solve(usual, &options(true)).unwrap();
        let second = whole.moves(whole.start()).unwrap()[0].state.clone();
        let first = whole.moves(&second).unwrap()[0].state.clone();
        let text = whole.game().print(&first);
        let directory = winset_reference::scratch();
        let out = directory.path().join("store");
        let part = catalogue.game(name, None, &Choices::default().with(winset::START, &text)).unwrap();
        let solved = winset::solve(part, &Options { out: Some(out.clone()), ..options(true) }).unwrap();
        let (here, there) = (solved.answer(solved.start()).unwrap(), whole.answer(&first).unwrap());
        assert_eq!(
            (here.position_value, here.remoteness),
            (there.position_value, there.remoteness),
            "{name}"
        );
        let again = winset::open(&out).unwrap();
        assert_eq!(again.game().choices().get(winset::START), Some(text.as_str()), "{name}");
        assert_eq!(again.answer(again.start()).unwrap().position_value, here.position_value, "{name}");
    }
}

#[test]
fn a_malformed_start_is_refused() {
    let refused = |name: &str, start: &str| {
        let choices = Choices::default().with(winset::START, start);
        Catalogue::default().game(name, None, &choices).unwrap_err().to_string()
    };
    let said = refused("tictactoe", "x../.../... z");
    for part in
        ["the usual start is \".../.../... x\"", "\"z\" is not possible for turn", "possible: x o", "^"]
    {
        assert!(said.contains(part), "{said}");
    }
    assert!(refused("sum-15", "(taken 99)").contains("not a position to start from"));
}
