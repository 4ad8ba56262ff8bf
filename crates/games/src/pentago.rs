//! Pentago and smaller boards with quarters that turn.

use crate::entry::{Effort, Entry, Known, MISERE, PLAIN, any, number, preset};
use crate::kit::{Kit, empty};
use crate::line::lines;
use winset_model::{ExprId, Family, GameBuilder, Origin, Player, Update, Value};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "pentago",
        size: "QUARTER[xK]",
        default: "2x3",
        about: "a move sets a stone and turns one of four quarters; five (or K) in a row win",
        numbers: &[number("rows in a quarter", 1, 3), preset("in a row", 2, 6, 5)],
        choices: &[MISERE],
    },
    aliases: &[],
    rules: "A move sets a stone on a free square, then turns one of the board's four quarters by a right angle. \
            Five (or K) in a row win, before or after turning; a full board, or rows of both at once, is a tie.",
    known: &[
        Known::win("2x3", PLAIN),
        Known::win("1x2", PLAIN),
        Known::win("3", "Irving, Pentago is a First Player Win, 2014").takes(Effort::Beyond),
    ],
    make: |n, _| rules(n[0], n[1]),
    fit: any,
};

fn rules(quarter: usize, k: usize) -> GameBuilder {
    let mut game = GameBuilder::new("pentago", ["x", "o"]);
    let n = 2 * quarter;
    game.add_board((n, n), Origin::Bottom, ".xo", |_, _| true);
    let turn = game.add_turn();
    let step = game.add_variable("to do", ["set", "turn"]);
    let (set, turns) = (game.exprs.is(step, 0), game.exprs.is(step, 1));
    let corners = [("a", n - quarter, 0), ("b", n - quarter, quarter), ("c", 0, 0), ("d", 0, quarter)];
    for player in Player::all(2) {
        for cell in game.cells() {
            let free = game.exprs.is(cell, 0);
            let guard = game.both(free, set);
            let updates = [Update::set(cell, 1 + player.value()), Update::set(step, 1)];
            game.add_move(game.called(&[cell]), player, guard, updates);
        }
        for (name, top, left) in corners {
            for (way, right) in [("left", false), ("right", true)] {
                let mut updates = vec![Update::set(step, 0), game.hand_over(turn, player)];
                for (row, column) in (0..quarter).flat_map(|r| (0..quarter).map(move |c| (r, c))) {
                    // Where the stone comes from.
                    let (r, c) =
                        if right { (quarter - 1 - column, row) } else { (column, quarter - 1 - row) };
                    let (from, to) = (game.cell(top + r, left + c), game.cell(top + row, left + column));
                    if from != to {
                        let cases = (0..3).map(|value: Value| (game.exprs.is(from, value), value)).collect();
                        updates.push(Update { var: to, cases });
                    }
                }
                game.add_move(format!("{name}-{way}"), player, turns, updates);
            }
        }
    }
    let rows: Vec<ExprId> = [1, 2]
        .map(|value| {
            let all = lines(&mut game, k, value);
            game.exprs.or(all)
        })
        .to_vec();
    for player in Player::all(2) {
        let (own, other) = (rows[player.index()], rows[player.other().index()]);
        let not = game.exprs.not(other);
        let won = game.both(own, not);
        game.wins(player, [won]);
    }
    let cells = game.cells();
    let full = game.none(&cells, 0);
    let (done, both) = (game.both(full, set), game.exprs.and(rows));
    let level = game.exprs.or([done, both]);
    game.else_ties(level);
    game.begin(&empty(n, n));
    game
}
