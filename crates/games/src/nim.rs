//! Nim and other games with heaps: Wythoff's game, Euclid, subtraction games.

use crate::entry::{Entry, Known, MISERE, any, number, preset};
use crate::kit::{DIGITS, Kit, digits};
use winset_model::{ExprId, Family, GameBuilder, Origin, Player, Update, Value, VarId};

const BOUTON: &str = "Bouton 1901: the first player wins unless the heaps' exclusive or is 0";
const BOUTON_MISERE: &str = "Bouton 1901: as in normal play, unless all heaps are single";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "nim",
        size: "HEAP[xHEAP...]",
        default: "3x4x5",
        about: "up to six heaps; a move takes any number from one heap; who takes the last one wins",
        numbers: &[
            number("in the first heap", 1, 35),
            preset("in the second heap", 0, 35, 0),
            preset("in the third heap", 0, 35, 0),
            preset("in the fourth heap", 0, 35, 0),
            preset("in the fifth heap", 0, 35, 0),
            preset("in the sixth heap", 0, 35, 0),
        ],
        choices: &[MISERE],
    },
    aliases: &[],
    rules: "A move takes one or more from one heap. Who takes the last one wins.",
    known: &[
        Known::win("3x4x5", BOUTON),
        Known::loss("1x2x3", BOUTON),
        Known::loss("4x9x13", BOUTON),
        Known::win("7x7x1", BOUTON),
        Known::loss("1x4x5", BOUTON_MISERE).with(&[("misere", "yes")]),
        Known::loss("1x1x1", BOUTON_MISERE).with(&[("misere", "yes")]),
        Known::win("11x12x15x25", BOUTON),
    ],
    make: |n, _| {
        let heaps = n.iter().rposition(|&heap| heap > 0).map_or(1, |last| last + 1);
        rules("nim", &n[..heaps], |game, heaps| {
            for (i, &heap) in heaps.iter().enumerate() {
                takes(game, &[heap], &DIGITS[10 + i..=10 + i]);
            }
        })
    },
    fit: any,
};

const WYTHOFF_1907: &str = "Wythoff 1907: the second player wins at the floors of n phi and n phi squared";

pub(crate) const WYTHOFF: Entry = Entry {
    family: Family {
        name: "wythoff",
        size: "HEAPxHEAP",
        default: "10x12",
        about: "two heaps; a move takes from one, or the same number from both; who takes the last one wins",
        numbers: &[number("in the first heap", 0, 35), number("in the second heap", 0, 35)],
        choices: &[MISERE],
    },
    aliases: &["corner-the-queen", "wythoff-nim"],
    rules: "A move takes one or more from one heap, or the same number from both heaps. Who takes the last one wins.",
    known: &[
        Known::win("10x12", WYTHOFF_1907),
        Known::loss("1x2", WYTHOFF_1907),
        Known::loss("3x5", WYTHOFF_1907),
        Known::loss("8x13", WYTHOFF_1907),
        Known::loss("17x28", WYTHOFF_1907),
    ],
    make: |n, _| {
        rules("wythoff", n, |game, heaps| {
            takes(game, &heaps[..1], "a");
            takes(game, &heaps[1..], "b");
            takes(game, heaps, "ab");
        })
    },
    fit: any,
};

const COLE_DAVIE: &str =
    "Cole and Davie 1969: the first player wins from two heaps whose ratio is 1 or above the golden one";

pub(crate) const EUCLID: Entry = Entry {
    family: Family {
        name: "euclid",
        size: "HEAPxHEAP",
        default: "13x21",
        about: "two numbers; a move takes a multiple of the smaller from the larger; who makes a 0 wins",
        numbers: &[number("in the first heap", 1, 35), number("in the second heap", 1, 35)],
        choices: &[MISERE],
    },
    aliases: &["game-of-euclid"],
    rules: "A move takes a multiple of the smaller number from the larger one. Who makes one of them 0 wins.",
    known: &[
        Known::loss("13x21", "Cole and Davie 1969: 21/13 is below the golden ratio"),
        Known::win("21x34", COLE_DAVIE),
        Known::win("7x7", COLE_DAVIE),
        Known::win("8x13", COLE_DAVIE),
        Known::win("5x35", COLE_DAVIE),
    ],
    make: |n, _| rules("euclid", n, multiples),
    fit: any,
};

