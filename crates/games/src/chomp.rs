//! Chomp.

use crate::entry::{Entry, Known, any, number};
use crate::kit::{Kit, filled};
use winset_model::{Family, GameBuilder, Origin, Player, Update};

const GALE: &str = "Gale 1974: the first player wins, by strategy stealing";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "chomp",
        size: "COLUMNSxROWS",
        default: "8x7",
        about: "a bite takes a piece of chocolate and all above and to the right of it; who eats a1 loses",
        numbers: &[number("columns", 1, 16), number("rows", 1, 16)],
        choices: &[],
    },
    aliases: &["chocolate"],
    rules: "A bite takes a piece of chocolate and all that is above it, to the right of it, or both. \
            The piece a1 is poisoned: who eats it loses.",
    known: &[
        Known::win("8x7", GALE).positions(12_868),
        Known::win("4x3", GALE),
        Known::win("5x5", GALE),
        Known::loss("1x1", "the only piece is the poisoned one"),
    ],
    make: |n, _| rules(n[0], n[1]),
    fit: any,
};

fn rules(columns: usize, rows: usize) -> GameBuilder {
    let mut game = GameBuilder::new("chomp", ["first", "second"]);
    game.add_board((rows, columns), Origin::Bottom, ".#", |_, _| true);
    let turn = game.add_turn();
    for (row, column) in game.places() {
        let (row, column) = (row as usize, column as usize);
        let bitten = (0..=row).flat_map(|r| (column..columns).map(move |c| (r, c)));
        let bitten: Vec<_> = bitten.map(|(r, c)| Update::set(game.cell(r, c), 0)).collect();
        let there = game.exprs.is(game.cell(row, column), 1);
        for player in Player::all(2) {
            let updates: Vec<_> = bitten.iter().cloned().chain([game.hand_over(turn, player)]).collect();
            game.add_move(game.called(&[game.cell(row, column)]), player, there, updates);
        }
    }
    let eaten = game.exprs.is(game.cell(rows - 1, 0), 0);
    for player in Player::all(2) {
        let alive = game.both(eaten, game.turn[player.index()]);
        game.wins(player, [alive]);
    }
    game.begin(&filled(rows, columns, |_, _| '#'));
    game
}
