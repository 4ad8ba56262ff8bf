//! The games of this crate against published counts and outcomes.

use std::collections::HashMap;
use winset_model::{Explicit, Game, State};

/// The number of reachable states and the rewards at the start, the players maximising the difference.
fn solve(game: &Game) -> (usize, Vec<u8>) {
    let mut explicit = Explicit::new(game);
    let mut numbers: HashMap<State, usize> = HashMap::from([(game.initial.clone(), 0)]);
    let mut states = vec![game.initial.clone()];
    let mut facts: Vec<(usize, Vec<usize>, Option<Vec<u8>>)> = Vec::new();
    while facts.len() < states.len() {
        let batch: Vec<State> = states[facts.len()..].iter().take(64).cloned().collect();
        explicit.load(batch.clone());
        for lane in 0..batch.len() {
            let at = explicit.lane(lane);
            let next = at.moves().map(|m| {
                let state = at.apply(m);
                let fresh = numbers.len();
                *numbers.entry(state).or_insert_with_key(|s| {
                    states.push(s.clone());
                    fresh
                })
            });
            let next = next.collect();
            facts.push((at.turn().expect("somebody moves"), next, at.rewards()));
        }
    }
    let mut value: Vec<Option<Vec<u8>>> = facts.iter().map(|f| f.2.clone()).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for s in (0..states.len()).rev() {
            let (player, next, _) = &facts[s];
            if value[s].is_none() && next.iter().all(|t| value[*t].is_some()) {
                let key = |r: &Vec<u8>| (i32::from(r[*player]) - i32::from(r[1 - player]), r[*player]);
                value[s] = next.iter().filter_map(|t| value[*t].clone()).max_by_key(key);
                changed = true;
            }
        }
    }
    (states.len(), value[0].clone().expect("the game ends"))
}

/// A second solver that shares nothing with the first: states by the number of moves, values from the end.
fn solve_by_reference(game: &Game) -> (usize, Vec<u8>) {
    let solution = winset_reference::solve(game, winset_reference::Cut::Bfs, false);
    (solution.values.len(), solution.value.rewards.to_vec())
}

fn compiled(name: &str) -> Game {
    let text = winset_gdl::game(name).expect("the game exists");
    winset_gdl::compile(name, text.as_bytes(), &Default::default()).expect("the game compiles").game
}

#[test]
fn two_solvers_agree_on_the_games_of_the_library() {
    let names = [
        "tic-tac-toe",
        "sum-15",
        "chomp",
        "cubi-cup-2",
        "cubi-cup-3",
        "breakthrough-2x5",
        "breakthrough-3x4",
        "connect-four-3x4",
    ];
    for name in names {
        let game = compiled(name);
        assert_eq!(solve(&game), solve_by_reference(&game), "{name}");
    }
}

#[test]
fn nim() {
    check("nim", Some(129_776), [100, 0]);
}

#[test]
fn sheep_and_wolf() {
    check("sheep-and-wolf", Some(783_163), [0, 100]);
}

#[test]
fn cubi_cup_has_the_known_numbers_of_positions() {
    assert_eq!(solve(&compiled("cubi-cup-3")).0, 1_059);
    assert_eq!(solve(&compiled("cubi-cup-4")).0, 659_180);
}

fn check(name: &str, states: Option<usize>, rewards: [u8; 2]) {
    let text = winset_gdl::game(name).expect("the game exists");
    let compiled =
        winset_gdl::compile(name, text.as_bytes(), &Default::default()).expect("the game compiles");
    assert!(compiled.warnings.is_empty(), "{name}: {:?}", compiled.warnings);
    let (found, outcome) = solve(&compiled.game);
    if let Some(states) = states {
        assert_eq!(found, states, "{name}");
    }
    assert_eq!(outcome, rewards, "{name}");
}

#[test]
fn tic_tac_toe() {
    check("tic-tac-toe", Some(5478), [50, 50]);
}

#[test]
fn sum_15() {
    check("sum-15", Some(5478), [50, 50]);
}

#[test]
fn chomp() {
    check("chomp", Some(12_868), [100, 0]);
}

#[test]
fn clobber_3x4() {
    check("clobber-3x4", Some(13_343), [0, 40]);
}

#[test]
fn small_breakthrough_connect_four_and_cubi_cup_end() {
    for name in ["breakthrough-3x5", "connect-four-4x4", "cubi-cup-3"] {
        let text = winset_gdl::game(name).expect("the game exists");
        let compiled =
            winset_gdl::compile(name, text.as_bytes(), &Default::default()).expect("the game compiles");
        assert!(compiled.warnings.is_empty(), "{name}: {:?}", compiled.warnings);
    }
}

#[test]
fn connect_four_4x4_has_the_published_number_of_positions() {
    check("connect-four-4x4", Some(161_029), [50, 50]);
}

#[test]
fn every_file_compiles_without_a_warning() {
    for (name, text) in winset_gdl::games() {
        let compiled = winset_gdl::compile(name, text.as_bytes(), &Default::default());
        let compiled = compiled.unwrap_or_else(|r| panic!("{name}: {r}"));
        assert!(compiled.warnings.is_empty(), "{name}: {:?}", compiled.warnings);
    }
}
