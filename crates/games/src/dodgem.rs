//! Dodgem.

use crate::entry::{Effort, Entry, Known, any, number};
use crate::kit::{Kit, filled};
use winset_model::{Family, GameBuilder, Origin, Player, Update};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "dodgem",
        size: "N",
        default: "3",
        about: "cars drive off the far side of an NxN board; who leaves the other no move loses",
        numbers: &[number("rows", 2, 8)],
        choices: &[],
    },
    aliases: &[],
    rules: "Blue's cars go right, up or down, red's up, left or right, one square at a time to a free square, and leave the \
            board only forwards. Who first has no move, because the cars have left or are blocked, wins.",
    known: &[
        Known::win("3", "Berlekamp, Conway, Guy, Winning Ways"),
        Known::draw("4", "des Jardins 1996"),
        Known::draw("5", "des Jardins 1996").takes(Effort::Beyond),
    ],
    make: |n, _| rules(n[0]),
    fit: any,
};

fn rules(n: usize) -> GameBuilder {
    let mut game = GameBuilder::new("dodgem", ["blue", "red"]);
    game.add_board((n, n), Origin::Bottom, ".br", |_, _| true);
    let turn = game.add_turn();
    let board = game.squares();
    let steps = [[(0, 1), (-1, 0), (1, 0)], [(-1, 0), (0, -1), (0, 1)]];
    for player in Player::all(2) {
        let own = 1 + player.value();
        for (row, column) in game.places() {
            let Some(from) = board.cell(row, column) else { continue };
            for (i, &(down, right)) in steps[player.index()].iter().enumerate() {
                let mine = game.exprs.is(from, own);
                let hand_over = game.hand_over(turn, player);
                match board.cell(row + down, column + right) {
                    Some(to) => {
                        let free = game.exprs.is(to, 0);
                        let guard = game.both(mine, free);
                        let updates = [Update::set(from, 0), Update::set(to, own), hand_over];
                        game.add_move(game.called(&[from, to]), player, guard, updates);
                    }
                    None if i == 0 => {
                        let name = format!("{}-off", game.called(&[from]));
                        game.add_move(name, player, mine, [Update::set(from, 0), hand_over]);
                    }
                    None => {}
                }
            }
        }
    }
    let cells = game.cells();
    for player in Player::all(2) {
        let gone = game.none(&cells, 1 + player.value());
        let can_move = game.can_move(player);
        let stuck = game.exprs.not(can_move);
        let blocked = game.both(game.turn[player.index()], stuck);
        game.wins(player, [gone, blocked]);
    }
    game.begin(&filled(n, n, |row, column| match (row + 1 == n, column == 0) {
        (false, true) => 'b',
        (true, false) => 'r',
        _ => '.',
    }));
    game
}
