//! Konane.

use crate::entry::{Entry, Known, MISERE, PLAIN, any, number};
use crate::kit::{Kit, ORTHOGONAL, filled};
use winset_model::{ExprId, Family, GameBuilder, Origin, Player, Update, VarId};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "konane",
        size: "ROWSxCOLUMNS",
        default: "4x4",
        about: "stones fill the board; two are taken, then stones jump over others; who cannot loses; black begins",
        numbers: &[number("rows", 2, 10), number("columns", 2, 10)],
        choices: &[MISERE],
    },
    aliases: &["hawaiian-checkers"],
    rules: "Black takes one of the own stones from the board, white one beside the gap; then a stone jumps straight over a \
            neighbouring stone of the opponent, once or several times in one direction, and takes what it jumps over. \
            Who cannot loses.",
    known: &[Known::loss("4x4", PLAIN), Known::loss("3x3", PLAIN), Known::loss("4x3", PLAIN)],
    make: |n, _| rules(n[0], n[1]),
    fit: any,
};

fn rules(rows: usize, columns: usize) -> GameBuilder {
    let mut game = GameBuilder::new("konane", ["black", "white"]);
    game.add_board((rows, columns), Origin::Bottom, ".bw", |_, _| true);
    let turn = game.add_turn();
    let board = game.squares();
    let cells = game.cells();
    let gaps: Vec<ExprId> = cells.iter().map(|&cell| game.exprs.is(cell, 0)).collect();
    let some = game.at_least(1, &gaps);
    let two = game.at_least(2, &gaps);
    let (full, fewer) = (game.exprs.not(some), game.exprs.not(two));
    for (row, column) in game.places() {
        let cell = game.cell(row as usize, column as usize);
        let near: Vec<VarId> =
            ORTHOGONAL.iter().filter_map(|(down, right)| board.cell(row + down, column + right)).collect();
        let black = game.exprs.is(cell, 1);
        let guard = game.both(black, full);
        let hand_over = game.hand_over(turn, Player(0));
        game.add_move(game.called(&[cell]), Player(0), guard, [Update::set(cell, 0), hand_over]);
        let (white, beside) = (game.exprs.is(cell, 2), game.any(&near, 0));
        let guard = game.exprs.and([white, beside, fewer]);
        let hand_over = game.hand_over(turn, Player(1));
        game.add_move(game.called(&[cell]), Player(1), guard, [Update::set(cell, 0), hand_over]);
        for (player, (down, right)) in Player::all(2).flat_map(|player| ORTHOGONAL.map(|way| (player, way))) {
            let (own, other) = (1 + player.value(), 2 - player.value());
            let mut guard = vec![game.exprs.is(cell, own)];
            let mut taken = vec![Update::set(cell, 0), game.hand_over(turn, player)];
            for jump in 0.. {
                let [over, to] =
                    [1, 2].map(|i| board.cell(row + (2 * jump + i) * down, column + (2 * jump + i) * right));
                let (Some(over), Some(to)) = (over, to) else { break };
                guard.extend([game.exprs.is(over, other), game.exprs.is(to, 0)]);
                taken.push(Update::set(over, 0));
                let all = game.exprs.and(guard.iter().copied());
                let updates: Vec<Update> = taken.iter().cloned().chain([Update::set(to, own)]).collect();
                game.add_move(game.called(&[cell, to]), player, all, updates);
            }
        }
    }
    game.who_cannot_move_loses();
    game.begin(&filled(rows, columns, |row, column| if (row + column) % 2 == 0 { 'b' } else { 'w' }));
    game
}
