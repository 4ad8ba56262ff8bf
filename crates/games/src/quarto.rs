//! Quarto with two, three or four attributes.

use crate::entry::{Effort, Entry, Known, MISERE, PLAIN, any, number};
use crate::kit::{Kit, empty};
use winset_model::{ExprId, Family, GameBuilder, Origin, Player, Update, Value, VarId};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "quarto",
        size: "N",
        default: "2",
        about: "pieces with N attributes on NxN squares; the opponent chooses the piece; a line that shares one wins",
        numbers: &[number("attributes", 2, 4)],
        choices: &[MISERE],
    },
    aliases: &[],
    rules: "Each of the pieces, which have all combinations of N attributes, is chosen by one player and placed by the other. \
            Who completes a line of pieces that share an attribute wins; it is a tie when no piece is left.",
    known: &[Known::loss("2", PLAIN), Known::tie("4", "Goossens 1998").takes(Effort::Beyond)],
    make: |n, _| rules(n[0]),
    fit: any,
};

/// Piece p is the value p + 1; its attributes are the bits of p.
fn rules(n: usize) -> GameBuilder {
    let mut game = GameBuilder::new("quarto", ["first", "second"]);
    let pieces = 1usize << n;
    let names = &"abcdefghijklmnop"[..pieces];
    game.add_board((n, n), Origin::Bottom, &format!(".{names}"), |_, _| true);
    let turn = game.add_turn();
    let hand = game.add_variable(
        "in hand",
        std::iter::once("nothing".to_owned()).chain(names.chars().map(String::from)),
    );
    let idle = game.exprs.is(hand, 0);
    let cells = game.cells();
    let unused: Vec<ExprId> = (1..=pieces as Value).map(|piece| game.none(&cells, piece)).collect();
    for player in Player::all(2) {
        for (piece, name) in (1..=pieces as Value).zip(names.chars()) {
            let guard = game.both(idle, unused[piece as usize - 1]);
            let updates = [Update::set(hand, piece), game.hand_over(turn, player)];
            game.add_move(format!("give-{name}"), player, guard, updates);
        }
        for &cell in &cells {
            let (free, busy) = (game.exprs.is(cell, 0), game.exprs.not(idle));
            let guard = game.both(free, busy);
            let cases = (1..=pieces as Value).map(|piece| (game.exprs.is(hand, piece), piece)).collect();
            let updates = [Update { var: cell, cases }, Update::set(hand, 0)];
            game.add_move(game.called(&[cell]), player, guard, updates);
        }
    }
    let mut lines: Vec<Vec<VarId>> = vec![];
    for i in 0..n {
        lines.push((0..n).map(|j| game.cell(i, j)).collect());
        lines.push((0..n).map(|j| game.cell(j, i)).collect());
    }
    lines.push((0..n).map(|i| game.cell(i, i)).collect());
    lines.push((0..n).map(|i| game.cell(i, n - 1 - i)).collect());
    let mut shared: Vec<ExprId> = vec![];
    for (line, bit) in lines.iter().flat_map(|line| (0..2 * n).map(move |bit| (line, bit))) {
        let with = (0..pieces).filter(|piece| piece >> (bit / 2) & 1 == bit % 2);
        let with: Vec<Value> = with.map(|piece| piece as Value + 1).collect();
        let all: Vec<ExprId> = line.iter().map(|&cell| game.among(cell, with.iter().copied())).collect();
        shared.push(game.exprs.and(all));
    }
    // Who has just placed a piece is still to move.
    for player in Player::all(2) {
        let moves = game.both(idle, game.turn[player.index()]);
        let won: Vec<ExprId> = shared.iter().map(|&line| game.both(line, moves)).collect();
        game.wins(player, won);
    }
    let left = game.exprs.or(unused);
    let none_left = game.exprs.not(left);
    let full = game.none(&cells, 0);
    let over = game.exprs.or([none_left, full]);
    let done = game.both(over, idle);
    game.else_ties(done);
    game.begin(&empty(n, n));
    game
}
