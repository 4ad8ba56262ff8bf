//! The check by diagrams against the check one by one: on right solutions of random games, and on solutions with a planted
//! fault.

use winset_index::Index;
use winset_model::Opponent;
use winset_reference::{Cut, Random, Solution, Truth, random_game, scratch, solve, write};
use winset_store::Store;
use winset_verify::{MEMORY, verify_by_diagrams, verify_full};

/// How many random games are tried.
const GAMES: u64 = 150;

/// What both checks say of a solution.
fn judged(solution: &Solution, game: &winset_model::Game) -> [Option<bool>; 2] {
    let directory = scratch();
    write(directory.path(), solution);
    let store = Store::open(directory.path(), |_| Ok::<_, String>(game.clone())).unwrap();
    [verify_full(&store, MEMORY, &|_, _| ()), verify_by_diagrams(&store, MEMORY, &|_, _| ())]
        .map(|report| report.ok().map(|report| report.is_proof()))
}

/// Another value somewhere.
fn change_a_value(solution: &mut Solution, random: &mut Random) -> bool {
    let layer = random.below(solution.layers.len());
    let (layer, codes) = (&mut solution.layers[layer], solution.header.codes.len());
    if layer.states.is_empty() {
        return false;
    }
    let rank = random.below(layer.states.len()) as u64;
    if solution.header.remoteness && random.below(2) == 0 {
        let most = (1 << layer.distances.planes.len()) as usize;
        let far = random.below(most) as u32;
        let changed = far != layer.distances.get(rank);
        layer.distances.set(rank, far);
        return changed;
    }
    let code = random.below(codes) as u32;
    let changed = code != layer.codes.get(rank);
    layer.codes.set(rank, code);
    changed
}

/// A position too few or too many in a set, with values for all of them.
fn change_a_set(solution: &mut Solution, random: &mut Random) -> bool {
    let number = random.below(solution.layers.len());
    let layer = &mut solution.layers[number];
    let levels = layer.blocks.len();
    let mut strings: Vec<Vec<u16>> =
        (0..layer.index.len()).map(|rank| layer.index.unrank(rank).unwrap()).collect();
    if strings.len() < 2 {
        return false;
    }
    let at = random.below(strings.len());
    let mut string = strings[at].clone();
    let level = random.below(levels);
    string[level] = random.below(layer.blocks.blocks[level].digits.len()) as u16;
    if strings.contains(&string) {
        return false;
    }
    strings[at] = string;
    strings.sort_unstable();
    layer.index = Index::from_sorted(levels, strings.iter().map(Vec::as_slice));
    true
}

#[test]
fn both_checks_say_the_same() {
    let (mut right, mut wrong, mut random) = (0, 0, Random::new(4));
    for seed in 0..GAMES {
        let made = random_game(seed, 400);
        let Truth::Solved(truth) = Truth::of(&made.positions, Opponent::Difference) else { continue };
        if !made.ends {
            continue;
        }
        for (cut, remoteness) in
            [(Cut::Bfs, false), (Cut::Bfs, true), (Cut::Single, false), (Cut::Single, true)]
        {
            let mut solution = solve(&made.game, cut, remoteness);
            if solution.header.codes.len() < 2 {
                continue;
            }
            let mut both = made.positions.iter().zip(&truth);
            assert!(both.all(|(p, value)| solution.values[&p.state].rewards == value.rewards));
            assert_eq!(judged(&solution, &made.game), [Some(true); 2], "{seed} {cut:?} {remoteness}");
            right += 1;
            let changed = match random.below(2) {
                0 => change_a_value(&mut solution, &mut random),
                _ => change_a_set(&mut solution, &mut random),
            };
            if changed {
                let said = judged(&solution, &made.game);
                let proved = said.map(|said| said == Some(true));
                assert_eq!(proved, [false; 2], "{seed} {cut:?} {remoteness}: {said:?}");
                wrong += 1;
            }
        }
    }
    assert!(right > 50 && wrong > 30, "{right} right, {wrong} wrong");
}
