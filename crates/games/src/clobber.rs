//! Clobber.

use crate::entry::{Effort, Entry, Known, MISERE, any, number};
use crate::kit::{Kit, ORTHOGONAL, filled};
use winset_model::{Family, GameBuilder, Origin, Player, Update};

const GRIEBEL: &str = "Griebel and Uiterwijk, Combining Combinatorial Game Theory with an alpha-beta Solver for Clobber, 2016; \
                       counts by an explicit search made for this project";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "clobber",
        size: "COLUMNSxROWS",
        default: "4x4",
        about: "a stone takes a neighbour of the other colour and its place; who cannot loses; white begins",
        numbers: &[number("columns", 1, 16), number("rows", 1, 16)],
        choices: &[MISERE],
    },
    aliases: &[],
    rules: "White and black stones fill the board like a chequerboard; a stone moves onto a neighbouring stone of the other \
            colour and takes it. Who cannot loses.",
    known: &[
        Known::win("3x3", GRIEBEL).positions(761),
        Known::loss("3x4", GRIEBEL).positions(13_343),
        Known::win("3x5", GRIEBEL).positions(206_805),
        Known::win("4x4", GRIEBEL).positions(600_161),
        Known::loss("3x6", GRIEBEL).positions(3_492_126),
        Known::win("4x5", GRIEBEL).positions(26_787_440).takes(Effort::Minutes),
    ],
    make: |n, _| rules(n[0], n[1]),
    fit: any,
};

fn rules(columns: usize, rows: usize) -> GameBuilder {
    let mut game = GameBuilder::new("clobber", ["white", "black"]);
    game.add_board((rows, columns), Origin::Bottom, ".wb", |_, _| true);
    let turn = game.add_turn();
    let board = game.squares();
    for player in Player::all(2) {
        let (own, other) = (1 + player.value(), 2 - player.value());
        for (row, column) in game.places() {
            for (down, right) in ORTHOGONAL {
                let pair = [board.cell(row, column), board.cell(row + down, column + right)];
                let [Some(from), Some(to)] = pair else { continue };
                let (mine, theirs) = (game.exprs.is(from, own), game.exprs.is(to, other));
                let guard = game.both(mine, theirs);
                let updates = [Update::set(from, 0), Update::set(to, own), game.hand_over(turn, player)];
                game.add_move(game.called(&[from, to]), player, guard, updates);
            }
        }
    }
    game.who_cannot_move_loses();
    game.begin(&filled(rows, columns, |row, column| if (row + column) % 2 == 0 { 'w' } else { 'b' }));
    game
}
