//! Several processes check a solution and find what one finds: here they are threads.

use std::path::Path;
use winset_cluster::{Checked, Group, run_in_threads, verify};
use winset_model::Game;
use winset_reference::forge::{Forged, alternatives, pointers};
use winset_reference::{Cut, Random, Solution, chase, solve_cyclic};
use winset_store::Store;
use winset_verify::{MEMORY, Report, verify_full, verify_sample};

fn open(directory: &Path, game: &Game) -> Store {
    Store::open(directory, |_| Ok::<_, String>(game.clone())).unwrap()
}

fn together(directory: &Path, game: &Game, size: usize, sample: Option<(u64, u64)>) -> Vec<Checked> {
    let found = run_in_threads(size, |transport| {
        let (group, store) = (Group::new(transport), open(directory, game));
        verify(&group, &store, sample, MEMORY, |fault| fault.to_string(), &|_, _| ())
    });
    found.into_iter().map(Result::unwrap).collect()
}

/// The numbers of a report, and the examples in any order.
fn same(checked: &[Checked], alone: &Report, what: &str) {
    let examples = |mut list: Vec<String>| {
        list.sort();
        list
    };
    let expected = examples(alone.examples.iter().map(|fault| fault.to_string()).collect());
    for found in checked {
        let report = &found.report;
        assert_eq!(
            (report.faults, report.checked, report.of),
            (alone.faults, alone.checked, alone.of),
            "{what}"
        );
        assert_eq!(report.is_proof(), alone.is_proof(), "{what}");
        // Who keeps some of many may keep others.
        if alone.faults as usize == expected.len() {
            assert_eq!(examples(found.examples.clone()), expected, "{what}");
        }
    }
}

/// Boards cut in every way, with distances and without, and a game of circles.
fn solutions() -> Vec<(Game, Solution)> {
    let boards = [
        ("tictactoe", "3x3", Cut::Stones),
        ("connect4", "4x3", Cut::Bfs),
        ("tictactoe", "3x2x2", Cut::Single),
    ];
    let solved = boards.into_iter().map(|(name, size, cut)| {
        let game = winset_reference::build(name, size);
        let solution = winset_reference::solve(&game, cut, cut == Cut::Single);
        (game, solution)
    });
    let circles = [true, false].map(|distances| {
        let game = chase(8);
        let solution = solve_cyclic(&game, distances);
        (game, solution)
    });
    solved.chain(circles).collect()
}

#[test]
fn a_right_solution_is_proved() {
    for (game, solution) in solutions() {
        let directory = winset_reference::scratch();
        winset_reference::write(directory.path(), &solution);
        let what = game.title();
        let alone = verify_full(&open(directory.path(), &game), MEMORY, &|_, _| ()).unwrap();
        assert!(alone.is_proof(), "{what}");
        for size in 1..=4 {
            same(&together(directory.path(), &game, size, None), &alone, &format!("{what} by {size}"));
        }
        let sample = verify_sample(&open(directory.path(), &game), 100, 7, MEMORY, &|_, _| ()).unwrap();
        same(&together(directory.path(), &game, 3, Some((100, 7))), &sample, &what);
    }
}

/// Wrong values, a few or many.
#[test]
fn wrong_values_are_found() {
    let mut random = Random::new(5);
    let mut found = 0;
    for (game, mut solution) in solutions() {
        for round in 0..6 {
            let layer = random.below(solution.layers.len());
            let layer = &mut solution.layers[layer];
            if layer.states.is_empty() {
                continue;
            }
            for _ in 0..1 << round {
                let rank = random.below(layer.states.len()) as u64;
                layer.codes.set(rank, random.below(solution.header.codes.len()) as u32);
            }
            let directory = winset_reference::scratch();
            winset_reference::write(directory.path(), &solution);
            let alone = verify_full(&open(directory.path(), &game), MEMORY, &|_, _| ()).unwrap();
            found += alone.faults;
            let size = 2 + random.below(3);
            let what = format!("{} by {size}, {}", game.title(), alone.faults);
            same(&together(directory.path(), &game, size, None), &alone, &what);
        }
    }
    assert!(found > 100, "{found}");
}

/// Wrong numbers in the manifest: of positions that are only counted, of layers that are not there.
#[test]
fn wrong_counts_are_found() {
    let mut random = Random::new(6);
    let mut compared = 0;
    for (game, solution) in solutions() {
        let directory = winset_reference::scratch();
        winset_reference::write(directory.path(), &solution);
        let right = Forged::read(directory.path());
        let pointers: Vec<String> =
            pointers(&right.manifest).into_iter().filter(|pointer| pointer.starts_with("/layers")).collect();
        for _ in 0..40 {
            let pointer = random.pick(&pointers);
            let mut forged = Forged::read(directory.path());
            forged.manifest = right.manifest.clone();
            let others = alternatives(right.manifest.pointer(&pointer).unwrap());
            let other = random.pick(&others);
            *forged.manifest.pointer_mut(&pointer).unwrap() = other.clone();
            let falsified = winset_reference::scratch();
            forged.write(falsified.path());
            let Ok(store) = Store::open(falsified.path(), |_| Ok::<_, String>(game.clone())) else {
                continue;
            };
            let Ok(alone) = verify_full(&store, MEMORY, &|_, _| ()) else { continue };
            let what = format!("{}: {pointer} = {other}", game.title());
            same(&together(falsified.path(), &game, 3, None), &alone, &what);
            compared += 1;
        }
    }
    assert!(compared > 30, "{compared}");
}
