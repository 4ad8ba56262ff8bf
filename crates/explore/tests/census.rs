//! Histograms, lots and puzzles against plain counting over every position.

use std::collections::BTreeMap;
use winset_explore::census::{Lot, histogram, puzzle, stored};
use winset_explore::why::why_not;
use winset_explore::{Session, Solution};
use winset_model::Explicit;
use winset_reference::{Cut, build, open, solve, write};
use winset_store::Store;

fn store(name: &str, size: &str, cut: Cut) -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &solve(&build(name, size), cut, true));
    let store = open(directory.path()).unwrap();
    (directory, store)
}

#[test]
fn a_histogram_counts_every_position_once() {
    for (name, size, cut) in
        [("tictactoe", "3x3", Cut::Stones), ("connect4", "3x3", Cut::Bfs), ("tictactoe", "3x3", Cut::Single)]
    {
        let (_directory, store) = store(name, size, cut);
        let mut counts: BTreeMap<(Vec<u8>, Option<u32>), u64> = BTreeMap::new();
        let mut explicit = Explicit::new(store.game());
        for record in &store.manifest().layers {
            let codes = &store.manifest().header.codes;
            for (code, &n) in record.terminal_by_code.iter().enumerate().filter(|(_, n)| **n > 0) {
                *counts.entry((codes[code].to_vec(), Some(0))).or_default() += n;
            }
            for rank in 0..record.stored {
                let (digits, value) = store.at(record.layer, rank).unwrap();
                if !explicit.at(&store.blocks().unwrap().state(&digits)).is_terminal() {
                    *counts.entry((value.rewards.to_vec(), value.remoteness.plies())).or_default() += 1;
                }
            }
        }
        let found = histogram(&store, &mut || false).unwrap().unwrap();
        let bins: BTreeMap<_, _> =
            found.bins.iter().map(|bin| ((bin.rewards.clone(), bin.remoteness), bin.positions)).collect();
        assert_eq!(bins, counts, "{name}");
        assert!(found.bins.iter().all(|bin| bin.endless == bin.remoteness.is_none()));
        let won = |(rewards, _): &&(Vec<u8>, Option<u32>)| rewards[0] != rewards[1];
        let longest = counts.keys().filter(won).filter_map(|(_, plies)| *plies).max();
        assert_eq!(found.longest.first().map(|one| one.remoteness), longest, "{name}");
        assert!(histogram(&store, &mut || true).unwrap().is_none(), "it can be stopped");
    }
}

#[test]
fn every_position_has_the_same_chance() {
    let (_directory, store) = store("connect4", "3x3", Cut::Stones);
    let all = stored(&store);
    let each = 200;
    let mut lot = Lot::new(&store, 3).unwrap();
    let mut counts: BTreeMap<(u32, u64), u64> = BTreeMap::new();
    for _ in 0..all * each {
        *counts.entry(lot.place()).or_default() += 1;
    }
    // The same seed draws the same; so this holds always or never.
    assert_eq!(counts.len() as u64, all, "every one is drawn");
    let chi: f64 = counts.values().map(|&n| (n as f64 - each as f64).powi(2) / each as f64).sum();
    let free = (all - 1) as f64;
    assert!((chi - free).abs() < 4.0 * (2.0 * free).sqrt(), "{chi} with {free} degrees of freedom");
}

#[test]
fn a_puzzle_has_one_good_move_and_a_bad_one() {
    let (_directory, store) = store("tictactoe", "3x3", Cut::Stones);
    let mut session = Session::new(&store);
    let mut lot = Lot::new(&store, 1).unwrap();
    for _ in 0..200 {
        let state = puzzle(&mut session, &mut lot, 1000).unwrap().unwrap();
        let position = Solution::position(&mut session, &state).unwrap();
        let worth = position.lookup.valuation().unwrap().rewards;
        let good = position.moves.iter().filter(|m| m.lookup.valuation().unwrap().rewards == worth).count();
        assert!(good == 1 && position.moves.len() > 1);
    }
    assert_eq!(puzzle(&mut session, &mut lot, 0).unwrap(), None);
}

/// Whatever is said to help does help.
#[test]
fn what_cannot_arise_is_told_why() {
    let (_directory, store) = store("connect4", "3x3", Cut::Stones);
    let game = store.game();
    let mut session = Session::new(&store);
    let mut why = |text: &str| {
        let state = game.parse(text).unwrap();
        assert_eq!(session.arises(&state).unwrap(), Some(false), "{text}");
        why_not(&mut session, &state).unwrap()
    };
    assert!(why(".../.../x.. x").unwrap().starts_with("It could arise with o to move"));
    assert!(why("x../.../... o").unwrap().len() > 20);
    assert!(why("xxx/.../... o").is_some());
}
