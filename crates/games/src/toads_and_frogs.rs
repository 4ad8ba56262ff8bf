//! Toads and Frogs.

use crate::entry::{Entry, Known, MISERE, PLAIN, any, number};
use crate::kit::Kit;
use winset_model::{Family, GameBuilder, Origin, Player, Update};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "toads-and-frogs",
        size: "TOADSxBLANKSxFROGS",
        default: "5x4x5",
        about: "toads hop right and frogs left in one row, over one of the others; who cannot loses; toads begin",
        numbers: &[number("toads", 1, 8), number("free squares", 1, 8), number("frogs", 1, 8)],
        choices: &[MISERE],
    },
    aliases: &["toads-frogs"],
    rules: "A toad goes one square to the right, or hops over a frog to the free square behind it; frogs do the same to the \
            left. Who cannot move loses.",
    known: &[
        Known::win("2x1x2", "Berlekamp, Conway, Guy, Winning Ways: its value is *"),
        Known::win("2x2x2", "Erickson, New Toads and Frogs Results: its value is *"),
        Known::loss("1x2x1", "Erickson, New Toads and Frogs Results: its value is 0"),
        Known::win("3x2x3", PLAIN),
        Known::win("5x4x5", PLAIN),
    ],
    make: |n, _| rules(n[0], n[1], n[2]),
    fit: any,
};

fn rules(toads: usize, blanks: usize, frogs: usize) -> GameBuilder {
    let mut game = GameBuilder::new("toads-and-frogs", ["toads", "frogs"]);
    let n = toads + blanks + frogs;
    game.add_board((1, n), Origin::Bottom, ".tf", |_, _| true);
    let turn = game.add_turn();
    let board = game.squares();
    for player in Player::all(2) {
        let (own, other) = (1 + player.value(), 2 - player.value());
        let ahead = if player == Player(0) { 1 } else { -1 };
        for from in 0..n as isize {
            for far in [1, 2] {
                let (Some(a), Some(b)) = (board.cell(0, from), board.cell(0, from + far * ahead)) else {
                    continue;
                };
                let mut guard = vec![game.exprs.is(a, own), game.exprs.is(b, 0)];
                if far == 2 {
                    guard.push(game.exprs.is(game.cell(0, (from + ahead) as usize), other));
                }
                let guard = game.exprs.and(guard);
                let updates = [Update::set(a, 0), Update::set(b, own), game.hand_over(turn, player)];
                game.add_move(game.called(&[a, b]), player, guard, updates);
            }
        }
    }
    game.who_cannot_move_loses();
    game.begin(&["t".repeat(toads), ".".repeat(blanks), "f".repeat(frogs)].concat());
    game
}
