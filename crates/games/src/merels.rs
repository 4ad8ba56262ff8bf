//! Games on small boards with lines: men are placed, then moved, and three in a row win.

use crate::entry::{Entry, Known, PLAIN, any};
use crate::kit::{Kit, filled};
use winset_model::{Choices, Family, GameBuilder, Origin, Player, Update, VarId};

/// Row and column of a point.
type Point = (isize, isize);

/// A board of points and what counts on it.
struct Points {
    rows: usize,
    columns: usize,
    /// A man moves from one end to the other.
    steps: Vec<[Point; 2]>,
    /// Three men of one player here win.
    rows_of_three: Vec<[Point; 3]>,
}

const MURRAY: &str =
    "Murray, A History of Board Games other than Chess, for the rules; value compared with plain code";

const fn family(name: &'static str, about: &'static str) -> Family {
    Family { name, size: "", default: "", about, numbers: &[], choices: &[] }
}

pub(crate) const THREE: Entry = Entry {
    family: family(
        "three-mens-morris",
        "three men each on 3x3 points; they move straight; three in a row win",
    ),
    aliases: &["smaller-merels"],
    rules: "Three men each are placed on 3x3 points in turn, then moved to a free point beside, straight and not aslant. \
            Three in a row, straight or aslant, win; who cannot move loses.",
    known: &[Known::win("", MURRAY)],
    make: |_: &[usize], _: &Choices| rules("three-mens-morris", 3, &square(false, true)),
    fit: any,
};

pub(crate) const TAPATAN: Entry = Entry {
    family: family(
        "tapatan",
        "three men each on 3x3 points; they move along lines and diagonals; three in a row win",
    ),
    aliases: &["luk-tsut-ki", "rows"],
    rules: "Three men each are placed on 3x3 points in turn, then moved to a free point beside along the lines of the board, \
            whose diagonals meet in the middle. Three in a row win; who cannot move loses.",
    known: &[Known::win("", PLAIN)],
    make: |_: &[usize], _: &Choices| rules("tapatan", 3, &square(true, true)),
    fit: any,
};

pub(crate) const ACHI: Entry = Entry {
    family: family(
        "achi",
        "four men each on 3x3 points; they move along lines and diagonals; three in a row win",
    ),
    aliases: &[],
    rules: "Four men each are placed on 3x3 points in turn, then moved to the one free point along the lines of the board, \
            whose diagonals meet in the middle. Three in a row win; who cannot move loses.",
    known: &[Known::win("", PLAIN)],
    make: |_: &[usize], _: &Choices| rules("achi", 4, &square(true, true)),
    fit: any,
};

pub(crate) const NINE_HOLES: Entry = Entry {
    family: family(
        "nine-holes",
        "three men each on 3x3 points; they move straight; only straight rows of three win",
    ),
    aliases: &[],
    rules: "Three men each are placed on 3x3 points in turn, then moved to a free point beside, straight and not aslant. \
            Three in a row or column win, and diagonals do not count; who cannot move loses.",
    known: &[Known::draw("", PLAIN)],
    make: |_: &[usize], _: &Choices| rules("nine-holes", 3, &square(false, false)),
    fit: any,
};

pub(crate) const PICARIA: Entry = Entry {
    family: family(
        "picaria",
        "three men each on 13 points; they move along lines; three side by side on a line win",
    ),
    aliases: &[],
    rules: "Three men each are placed in turn on 3x3 points and the four points between them, then moved along lines to a free \
            point beside. Three side by side on a line win; who cannot move loses.",
    known: &[Known::win("", PLAIN)],
    make: |_: &[usize], _: &Choices| rules("picaria", 3, &between()),
    fit: any,
};

/// 3x3 points; men move aslant through the middle, aslant rows count.
fn square(aslant: bool, diagonals: bool) -> Points {
    let (mut steps, mut rows_of_three) = (vec![], vec![]);
    for i in 0..3 {
        rows_of_three.extend([[(i, 0), (i, 1), (i, 2)], [(0, i), (1, i), (2, i)]]);
        for j in 0..2 {
            steps.extend([[(i, j), (i, j + 1)], [(j, i), (j + 1, i)]]);
        }
    }
    if aslant {
        steps.extend([(0, 0), (0, 2), (2, 0), (2, 2)].map(|corner| [corner, (1, 1)]));
    }
    if diagonals {
        rows_of_three.extend([[(0, 0), (1, 1), (2, 2)], [(0, 2), (1, 1), (2, 0)]]);
    }
    Points { rows: 3, columns: 3, steps, rows_of_three }
}

/// 3x3 points on even places of 5x5, and four points between them on odd places. Straight lines join points two places
/// apart, aslant lines join neighbours.
fn between() -> Points {
    let used = |(r, c): Point| (0..5).contains(&r) && (0..5).contains(&c) && r % 2 == c % 2;
    let (mut steps, mut rows_of_three) = (vec![], vec![]);
    for (r, c) in (0..5).flat_map(|r| (0..5).map(move |c| (r, c))).filter(|&point| used(point)) {
        for (down, right) in [(0, 2), (2, 0), (1, 1), (1, -1)] {
            let straight = down == 0 || right == 0;
            let line = [0, 1, 2].map(|i| (r + i * down, c + i * right));
            if straight && r % 2 == 1 {
                continue;
            }
            if used(line[1]) {
                steps.push([line[0], line[1]]);
            }
            if used(line[1]) && used(line[2]) {
                rows_of_three.push(line);
            }
        }
    }
    Points { rows: 5, columns: 5, steps, rows_of_three }
}

fn rules(name: &str, men: usize, points: &Points) -> GameBuilder {
    let mut game = GameBuilder::new(name, ["x", "o"]);
    let is_used =
        |r: usize, c: usize| points.steps.iter().flatten().any(|&point| point == (r as isize, c as isize));
    game.add_board((points.rows, points.columns), Origin::Bottom, ".xo", is_used);
    let turn = game.add_turn();
    // The first value is the start's: all men are still to be placed.
    let left = game.add_variable("to place", (0..=2 * men).rev().map(|n| n.to_string()));
    let placed = game.exprs.is(left, 2 * men as u16);
    let placing = game.exprs.not(placed);
    let at = |game: &GameBuilder, point: Point| -> VarId { game.cell(point.0 as usize, point.1 as usize) };
    for player in Player::all(2) {
        let own = 1 + player.value();
        for cell in game.cells() {
            let free = game.exprs.is(cell, 0);
            let guard = game.both(free, placing);
            let updates = [Update::set(cell, own), game.add(left, 1), game.hand_over(turn, player)];
            game.add_move(game.called(&[cell]), player, guard, updates);
        }
        for &[a, b] in &points.steps {
            let ends = [at(&game, a), at(&game, b)];
            for [from, to] in [ends, [ends[1], ends[0]]] {
                let (mine, free) = (game.exprs.is(from, own), game.exprs.is(to, 0));
                let guard = game.exprs.and([mine, free, placed]);
                let updates = [Update::set(from, 0), Update::set(to, own), game.hand_over(turn, player)];
                game.add_move(game.called(&[from, to]), player, guard, updates);
            }
        }
    }
    for player in Player::all(2) {
        let threes: Vec<_> =
            points.rows_of_three.iter().map(|row| row.map(|point| at(&game, point))).collect();
        let won: Vec<_> = threes.iter().map(|row| game.all(row, 1 + player.value())).collect();
        game.wins(player, won);
    }
    game.who_cannot_move_loses();
    game.begin(&filled(points.rows, points.columns, |_, _| '.'));
    game
}
