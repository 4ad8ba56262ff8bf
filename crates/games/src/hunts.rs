//! Fox and Hounds, and Hare and Hounds: many against one.

use crate::entry::{Entry, Known, PLAIN, any, number};
use crate::kit::{Kit, filled};
use winset_model::{Family, GameBuilder, Origin, Player, Update, VarId};

pub(crate) const FOX: Entry = Entry {
    family: Family {
        name: "fox-and-hounds",
        size: "N",
        default: "8",
        about: "N/2 hounds go down the dark squares of an NxN board to corner a fox that wants up; the fox begins",
        numbers: &[number("rows", 4, 10)],
        choices: &[],
    },
    aliases: &["fox-and-geese-on-a-chessboard", "wolf-and-sheep"],
    rules: "The fox steps diagonally in any direction, a hound only down; nothing is captured. \
            The fox wins on the top row or when no hound can move, the hounds when the fox cannot move.",
    known: &[
        Known::loss("8", "Berlekamp, Conway, Guy, Winning Ways: the hounds win"),
        Known::loss("4", PLAIN),
        Known::win("6", PLAIN),
    ],
    make: |n, _| fox(n[0]),
    fit: |member| match member.numbers[0] % 2 {
        0 => any(member),
        _ => {
            Err(winset_model::FamilyError::Malformed(member.size.clone(), "fox-and-hounds", "an even N", "8"))
        }
    },
};

pub(crate) const HARE: Entry = Entry {
    family: Family {
        name: "hare-and-hounds",
        size: "",
        default: "",
        about: "three hounds on 11 points trap a hare that wants past them; the hounds begin",
        numbers: &[],
        choices: &[],
    },
    aliases: &["french-military-game", "soldiers-game"],
    rules: "The hare moves along lines in any direction, a hound never to the left. \
            The hounds win when the hare cannot move, the hare when no hound is left of it.",
    known: &[Known::win(
        "",
        "Berlekamp, Conway, Guy, Winning Ways: the French Military Hunt is won by the hounds",
    )],
    make: |_, _| hare(),
    fit: any,
};

fn step(game: &mut GameBuilder, turn: VarId, player: Player, from: VarId, to: VarId) {
    let own = 1 + player.value();
    let (mine, free) = (game.exprs.is(from, own), game.exprs.is(to, 0));
    let guard = game.both(mine, free);
    let updates = [Update::set(from, 0), Update::set(to, own), game.hand_over(turn, player)];
    game.add_move(game.called(&[from, to]), player, guard, updates);
}

fn fox(n: usize) -> GameBuilder {
    let mut game = GameBuilder::new("fox-and-hounds", ["fox", "hounds"]);
    game.add_board((n, n), Origin::Bottom, ".fh", |row, column| (row + column) % 2 == 1);
    let turn = game.add_turn();
    let board = game.squares();
    for (row, column) in game.places() {
        for (down, right) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            let pair = [board.cell(row, column), board.cell(row + down, column + right)];
            let [Some(from), Some(to)] = pair else { continue };
            step(&mut game, turn, Player(0), from, to);
            if down == 1 {
                step(&mut game, turn, Player(1), from, to);
            }
        }
    }
    let top: Vec<VarId> = board.cells[..n].iter().copied().flatten().collect();
    let through: Vec<_> = top.into_iter().map(|cell| game.exprs.is(cell, 1)).collect();
    game.wins(Player(0), through);
    game.who_cannot_move_loses();
    let den = n / 2 - n / 2 % 2;
    game.begin(&filled(n, n, |row, column| match row {
        0 if column % 2 == 1 => 'h',
        _ if row + 1 == n && column == den => 'f',
        _ => '.',
    }));
    game
}

fn hare() -> GameBuilder {
    let mut game = GameBuilder::new("hare-and-hounds", ["hounds", "hare"]);
    game.add_board((3, 5), Origin::Bottom, ".dh", |row, column| row == 1 || (1..4).contains(&column));
    let turn = game.add_turn();
    let board = game.squares();
    for (row, column) in game.places() {
        for (down, right) in crate::kit::EIGHT {
            let pair = [board.cell(row, column), board.cell(row + down, column + right)];
            let [Some(from), Some(to)] = pair else { continue };
            // Lines aslant meet in the middle and at both ends.
            let ends = [(row, column), (row + down, column + right)];
            let meets = ends.iter().any(|point| [(1, 0), (1, 2), (1, 4)].contains(point));
            if down == 0 || right == 0 || meets {
                step(&mut game, turn, Player(1), from, to);
                if right >= 0 {
                    step(&mut game, turn, Player(0), from, to);
                }
            }
        }
    }
    let mut escaped = vec![];
    for (row, column) in game.places() {
        let left: Vec<VarId> = (0..3)
            .flat_map(|r| (0..column).map(move |c| (r, c)))
            .filter_map(|(r, c)| board.cell(r, c))
            .collect();
        let (here, clear) = (game.exprs.is(game.cell(row as usize, column as usize), 2), game.none(&left, 1));
        escaped.push(game.both(here, clear));
    }
    game.wins(Player(1), escaped);
    game.who_cannot_move_loses();
    game.begin("_d.._/d...h/_d.._");
    game
}
