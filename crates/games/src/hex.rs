//! Hex.

use crate::entry::{Effort, Entry, Known, MISERE, any, number};
use crate::kit::{Kit, empty};
use winset_model::{ExprId, Family, GameBuilder, Origin, Player, Update};

const NASH: &str = "Nash: the first player wins, by strategy stealing";
const REVERSE: &str = "Lagarias and Sleator, Who Wins Misere Hex?";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "hex",
        size: "N",
        default: "3",
        about: "red joins top and bottom, blue left and right of an NxN rhombus of hexagons; red begins",
        numbers: &[number("rows", 1, 11)],
        choices: &[MISERE],
    },
    aliases: &["con-tac-tix"],
    rules: "The players set stones on free hexagons in turn; a square's neighbours are the four beside it and those above \
            right and below left. Who joins the own two sides wins.",
    known: &[
        Known::win("2", NASH),
        Known::win("3", NASH),
        Known::win("4", NASH).takes(Effort::Minutes),
        Known::loss("3", REVERSE).with(&[("misere", "yes")]),
        Known::win("2", REVERSE).with(&[("misere", "yes")]),
        Known::win("8", "Henderson, Arneson, Hayward, Solving 8x8 Hex, 2009").takes(Effort::Beyond),
    ],
    make: |n, _| rules(n[0]),
    fit: any,
};

const NEIGHBOURS: [(isize, isize); 6] = [(0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1)];

fn rules(n: usize) -> GameBuilder {
    let mut game = GameBuilder::new("hex", ["red", "blue"]);
    game.add_board((n, n), Origin::Bottom, ".rb", |_, _| true);
    let turn = game.add_turn();
    for cell in game.cells() {
        let free = game.exprs.is(cell, 0);
        for player in Player::all(2) {
            let updates = [Update::set(cell, 1 + player.value()), game.hand_over(turn, player)];
            game.add_move(game.called(&[cell]), player, free, updates);
        }
    }
    for player in Player::all(2) {
        let joined = joined(&mut game, n as isize, player);
        game.wins(player, [joined]);
    }
    game.begin(&empty(n, n));
    game
}

/// The player's stones join the two sides: a stone at the first side is linked, and so is the neighbour of a linked one.
fn joined(game: &mut GameBuilder, n: isize, player: Player) -> ExprId {
    let board = game.squares();
    let system = game.exprs.declare_system((n * n) as usize);
    let mut reached = vec![];
    for (row, column) in game.places() {
        let along = if player == Player(0) { row } else { column };
        let near = NEIGHBOURS.map(|(down, right)| (row + down, column + right));
        let near = near.into_iter().filter(|&(row, column)| board.cell(row, column).is_some());
        let mut linked: Vec<ExprId> =
            near.map(|(row, column)| game.exprs.member(system, (row * n + column) as u32)).collect();
        if along == 0 {
            linked = vec![winset_model::Exprs::TRUE];
        }
        let linked = game.exprs.or(linked);
        let own = game.exprs.is(game.cell(row as usize, column as usize), 1 + player.value());
        let here = game.both(own, linked);
        let number = (row * n + column) as u32;
        game.exprs.define(system, number, here);
        if along == n - 1 {
            reached.push(game.exprs.member(system, number));
        }
    }
    game.exprs.or(reached)
}
