//! Lines of Action on small boards.

use crate::entry::{Entry, Known, PLAIN, any, number};
use crate::kit::{EIGHT, Kit, filled};
use winset_model::{ExprId, Exprs, Family, GameBuilder, Origin, Player, Update, VarId};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "lines-of-action",
        size: "N",
        default: "3",
        about: "a stone goes as far as there are stones on its line; who joins all own stones wins; black begins",
        numbers: &[number("rows", 3, 8)],
        choices: &[],
    },
    aliases: &["loa"],
    rules: "A stone moves along a line as many squares as there are stones on the line, over own stones but not over others, \
            and takes one of the opponent's where it arrives. Who has all own stones joined wins, the mover first; who cannot \
            move loses.",
    known: &[Known::loss("3", PLAIN)],
    make: |n, _| rules(n[0]),
    fit: any,
};

fn rules(n: usize) -> GameBuilder {
    let mut game = GameBuilder::new("lines-of-action", ["black", "white"]);
    game.add_board((n, n), Origin::Bottom, ".bw", |_, _| true);
    let turn = game.add_turn();
    let board = game.squares();
    for (row, column) in game.places() {
        let from = game.cell(row as usize, column as usize);
        for (down, right) in EIGHT {
            let reach = n as isize;
            let line: Vec<VarId> =
                (-reach..=reach).filter_map(|i| board.cell(row + i * down, column + i * right)).collect();
            let held: Vec<ExprId> = line
                .iter()
                .map(|&cell| {
                    let free = game.exprs.is(cell, 0);
                    game.exprs.not(free)
                })
                .collect();
            for far in 1..reach {
                let Some(to) = board.cell(row + far * down, column + far * right) else { break };
                let (many, more) =
                    (game.at_least(far as usize, &held), game.at_least(far as usize + 1, &held));
                let exactly = game.exprs.not(more);
                let between: Vec<VarId> =
                    (1..far).filter_map(|i| board.cell(row + i * down, column + i * right)).collect();
                for player in Player::all(2) {
                    let (own, other) = (1 + player.value(), 2 - player.value());
                    let (mine, blocked) = (game.exprs.is(from, own), game.exprs.is(to, own));
                    let (clear, open) = (game.none(&between, other), game.exprs.not(blocked));
                    let guard = game.exprs.and([mine, many, exactly, clear, open]);
                    let updates = [Update::set(from, 0), Update::set(to, own), game.hand_over(turn, player)];
                    game.add_move(game.called(&[from, to]), player, guard, updates);
                }
            }
        }
    }
    let joined = [1, 2].map(|own| joined(&mut game, own));
    // Both may be joined by one move: then who has made it wins.
    for player in Player::all(2) {
        let (own, other) = (joined[player.index()], joined[player.other().index()]);
        let (moved, not) = (game.turn[player.other().index()], game.exprs.not(other));
        let first = game.exprs.or([moved, not]);
        let won = game.both(own, first);
        game.wins(player, [won]);
    }
    game.who_cannot_move_loses();
    game.begin(&filled(n, n, |row, column| {
        let (edge, side) = (row % (n - 1) == 0, column % (n - 1) == 0);
        if edge && !side {
            'b'
        } else if side && !edge {
            'w'
        } else {
            '.'
        }
    }));
    game
}

/// All stones of a colour are joined: from the first of them, neighbours lead to every other.
fn joined(game: &mut GameBuilder, own: u16) -> ExprId {
    let (board, places) = (game.squares(), game.places());
    let system = game.exprs.declare_system(places.len());
    let (mut earlier, mut all) = (Exprs::TRUE, vec![]);
    for (i, &(row, column)) in places.iter().enumerate() {
        let here = game.exprs.is(game.cell(row as usize, column as usize), own);
        let near = EIGHT.iter().map(|(down, right)| (row + down, column + right));
        let near = near.filter(|&(r, c)| board.cell(r, c).is_some());
        let mut from: Vec<ExprId> = near
            .map(|place| {
                let number = places.iter().position(|&other| other == place).expect("a place of the board");
                game.exprs.member(system, number as u32)
            })
            .collect();
        from.push(earlier);
        let linked = game.exprs.or(from);
        let body = game.both(here, linked);
        game.exprs.define(system, i as u32, body);
        let not = game.exprs.not(here);
        earlier = game.both(earlier, not);
        let member = game.exprs.member(system, i as u32);
        all.push(game.exprs.or([not, member]));
    }
    game.exprs.and(all)
}
