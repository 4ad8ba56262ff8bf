//! Isolation on small boards.

use crate::entry::{Entry, Known, MISERE, PLAIN, any, number};
use crate::kit::{EIGHT, Kit, filled};
use winset_model::{Family, GameBuilder, Origin, Player, Update};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "isolation",
        size: "ROWSxCOLUMNS",
        default: "3x4",
        about: "a pawn each steps like a chess king, then any free square is removed; who cannot step loses; white begins",
        numbers: &[number("rows", 2, 8), number("columns", 2, 8)],
        choices: &[MISERE],
    },
    aliases: &["isola"],
    rules: "A player moves the own pawn to a free square beside, also aslant, and then removes any free square. \
            Who cannot move loses.",
    known: &[Known::win("3x4", PLAIN), Known::win("3x3", PLAIN), Known::loss("2x3", PLAIN)],
    make: |n, _| rules(n[0], n[1]),
    fit: any,
};

const GONE: u16 = 3;

fn rules(rows: usize, columns: usize) -> GameBuilder {
    let mut game = GameBuilder::new("isolation", ["white", "black"]);
    game.add_board((rows, columns), Origin::Bottom, ".wb#", |_, _| true);
    let turn = game.add_turn();
    let step = game.add_variable("to do", ["step", "remove"]);
    let (steps, removes) = (game.exprs.is(step, 0), game.exprs.is(step, 1));
    let board = game.squares();
    for player in Player::all(2) {
        let own = 1 + player.value();
        for (row, column) in game.places() {
            let from = game.cell(row as usize, column as usize);
            for (down, right) in EIGHT {
                let Some(to) = board.cell(row + down, column + right) else { continue };
                let (mine, free) = (game.exprs.is(from, own), game.exprs.is(to, 0));
                let guard = game.exprs.and([mine, free, steps]);
                let updates = [Update::set(from, 0), Update::set(to, own), Update::set(step, 1)];
                game.add_move(game.called(&[to]), player, guard, updates);
            }
            let free = game.exprs.is(from, 0);
            let guard = game.both(free, removes);
            let updates = [Update::set(from, GONE), Update::set(step, 0), game.hand_over(turn, player)];
            game.add_move(format!("x-{}", game.called(&[from])), player, guard, updates);
        }
    }
    game.who_cannot_move_loses();
    game.begin(&filled(rows, columns, |row, column| match (row, column) {
        _ if row + 1 == rows && column == columns / 2 => 'w',
        (0, _) if column == (columns - 1) / 2 => 'b',
        _ => '.',
    }));
    game
}
