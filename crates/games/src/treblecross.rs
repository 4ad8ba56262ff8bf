//! Treblecross: tic-tac-toe in one dimension, with one mark.

use crate::entry::{Entry, Known, MISERE, PLAIN, any, number};
use crate::kit::{Kit, empty};
use winset_model::{Family, GameBuilder, Origin, Player, Update, VarId};

const CENTRE: &str = "Berlekamp, Conway, Guy, Winning Ways: the middle, then copying";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "treblecross",
        size: "N",
        default: "13",
        about: "both players set crosses on N squares in a row; who makes three side by side wins",
        numbers: &[number("columns", 3, 26)],
        choices: &[MISERE],
    },
    aliases: &["one-dimensional-tic-tac-toe"],
    rules: "Both players set crosses on free squares of one row. Who makes three side by side wins.",
    known: &[
        Known::win("13", CENTRE),
        Known::win("5", CENTRE),
        Known::win("11", CENTRE),
        Known::win("8", PLAIN),
        Known::win("10", PLAIN),
    ],
    make: |n, _| rules(n[0]),
    fit: any,
};

fn rules(n: usize) -> GameBuilder {
    let mut game = GameBuilder::new("treblecross", ["first", "second"]);
    game.add_board((1, n), Origin::Bottom, ".x", |_, _| true);
    let turn = game.add_turn();
    let cells = game.cells();
    for &cell in &cells {
        let free = game.exprs.is(cell, 0);
        for player in Player::all(2) {
            let updates = [Update::set(cell, 1), game.hand_over(turn, player)];
            game.add_move(game.called(&[cell]), player, free, updates);
        }
    }
    let threes: Vec<_> = cells.windows(3).map(|three: &[VarId]| game.all(three, 1)).collect();
    for player in Player::all(2) {
        let waits = game.turn[player.other().index()];
        let won: Vec<_> = threes.iter().map(|&three| game.both(three, waits)).collect();
        game.wins(player, won);
    }
    game.begin(&empty(1, n));
    game
}
