//! Mu Torere and Pong Hau K'i: stones on small graphs with one free point.

use crate::entry::{Entry, Known, any};
use crate::kit::Kit;
use winset_model::{ExprId, Exprs, Family, GameBuilder, Origin, Player, Update, VarId};

const STRAFFIN: &str = "Straffin, Position Graphs for Pong Hau K'i and Mu Torere, 1995";

pub(crate) const MU_TORERE: Entry = Entry {
    family: Family {
        name: "mu-torere",
        size: "",
        default: "",
        about: "four stones each on a ring of eight points around a middle; who cannot move loses",
        numbers: &[],
        choices: &[],
    },
    aliases: &[],
    rules: "A stone moves to the free point beside it on the ring, from the middle to the ring, or to the middle if one of the \
            opponent's stones is beside it. Who cannot move loses.",
    known: &[Known::draw("", STRAFFIN)],
    make: |_, _| mu_torere(),
    fit: any,
};

pub(crate) const PONG_HAU_KI: Entry = Entry {
    family: Family {
        name: "pong-hau-ki",
        size: "",
        default: "",
        about: "two stones each on the corners and the middle of a square that lacks a side; who cannot move loses",
        numbers: &[],
        choices: &[],
    },
    aliases: &["umul-gonu", "do-guti"],
    rules: "A stone moves along a line to the free point; the lines are those from the middle to the corners and the sides of \
            the square but the upper one. Who cannot move loses.",
    known: &[Known::draw("", STRAFFIN)],
    make: |_, _| pong_hau_ki(),
    fit: any,
};

fn add_step(game: &mut GameBuilder, turn: VarId, player: Player, [from, to]: [VarId; 2], may: ExprId) {
    let own = 1 + player.value();
    let (mine, free) = (game.exprs.is(from, own), game.exprs.is(to, 0));
    let guard = game.exprs.and([mine, free, may]);
    let updates = [Update::set(from, 0), Update::set(to, own), game.hand_over(turn, player)];
    game.add_move(game.called(&[from, to]), player, guard, updates);
}

fn mu_torere() -> GameBuilder {
    let mut game = GameBuilder::new("mu-torere", ["white", "black"]);
    game.add_board((3, 3), Origin::Bottom, ".wb", |_, _| true);
    let turn = game.add_turn();
    let ring = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0)].map(|(r, c)| game.cell(r, c));
    let middle = game.cell(1, 1);
    for player in Player::all(2) {
        for i in 0..8 {
            let beside = [ring[(i + 1) % 8], ring[(i + 7) % 8]];
            beside.iter().for_each(|&to| add_step(&mut game, turn, player, [ring[i], to], Exprs::TRUE));
            let faced = game.any(&beside, 2 - player.value());
            add_step(&mut game, turn, player, [ring[i], middle], faced);
            add_step(&mut game, turn, player, [middle, ring[i]], Exprs::TRUE);
        }
    }
    game.who_cannot_move_loses();
    game.begin("bbb/b.w/www");
    game
}

fn pong_hau_ki() -> GameBuilder {
    let mut game = GameBuilder::new("pong-hau-ki", ["white", "black"]);
    game.add_board((3, 3), Origin::Bottom, ".wb", |row, column| row % 2 == column % 2);
    let turn = game.add_turn();
    let lines = [
        [(0, 0), (1, 1)],
        [(0, 2), (1, 1)],
        [(2, 0), (1, 1)],
        [(2, 2), (1, 1)],
        [(0, 0), (2, 0)],
        [(0, 2), (2, 2)],
        [(2, 0), (2, 2)],
    ];
    for player in Player::all(2) {
        for line in lines {
            let [a, b] = line.map(|(r, c)| game.cell(r, c));
            add_step(&mut game, turn, player, [a, b], Exprs::TRUE);
            add_step(&mut game, turn, player, [b, a], Exprs::TRUE);
        }
    }
    game.who_cannot_move_loses();
    game.begin("b_b/_._/w_w");
    game
}
