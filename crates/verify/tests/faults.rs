//! What is right is proved; whatever is changed is found.

use std::sync::Arc;
use winset_index::{Digit, Index, Planes};
use winset_model::Opponent;
use winset_reference::{
    Cut, Layer, RandomGame, Solution, Truth, build, groups, open, random_game, scratch, solve, write,
    write_until,
};
use winset_store::{Header, Layering, OsDisk, Store};
use winset_verify::{Fault, MEMORY, Report, Wrong, verify_full, verify_sample};

fn full(store: &Store) -> Report {
    verify_full(store, MEMORY, &|_, _| ()).unwrap()
}

fn written(solution: &Solution) -> (tempfile::TempDir, Store) {
    let directory = scratch();
    write(directory.path(), solution);
    let store = open(directory.path()).unwrap();
    (directory, store)
}

/// Keeps the positions of a layer that `keep` accepts, with their values.
fn filter(layer: &mut Layer, keep: impl Fn(u64) -> bool) {
    let ranks: Vec<u64> = (0..layer.index.len()).filter(|&rank| keep(rank)).collect();
    let strings: Vec<Vec<Digit>> = ranks.iter().map(|&rank| layer.index.unrank(rank).unwrap()).collect();
    let picked = |planes: &Planes| {
        let mut picked = Planes::new(ranks.len() as u64, planes.planes.len());
        ranks.iter().enumerate().for_each(|(i, &rank)| picked.set(i as u64, planes.get(rank)));
        picked
    };
    let (codes, distances) = (picked(&layer.codes), picked(&layer.distances));
    let dropped = layer.index.len() - ranks.len() as u64;
    layer.index = Index::from_sorted(layer.index.levels().len(), strings.iter().map(Vec::as_slice));
    (layer.codes, layer.distances) = (codes, distances);
    layer.counts.positions -= dropped;
}

#[test]
fn right_solutions_are_proved() {
    let cases = [
        ("tictactoe", "3x3", Cut::Stones, true),
        ("connect4", "4x4", Cut::Stones, false),
        ("connect4", "4x3", Cut::Bfs, true),
        ("othello", "4x4", Cut::Bfs, true),
        ("breakthrough", "4x3", Cut::Bfs, false),
        ("breakthrough", "4x3", Cut::Single, true),
    ];
    for (name, size, cut, remoteness) in cases {
        let solution = solve(&build(name, size), cut, remoteness);
        let (_directory, store) = written(&solution);
        let report = full(&store);
        assert!(report.is_proof(), "{name} {size} {cut:?}: {report} {:?}", report.examples.first());
        let stored: usize = solution.layers.iter().map(|l| l.states.len()).sum();
        assert_eq!(report.checked, stored as u64);
        let sample = verify_sample(&store, 500, 7, MEMORY, &|_, _| ()).unwrap();
        assert!(sample.holds() && !sample.is_proof(), "{sample} {:?}", sample.examples.first());
        let bound = if stored <= 500 { 0 } else { (3 * stored as u64).div_ceil(500) };
        assert_eq!(sample.bound(), bound);
    }
}

#[test]
fn partial_solutions_hold_as_far_as_they_go() {
    let solution = solve(&build("connect4", "4x3"), Cut::Stones, false);
    let directory = scratch();
    let steps = solution.layers.len() as u32 + 5;
    write_until(Arc::new(OsDisk), directory.path(), &solution, steps).unwrap();
    let report = full(&open(directory.path()).unwrap());
    assert!(report.holds() && !report.is_proof() && report.checked > 0, "{report}");
}

