//! Sim: who closes a triangle of one colour loses.

use crate::entry::{Entry, Known, MISERE, PLAIN, any, number};
use crate::kit::{Kit, empty};
use winset_model::{Family, GameBuilder, Origin, Player, Update, VarId};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "sim",
        size: "N",
        default: "6",
        about: "lines between N points are drawn in two colours; who closes a triangle of the own colour loses",
        numbers: &[number("points", 3, 6)],
        choices: &[MISERE],
    },
    aliases: &[],
    rules: "The players draw lines between two of N points in turn, each in an own colour. \
            Who closes a triangle of that colour loses.",
    known: &[
        Known::loss("6", "Mead, Rosa, Huang, The Game of Sim, 1974"),
        Known::tie("3", "three lines, two of one colour"),
        Known::tie("4", PLAIN),
        Known::tie("5", PLAIN),
    ],
    make: |n, _| rules(n[0]),
    fit: any,
};

/// The line between points i < j is the square in row i and column j - 1; the rest of the board is not used.
fn rules(n: usize) -> GameBuilder {
    let mut game = GameBuilder::new("sim", ["red", "blue"]);
    game.add_board((n - 1, n - 1), Origin::Top, ".rb", |row, column| column >= row);
    let turn = game.add_turn();
    let line = |game: &GameBuilder, i: usize, j: usize| -> VarId { game.cell(i, j - 1) };
    for (i, j) in pairs(n) {
        let cell = line(&game, i, j);
        let free = game.exprs.is(cell, 0);
        for player in Player::all(2) {
            let updates = [Update::set(cell, 1 + player.value()), game.hand_over(turn, player)];
            game.add_move(format!("{}-{}", i + 1, j + 1), player, free, updates);
        }
    }
    for player in Player::all(2) {
        let triangles = pairs(n).flat_map(|(i, j)| (j + 1..n).map(move |k| (i, j, k)));
        let triangles: Vec<_> = triangles
            .map(|(i, j, k)| {
                let sides = [line(&game, i, j), line(&game, i, k), line(&game, j, k)];
                game.all(&sides, 1 + player.value())
            })
            .collect();
        game.wins(player.other(), triangles);
    }
    let cells = game.cells();
    let full = game.none(&cells, 0);
    game.else_ties(full);
    game.begin(&empty(n - 1, n - 1));
    game
}

fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)))
}
