//! Bridg-it, also called Gale.

use crate::entry::{Effort, Entry, Known, MISERE, any, number};
use crate::kit::{Kit, empty};
use std::collections::BTreeMap;
use winset_model::{ExprId, Exprs, Family, GameBuilder, Origin, Player, Update};

const GROSS: &str = "Gross, in Gardner, New Mathematical Diversions; Lehman 1964";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "bridg-it",
        size: "N",
        default: "3",
        about: "red builds bridges from top to bottom, blue from left to right, which must not cross; red begins",
        numbers: &[number("bridges", 1, 6)],
        choices: &[MISERE],
    },
    aliases: &["gale", "bridgit"],
    rules: "Each free square is a place where a bridge of either player can be built: of red's between the points above and \
            below it or left and right of it, of blue's the other way. Who joins the own two sides wins.",
    known: &[Known::win("2", GROSS), Known::win("3", GROSS), Known::win("4", GROSS).takes(Effort::Beyond)],
    make: |n, _| rules(n[0]),
    fit: any,
};

/// Bridges are built on the squares with even sum; red's points are those with an odd row and even column, and a row of
/// them beyond the top and the bottom, blue's the others, and a column beyond each side.
fn rules(n: usize) -> GameBuilder {
    let mut game = GameBuilder::new("bridg-it", ["red", "blue"]);
    let size = 2 * n - 1;
    game.add_board((size, size), Origin::Bottom, ".rb", |row, column| (row + column) % 2 == 0);
    let turn = game.add_turn();
    for cell in game.cells() {
        let free = game.exprs.is(cell, 0);
        for player in Player::all(2) {
            let updates = [Update::set(cell, 1 + player.value()), game.hand_over(turn, player)];
            game.add_move(game.called(&[cell]), player, free, updates);
        }
    }
    for player in Player::all(2) {
        let joined = joined(&mut game, size as isize, player);
        game.wins(player, [joined]);
    }
    game.begin(&empty(size, size));
    game
}

/// Bridges join the two sides: points beyond the first side are reached, and others over a bridge from such a point.
fn joined(game: &mut GameBuilder, size: isize, player: Player) -> ExprId {
    // Blue's points are red's with rows and columns exchanged.
    let place =
        |(along, across): (isize, isize)| if player == Player(0) { (along, across) } else { (across, along) };
    let points =
        (-1..=size).step_by(2).flat_map(|along| (0..size).step_by(2).map(move |across| (along, across)));
    let numbers: BTreeMap<(isize, isize), u32> = points.zip(0..).collect();
    let system = game.exprs.declare_system(numbers.len());
    let mut reached = vec![];
    for (&(along, across), &number) in &numbers {
        let mut ways = vec![];
        for (down, right) in [(2, 0), (-2, 0), (0, 2), (0, -2)] {
            let Some(&other) = numbers.get(&(along + down, across + right)) else { continue };
            let (row, column) = place((along + down / 2, across + right / 2));
            let Some(cell) = game.squares().cell(row, column) else { continue };
            let (bridge, there) = (game.exprs.is(cell, 1 + player.value()), game.exprs.member(system, other));
            ways.push(game.both(bridge, there));
        }
        let body = if along == -1 { Exprs::TRUE } else { game.exprs.or(ways) };
        game.exprs.define(system, number, body);
        if along == size {
            reached.push(game.exprs.member(system, number));
        }
    }
    game.exprs.or(reached)
}
