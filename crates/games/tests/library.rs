//! The games of the library against plain code that shares nothing with their builders: as many positions, moves and
//! ends, the same value of the start, and the same number of positions for every value and distance.

mod plain;

use plain::graph::Graph;
use plain::{Plain, boards, chess, moving, placing, sliding, sowing};
use winset_games::build;
use winset_model::Choices;

/// The built game and the plain one are alike in all that does not depend on how positions are written.
fn alike(name: &str, size: &str, plain: &Plain) {
    alike_with(name, size, &Choices::default(), plain);
}

fn alike_with(name: &str, size: &str, choices: &Choices, plain: &Plain) {
    let game = build(name, Some(size), choices).unwrap();
    let (built, plain) = (Graph::of(&game).summary(), plain.graph().summary());
    assert_eq!(built.positions, plain.positions, "{} positions", game.title());
    assert_eq!(built, plain, "{}", game.title());
}

fn misere() -> Choices {
    Choices::default().with("misere", "yes")
}

#[test]
fn boards_to_fill() {
    for (columns, rows, k) in [(3, 3, 3), (4, 3, 3), (3, 4, 2)] {
        let size = format!("{columns}x{rows}x{k}");
        alike("tictactoe", &size, &placing::tictactoe(columns, rows, k));
        alike_with("tictactoe", &size, &misere(), &placing::tictactoe(columns, rows, k).misere());
    }
    for (columns, rows) in [(3, 3), (2, 4)] {
        let size = format!("{columns}x{rows}");
        alike("wild-tictactoe", &size, &placing::wild(columns, rows, 3));
        alike_with("wild-tictactoe", &size, &misere(), &placing::wild(columns, rows, 3).misere());
    }
    (3..=11).for_each(|n| alike("treblecross", &n.to_string(), &placing::treblecross(n)));
    alike("notakto", "1", &placing::notakto(1));
    (3..=5).for_each(|n| alike("sim", &n.to_string(), &placing::sim(n)));
    for n in 1..=3 {
        alike("hex", &n.to_string(), &placing::hex(n));
        alike_with("hex", &n.to_string(), &misere(), &placing::hex(n).misere());
    }
    for (columns, rows) in [(1, 1), (2, 1), (1, 3), (2, 2)] {
        alike("dots-and-boxes", &format!("{columns}x{rows}"), &placing::dots_and_boxes(columns, rows));
    }
}

#[test]
fn dominoes_and_paint() {
    for (rows, columns) in [(1, 5), (2, 2), (3, 3), (2, 5), (4, 3), (4, 4)] {
        let size = format!("{rows}x{columns}");
        alike("domineering", &size, &placing::dominoes(rows, columns, [&[0], &[1]]));
        alike("cram", &size, &placing::dominoes(rows, columns, [&[0, 1], &[0, 1]]));
        alike_with("cram", &size, &misere(), &placing::dominoes(rows, columns, [&[0, 1], &[0, 1]]).misere());
    }
    for (rows, columns) in [(1, 6), (2, 3), (3, 3), (3, 4)] {
        alike("col", &format!("{rows}x{columns}"), &placing::painting(rows, columns, true));
        alike("snort", &format!("{rows}x{columns}"), &placing::painting(rows, columns, false));
    }
}

#[test]
fn counters_to_take() {
    for n in 1..=12 {
        alike("kayles", &n.to_string(), &placing::pins(n, &[1, 2]));
        alike("dawsons-kayles", &n.to_string(), &placing::pins(n, &[2]));
    }
    for n in 1..=3 {
        alike("tac-tix", &n.to_string(), &placing::tac_tix(n));
        alike_with("tac-tix", &n.to_string(), &misere(), &placing::tac_tix(n).misere());
    }
    for (columns, rows) in [(1, 1), (1, 4), (3, 2), (5, 4), (8, 7)] {
        alike("chomp", &format!("{columns}x{rows}"), &placing::chomp(columns, rows));
    }
}

