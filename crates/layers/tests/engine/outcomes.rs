//! Games with more outcomes than a byte can number.

use crate::reference::{compare, explore};
use winset_layers::{Layering, Opponent, Options};
use winset_model::{Game, GameBuilder, Player, Update, Value};

/// Both players name a number, each with several tries; every pair of numbers has rewards of its own.
fn bids(numbers: Value, tries: Value) -> Game {
    let mut game = GameBuilder::new("bids", ["first", "second"]);
    let turn = game.add_turn();
    let names: Vec<String> = (0..numbers).map(|n| n.to_string()).collect();
    let bids = ["a", "b"].map(|name| game.add_variable(name, names.clone()));
    let steps: Vec<String> = (0..=2 * tries).map(|n| n.to_string()).collect();
    let step = game.add_variable("step", steps);
    for (player, &bid) in bids.iter().enumerate() {
        for made in (0..2 * tries).filter(|made| usize::from(made % 2) == player) {
            let now = game.exprs.is(step, made);
            for number in 0..numbers {
                let updates = [
                    Update::set(bid, number),
                    Update::set(step, made + 1),
                    game.hand_over(turn, Player::new(player)),
                ];
                game.add_move(format!("{made}:{number}"), Player::new(player), now, updates);
            }
        }
    }
    let end = game.exprs.is(step, 2 * tries);
    game.terminal.push(end);
    for a in 0..numbers {
        for b in 0..numbers {
            let both = [game.exprs.is(bids[0], a), game.exprs.is(bids[1], b)];
            let both = game.exprs.and(both);
            let [first, second] = [(a * 37 + b * 11) % 101, (a * 5 + b * 53 + 17) % 101];
            game.rewards[0].push((first as u8, both));
            game.rewards[1].push((second as u8, both));
        }
    }
    game.initial = game.state([0, 0, 0, 0]);
    game.build().unwrap()
}

#[test]
fn hundreds_of_outcomes() {
    let game = bids(20, 2);
    let entries = explore(&game);
    for opponent in [Opponent::Difference, Opponent::Own] {
        for layering in [None, Some(Layering::Plies), Some(Layering::OneTier)] {
            for threads in [1, 2] {
                let options = Options {
                    opponent,
                    threads,
                    layering: layering.clone(),
                    distance: true,
                    ..Default::default()
                };
                let solution = compare(&game, &options, &entries).unwrap();
                assert!(solution.outcomes.len() > 256, "{} outcomes", solution.outcomes.len());
            }
        }
    }
}
