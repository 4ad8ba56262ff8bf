//! Gobblet Gobblers: noughts and crosses of several sizes that cover each other.

use crate::entry::{Entry, Known, PLAIN, any, number};
use crate::kit::{Kit, LINES, empty};
use winset_model::{ExprId, Family, GameBuilder, Origin, Player, Update, Value, VarId};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "gobblet",
        size: "SIZESxPIECES",
        default: "3x1",
        about: "SIZES sizes, PIECES pieces of each; larger ones cover smaller ones; three on top in a row of 3x3 win",
        numbers: &[number("sizes", 1, 3), number("pieces of a size", 1, 3)],
        choices: &[],
    },
    aliases: &["gobblet-gobblers"],
    rules: "A piece comes from the hand or from the top of a pile to a free square or onto a smaller piece. \
            Three on top in a row win, the opponent's first if a move uncovers them; who cannot move loses.",
    known: &[Known::draw("3x1", PLAIN), Known::draw("1x3", PLAIN)],
    make: |n, _| rules(n[0], n[1]),
    fit: any,
};

/// Who owns the piece of a size in a pile: a pile's value has a digit to base 3 for each size, the smallest first.
fn owner(pile: Value, size: usize) -> Value {
    pile / (3 as Value).pow(size as u32) % 3
}

/// The largest piece of a pile: its size and owner.
fn top(pile: Value, sizes: usize) -> Option<(usize, Value)> {
    (0..sizes).rev().map(|size| (size, owner(pile, size))).find(|&(_, who)| who != 0)
}

fn rules(sizes: usize, pieces: usize) -> GameBuilder {
    let mut game = GameBuilder::new("gobblet", ["x", "o"]);
    let piles = (3 as Value).pow(sizes as u32);
    let glyphs = [".xo", ".xoXABOCD", ".abcdefghijklmnopqrstuvwxyz"][sizes - 1];
    game.add_board((3, 3), Origin::Bottom, glyphs, |_, _| true);
    let turn = game.add_turn();
    let cells = game.cells();
    let names = ["small", "medium", "large"];
    let fits = |size: usize| move |&pile: &Value| top(pile, sizes).is_none_or(|(on_top, _)| on_top < size);
    for player in Player::all(2) {
        let own = 1 + player.value();
        for size in 0..sizes {
            let worth = own * (3 as Value).pow(size as u32);
            let used: Vec<ExprId> = cells
                .iter()
                .map(|&cell| game.among(cell, (0..piles).filter(|&pile| owner(pile, size) == own)))
                .collect();
            let all_used = game.at_least(pieces, &used);
            let left = game.exprs.not(all_used);
            let lifts = move |&pile: &Value| top(pile, sizes) == Some((size, own));
            for &to in &cells {
                let free = game.among(to, (0..piles).filter(fits(size)));
                let arrives: Vec<(ExprId, Value)> = (0..piles)
                    .filter(fits(size))
                    .map(|pile| (game.exprs.is(to, pile), pile + worth))
                    .collect();
                let arrives = Update { var: to, cases: arrives };
                let guard = game.both(free, left);
                let hand_over = game.hand_over(turn, player);
                let name = format!("{}-{}", names[size + 3 - sizes.max(1)], game.called(&[to]));
                game.add_move(name, player, guard, [arrives.clone(), hand_over.clone()]);
                for &from in cells.iter().filter(|&&from| from != to) {
                    let mine = game.among(from, (0..piles).filter(lifts));
                    let leaves: Vec<(ExprId, Value)> = (0..piles)
                        .filter(lifts)
                        .map(|pile| (game.exprs.is(from, pile), pile - worth))
                        .collect();
                    let guard = game.both(mine, free);
                    let updates = [Update { var: from, cases: leaves }, arrives.clone(), hand_over.clone()];
                    game.add_move(game.called(&[from, to]), player, guard, updates);
                }
            }
        }
    }
    let rows = [1, 2].map(|own| three(&mut game, own, sizes, piles));
    for player in Player::all(2) {
        let (own, other) = (rows[player.index()], rows[player.other().index()]);
        let (waited, not) = (game.turn[player.index()], game.exprs.not(other));
        let counts = game.exprs.or([waited, not]);
        let won = game.both(own, counts);
        game.wins(player, [won]);
    }
    game.who_cannot_move_loses();
    game.begin(&empty(3, 3));
    game
}

/// Three piles in a row have a piece of this player on top.
fn three(game: &mut GameBuilder, own: Value, sizes: usize, piles: Value) -> ExprId {
    let board = game.squares();
    let on_top: Vec<Value> =
        (0..piles).filter(|&pile| top(pile, sizes).is_some_and(|(_, who)| who == own)).collect();
    let mut rows = vec![];
    for ((row, column), (down, right)) in game.places().into_iter().flat_map(|at| LINES.map(|way| (at, way)))
    {
        let line = [0, 1, 2].map(|i| board.cell(row + i * down, column + i * right));
        let Some(line) = line.into_iter().collect::<Option<Vec<VarId>>>() else { continue };
        let each: Vec<ExprId> =
            line.into_iter().map(|cell| game.among(cell, on_top.iter().copied())).collect();
        rows.push(game.exprs.and(each));
    }
    game.exprs.or(rows)
}
