//! What a game forbids is refused by every engine and algorithm, and by counting too.

use winset::{Bdd, BddAlgorithm, Engine, EngineError, GameBuilder, Job, Layers, Player};
use winset_model::{Exprs, Forbidden, Game, Update};
use winset_symbolic::Variant;

/// Three steps to the end; in one state on the way, or nowhere, something is forbidden.
fn game(forbidden_at: Option<u16>) -> Game {
    let mut game = GameBuilder::new("steps", ["a", "b"]);
    let turn = game.add_turn();
    let step = game.add_variable("step", ["0", "1", "2", "3"]);
    for player in [0, 1].map(Player) {
        for n in 0..3 {
            let here = game.exprs.is(step, n);
            let pass = game.hand_over(turn, player);
            game.add_move(format!("to {}", n + 1), player, here, [Update::set(step, n + 1), pass]);
        }
    }
    let end = game.exprs.is(step, 3);
    game.terminal.push(end);
    game.reward_winner(Player(0), Exprs::TRUE);
    if let Some(at) = forbidden_at {
        let when = game.exprs.is(step, at);
        game.forbidden.push(Forbidden { when, ended: at == 3, why: "this must not be".to_owned() });
    }
    game.initial = game.state([0, 0]);
    game.build().unwrap()
}

#[test]
fn counting_and_retrograde_analysis_looked_at_nothing_forbidden() {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Layers::default())];
    let retrograde = Variant::ALL.iter().map(|&variant| BddAlgorithm::Retrograde(variant));
    for algorithm in [BddAlgorithm::Layered, BddAlgorithm::Matrix].into_iter().chain(retrograde) {
        engines.push(Box::new(Bdd { algorithm, ..Bdd::default() }));
    }
    for engine in &engines {
        for solve in [true, false] {
            let job = Job { solve, memory: 64 << 20, threads: Some(1), ..Job::default() };
            let run = |at| winset::run(&game(at), &**engine, &job, &mut (), &mut ());
            if let Err(error) = run(None) {
                panic!("{}: {error}", engine.name());
            }
            for at in [0, 2, 3] {
                let refused = matches!(run(Some(at)), Err(EngineError::Cannot(why)) if why.to_string().contains("must not be"));
                assert!(refused, "{}, solve {solve}, forbidden at {at}", engine.name());
            }
        }
    }
}
