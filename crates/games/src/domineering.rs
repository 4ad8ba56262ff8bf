//! Domineering, and Cram, in which both players may do both.

use crate::entry::{Effort, Entry, Known, MISERE, PLAIN, any, number};
use crate::kit::{Kit, empty};
use winset_model::{Family, GameBuilder, Origin, Player, Update};

const BREUKER: &str = "Breuker, Uiterwijk, van den Herik, Solving 8x8 Domineering, 2000";
const SYMMETRY: &str = "Gardner 1974: the second player copies the first through the middle";
const CENTRE: &str = "Gardner 1974: the first player takes the middle and then copies the second";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "domineering",
        size: "ROWSxCOLUMNS",
        default: "5x5",
        about: "one player lays dominoes upright, the other lengthwise; who cannot loses; upright begins",
        numbers: &[number("rows", 1, 16), number("columns", 1, 16)],
        choices: &[MISERE],
    },
    aliases: &["crosscram", "stop-gate"],
    rules: "The players lay dominoes on two free squares in turn, the first upright and the second lengthwise. \
            Who cannot loses.",
    known: &[
        Known::win("2x2", BREUKER),
        Known::win("3x3", BREUKER),
        Known::win("4x4", BREUKER),
        Known::loss("5x5", BREUKER),
        Known::win("6x6", BREUKER).takes(Effort::Beyond),
        Known::win("8x8", BREUKER).takes(Effort::Beyond),
    ],
    make: |n, _| rules("domineering", ["upright", "lengthwise"], n[0], n[1], false),
    fit: any,
};

pub(crate) const CRAM: Entry = Entry {
    family: Family {
        name: "cram",
        size: "ROWSxCOLUMNS",
        default: "4x5",
        about: "both players lay dominoes either way; who cannot loses",
        numbers: &[number("rows", 1, 16), number("columns", 1, 16)],
        choices: &[MISERE],
    },
    aliases: &["plugg", "dots-and-pairs"],
    rules: "The players lay dominoes on two free neighbouring squares in turn, either way. Who cannot loses.",
    known: &[
        Known::loss("2x2", SYMMETRY),
        Known::loss("4x4", SYMMETRY),
        Known::win("2x3", CENTRE),
        Known::win("4x3", CENTRE),
        Known::win("4x5", CENTRE),
        Known::loss("3x3", PLAIN),
    ],
    make: |n, _| rules("cram", ["first", "second"], n[0], n[1], true),
    fit: any,
};

fn rules(name: &str, players: [&str; 2], rows: usize, columns: usize, either: bool) -> GameBuilder {
    let mut game = GameBuilder::new(name, players);
    game.add_board((rows, columns), Origin::Bottom, ".#", |_, _| true);
    let turn = game.add_turn();
    let board = game.squares();
    for player in Player::all(2) {
        for (row, column) in game.places() {
            for (i, (down, right)) in [(1, 0), (0, 1)].into_iter().enumerate() {
                let pair = [board.cell(row, column), board.cell(row + down, column + right)];
                let [Some(a), Some(b)] = pair else { continue };
                if either || i == player.index() {
                    let free = game.all(&[a, b], 0);
                    let updates = [Update::set(a, 1), Update::set(b, 1), game.hand_over(turn, player)];
                    game.add_move(game.called(&[a, b]), player, free, updates);
                }
            }
        }
    }
    game.who_cannot_move_loses();
    game.begin(&empty(rows, columns));
    game
}
