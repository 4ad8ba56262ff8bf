//! Kalah.

use crate::entry::{Effort, Entry, Known, any, number};
use crate::kit::{DIGITS, Kit, digits};
use winset_model::{
    Choices, ExprId, Family, FamilyError, GameBuilder, Member, Origin, Player, Update, Value, VarId,
};

const IRVING: &str = "Irving, Donkers, Uiterwijk, Solving Kalah, 2000";

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "kalah",
        size: "HOUSESxSEEDS",
        default: "3x2",
        about: "HOUSES houses each with SEEDS seeds are sown around; who has more seeds in the own store wins",
        numbers: &[number("houses", 1, 6), number("seeds in a house", 1, 9)],
        choices: &[],
    },
    aliases: &["kalaha", "mancala"],
    rules: "The seeds of an own house are sown one by one into the next houses and the own store, not the other one; a last \
            seed in the store gives another turn, one in an empty own house takes the seeds opposite, if any, with it into the \
            store. When one side is empty the other side's seeds are their owner's, and who has more wins.",
    known: &[
        Known::tie("1x1", IRVING),
        Known::loss("1x2", IRVING),
        Known::win("1x3", IRVING),
        Known::win("2x1", IRVING),
        Known::loss("2x2", IRVING),
        Known::loss("2x3", IRVING),
        Known::tie("3x1", IRVING),
        Known::win("3x2", IRVING),
        Known::win("3x3", IRVING).takes(Effort::Minutes),
        Known::win("4x1", IRVING),
    ],
    make: |n, _| rules(n[0], n[1]),
    fit: |member| few("kalah", member),
};

/// A store's seeds are one character.
pub(crate) fn few(game: &'static str, member: &Member) -> Result<Choices, FamilyError> {
    let seeds = 2 * member.numbers[0] * member.numbers[1];
    if seeds >= DIGITS.len() {
        let (what, min, max) = ("seeds in all", 2, DIGITS.len() - 1);
        return Err(FamilyError::Range { game, what, found: seeds, min, max });
    }
    any(member)
}

/// The second player's houses and store are above, from right to left; the first player's below, from left to right.
pub(crate) struct Houses {
    pub(crate) turn: VarId,
    pub(crate) stores: [VarId; 2],
    pub(crate) houses: [Vec<VarId>; 2],
}

/// Adds board and turn: two rows of houses, and a store at the end of each player's row.
pub(crate) fn lay_out(game: &mut GameBuilder, houses: usize, seeds: usize) -> Houses {
    let total = 2 * houses * seeds;
    game.add_board((2, houses + 2), Origin::Bottom, digits(total), |row, column| {
        (1..=houses).contains(&column) || (row, column) == (0, 0) || (row, column) == (1, houses + 1)
    });
    let turn = game.add_turn();
    let below = (1..=houses).map(|column| game.cell(1, column)).collect();
    let above = (1..=houses).rev().map(|column| game.cell(0, column)).collect();
    let full = &DIGITS[seeds..=seeds].repeat(houses);
    game.begin(&format!("0{full}_/_{full}0"));
    Houses { turn, stores: [game.cell(1, houses + 1), game.cell(0, 0)], houses: [below, above] }
}

fn rules(n: usize, seeds: usize) -> GameBuilder {
    let mut game = GameBuilder::new("kalah", ["south", "north"]);
    let total = 2 * n * seeds;
    let Houses { turn, stores, houses } = lay_out(&mut game, n, seeds);
    for player in Player::all(2) {
        let (me, they) = (player.index(), player.other().index());
        // The places that the player sows into, from the first own house.
        let cycle: Vec<VarId> =
            houses[me].iter().copied().chain([stores[me]]).chain(houses[they].iter().copied()).collect();
        for (i, sown) in (0..n).flat_map(|i| (1..=total).map(move |sown| (i, sown))) {
            let mut gain = vec![0; cycle.len()];
            (1..=sown).for_each(|k| gain[(i + k) % cycle.len()] += 1);
            let last = (i + sown) % cycle.len();
            // The last seed comes to an own house that holds nothing but it.
            let was_empty = last == i || (gain[last] == 1 && last < n);
            let opposite = (last < n && was_empty).then(|| cycle[2 * n - last]);
            let here = game.exprs.is(cycle[i], sown as Value);
            let empty = match last == i {
                true => winset_model::Exprs::TRUE,
                false => game.exprs.is(cycle[last], 0),
            };
            let takes: ExprId = match opposite {
                Some(house) if gain[2 * n - last] == 0 => {
                    let nothing = game.exprs.is(house, 0);
                    let something = game.exprs.not(nothing);
                    game.both(empty, something)
                }
                Some(_) => empty,
                None => winset_model::Exprs::FALSE,
            };
            let mut updates = vec![];
            for (place, &house) in cycle.iter().enumerate() {
                let taken = Some(house) == opposite || (opposite.is_some() && place == last);
                let mut cases: Vec<(ExprId, Value)> = if taken { vec![(takes, 0)] } else { vec![] };
                if place == n
                    && let Some(house) = opposite
                {
                    // What was opposite, with what was sown there, and the last seed.
                    for (other, stored) in (0..=total).flat_map(|o| (0..=total - o).map(move |s| (o, s))) {
                        let sum = stored + gain[n] + other + gain[2 * n - last] + 1;
                        let now = [
                            game.exprs.is(house, other as Value),
                            game.exprs.is(stores[me], stored as Value),
                            takes,
                        ];
                        if sum <= total {
                            cases.push((game.exprs.and(now), sum as Value));
                        }
                    }
                }
                if place == i {
                    cases.push((winset_model::Exprs::TRUE, gain[i] as Value));
                } else if gain[place] > 0 {
                    cases.extend(game.add(house, gain[place] as isize).cases);
                }
                if !cases.is_empty() {
                    updates.push(Update { var: house, cases });
                }
            }
            if last != n {
                updates.push(game.hand_over(turn, player));
            }
            game.add_move(game.called(&[cycle[i]]), player, here, updates);
        }
    }
    count_up(&mut game, &stores, &houses, total);
    game
}

/// The game ends where one side is empty: its owner has what is in the store, the other player has all else.
fn count_up(game: &mut GameBuilder, stores: &[VarId; 2], houses: &[Vec<VarId>; 2], total: usize) {
    let ends: Vec<ExprId> = houses.iter().map(|side| game.all(side, 0)).collect();
    for player in Player::all(2) {
        let (me, they) = (player.index(), player.other().index());
        let more = game.among(stores[me], (0..=total as Value).filter(|&n| 2 * n as usize > total));
        let less = game.among(stores[they], (0..=total as Value).filter(|&n| (2 * n as usize) < total));
        let ways = [game.both(ends[me], more), game.both(ends[they], less)];
        game.wins(player, ways);
    }
    let over = game.exprs.or(ends);
    game.else_ties(over);
}
