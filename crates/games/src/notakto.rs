//! Notakto: tic-tac-toe with crosses only.

use crate::entry::{Effort, Entry, Known, any, number};
use crate::kit::{Kit, empty};
use winset_model::{ExprId, Family, GameBuilder, Origin, Player, Update, VarId};

const PLAMBECK: &str = "Plambeck and Whitehead, The Secrets of Notakto, 2013";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "notakto",
        size: "BOARDS",
        default: "2",
        about: "both players set crosses on boards of 3x3; three in a row end a board; who ends the last one loses",
        numbers: &[number("boards", 1, 5)],
        choices: &[],
    },
    aliases: &["no-tac-toe", "neutral-tic-tac-toe"],
    rules: "Both players set crosses on free squares of boards that have no three in a row. \
            Who makes three in a row on the last such board loses.",
    known: &[
        Known::win("1", PLAMBECK),
        Known::loss("2", PLAMBECK),
        Known::win("3", PLAMBECK).takes(Effort::Minutes),
    ],
    make: |n, _| rules(n[0]),
    fit: any,
};

const ROWS: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

fn rules(boards: usize) -> GameBuilder {
    let mut game = GameBuilder::new("notakto", ["first", "second"]);
    let width = 4 * boards - 1;
    game.add_board((3, width), Origin::Bottom, ".x", |_, column| column % 4 != 3);
    let turn = game.add_turn();
    let mut dead: Vec<ExprId> = vec![];
    for board in 0..boards {
        let cells: Vec<VarId> = (0..9).map(|i| game.cell(i / 3, 4 * board + i % 3)).collect();
        let rows: Vec<ExprId> = ROWS.iter().map(|row| game.all(&row.map(|i| cells[i]), 1)).collect();
        let ended = game.exprs.or(rows);
        let goes_on = game.exprs.not(ended);
        dead.push(ended);
        for cell in cells {
            let free = game.exprs.is(cell, 0);
            let guard = game.both(free, goes_on);
            for player in Player::all(2) {
                let updates = [Update::set(cell, 1), game.hand_over(turn, player)];
                game.add_move(game.called(&[cell]), player, guard, updates);
            }
        }
    }
    let over = game.exprs.and(dead);
    for player in Player::all(2) {
        let survives = game.both(over, game.turn[player.index()]);
        game.wins(player, [survives]);
    }
    game.begin(&empty(3, width));
    game
}