#[test]
fn every_changed_value_is_found() {
    let mut solution = solve(&build("connect4", "4x3"), Cut::Stones, true);
    for l in 0..solution.layers.len() - 1 {
        let len = solution.layers[l].index.len();
        let rank = len * 5 / 7;
        if len == 0 {
            continue;
        }
        let right = solution.layers[l].codes.get(rank);
        solution.layers[l].codes.set(rank, (right + 1) % 3);
        if l == 0 {
            let code = solution.layers[0].codes.get(0) as usize;
            solution.value.rewards = solution.header.codes[code];
        }
        let (_directory, store) = written(&solution);
        let report = full(&store);
        let is_it =
            |f: &Fault| f.layer == l as u32 && f.rank == Some(rank) && matches!(f.what, Wrong::Value { .. });
        assert!(report.examples.iter().any(is_it), "layer {l}: {report}");
        if l > 3 {
            solution.layers[l].codes.set(rank, right);
            continue;
        }
        let sample = verify_sample(&store, u64::MAX, 1, MEMORY, &|_, _| ()).unwrap();
        assert!(sample.examples.iter().any(is_it), "layer {l}: {sample}");
        solution.layers[l].codes.set(rank, right);
        if l == 0 {
            let code = solution.layers[0].codes.get(0) as usize;
            solution.value.rewards = solution.header.codes[code];
        }
    }
}

#[test]
fn a_changed_distance_is_found() {
    let mut solution = solve(&build("breakthrough", "4x3"), Cut::Single, true);
    let layer = &mut solution.layers[0];
    let right = layer.distances.get(1234);
    layer.distances.set(1234, right + 2);
    let (_directory, store) = written(&solution);
    let report = full(&store);
    let is_it = |f: &Fault| f.rank == Some(1234) && matches!(f.what, Wrong::Distance { .. });
    assert!(report.examples.iter().any(is_it), "{report}");
}

#[test]
fn a_missing_position_is_found() {
    let mut solution = solve(&build("connect4", "4x3"), Cut::Stones, false);
    filter(&mut solution.layers[5], |rank| rank != 17);
    let (_directory, store) = written(&solution);
    let report = full(&store);
    let open = |f: &Fault| f.layer == 4 && matches!(f.what, Wrong::Open { .. });
    assert!(!report.holds() && report.examples.iter().all(open), "{report}");
    assert!(report.examples[0].to_string().contains("neither stored nor terminal"));
}

#[test]
fn a_start_that_is_missing_or_wrong_is_found() {
    let mut solution = solve(&build("tictactoe", "3x3"), Cut::Stones, false);
    solution.value.rewards = [100, 0].into();
    let (_directory, store) = written(&solution);
    assert_eq!(full(&store).examples[0].what, Wrong::Start);
    solution.value.rewards = [50, 50].into();
    // The start is said to be terminal.
    filter(&mut solution.layers[0], |_| false);
    let counts = &mut solution.layers[0].counts;
    (counts.positions, counts.terminal, counts.terminal_by_code, counts.mover) = (1, 1, vec![0, 1], None);
    let (_directory, store) = written(&solution);
    assert_eq!(full(&store).examples[0].what, Wrong::Start);
}

#[test]
fn moves_inside_a_layer_are_settled_without_distances() {
    for (name, size) in [("breakthrough", "4x3"), ("othello", "4x4")] {
        let solution = solve(&build(name, size), Cut::Single, false);
        let (_directory, store) = written(&solution);
        let report = full(&store);
        assert!(report.is_proof(), "{report} {:?}", report.examples.first());
    }
}

/// A ring of positions in which one can go round or stop: stopping loses, so going round draws.
fn ring() -> winset_model::Game {
    use winset_model::{GameBuilder, Player, Update};
    let mut game = GameBuilder::new("ring", ["a", "b"]);
    let turn = game.add_turn();
    let place = game.add_variable("place", ["0", "1", "stopped"]);
    for player in 0..2 {
        let here = game.exprs.is(place, player as u16);
        let on = [Update::set(place, 1 - player as u16), game.hand_over(turn, Player::new(player))];
        let stop = [Update::set(place, 2), game.hand_over(turn, Player::new(player))];
        game.add_move("on", Player::new(player), here, on);
        game.add_move("stop", Player::new(player), here, stop);
    }
    let stopped = game.exprs.is(place, 2);
    game.terminal.push(stopped);
    for player in 0..2 {
        let to_move = game.exprs.is(turn, player as u16);
        game.reward_winner(Player::new(player), to_move);
    }
    game.initial = game.state([0, 0]);
    game.build().unwrap()
}

