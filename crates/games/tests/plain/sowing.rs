//! Games with houses and seeds: south's houses, south's store, north's houses, north's store.

use super::{Plain, Pos};

/// Sows, seed by seed; the places left out; gives the last place.
fn sow(at: &mut [u8], from: usize, skip: &[usize]) -> usize {
    let seeds = std::mem::take(&mut at[from]);
    let mut place = from;
    for _ in 0..seeds {
        loop {
            place = (place + 1) % at.len();
            if !skip.contains(&place) {
                break;
            }
        }
        at[place] += 1;
    }
    place
}

fn start(houses: usize, seeds: u8) -> Pos {
    let side = [vec![seeds; houses], vec![0]].concat();
    Pos::new(0, [side.clone(), side].concat())
}

pub fn kalah(houses: usize, seeds: u8) -> Plain {
    let store = move |player: usize| player * (houses + 1) + houses;
    let side = move |player: usize| player * (houses + 1)..store(player);
    let moves = move |p: &Pos| {
        let me = p.turn as usize;
        let play = |from: usize| {
            let mut q = Pos { turn: 1 - p.turn, at: p.at.clone() };
            let last = sow(&mut q.at, from, &[store(1 - me)]);
            if last == store(me) {
                q.turn = p.turn;
            } else if side(me).contains(&last) && q.at[last] == 1 {
                let opposite = 2 * houses - last;
                if q.at[opposite] > 0 {
                    q.at[store(me)] += q.at[opposite] + 1;
                    (q.at[opposite], q.at[last]) = (0, 0);
                }
            }
            q
        };
        side(me).filter(|&from| p.at[from] > 0).map(play).collect()
    };
    Plain::new(start(houses, seeds), moves, move |p| {
        let sum = |player: usize| p.at[side(player)].iter().sum::<u8>() as i32;
        let score = |player: usize| p.at[store(player)] as i32 + sum(player);
        (sum(0) == 0 || sum(1) == 0).then(|| (score(0) - score(1)).signum() as i8)
    })
}

pub fn awari(houses: usize, seeds: u8) -> Plain {
    let store = move |player: usize| player * (houses + 1) + houses;
    let side = move |player: usize| player * (houses + 1)..store(player);
    let moves = move |p: &Pos| {
        let me = p.turn as usize;
        let play = |from: usize| {
            let mut q = Pos { turn: 1 - p.turn, at: p.at.clone() };
            let mut last = sow(&mut q.at, from, &[store(0), store(1), from]);
            while side(1 - me).contains(&last) && matches!(q.at[last], 2 | 3) {
                q.at[store(me)] += std::mem::take(&mut q.at[last]);
                let Some(before) = last.checked_sub(1) else { break };
                last = before;
            }
            q
        };
        side(me).filter(|&from| p.at[from] > 0).map(play).collect()
    };
    Plain::new(start(houses, seeds), moves, move |p| {
        let sum = |player: usize| p.at[side(player)].iter().sum::<u8>() as i32;
        let score = |player: usize| p.at[store(player)] as i32 + sum(player);
        (sum(p.turn as usize) == 0).then(|| (score(0) - score(1)).signum() as i8)
    })
}
