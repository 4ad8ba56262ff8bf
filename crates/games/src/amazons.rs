//! Amazons on small boards.

use crate::entry::{Entry, Known, PLAIN, any, number};
use crate::kit::{EIGHT, Kit, filled};
use winset_model::{ExprId, Family, GameBuilder, Origin, Player, Update};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "amazons",
        size: "ROWSxCOLUMNS",
        default: "3x4",
        about: "an amazon each moves like a chess queen and shoots an arrow that stays; who cannot loses; white begins",
        numbers: &[number("rows", 2, 8), number("columns", 2, 8)],
        choices: &[],
    },
    aliases: &["game-of-the-amazons"],
    rules: "An amazon moves like a queen in chess, then shoots an arrow that flies like a queen to a free square and stays \
            there for ever; neither passes over anything. Who cannot move loses.",
    known: &[Known::win("3x4", PLAIN), Known::win("3x3", PLAIN), Known::win("2x4", PLAIN)],
    make: |n, _| rules(n[0], n[1]),
    fit: any,
};

/// Values of a square: free, an arrow, a player's amazon, a player's amazon that is about to shoot.
const ARROW: u16 = 1;
const AMAZON: [u16; 2] = [2, 3];
const ARCHER: [u16; 2] = [4, 5];

fn rules(rows: usize, columns: usize) -> GameBuilder {
    let mut game = GameBuilder::new("amazons", ["white", "black"]);
    game.add_board((rows, columns), Origin::Bottom, ".#wbWB", |_, _| true);
    let turn = game.add_turn();
    let board = game.squares();
    let cells = game.cells();
    for player in Player::all(2) {
        let (amazon, archer) = (AMAZON[player.index()], ARCHER[player.index()]);
        let none_aims = game.none(&cells, archer);
        for (row, column) in game.places() {
            let from = game.cell(row as usize, column as usize);
            for (down, right) in EIGHT {
                let mut free: Vec<ExprId> = vec![];
                for far in 1.. {
                    let Some(to) = board.cell(row + far * down, column + far * right) else { break };
                    free.push(game.exprs.is(to, 0));
                    let path = game.exprs.and(free.iter().copied());
                    let (rests, aims) = (game.exprs.is(from, amazon), game.exprs.is(from, archer));
                    let goes = game.exprs.and([rests, path, none_aims]);
                    game.add_move(
                        game.called(&[from, to]),
                        player,
                        goes,
                        [Update::set(from, 0), Update::set(to, archer)],
                    );
                    let shoots = game.both(aims, path);
                    let updates =
                        [Update::set(from, amazon), Update::set(to, ARROW), game.hand_over(turn, player)];
                    game.add_move(format!("x-{}", game.called(&[to])), player, shoots, updates);
                }
            }
        }
    }
    game.who_cannot_move_loses();
    game.begin(&filled(rows, columns, |row, column| match (row, column) {
        (0, 0) => 'b',
        _ if row + 1 == rows && column + 1 == columns => 'w',
        _ => '.',
    }));
    game
}
