//! Games written as SMV files and read back are the same systems.

use winset_formula::{Formula, parse};
use winset_games::build;
use winset_model::Game;
use winset_mu::{Universe, check};
use winset_smv::{Limits, Style, emit, read};
use winset_symbolic::{Options, Order, TurnPlace, order};

fn options() -> Options {
    Options { memory: 256 << 20, ..Options::default() }
}

fn game(name: &str, size: &str) -> Game {
    build(name, Some(size), &Default::default()).unwrap()
}

const GAMES: [(&str, &str); 6] = [
    ("tictactoe", "3x3"),
    ("connect4", "4x3x3"),
    ("breakthrough", "4x3"),
    ("checkers", "3"),
    ("checkers", "4"),
    ("othello", "3x4"),
];

#[test]
fn games_survive_the_way_through_smv() {
    for (name, size) in GAMES {
        for boolean in [false, true] {
            survives(&game(name, size), boolean);
        }
    }
}

/// Written with its values or as Boolean variables, the model has the game's states, and the formulas hold in as many
/// of them.
fn survives(game: &Game, boolean: bool) {
    let (name, size) = (game.name(), game.size());
    let text = emit(game, Style { boolean, mu: true }).unwrap();
    let model = read(&text, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    assert_eq!(model.warnings, [], "{name}");
    let order = order(game, &Order::Auto, TurnPlace::Top).unwrap();
    let mut system = game.system();
    let mut own: Vec<Formula> = vec![];
    for p in 0..2 {
        let (me, you) = (&game.players()[p], &game.players()[1 - p]);
        for text in [
            format!("EF (terminal & reward:{me}:100)"),
            format!("mu X. terminal & reward:{me}:100 | !terminal & (turn:{me} & EX X | turn:{you} & AX X)"),
        ] {
            own.push(parse(&text, &mut system).unwrap());
        }
    }
    own.push(parse("terminal", &mut system).unwrap());
    let mut written: Vec<_> = model.specs.iter().map(|spec| spec.branching().unwrap()).collect();
    assert_eq!(written.len(), 4);
    let mut theirs = model.system.clone();
    written.push(parse("terminal", &mut theirs).unwrap());
    let run = |system, formulas: &[Formula], order| {
        check(system, formulas, Universe::Reachable, order, &options()).unwrap().unwrap()
    };
    let ours = run(&system, &own, Some(order.clone()));
    let theirs = run(&theirs, &written, (!boolean).then_some(order));
    // What has ended stays as it is.
    assert_eq!((ours.states, theirs.deadlocks), (theirs.states, 0), "{name} {size}");
    assert_eq!(ours.deadlocks, theirs.verdicts[4].satisfying, "{name} {size}");
    for (a, b) in ours.verdicts.iter().zip(&theirs.verdicts) {
        assert_eq!((a.holds, a.satisfying), (b.holds, b.satisfying), "{name} {size}");
    }
}

#[test]
fn relations_write_as_little_as_the_moves() {
    let game = game("breakthrough", "4x4");
    let model = read(&emit(&game, Style::default()).unwrap(), &Limits::default()).unwrap();
    for (relation, m) in model.system.relations.iter().zip(game.moves()) {
        assert_eq!(relation.writes.len(), m.updates.len(), "{}", m.name);
    }
}

/// NuSMV takes both ways of writing a game and finds the same states and answers. The path of the program is taken from
/// WINSET_NUSMV, or it is looked for as NuSMV (2.5.4 was used).
#[test]
#[ignore = "needs NuSMV"]
fn nusmv_agrees() {
    let program = std::env::var("WINSET_NUSMV").unwrap_or_else(|_| "NuSMV".to_owned());
    for (name, size) in GAMES {
        let game = game(name, size);
        for boolean in [false, true] {
            let text = emit(&game, Style { boolean, mu: false }).unwrap();
            let file = std::env::temp_dir().join(format!("winset-nusmv-{}.smv", std::process::id()));
            std::fs::write(&file, &text).unwrap();
            let output = std::process::Command::new(&program).arg("-r").arg(&file).output().unwrap();
            std::fs::remove_file(&file).unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{name} {size}: {complaints}");
            assert!(!said.contains("Fair states set of the finite state machine is empty"), "{name} {size}");
            let model = read(&text, &Limits::default()).unwrap();
            let specs: Vec<Formula> = model.specs.iter().map(|spec| spec.branching().unwrap()).collect();
            let report =
                check(&model.system, &specs, Universe::Reachable, None, &options()).unwrap().unwrap();
            let states = format!("reachable states: {} (", report.states);
            assert!(said.contains(&states), "{name} {size}: {states}: {said}");
            let answers = said.lines().filter(|line| line.starts_with("-- specification"));
            let answers: Vec<bool> = answers.map(|line| line.ends_with("is true")).collect();
            let ours: Vec<bool> = report.verdicts.iter().map(|verdict| verdict.holds).collect();
            assert_eq!(answers, ours, "{name} {size}");
        }
    }
}
