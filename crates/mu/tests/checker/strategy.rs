//! A fixed point's stages are a strategy: in every state where a win is promised, the mover's choice or
//! any reply of the opponent comes nearer to it.

use winset_formula::parse;
use winset_games::build;
use winset_model::{Explicit, Player};
use winset_mu::{Checker, Universe};
use winset_symbolic::{Bcdd, Options, Symbolic};

#[test]
fn promises_are_kept_to_the_end() {
    for (name, size) in [("connect4", "4x3x3"), ("checkers", "4"), ("tictactoe", "3x3")] {
        let game = build(name, Some(size), &Default::default()).unwrap();
        let mut system = game.system();
        let (me, you) = (&game.players()[0], &game.players()[1]);
        let text =
            format!("mu X. terminal & reward:{me}:100 | !terminal & (turn:{me} & EX X | turn:{you} & AX X)");
        let core = parse(&text, &mut system).unwrap().core(&mut system.exprs).unwrap();
        let options = Options { memory: 128 << 20, ..Options::default() };
        let symbolic = Symbolic::<Bcdd>::from_game(&game, &options).unwrap();
        let mut checker = Checker::new(&symbolic, &system.exprs, Universe::Reachable).unwrap();
        let won = checker.evaluate(&core).unwrap();
        let strategy = checker.strategy(&core).unwrap();
        let space = &symbolic.space;
        let counts = strategy.counts(space).unwrap();
        assert_eq!(counts.iter().sum::<u128>(), space.count(&won).unwrap());
        let mut explicit = Explicit::new(&game);
        for (stage, set) in strategy.stages.as_ref().unwrap().iter().enumerate() {
            let state = space.pick(set).unwrap().expect("no stage is empty");
            assert_eq!(strategy.stage(space, &state), Some(stage));
            let turn = explicit.at(&state).turn();
            let nexts: Vec<_> = explicit.successors(&state).into_iter().map(|(_, next)| next).collect();
            if stage == 0 {
                assert_eq!(explicit.at(&state).rewards().map(|r| r[Player(0)]), Some(100), "{name}");
            } else if turn == Some(Player(0)) {
                let chosen = strategy.choose(space, &nexts).expect("a move that keeps the promise");
                assert!(strategy.stage(space, &nexts[chosen]) < Some(stage), "{name}");
            } else {
                assert!(!nexts.is_empty());
                for next in &nexts {
                    assert!(strategy.stage(space, next).is_some_and(|s| s < stage), "{name}");
                }
            }
        }
    }
}
