//! Reachable positions of small boards by plain breadth-first search over the explicit semantics,
//! against published counts.

use rustc_hash::FxHashSet;
use winset_games::{Baseline, CATALOGUE, Effort, build};
use winset_model::{Choices, Explicit, Game, State};

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

/// Up to n states of a game, breadth first.
fn some(game: &Game, most: usize) -> Vec<State> {
    let mut explicit = Explicit::new(game);
    let mut seen = FxHashSet::from_iter([game.initial().clone()]);
    let mut all = vec![game.initial().clone()];
    let mut done = 0;
    while done < all.len() && all.len() < most {
        for (_, next) in explicit.successors(&all[done].clone()) {
            if seen.insert(next.clone()) {
                all.push(next);
            }
        }
        done += 1;
    }
    all
}

/// Every game of the catalogue with every size and every options of which something is known, and some of its states.
fn library() -> impl Iterator<Item = (Game, Vec<State>)> {
    CATALOGUE.iter().flat_map(|entry| {
        entry.known.iter().filter(|known| known.effort != Effort::Beyond).map(|known| {
            let options = known.options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
            let game = build(entry.family.name, Some(known.size), &Choices(options.collect())).unwrap();
            let states = some(&game, 3000);
            (game, states)
        })
    })
}

#[test]
fn every_state_prints_and_parses() {
    for (game, states) in library() {
        for state in states {
            assert_eq!(game.parse(&game.print(&state)).as_ref(), Ok(&state), "{}", game.title());
        }
    }
}

#[test]
fn move_names_are_unique_in_every_state() {
    for (game, states) in library() {
        let mut explicit = Explicit::new(&game);
        for state in states {
            let at = explicit.at(&state);
            for m in at.moves() {
                let name = &game.move_at(m).name;
                assert_eq!(game.move_named(at.moves(), name), Some(m), "{} {name}", game.title());
            }
        }
    }
}

/// The list is sorted, every name leads to one game, and what the list of games shows is there.
#[test]
fn the_catalogue_is_in_order() {
    let names: Vec<&str> = CATALOGUE.iter().map(|entry| entry.family.name).collect();
    assert!(names.is_sorted(), "{names:?}");
    let mut valued = 0;
    for entry in CATALOGUE {
        let name = entry.family.name;
        for alias in entry.aliases.iter().chain([&name]) {
            assert_eq!(
                winset_games::entry(&alias.to_uppercase()).map(|e| e.family.name),
                Some(name),
                "{alias}"
            );
        }
        valued += usize::from(entry.known_default().is_some());
        assert!(
            entry.rules.ends_with('.') && entry.rules.matches(". ").count() <= 1,
            "{name}: two sentences"
        );
        for known in entry.known {
            let options = known.options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
            let game = build(name, Some(known.size), &Choices(options.collect())).unwrap();
            assert_eq!(game.size(), known.size, "{name}: sizes are written in one way");
            assert_eq!(game.choices().0.len(), known.options.len(), "{name}: options as they are recorded");
        }
    }
    assert!(valued >= 45, "only {valued} games have a value of their default size");
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
