//! Games written as SMV files and read back are the same systems.

use winset_formula::{Formula, parse};
use winset_games::build;
use winset_model::Game;
use winset_mu::{Universe, check};
use winset_smv::{Limits, emit, read};
use winset_symbolic::{Options, Order, TurnPlace, order};

fn options() -> Options {
    Options { memory: 256 << 20, ..Options::default() }
}

fn game(name: &str, size: &str) -> Game {
    build(name, Some(size), &Default::default()).unwrap()
}

#[test]
fn games_survive_the_way_through_smv() {
    for (name, size) in [
        ("tictactoe", "3x3"),
        ("connect4", "4x3x3"),
        ("breakthrough", "4x3"),
        ("checkers", "3"),
        ("checkers", "4"),
        ("othello", "3x4"),
    ] {
        let game = game(name, size);
        let text = emit(&game).unwrap();
        let model = read(&text, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(model.warnings, [], "{name}");
        let order = order(&game, &Order::Auto, TurnPlace::Top).unwrap();
        let mut system = game.system();
        let own: Vec<Formula> = (0..2)
            .map(|p| {
                let (me, you) = (&game.players()[p], &game.players()[1 - p]);
                let text = format!(
                    "mu X. terminal & reward:{me}:100 | !terminal & (turn:{me} & EX X | turn:{you} & AX X)"
                );
                parse(&text, &mut system).unwrap()
            })
            .collect();
        let check = |system, formulas: &[Formula]| {
            check(system, formulas, Universe::Reachable, Some(order.clone()), &options()).unwrap().unwrap()
        };
        let written: Vec<_> = model.specs.iter().map(|spec| spec.formula.clone()).collect();
        let (ours, theirs) = (check(&system, &own), check(&model.system, &written));
        assert_eq!((ours.states, ours.deadlocks), (theirs.states, theirs.deadlocks), "{name} {size}");
        for (a, b) in ours.verdicts.iter().zip(&theirs.verdicts) {
            assert_eq!((a.holds, a.satisfying), (b.holds, b.satisfying), "{name} {size}");
        }
    }
}

#[test]
fn relations_write_as_little_as_the_moves() {
    let game = game("breakthrough", "4x4");
    let model = read(&emit(&game).unwrap(), &Limits::default()).unwrap();
    for (relation, m) in model.system.relations.iter().zip(game.moves()) {
        assert_eq!(relation.writes.len(), m.updates.len(), "{}", m.name);
    }
}