#[test]
fn heaps() {
    let each = |heaps: &[u8]| -> Vec<Vec<u8>> {
        let take = |i: usize, take: u8| (0..heaps.len()).map(|j| if i == j { take } else { 0 }).collect();
        (0..heaps.len()).flat_map(|i| (1..=heaps[i]).map(move |n| take(i, n))).collect()
    };
    for sizes in [&[5][..], &[3, 4, 5], &[1, 2, 3], &[2, 2], &[1, 0, 3, 2]] {
        let size = sizes.iter().map(u8::to_string).collect::<Vec<_>>().join("x");
        alike("nim", &size, &placing::heaps(sizes, each));
        alike_with("nim", &size, &misere(), &placing::heaps(sizes, each).misere());
    }
    for (a, b) in [(1, 2), (6, 10), (7, 7), (8, 13)] {
        let both = move |heaps: &[u8]| {
            let same = (1..=heaps[0].min(heaps[1])).map(|n| vec![n, n]);
            each(heaps).into_iter().chain(same).collect()
        };
        alike("wythoff", &format!("{a}x{b}"), &placing::heaps(&[a, b], both));
    }
    for (a, b) in [(1, 1), (7, 3), (13, 21), (8, 13), (35, 10)] {
        let multiples = |heaps: &[u8]| {
            let (small, large) = (heaps[0].min(heaps[1]), heaps[0].max(heaps[1]));
            if small == 0 {
                return vec![];
            }
            let takes = (1..=large / small).map(|n| n * small);
            let from = |i: usize| takes.clone().map(move |n| if i == 0 { vec![n, 0] } else { vec![0, n] });
            let all: Vec<Vec<u8>> = (0..2).filter(|&i| heaps[i] == large).flat_map(from).collect();
            all
        };
        alike("euclid", &format!("{a}x{b}"), &placing::heaps(&[a, b], multiples));
    }
    for (n, most) in [(21, 3), (20, 4), (3, 5)] {
        let few = move |heaps: &[u8]| (1..=heaps[0].min(most)).map(|n| vec![n]).collect();
        alike("subtraction", &format!("{n}x{most}"), &placing::heaps(&[n], few));
    }
    for n in [2, 3, 4, 7, 12, 20] {
        alike("fair-shares", &n.to_string(), &placing::fair_shares(n));
    }
}

#[test]
fn pieces_that_move() {
    for (rows, columns) in [(3, 3), (3, 4), (4, 3), (4, 4), (5, 2)] {
        alike("hexapawn", &format!("{rows}x{columns}"), &moving::hexapawn(rows, columns));
    }
    (2..=3).for_each(|n| alike("dodgem", &n.to_string(), &moving::dodgem(n)));
    for (columns, rows) in [(1, 4), (2, 3), (3, 3), (3, 4)] {
        alike("clobber", &format!("{columns}x{rows}"), &moving::clobber(columns, rows));
    }
    for (toads, blanks, frogs) in [(1, 2, 1), (2, 1, 2), (2, 2, 2), (3, 2, 3), (1, 3, 2)] {
        let plain = moving::toads_and_frogs(toads, blanks, frogs);
        alike("toads-and-frogs", &format!("{toads}x{blanks}x{frogs}"), &plain);
    }
}

#[test]
fn men_on_lines() {
    alike("three-mens-morris", "", &sliding::three_by_three(3, false, true));
    alike("tapatan", "", &sliding::three_by_three(3, true, true));
    alike("achi", "", &sliding::three_by_three(4, true, true));
    alike("nine-holes", "", &sliding::three_by_three(3, false, false));
    alike("picaria", "", &sliding::picaria());
    alike("mu-torere", "", &sliding::mu_torere());
    alike("pong-hau-ki", "", &sliding::pong_hau_ki());
    alike("l-game", "", &sliding::l_game());
    alike("teeko", "3", &sliding::teeko(3));
}

#[test]
fn mills() {
    alike("six-mens-morris", "3", &sliding::morris(2, 3, false));
}

#[test]
#[ignore = "the plain solver takes a gigabyte and a minute"]
fn more_mills() {
    alike("six-mens-morris", "4", &sliding::morris(2, 4, false));
    alike("nine-mens-morris", "3", &sliding::morris(3, 3, true));
}

