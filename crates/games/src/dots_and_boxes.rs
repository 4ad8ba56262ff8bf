//! Dots and Boxes.

use crate::entry::{Effort, Entry, Known, MISERE, any, number};
use crate::kit::{Kit, filled};
use winset_model::{ExprId, Family, GameBuilder, Origin, Player, Update, Value, VarId};

const WINNING_WAYS: &str = "Berlekamp, Conway, Guy, Winning Ways, chapter 16";
const WILSON: &str = "Wilson, Dots-and-Boxes Analysis Results; Barker and Korf, Solving Dots-and-Boxes, 2012";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "dots-and-boxes",
        size: "COLUMNSxROWS",
        default: "2x2",
        about: "who draws the last side of a box owns it and draws again; most of the COLUMNSxROWS boxes win",
        numbers: &[number("columns", 1, 4), number("rows", 1, 4)],
        choices: &[MISERE],
    },
    aliases: &["paddocks"],
    rules: "The players draw sides of boxes in turn; who completes a box owns it and draws again. \
            Who owns more boxes when all sides are drawn wins.",
    known: &[
        Known::win("2x2", WINNING_WAYS),
        Known::win("3x3", WILSON).takes(Effort::Minutes),
        Known::tie("4x4", WILSON).takes(Effort::Beyond),
    ],
    make: |n, _| rules(n[0], n[1]),
    fit: any,
};

/// Sides are the squares of the board with one odd coordinate; between them are dots and boxes, which never change.
fn rules(columns: usize, rows: usize) -> GameBuilder {
    let mut game = GameBuilder::new("dots-and-boxes", ["first", "second"]);
    let (height, width) = (2 * rows + 1, 2 * columns + 1);
    game.add_board((height, width), Origin::Bottom, ".#", |row, column| (row + column) % 2 == 1);
    let turn = game.add_turn();
    let boxes = rows * columns;
    let score = game.add_variable("first's boxes", (0..=boxes).map(|n| n.to_string()));
    let board = game.squares();
    let sides = |row: isize, column: isize| -> Vec<VarId> {
        [(-1, 0), (1, 0), (0, -1), (0, 1)]
            .into_iter()
            .filter_map(|(down, right)| board.cell(row + down, column + right))
            .collect()
    };
    for (row, column) in game.places() {
        let side = game.cell(row as usize, column as usize);
        let beside = if row % 2 == 0 { [(-1, 0), (1, 0)] } else { [(0, -1), (0, 1)] };
        let inside =
            |r: isize, c: isize| (0..height as isize).contains(&r) && (0..width as isize).contains(&c);
        let near = beside.map(|(down, right)| (row + down, column + right));
        let completes: Vec<ExprId> = near
            .into_iter()
            .filter(|&(r, c)| inside(r, c))
            .map(|(r, c)| {
                let others: Vec<VarId> = sides(r, c).into_iter().filter(|&other| other != side).collect();
                game.all(&others, 1)
            })
            .collect();
        let some = game.exprs.or(completes.iter().copied());
        let both = game.at_least(2, &completes);
        let free = game.exprs.is(side, 0);
        let none = game.exprs.not(some);
        for player in Player::all(2) {
            let passes = Update { var: turn, cases: vec![(none, player.other().value())] };
            let mut updates = vec![Update::set(side, 1), passes];
            if player == Player(0) {
                let mut cases = vec![];
                for (gain, when) in [(2, both), (1, some)] {
                    for owned in 0..(boxes + 1).saturating_sub(gain) {
                        let now = game.exprs.is(score, owned as Value);
                        cases.push((game.both(when, now), (owned + gain) as Value));
                    }
                }
                updates.push(Update { var: score, cases });
            }
            game.add_move(game.called(&[side]), player, free, updates);
        }
    }
    let cells = game.cells();
    let full = game.all(&cells, 1);
    let more = |most: bool| {
        (0..=boxes as Value).filter(move |&n| most == (2 * n as usize > boxes) && 2 * n as usize != boxes)
    };
    for player in Player::all(2) {
        let ahead = game.among(score, more(player == Player(0)));
        let won = game.both(full, ahead);
        game.wins(player, [won]);
    }
    game.else_ties(full);
    game.begin(&filled(height, width, |_, _| '.'));
    game
}
