//! Symmetries of the library's games, looked at state by state; and games that are nearly symmetric.

use std::collections::{BTreeMap, HashSet};
use winset_model::{Explicit, Game, State};
use winset_reference::{Random, random_game};
use winset_symmetry::{Symmetry, find, is_symmetry};

fn build(name: &str, size: &str) -> Game {
    winset_games::build(name, Some(size), &Default::default()).unwrap()
}

/// What is to be the same for a state and its images: who moves, the end, rewards, and the images of what follows.
fn looked_at(game: &Game, explicit: &mut Explicit<'_>, state: &State) -> (String, BTreeMap<State, usize>) {
    let at = explicit.at(state);
    let text = format!("{:?} {:?}", at.turn(), at.rewards());
    let mut next = BTreeMap::new();
    for (_, state) in explicit.successors(state) {
        *next.entry(state).or_insert(0) += 1;
    }
    let _ = game;
    (text, next)
}

/// The claim itself, on the first states of a game.
fn holds(game: &Game, symmetries: &[Symmetry], states: usize) {
    let mut explicit = Explicit::new(game);
    let mut seen = HashSet::from([game.initial().clone()]);
    let mut open = vec![game.initial().clone()];
    while let Some(state) = open.pop() {
        let (text, next) = looked_at(game, &mut explicit, &state);
        for symmetry in symmetries {
            let (image_text, image_next) = looked_at(game, &mut explicit, &symmetry.image(&state));
            assert_eq!(text, image_text, "{}", game.print(&state));
            let images: BTreeMap<State, usize> =
                next.iter().map(|(state, &times)| (symmetry.image(state), times)).collect();
            assert!(images == image_next, "{}", game.print(&state));
        }
        for state in next.into_keys() {
            if seen.len() < states && seen.insert(state.clone()) {
                open.push(state);
            }
        }
    }
}

#[test]
fn the_librarys_games() {
    for (name, size, count) in [
        ("tictactoe", "3x3", 8),
        ("tictactoe", "3x4", 4),
        ("connect4", "4x4", 2),
        ("breakthrough", "4x3", 2),
        ("quixo", "3", 8),
        // Its ends are recursive definitions, about which nothing is proved.
        ("hex", "3", 1),
        // Who has more discs is counted square by square, which is not written alike for the images.
        ("othello", "4x4", 1),
        ("nim", "3x4x5", 1),
        ("nim", "4x4x4", 6),
        ("checkers", "4", 1),
    ] {
        let game = build(name, size);
        let found = find(&game);
        assert_eq!(found.len(), count, "{name} {size}");
        holds(&game, &found, 2_000);
    }
}

/// Of random games whatever is found holds, and a group is a group.
#[test]
fn what_is_found_holds() {
    let mut symmetric = 0;
    for seed in 0..300 {
        let made = random_game(seed, 300);
        let found = find(&made.game);
        symmetric += usize::from(found.len() > 1);
        let set: HashSet<&Symmetry> = found.iter().collect();
        assert!(found.iter().all(|a| found.iter().all(|b| set.contains(&a.after(b)))), "seed {seed}");
        holds(&made.game, &found, 300);
    }
    eprintln!("{symmetric} random games have symmetries");
}

/// A symmetric game with one thing changed: the symmetries that are left are those that keep it.
#[test]
fn a_planted_asymmetry_is_noticed() {
    let mut random = Random::new(5);
    for (name, size) in [("tictactoe", "3x3"), ("connect4", "4x4"), ("nim", "4x4x4"), ("quixo", "3")] {
        let game = build(name, size);
        let whole = find(&game);
        let mut fewer = 0;
        for _ in 0..30 {
            let mut parts = game.clone().into_builder();
            let moves = parts.moves.len();
            match random.below(3) {
                // A move is missing.
                0 => drop(parts.moves.remove(random.below(moves))),
                // A move is made where it could not be made before.
                1 => {
                    let var = winset_model::VarId(random.below(parts.variables.len()) as u32);
                    let there = parts.exprs.is(var, 0);
                    let chosen = random.below(moves);
                    let guard = parts.moves[chosen].guard;
                    parts.moves[chosen].guard = parts.exprs.or([guard, there]);
                }
                // An end more.
                _ => {
                    let vars =
                        [0, 1].map(|_| winset_model::VarId(random.below(parts.variables.len()) as u32));
                    let there = vars.map(|var| parts.exprs.is(var, 1));
                    let end = parts.exprs.and(there);
                    parts.terminal.push(end);
                }
            }
            let Ok(changed) = parts.build() else { continue };
            let left = find(&changed);
            assert!(left.iter().all(|symmetry| is_symmetry(&changed, symmetry)));
            holds(&changed, &left, 300);
            fewer += usize::from(left.len() < whole.len());
        }
        assert!(fewer > 10, "{name}: {fewer}");
    }
}

/// What is not a permutation is refused, and does not panic.
#[test]
fn what_does_not_fit_is_refused() {
    let game = build("tictactoe", "3x3");
    let identity = find(&game).swap_remove(0);
    assert!(is_symmetry(&game, &identity));
    let mut twice = identity.clone();
    twice.variables[0] = twice.variables[1];
    let mut beyond = identity.clone();
    beyond.variables[0] = winset_model::VarId(99);
    let mut short = identity.clone();
    short.values[0].pop();
    let mut same = identity.clone();
    same.values[0][1] = same.values[0][0];
    for wrong in [twice, beyond, short, same] {
        assert!(!is_symmetry(&game, &wrong));
    }
}