#[test]
fn hunts() {
    alike("fox-and-hounds", "4", &sliding::fox(4));
    alike("fox-and-hounds", "6", &sliding::fox(6));
    alike("hare-and-hounds", "", &sliding::hare());
}

#[test]
fn other_boards() {
    alike("pentago", "1x2", &boards::pentago(1, 2));
    alike("quarto", "2", &boards::quarto(2));
    for (rows, columns) in [(2, 2), (3, 3), (4, 3), (2, 5), (4, 4)] {
        alike("konane", &format!("{rows}x{columns}"), &boards::konane(rows, columns));
    }
    for (rows, columns) in [(2, 2), (2, 4), (3, 3)] {
        alike("amazons", &format!("{rows}x{columns}"), &boards::amazons(rows, columns));
        alike("isolation", &format!("{rows}x{columns}"), &boards::isolation(rows, columns));
    }
    alike("lines-of-action", "3", &boards::loa(3));
    alike("gobblet", "1x3", &boards::gobblet(1, 3));
    alike("gobblet", "2x1", &boards::gobblet(2, 1));
    alike("order-and-chaos", "2x2", &boards::order_and_chaos(2, 2));
    alike("order-and-chaos", "3", &boards::order_and_chaos(3, 3));
    alike("quixo", "2", &boards::quixo(2));
    alike("quixo", "3", &boards::quixo(3));
    (1..=2).for_each(|n| alike("bridg-it", &n.to_string(), &boards::bridg_it(n)));
}

#[test]
#[ignore = "the plain solver takes a gigabyte and a minute"]
fn other_large_boards() {
    alike("pentago", "2x3", &boards::pentago(2, 3));
    alike("bridg-it", "3", &boards::bridg_it(3));
    alike("amazons", "3x4", &boards::amazons(3, 4));
    alike("isolation", "3x4", &boards::isolation(3, 4));
    alike("gobblet", "3x1", &boards::gobblet(3, 1));
    alike("lines-of-action", "4", &boards::loa(4));
    alike("teeko", "4", &sliding::teeko(4));
    alike("fox-and-hounds", "8", &sliding::fox(8));
    alike("dodgem", "4", &moving::dodgem(4));
}

#[test]
fn seeds() {
    for (houses, seeds) in [(1, 1), (1, 2), (1, 3), (1, 5), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)] {
        alike("kalah", &format!("{houses}x{seeds}"), &sowing::kalah(houses, seeds));
    }
    for (houses, seeds) in [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (3, 1)] {
        alike("awari", &format!("{houses}x{seeds}"), &sowing::awari(houses, seeds));
    }
}

/// The start of a size n: the lone king in the middle above, white's king in the middle below, the others from the left.
#[test]
fn chess_endings() {
    for n in [3, 4] {
        let (lone, king) = (n / 2, n * (n - 1) + n / 2);
        alike("kqk", &n.to_string(), &chess::ending(n.into(), b"Q", &[lone, king, n * (n - 1)]));
        alike("krk", &n.to_string(), &chess::ending(n.into(), b"R", &[lone, king, n * (n - 1)]));
        alike("kpk", &n.to_string(), &chess::ending(n.into(), b"P", &[lone, king, n * (n - 2) + n / 2]));
    }
}

#[test]
#[ignore = "the plain solver takes a minute"]
fn more_chess_endings() {
    for n in [5, 6] {
        let (lone, king) = (n / 2, n * (n - 1) + n / 2);
        alike("kqk", &n.to_string(), &chess::ending(n.into(), b"Q", &[lone, king, n * (n - 1)]));
        alike("krk", &n.to_string(), &chess::ending(n.into(), b"R", &[lone, king, n * (n - 1)]));
        alike("kpk", &n.to_string(), &chess::ending(n.into(), b"P", &[lone, king, n * (n - 2) + n / 2]));
    }
    alike("kbnk", "4", &chess::ending(4, b"BN", &[2, 14, 12, 13]));
}
