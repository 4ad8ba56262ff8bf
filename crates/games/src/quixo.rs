//! Quixo.

use crate::entry::{Effort, Entry, Known, any, number};
use crate::kit::{Kit, empty};
use crate::line::lines;
use winset_model::{ExprId, Family, GameBuilder, Origin, Player, Update, Value, VarId};

const TANAKA: &str = "Tanaka, Bonnet, Tixeuil, Tamura, Quixo Is Solved, 2020";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "quixo",
        size: "N",
        default: "3",
        about: "a cube is taken from the edge of NxN, marked, and pushed in at an end of its line; N in a row win",
        numbers: &[number("rows", 2, 5)],
        choices: &[],
    },
    aliases: &[],
    rules: "A player takes a blank or own cube from the edge, and pushes it with the own mark into its row or column from \
            another end. A full line of one mark wins, the opponent's first if a move makes both.",
    known: &[
        Known::win("3", TANAKA),
        Known::draw("4", TANAKA).takes(Effort::Beyond),
        Known::draw("5", TANAKA).takes(Effort::Beyond),
    ],
    make: |n, _| rules(n[0]),
    fit: any,
};

fn rules(n: usize) -> GameBuilder {
    let mut game = GameBuilder::new("quixo", ["x", "o"]);
    game.add_board((n, n), Origin::Bottom, ".xo", |_, _| true);
    let turn = game.add_turn();
    let last = n - 1;
    for (row, column) in game.places() {
        let (row, column) = (row as usize, column as usize);
        if row % last != 0 && column % last != 0 {
            continue;
        }
        // From here to each other end of its row and column.
        let mut paths: Vec<Vec<VarId>> = vec![
            (column..n).map(|c| game.cell(row, c)).collect(),
            (0..=column).rev().map(|c| game.cell(row, c)).collect(),
            (row..n).map(|r| game.cell(r, column)).collect(),
            (0..=row).rev().map(|r| game.cell(r, column)).collect(),
        ];
        paths.retain(|path| path.len() > 1);
        for (player, path) in Player::all(2).flat_map(|player| paths.iter().map(move |path| (player, path))) {
            let own = 1 + player.value();
            let (from, end) = (path[0], path[path.len() - 1]);
            let may = game.among(from, [0, own]);
            let mut updates = vec![Update::set(end, own), game.hand_over(turn, player)];
            for pair in path.windows(2) {
                let cases: Vec<(ExprId, Value)> =
                    (0..3).map(|value| (game.exprs.is(pair[1], value), value)).collect();
                updates.push(Update { var: pair[0], cases });
            }
            game.add_move(game.called(&[from, end]), player, may, updates);
        }
    }
    let full: Vec<Vec<ExprId>> = [1, 2].map(|own| lines(&mut game, n, own)).to_vec();
    for player in Player::all(2) {
        let other = game.exprs.or(full[player.other().index()].iter().copied());
        let (waited, not) = (game.turn[player.index()], game.exprs.not(other));
        let counts = game.exprs.or([waited, not]);
        let own = game.exprs.or(full[player.index()].iter().copied());
        let won = game.both(own, counts);
        game.wins(player, [won]);
    }
    game.begin(&empty(n, n));
    game
}
