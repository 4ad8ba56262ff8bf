//! Reachable positions of small boards by plain breadth-first search over the explicit semantics,
//! against published counts.

use rustc_hash::FxHashSet;
use winset_games::{Baseline, build};
use winset_model::{Explicit, Game, State};

fn game(name: &str, size: &str) -> Game {
    build(name, Some(size), &Default::default()).unwrap()
}

/// All reachable states, breadth first.
fn reachable(game: &Game) -> FxHashSet<State> {
    let mut explicit = Explicit::new(game);
    let mut seen = FxHashSet::default();
    seen.insert(game.initial().clone());
    let mut open = vec![game.initial().clone()];
    while !open.is_empty() {
        let batch = open.split_off(open.len().saturating_sub(64));
        explicit.load(batch.clone());
        for lane in 0..batch.len() {
            let at = explicit.lane(lane);
            for m in at.moves() {
                let next = at.apply(m);
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    seen
}

#[test]
fn tictactoe_has_5478_positions() {
    assert_eq!(reachable(&game("tictactoe", "3x3")).len(), 5_478);
}

#[test]
fn connect4_4x4_has_161029_positions() {
    assert_eq!(reachable(&game("connect4", "4x4")).len(), 161_029);
}

#[test]
fn othello_4x4_has_62789_positions_by_stones() {
    let game = game("othello", "4x4");
    let states = reachable(&game);
    assert_eq!(states.len(), 62_789);
    let cells: Vec<_> = game.board().unwrap().cells.iter().copied().flatten().collect();
    let mut by_stones = [0; 17];
    for state in &states {
        by_stones[cells.iter().filter(|&&cell| state[cell] != 0).count()] += 1;
    }
    let published = [1, 4, 12, 42, 124, 400, 1124, 2792, 6716, 12442, 17962, 16118, 5052];
    assert_eq!(by_stones[4..], published);
}

#[test]
fn breakthrough_small_boards() {
    for (size, made, can_be_made) in [("4x3", 10_689, 3_207), ("4x4", 387_693, 74_682)] {
        for (baseline, count) in [(Baseline::Made, made), (Baseline::CanBeMade, can_be_made)] {
            let game = build("breakthrough", Some(size), &baseline.into()).unwrap();
            assert_eq!(reachable(&game).len(), count, "{size} {baseline:?}");
        }
    }
}

#[test]
fn every_small_state_prints_and_parses() {
    for (name, size) in
        [("tictactoe", "3x3"), ("connect4", "3x3x3"), ("othello", "3x4"), ("breakthrough", "4x3")]
    {
        let game = game(name, size);
        for state in reachable(&game) {
            assert_eq!(game.parse(&game.print(&state)).as_ref(), Ok(&state), "{name}");
        }
    }
}

#[test]
fn move_names_are_unique_in_every_state() {
    for (name, size) in
        [("tictactoe", "3x3"), ("connect4", "3x3"), ("othello", "3x4"), ("breakthrough", "4x3")]
    {
        let game = game(name, size);
        let mut explicit = Explicit::new(&game);
        for state in reachable(&game) {
            let at = explicit.at(&state);
            for m in at.moves() {
                assert_eq!(game.move_named(at.moves(), &game.move_at(m).name), Some(m), "{name}");
            }
        }
    }
}

#[test]
fn othello_opens_as_players_write_it() {
    let game = game("othello", "8x8");
    let mut explicit = Explicit::new(&game);
    let names: Vec<&str> =
        explicit.at(game.initial()).moves().map(|m| game.move_at(m).name.as_str()).collect();
    assert_eq!(names, ["e3", "f4", "c5", "d6"]);
}

#[test]
fn bad_sizes_are_named() {
    let error = |name, size| build(name, Some(size), &Default::default()).unwrap_err().to_string();
    assert_eq!(
        error("connect4", "5by4"),
        "\"5by4\" is not a size: connect4 takes COLUMNSxROWS[xK], for example 5x4"
    );
    assert_eq!(error("connect4", "0x4"), "connect4 cannot have 0 columns: 1 to 16 are possible");
    assert_eq!(error("othello", "4"), "\"4\" is not a size: othello takes ROWSxCOLUMNS, for example 4x4");
    assert!(error("go", "4x4").starts_with("there is no game \"go\""));
}