const RESIDUE: &str = "Bachet 1612: the second player wins at multiples of K+1";

pub(crate) const SUBTRACTION: Entry = Entry {
    family: Family {
        name: "subtraction",
        size: "HEAP[xK]",
        default: "21",
        about: "one heap; a move takes one to three (or K); who takes the last one wins",
        numbers: &[number("in the heap", 1, 35), preset("at most to take", 1, 35, 3)],
        choices: &[MISERE],
    },
    aliases: &["bachet", "21"],
    rules: "A move takes one to three (or K) from the heap. Who takes the last one wins.",
    known: &[
        Known::win("21", RESIDUE),
        Known::loss("20", RESIDUE),
        Known::loss("30x4", RESIDUE),
        Known::loss("21", "Bachet: in misere play, one more than a multiple").with(&[("misere", "yes")]),
    ],
    make: |n, _| {
        rules("subtraction", &n[..1], |game, heaps| {
            takes(game, heaps, "a");
            let most = n[1];
            game.moves.retain(|m| m.name[2..].parse::<usize>().is_ok_and(|take| take <= most));
        })
    },
    fit: any,
};

/// Heaps as counters on a board of one row; who cannot move loses.
fn rules(name: &str, heaps: &[usize], moves: impl Fn(&mut GameBuilder, &[VarId])) -> GameBuilder {
    let mut game = GameBuilder::new(name, ["first", "second"]);
    let most = *heaps.iter().max().expect("there is a heap");
    game.add_board((1, heaps.len()), Origin::Bottom, digits(most), |_, _| true);
    game.add_turn();
    let cells = game.cells();
    moves(&mut game, &cells);
    game.who_cannot_move_loses();
    game.begin(&heaps.iter().map(|&heap| &DIGITS[heap..=heap]).collect::<String>());
    game
}

fn turn_of(game: &GameBuilder) -> VarId {
    VarId(game.variables.iter().position(|v| v.name == "turn").expect("there is a turn") as u32)
}

/// Moves that take the same number, any, from each of these heaps.
fn takes(game: &mut GameBuilder, heaps: &[VarId], name: &str) {
    let turn = turn_of(game);
    let most = game.variables[heaps[0].index()].size() - 1;
    for take in 1..=most {
        let enough: Vec<ExprId> =
            heaps.iter().map(|&heap| game.among(heap, take as Value..=most as Value)).collect();
        let guard = game.exprs.and(enough);
        for player in Player::all(2) {
            let mut updates: Vec<Update> =
                heaps.iter().map(|&heap| game.add(heap, -(take as isize))).collect();
            updates.push(game.hand_over(turn, player));
            game.add_move(format!("{name}-{take}"), player, guard, updates);
        }
    }
}

/// Moves that take a multiple of the smaller of two numbers from the larger one. Who has made a 0 has won.
fn multiples(game: &mut GameBuilder, heaps: &[VarId]) {
    let turn = turn_of(game);
    let most = game.variables[heaps[0].index()].size() - 1;
    for (large, small) in [(0, 1), (1, 0)] {
        for take in 1..=most {
            // The other number divides what is taken, and is not larger than what is there.
            let divisors: Vec<usize> = (1..=take).filter(|divisor| take.is_multiple_of(*divisor)).collect();
            let divides = game.among(heaps[small], divisors.into_iter().map(|d| d as Value));
            let enough = game.among(heaps[large], take as Value..=most as Value);
            let guard = game.both(divides, enough);
            for player in Player::all(2) {
                let updates = [game.add(heaps[large], -(take as isize)), game.hand_over(turn, player)];
                game.add_move(format!("{}-{take}", ["a", "b"][large]), player, guard, updates);
            }
        }
    }
}
