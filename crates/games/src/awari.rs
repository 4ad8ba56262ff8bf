//! Awari, also called Oware, on small boards.

use crate::entry::{Entry, Known, PLAIN, number};
use crate::kalah::{Houses, few, lay_out};
use crate::kit::Kit;
use winset_model::{ExprId, Exprs, Family, GameBuilder, Player, Update, Value, VarId};

pub(crate) const ENTRY: Entry = Entry {
    family: Family {
        name: "awari",
        size: "HOUSESxSEEDS",
        default: "3x1",
        about: "HOUSES houses each with SEEDS seeds are sown around; twos and threes are taken; most seeds win",
        numbers: &[number("houses", 1, 6), number("seeds in a house", 1, 9)],
        choices: &[],
    },
    aliases: &["oware", "wari"],
    rules: "The seeds of an own house are sown one by one into the next houses, leaving out the house they come from; if the \
            last one makes two or three in a house of the opponent these are taken, and so are those before it as long as they \
            are two or three. When a player cannot move the other takes the seeds that are left, and who has more wins.",
    known: &[
        Known::win("2x2", PLAIN),
        Known::draw("1x2", PLAIN),
        Known::loss("3x1", PLAIN),
        Known::loss("2x3", PLAIN),
    ],
    make: |n, _| rules(n[0], n[1]),
    fit: |member| few("awari", member),
};

fn rules(n: usize, seeds: usize) -> GameBuilder {
    let mut game = GameBuilder::new("awari", ["south", "north"]);
    let total = 2 * n * seeds;
    let Houses { turn, stores, houses } = lay_out(&mut game, n, seeds);
    for player in Player::all(2) {
        let (me, they) = (player.index(), player.other().index());
        let cycle: Vec<VarId> = houses[me].iter().chain(&houses[they]).copied().collect();
        for (i, sown) in (0..n).flat_map(|i| (1..=total).map(move |sown| (i, sown))) {
            let mut gain = vec![0; 2 * n];
            let mut last = i;
            for _ in 0..sown {
                last = (last + 1) % (2 * n);
                if last == i {
                    last = (last + 1) % (2 * n);
                }
                gain[last] += 1;
            }
            let here = game.exprs.is(cycle[i], sown as Value);
            // taken[k]: the last house and the k before it hold two or three.
            let mut taken: Vec<ExprId> = vec![];
            let mut all = Exprs::TRUE;
            for place in (n..=last).rev() {
                let after = [2, 3].into_iter().filter(|&after| after >= gain[place]);
                let right = game.among(cycle[place], after.map(|after| (after - gain[place]) as Value));
                all = game.both(all, right);
                taken.push(all);
            }
            let mut updates = vec![Update::set(cycle[i], 0), game.hand_over(turn, player)];
            for (place, &house) in cycle.iter().enumerate().filter(|&(place, _)| place != i) {
                let mut cases = vec![];
                if place >= n && place <= last {
                    cases.push((taken[last - place], 0));
                }
                if gain[place] > 0 {
                    cases.extend(game.add(house, gain[place] as isize).cases);
                }
                cases.retain(|&(when, _)| when != Exprs::FALSE);
                if !cases.is_empty() {
                    updates.push(Update { var: house, cases });
                }
            }
            let takes = taken.first().copied().unwrap_or(Exprs::FALSE);
            if takes != Exprs::FALSE {
                updates.push(store(&mut game, stores[me], &taken, &cycle[n..=last], &gain[n..=last]));
            }
            game.add_move(game.called(&[cycle[i]]), player, here, updates);
        }
    }
    let stuck: Vec<ExprId> = Player::all(2)
        .map(|player| {
            let empty = game.all(&houses[player.index()], 0);
            game.both(empty, game.turn[player.index()])
        })
        .collect();
    for player in Player::all(2) {
        let (me, they) = (player.index(), player.other().index());
        let more = game.among(stores[me], (0..=total as Value).filter(|&n| 2 * n as usize > total));
        let less = game.among(stores[they], (0..=total as Value).filter(|&n| (2 * n as usize) < total));
        let ways = [game.both(stuck[me], more), game.both(stuck[they], less)];
        game.wins(player, ways);
    }
    let over = game.exprs.or(stuck);
    game.else_ties(over);
    game
}

/// What comes into the store: the sum of twos and threes. `taken[k]`: the last house and the k before it are taken.
fn store(game: &mut GameBuilder, store: VarId, taken: &[ExprId], houses: &[VarId], gain: &[usize]) -> Update {
    let most = game.variables[store.index()].size() - 1;
    let mut cases = vec![];
    // The longest first, since of several cases that hold the first one counts.
    for k in (0..taken.len()).rev() {
        for pattern in 0..1usize << (k + 1) {
            let sums: Vec<usize> = (0..=k).map(|j| 2 + (pattern >> j & 1)).collect();
            let mut now = vec![taken[k]];
            for (j, &after) in sums.iter().enumerate() {
                let place = houses.len() - 1 - j;
                match after.checked_sub(gain[place]) {
                    Some(before) => now.push(game.exprs.is(houses[place], before as Value)),
                    None => now.push(Exprs::FALSE),
                }
            }
            let now = game.exprs.and(now);
            let sum: usize = sums.iter().sum();
            if now != Exprs::FALSE {
                for stored in 0..(most + 1).saturating_sub(sum) {
                    let held = game.exprs.is(store, stored as Value);
                    cases.push((game.both(now, held), (stored + sum) as Value));
                }
            }
        }
    }
    Update { var: store, cases }
}
