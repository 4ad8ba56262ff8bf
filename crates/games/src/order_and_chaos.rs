//! Order and Chaos on small boards.

use crate::entry::{Entry, Known, PLAIN, any, number, preset};
use crate::kit::{Kit, empty};
use crate::line::lines;
use winset_model::{Family, GameBuilder, Origin, Player, Update};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "order-and-chaos",
        size: "N[xK]",
        default: "3",
        about: "both players set both marks on NxN squares; order wants three (or K) of a kind in a row; order begins",
        numbers: &[number("rows", 2, 6), preset("in a row", 2, 6, 3)],
        choices: &[],
    },
    aliases: &[],
    rules: "A move sets a cross or a nought, as the player likes, on a free square. \
            Order wins when three (or K) of a kind are in a row, and chaos when the board is full without.",
    known: &[Known::win("3", PLAIN), Known::win("2x2", PLAIN)],
    make: |n, _| rules(n[0], n[1]),
    fit: any,
};

fn rules(n: usize, k: usize) -> GameBuilder {
    let mut game = GameBuilder::new("order-and-chaos", ["order", "chaos"]);
    game.add_board((n, n), Origin::Bottom, ".xo", |_, _| true);
    let turn = game.add_turn();
    for cell in game.cells() {
        let free = game.exprs.is(cell, 0);
        for (mark, value) in [("x", 1), ("o", 2)] {
            for player in Player::all(2) {
                let updates = [Update::set(cell, value), game.hand_over(turn, player)];
                game.add_move(format!("{mark}-{}", game.called(&[cell])), player, free, updates);
            }
        }
    }
    let made: Vec<_> = [1, 2].into_iter().flat_map(|value| lines(&mut game, k, value)).collect();
    let cells = game.cells();
    let (full, any) = (game.none(&cells, 0), game.exprs.or(made.iter().copied()));
    let none = game.exprs.not(any);
    let prevented = game.both(full, none);
    game.wins(Player(0), made);
    game.wins(Player(1), [prevented]);
    game.begin(&empty(n, n));
    game
}
