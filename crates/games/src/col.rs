//! Col and Snort: maps that two painters colour.

use crate::entry::{Entry, Known, MISERE, PLAIN, any, number};
use crate::kit::{Kit, ORTHOGONAL, empty};
use winset_model::{Family, GameBuilder, Origin, Player, Update};

const CENTRE: &str = "Conway, On Numbers and Games: the middle, then copying in the other colour";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "col",
        size: "ROWSxCOLUMNS",
        default: "4x4",
        about: "each player paints squares in one colour; neighbours must not be alike; who cannot loses",
        numbers: &[number("rows", 1, 10), number("columns", 1, 10)],
        choices: &[MISERE],
    },
    aliases: &[],
    rules: "The players paint free squares in their own colour, and never beside a square of that colour. Who cannot loses.",
    known: &[
        Known::loss("4x4", "Conway, On Numbers and Games: copying through the middle"),
        Known::loss("2x2", PLAIN),
        Known::loss("3x3", PLAIN),
        Known::loss("3x4", PLAIN),
    ],
    make: |n, _| rules("col", n[0], n[1], |own| own),
    fit: any,
};

pub(crate) const SNORT: Entry = Entry {
    family: Family {
        name: "snort",
        size: "ROWSxCOLUMNS",
        default: "3x4",
        about: "each player paints squares in one colour; neighbours must not differ; who cannot loses",
        numbers: &[number("rows", 1, 10), number("columns", 1, 10)],
        choices: &[MISERE],
    },
    aliases: &["cats-and-dogs"],
    rules: "The players paint free squares in their own colour, and never beside a square of the other's. Who cannot loses.",
    known: &[Known::win("3x3", CENTRE), Known::win("3x4", PLAIN), Known::loss("2x2", PLAIN)],
    make: |n, _| rules("snort", n[0], n[1], |own| 3 - own),
    fit: any,
};

/// `shunned`: the colour that must not be beside.
fn rules(name: &str, rows: usize, columns: usize, shunned: fn(u16) -> u16) -> GameBuilder {
    let mut game = GameBuilder::new(name, ["red", "blue"]);
    game.add_board((rows, columns), Origin::Bottom, ".rb", |_, _| true);
    let turn = game.add_turn();
    let board = game.squares();
    for (row, column) in game.places() {
        let cell = game.cell(row as usize, column as usize);
        let near = ORTHOGONAL.map(|(down, right)| board.cell(row + down, column + right));
        let near: Vec<_> = near.into_iter().flatten().collect();
        for player in Player::all(2) {
            let own = 1 + player.value();
            let (free, apart) = (game.exprs.is(cell, 0), game.none(&near, shunned(own)));
            let guard = game.both(free, apart);
            let updates = [Update::set(cell, own), game.hand_over(turn, player)];
            game.add_move(game.called(&[cell]), player, guard, updates);
        }
    }
    game.who_cannot_move_loses();
    game.begin(&empty(rows, columns));
    game
}
