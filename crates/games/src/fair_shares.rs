//! Fair Shares and Varied Pairs: heaps are divided into equal ones, and different ones are united.

use crate::entry::{Entry, Known, PLAIN, any, number};
use crate::kit::Kit;
use winset_model::{ExprId, Family, GameBuilder, Player, Update, VarId};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "fair-shares",
        size: "N",
        default: "20",
        about: "heaps are shared out into equal ones, two different ones are united; who leaves N single ones wins",
        numbers: &[number("in the heap", 2, 60)],
        choices: &[],
    },
    aliases: &["fair-shares-and-varied-pairs"],
    rules: "There is one heap of N. A move divides a heap into two or more equal ones, or unites two heaps of different \
            sizes; who cannot move, because all heaps are single, loses.",
    known: &[
        Known::win("2", "the only move ends the game"),
        Known::win("20", PLAIN).positions(TWO_PLAYERS * PARTITIONS_OF_20),
        Known::win("12", PLAIN).positions(TWO_PLAYERS * PARTITIONS_OF_12),
    ],
    make: |n, _| rules(n[0]),
    fit: any,
};

/// Every way to write N as a sum arises with either player to move.
const TWO_PLAYERS: u64 = 2;
const PARTITIONS_OF_12: u64 = 77;
const PARTITIONS_OF_20: u64 = 627;

/// A position is how many heaps of each size there are, so that it does not matter in which order they stand.
fn rules(n: usize) -> GameBuilder {
    let mut game = GameBuilder::new("fair-shares", ["first", "second"]);
    // As in `2x3 1x14`: what there is none of is not written.
    let written =
        |count: usize, size: usize| if count == 0 { String::new() } else { format!("{count}x{size}") };
    let counts = |size: usize| (0..=n / size).map(move |count| written(count, size));
    let heaps: Vec<VarId> =
        (1..=n).map(|size| game.add_variable(format!("heaps of {size}"), counts(size))).collect();
    let of = |size: usize| heaps[size - 1];
    let turn = game.add_turn();
    for player in Player::all(2) {
        for size in 2..=n {
            for share in (1..size).filter(|share| size % share == 0) {
                let guard = some(&mut game, of(size));
                let updates = [game.add(of(size), -1), game.add(of(share), (size / share) as isize)];
                let name = format!("{size}:{share}");
                pass_on(&mut game, name, (turn, player), guard, updates);
            }
        }
        for (one, other) in
            (1..=n).flat_map(|one| (one + 1..=n.saturating_sub(one)).map(move |other| (one, other)))
        {
            let both = [some(&mut game, of(one)), some(&mut game, of(other))];
            let guard = game.exprs.and(both);
            let updates = [game.add(of(one), -1), game.add(of(other), -1), game.add(of(one + other), 1)];
            pass_on(&mut game, format!("{one}+{other}"), (turn, player), guard, updates);
        }
    }
    game.who_cannot_move_loses();
    let start = (1..=n).map(|size| u16::from(size == n)).chain([0]);
    game.initial = game.state(start);
    game
}

/// There is a heap of the size.
fn some(game: &mut GameBuilder, heaps: VarId) -> ExprId {
    let none = game.exprs.is(heaps, 0);
    game.exprs.not(none)
}

/// A move after which it is the other player's turn.
fn pass_on<const N: usize>(
    game: &mut GameBuilder,
    name: String,
    (turn, player): (VarId, Player),
    guard: ExprId,
    updates: [Update; N],
) {
    let updates = updates.into_iter().chain([game.hand_over(turn, player)]);
    let updates: Vec<Update> = updates.collect();
    game.add_move(name, player, guard, updates);
}
