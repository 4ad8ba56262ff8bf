//! What is written can be asked.

use std::sync::Arc;
use winset_explore::{Lookup, Session};
use winset_model::State;
use winset_reference::{Cut, build, open, scratch, solve, write, write_until};
use winset_store::{OsDisk, StoreError};

fn cases() -> Vec<(&'static str, &'static str, Cut, bool)> {
    vec![
        ("tictactoe", "3x3", Cut::Stones, true),
        ("connect4", "4x4", Cut::Stones, false),
        ("connect4", "4x3", Cut::Bfs, true),
        ("othello", "4x4", Cut::Bfs, false),
        ("breakthrough", "4x3", Cut::Bfs, true),
        ("breakthrough", "4x3", Cut::Single, true),
    ]
}

#[test]
fn every_position_has_its_value() {
    for (name, size, cut, remoteness) in cases() {
        let directory = scratch();
        let solution = solve(&build(name, size), cut, remoteness);
        write(directory.path(), &solution);
        let store = open(directory.path()).unwrap();
        store.check_files().unwrap();
        let mut session = Session::new(&store);
        let states: Vec<State> = solution.values.keys().cloned().collect();
        let lookups = session.values(&states).unwrap();
        for (state, lookup) in states.iter().zip(lookups) {
            let expected = solution.values[state];
            let found = lookup.valuation().unwrap();
            assert_eq!(found.rewards, expected.rewards, "{name} {}", store.game().print(state));
            if remoteness {
                assert_eq!(found.remoteness, expected.remoteness);
            }
        }
        assert_eq!(store.manifest().value, Some(solution.value));
    }
}

#[test]
fn other_positions_are_not_reachable() {
    let directory = scratch();
    let solution = solve(&build("connect4", "4x4"), Cut::Stones, false);
    write(directory.path(), &solution);
    let store = open(directory.path()).unwrap();
    let mut session = Session::new(&store);
    let mut unreachable = 0;
    for layer in &solution.layers {
        for state in layer.states.iter().step_by(97) {
            for cell in 0..state.0.len() {
                let mut other = state.clone();
                other.0[cell] = (other.0[cell] + 1) % store.game().variables()[cell].size() as u16;
                let lookup = session.value(&other).unwrap();
                match solution.values.get(&other) {
                    Some(v) => assert_eq!(lookup.valuation().map(|l| l.rewards), Some(v.rewards)),
                    None => {
                        let ended = matches!(lookup, Lookup::Terminal { .. });
                        assert!(ended || lookup == Lookup::NotReachable, "{lookup:?}");
                        unreachable += 1;
                    }
                }
            }
        }
    }
    assert!(unreachable > 100);
    let short = State(Box::new([0]));
    assert!(matches!(session.value(&short), Err(StoreError::NotAState)));
}

#[test]
fn moves_are_sorted_and_lines_are_perfect() {
    for (name, size, cut) in [("tictactoe", "3x3", Cut::Stones), ("breakthrough", "4x3", Cut::Bfs)] {
        let directory = scratch();
        let solution = solve(&build(name, size), cut, true);
        write(directory.path(), &solution);
        let store = open(directory.path()).unwrap();
        let mut session = Session::new(&store);
        for layer in &solution.layers {
            for state in layer.states.iter().step_by(31) {
                let position = session.position(state).unwrap();
                let value = solution.values[state];
                let best = position.moves[0].lookup.valuation().unwrap();
                assert_eq!(best.rewards, value.rewards);
                assert_eq!(best.remoteness.before(), value.remoteness);
                let line = session.line(state).unwrap();
                assert_eq!(Some(line.len() as u32), value.remoteness.plies());
                let end = line.last().unwrap().lookup;
                assert_eq!(end, Lookup::Terminal { rewards: value.rewards });
            }
        }
    }
}

#[test]
fn a_partial_solution_answers_what_it_knows() {
    let solution = solve(&build("connect4", "4x3"), Cut::Stones, false);
    let layers = solution.layers.len() as u32;
    let (mut unsolved, mut searched) = (0, 0);
    for steps in 1..2 * layers {
        let directory = scratch();
        write_until(Arc::new(OsDisk), directory.path(), &solution, steps).unwrap();
        let store = open(directory.path()).unwrap();
        assert!(!store.is_complete());
        let mut session = Session::new(&store);
        let solved = (2 * layers).saturating_sub(steps);
        for (l, layer) in solution.layers.iter().enumerate() {
            let Some(state) = layer.states.first() else { continue };
            let value = solution.values[state].rewards;
            match session.value(state).unwrap() {
                Lookup::Solved(found) => assert_eq!(found.rewards, value),
                Lookup::NotSolvedYet => {
                    assert!(steps < layers || (l as u32) < solved);
                    unsolved += 1;
                    if let Some(found) = session.search(state, 2000).unwrap() {
                        assert_eq!(found.rewards, value);
                        searched += 1;
                    }
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(unsolved > 50 && searched > 20, "{unsolved} {searched}");
}

#[test]
fn a_query_touches_few_chunks() {
    let directory = scratch();
    let solution = solve(&build("connect4", "4x4"), Cut::Stones, false);
    write(directory.path(), &solution);
    let levels = solution.header.blocks.len() as u64;
    for layer in &solution.layers {
        for state in layer.states.iter().step_by(1009) {
            let store = open(directory.path()).unwrap();
            assert_eq!(store.chunks_read(), 0);
            Session::new(&store).value(state).unwrap();
            let read = store.chunks_read();
            assert!(read <= 2 * levels, "{read} chunks");
            Session::new(&store).value(state).unwrap();
            assert_eq!(store.chunks_read(), read, "the second time everything is there");
        }
    }
}
