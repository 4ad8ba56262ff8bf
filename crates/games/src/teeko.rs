//! Teeko.

use crate::entry::{Effort, Entry, Known, PLAIN, any, number};
use crate::kit::{EIGHT, Kit, empty};
use crate::line::lines;
use winset_model::{Family, GameBuilder, Origin, Player, Update};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "teeko",
        size: "N",
        default: "3",
        about: "four men each are placed on NxN squares, then moved; four in a row or a square of four win",
        numbers: &[number("rows", 3, 6)],
        choices: &[],
    },
    aliases: &[],
    rules: "Four men each are placed in turn, then moved to a free square beside, also aslant. \
            Four in a row or four in a square win; who cannot move loses.",
    known: &[
        Known::draw("3", PLAIN),
        Known::draw("5", "Steele 1998, in the Jargon File").takes(Effort::Beyond),
    ],
    make: |n, _| rules(n[0]),
    fit: any,
};

fn rules(n: usize) -> GameBuilder {
    let mut game = GameBuilder::new("teeko", ["black", "red"]);
    game.add_board((n, n), Origin::Bottom, ".br", |_, _| true);
    let turn = game.add_turn();
    let left = game.add_variable("to place", (0..=8).rev().map(|n| n.to_string()));
    let placed = game.exprs.is(left, 8);
    let placing = game.exprs.not(placed);
    let board = game.squares();
    for player in Player::all(2) {
        let own = 1 + player.value();
        for (row, column) in game.places() {
            let from = game.cell(row as usize, column as usize);
            let free = game.exprs.is(from, 0);
            let guard = game.both(free, placing);
            let updates = [Update::set(from, own), game.add(left, 1), game.hand_over(turn, player)];
            game.add_move(game.called(&[from]), player, guard, updates);
            for (down, right) in EIGHT {
                let Some(to) = board.cell(row + down, column + right) else { continue };
                let (mine, free) = (game.exprs.is(from, own), game.exprs.is(to, 0));
                let guard = game.exprs.and([mine, free, placed]);
                let updates = [Update::set(from, 0), Update::set(to, own), game.hand_over(turn, player)];
                game.add_move(game.called(&[from, to]), player, guard, updates);
            }
        }
    }
    for player in Player::all(2) {
        let own = 1 + player.value();
        let mut won = lines(&mut game, 4, own);
        for (row, column) in game.places() {
            let four = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(r, c)| board.cell(row + r, column + c));
            if let Some(four) = four.into_iter().collect::<Option<Vec<_>>>() {
                won.push(game.all(&four, own));
            }
        }
        game.wins(player, won);
    }
    game.who_cannot_move_loses();
    game.begin(&empty(n, n));
    game
}
