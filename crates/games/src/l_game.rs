//! The L game.

use crate::entry::{Entry, Known, any};
use crate::kit::Kit;
use winset_model::{ExprId, Family, GameBuilder, Origin, Player, Update, VarId};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "l-game",
        size: "",
        default: "",
        about: "each player moves an L of four squares and may move a neutral piece on 4x4 squares; who cannot loses",
        numbers: &[],
        choices: &[],
    },
    aliases: &["lgame"],
    rules: "A player puts the own L, turned or mirrored as one likes, to another place, and then may move one of the two \
            neutral pieces to a free square. Who cannot move the L loses.",
    known: &[Known::draw(
        "",
        "de Bono, The Five-Day Course in Thinking; Winning Ways: 2,296 positions but for symmetry",
    )],
    make: |_, _| rules(),
    fit: any,
};

const NEUTRAL: u16 = 3;

/// The squares of every L on the board.
fn shapes() -> Vec<[(isize, isize); 4]> {
    let mut all = vec![];
    for (mirrored, turns) in [false, true].into_iter().flat_map(|m| (0..4).map(move |t| (m, t))) {
        for (row, column) in (0..4).flat_map(|r| (0..4).map(move |c| (r, c))) {
            let shape = [(0, 0), (1, 0), (2, 0), (2, 1)].map(|(r, c): (isize, isize)| {
                let c = if mirrored { -c } else { c };
                let (r, c) = (0..turns).fold((r, c), |(r, c), _| (c, -r));
                (r + row, c + column)
            });
            if shape.iter().all(|(r, c)| (0..4).contains(r) && (0..4).contains(c)) {
                all.push(shape);
            }
        }
    }
    all
}

fn rules() -> GameBuilder {
    let mut game = GameBuilder::new("l-game", ["x", "o"]);
    game.add_board((4, 4), Origin::Bottom, ".xo*", |_, _| true);
    let turn = game.add_turn();
    let step = game.add_variable("to move", ["L", "neutral"]);
    let (moves_l, moves_neutral) = (game.exprs.is(step, 0), game.exprs.is(step, 1));
    let cells = game.cells();
    for player in Player::all(2) {
        let own = 1 + player.value();
        for shape in shapes() {
            let mut squares: Vec<VarId> =
                shape.iter().map(|&(r, c)| game.cell(r as usize, c as usize)).collect();
            squares.sort();
            let open: Vec<ExprId> = squares.iter().map(|&cell| game.among(cell, [0, own])).collect();
            let open = game.exprs.and(open);
            let same = game.all(&squares, own);
            let other_place = game.exprs.not(same);
            let guard = game.exprs.and([open, other_place, moves_l]);
            let mut updates = vec![Update::set(step, 1)];
            for &cell in &cells {
                let was = game.exprs.is(cell, own);
                updates.push(match squares.contains(&cell) {
                    true => Update::set(cell, own),
                    false => Update { var: cell, cases: vec![(was, 0)] },
                });
            }
            game.add_move(game.called(&squares), player, guard, updates);
        }
        let done = [Update::set(step, 0), game.hand_over(turn, player)];
        game.add_move("stay", player, moves_neutral, done.clone());
        for (&from, &to) in cells.iter().flat_map(|from| cells.iter().map(move |to| (from, to))) {
            let (there, free) = (game.exprs.is(from, NEUTRAL), game.exprs.is(to, 0));
            let guard = game.exprs.and([there, free, moves_neutral]);
            if from != to {
                let updates =
                    [Update::set(from, 0), Update::set(to, NEUTRAL)].into_iter().chain(done.clone());
                game.add_move(game.called(&[from, to]), player, guard, updates);
            }
        }
    }
    game.who_cannot_move_loses();
    game.begin("*xx./.ox./.ox./.oo*");
    game
}