#[test]
fn values_that_rest_on_themselves_are_found() {
    use winset_model::{Remoteness, Valuation};
    use winset_store::{Header, LayerCounts, LayerValues, Layering, StoreWriter};
    let game = ring();
    // Player 0 is to move at place 0, player 1 at place 1. Code 1 is right (both go round for ever); that
    // player 0 wins at both looks consistent as well, but no end of the game justifies it.
    for (code, right) in [(1, true), (2, false), (0, false)] {
        let groups = winset_reference::groups(&game);
        let header = Header::new(&game, "by hand", &groups, Layering::Single);
        let mut blocks = winset_index::Blocks::new(groups, 2).unwrap();
        let mut strings = [[0, 0], [1, 1]].map(|values| blocks.add(&values.into()).unwrap()).to_vec();
        strings.sort();
        let index = Index::from_sorted(2, strings.iter().map(Vec::as_slice));
        let mut codes = Planes::new(2, 2);
        (0..2).for_each(|rank| codes.set(rank, code));
        let directory = scratch();
        let (mut writer, _) = StoreWriter::create_or_resume(directory.path(), header).unwrap();
        writer.put_blocks(&blocks).unwrap();
        let counts =
            LayerCounts { positions: 4, terminal: 2, terminal_by_code: vec![1, 0, 1], ..Default::default() };
        writer.put_set(0, &index, counts).unwrap();
        let values = LayerValues { codes: &codes, distances: None, by_code: None };
        writer.forward_done().unwrap();
        writer.put_values(0, Some(&index), &values).unwrap();
        let rewards = winset_store::WIN_DRAW_LOSS[code as usize].into();
        writer.finish(Valuation { rewards, remoteness: Remoteness::Unknown }).unwrap();
        let store = Store::open(directory.path(), |_| Ok::<_, String>(ring())).unwrap();
        let report = full(&store);
        assert_eq!(report.is_proof(), right, "code {code}: {report}");
        let circular = report.examples.iter().filter(|f| f.what == Wrong::Cycle).count();
        assert_eq!(circular > 0, !right, "code {code}: {report}");
    }
}

#[test]
fn the_verdict_can_be_kept() {
    let solution = solve(&build("tictactoe", "3x3"), Cut::Stones, false);
    let (directory, store) = written(&solution);
    let report = full(&store);
    winset_store::record_verdict(directory.path(), &store.manifest().digest, report.verdict()).unwrap();
    let kept = open(directory.path()).unwrap().manifest().verified.clone().unwrap();
    assert_eq!((kept.faults, kept.checked, kept.seed), (0, report.of, None));
}

/// Moves that lead in and out of what is stored from one neighbour to the next, over blocks of every size.
#[test]
fn right_solutions_of_random_games_are_proved() {
    let mut proved = 0;
    for seed in 0..400 {
        let RandomGame { game, positions, ends } = random_game(seed, 1500);
        let Truth::Solved(values) = Truth::of(&positions, Opponent::Difference) else { continue };
        // The plain writer of stores has codes for win, tie and loss only, and its solver no circles.
        let codes = Header::new(&game, "", &groups(&game), Layering::Single).codes;
        if !ends || !values.iter().all(|value| codes.contains(&value.rewards)) {
            continue;
        }
        for cut in [Cut::Bfs, Cut::Single] {
            let directory = scratch();
            write(directory.path(), &solve(&game, cut, seed % 2 == 0));
            let store = Store::open(directory.path(), |_| Ok::<_, String>(game.clone())).unwrap();
            let report = full(&store);
            assert!(report.is_proof(), "seed {seed} {cut:?}: {report} {:?}", report.examples.first());
            proved += 1;
        }
    }
    assert!(proved > 40, "{proved}");
}
