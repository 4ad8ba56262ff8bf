//! Tac Tix, also called Bulo: Nim on a board.

use crate::entry::{Entry, Known, MISERE, PLAIN, any, number};
use crate::kit::{Kit, filled};
use winset_model::{Family, GameBuilder, Origin, Player, Update, VarId};

const HEIN: &str =
    "Hein; Gardner, Hexaflexagons and Other Mathematical Diversions: copying through the middle";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "tac-tix",
        size: "N",
        default: "4",
        about: "a move takes neighbours in one row or column of NxN counters; who takes the last one wins",
        numbers: &[number("rows", 1, 6)],
        choices: &[MISERE],
    },
    aliases: &["tactix", "bulo"],
    rules: "A move takes one or more counters that stand side by side, without a gap, in one row or column. \
            Who takes the last one wins; people play it with --misere.",
    known: &[
        Known::loss("4", HEIN),
        Known::win("3", HEIN),
        Known::loss("2", HEIN),
        Known::win("3", PLAIN).with(&[("misere", "yes")]),
        Known::loss("4", "Gardner: the second player wins the game as it is played")
            .with(&[("misere", "yes")]),
    ],
    make: |n, _| rules(n[0]),
    fit: any,
};

fn rules(n: usize) -> GameBuilder {
    let mut game = GameBuilder::new("tac-tix", ["first", "second"]);
    game.add_board((n, n), Origin::Bottom, ".o", |_, _| true);
    let turn = game.add_turn();
    let mut runs: Vec<Vec<VarId>> = game.cells().into_iter().map(|cell| vec![cell]).collect();
    for line in 0..n {
        for from in 0..n {
            for to in from + 1..n {
                runs.push((from..=to).map(|i| game.cell(line, i)).collect());
                runs.push((from..=to).map(|i| game.cell(i, line)).collect());
            }
        }
    }
    for run in runs {
        let there = game.all(&run, 1);
        let (first, last) = (run[0], run[run.len() - 1]);
        let name = if run.len() == 1 { game.called(&[first]) } else { game.called(&[first, last]) };
        for player in Player::all(2) {
            let taken = run.iter().map(|&cell| Update::set(cell, 0));
            let updates: Vec<Update> = taken.chain([game.hand_over(turn, player)]).collect();
            game.add_move(name.clone(), player, there, updates);
        }
    }
    game.who_cannot_move_loses();
    game.begin(&filled(n, n, |_, _| 'o'));
    game
}
