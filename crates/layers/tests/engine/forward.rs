//! Layers found with the last blocks of sets as bits, against those found digit by digit.

use crate::leaves::{stones, stones_game};
use crate::random::{Kind, counter_weights, game, plan};
use proptest::prelude::*;
use winset_games::{Baseline, build};
use winset_index::Index;
use winset_layers::{Code, Form, Layering, LayersError, Observer, Options, Reached, Refusal, count};
use winset_model::{Game, VarId};

/// All that is said about the states of a layer.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    measure: i64,
    positions: u64,
    ended: Vec<(Code, u64)>,
    index: Index,
}

#[derive(Default)]
struct Keeper(Vec<Found>);

impl Observer for Keeper {
    fn reached(&mut self, layer: &Reached) -> Result<(), Refusal> {
        let s = layer.summary;
        self.0.push(Found {
            measure: s.measure,
            positions: s.positions,
            ended: s.terminal.clone(),
            index: layer.index()?,
        });
        Ok(())
    }
}

/// The layers, and how many were found by leaves.
fn try_layers(game: &Game, options: &Options) -> Result<(Vec<Found>, usize), LayersError> {
    let mut keeper = Keeper::default();
    let solution = count(game, options, &mut keeper)?;
    Ok((keeper.0, solution.found_by_leaves))
}

fn layers(game: &Game, options: &Options) -> (Vec<Found>, usize) {
    try_layers(game, options).unwrap()
}

/// Every way to find the layers finds the same ones. Returns how many there are, and how many are found by leaves where
/// these are used wherever it is possible.
fn all_ways_agree(game: &Game, layering: Option<Layering>) -> (usize, usize) {
    let options = |form, threads, portable| Options {
        layering: layering.clone(),
        form,
        threads,
        portable,
        ..Default::default()
    };
    let (plain, none) = layers(game, &options(Form::Ranks, 1, false));
    assert_eq!(none, 0);
    let mut by_leaves = None;
    for (form, threads, portable) in [
        (Form::Leaves, 1, false),
        (Form::Leaves, 1, true),
        (Form::Leaves, 2, false),
        (Form::Leaves, 3, false),
        (Form::Best, 2, false),
    ] {
        let (found, n) = layers(game, &options(form, threads, portable));
        assert_eq!(found.len(), plain.len());
        for (a, b) in found.iter().zip(&plain) {
            assert_eq!(a, b, "{form:?}, {threads} threads, {portable}");
        }
        if form == Form::Leaves {
            assert_eq!(*by_leaves.get_or_insert(n), n, "whatever the number of threads");
        }
    }
    (plain.len(), by_leaves.unwrap_or(0))
}

#[test]
fn boards() {
    for (name, size, baseline, least) in [
        ("connect4", "3x3x3", Baseline::Made, 5),
        ("connect4", "2x6", Baseline::Made, 10),
        ("connect4", "4x4", Baseline::Made, 12),
        ("connect4", "5x4", Baseline::Made, 16),
        ("tictactoe", "3x3", Baseline::Made, 3),
        ("tictactoe", "4x4", Baseline::Made, 6),
        ("breakthrough", "3x5", Baseline::Made, 10),
        ("breakthrough", "4x4", Baseline::Made, 10),
        ("breakthrough", "4x4", Baseline::CanBeMade, 10),
        ("clobber", "3x4", Baseline::Made, 3),
        ("othello", "4x4", Baseline::Made, 0),
    ] {
        let game = build(name, Some(size), &baseline.into()).unwrap();
        for layering in [None, Some(Layering::Plies)] {
            let (all, by_leaves) = all_ways_agree(&game, layering);
            assert!(by_leaves >= least, "{name} {size}: {by_leaves} of {all}");
        }
    }
}

/// A layer that does not fit by leaves is found in another way, and so are those after it, or not at all.
#[test]
fn with_little_memory() {
    let game = build("connect4", Some("5x4"), &Default::default()).unwrap();
    // Which blocks prove best may depend on the memory, and layers of other blocks are other diagrams.
    let board = game.board().unwrap();
    let column = |c| (0..board.rows).filter_map(|r| board.cells[r * board.columns + c]).collect();
    let mut blocks: Vec<Vec<VarId>> = (0..board.columns).map(column).collect();
    let rest = (0..game.variables().len() as u32).map(VarId);
    blocks.insert(0, rest.filter(|var| !board.cells.contains(&Some(*var))).collect());
    let blocks = Some(blocks);
    let plain = Options { form: Form::Ranks, blocks: blocks.clone(), ..Default::default() };
    let (plain, _) = layers(&game, &plain);
    let mut all = vec![];
    for kib in (500..4000).step_by(25) {
        for threads in [1, 2] {
            let directory = Some(std::env::temp_dir());
            let memory = Some(kib << 10);
            let blocks = blocks.clone();
            let form = Form::Leaves;
            let options = Options { memory, threads, directory, form, blocks, ..Default::default() };
            match try_layers(&game, &options) {
                Ok((found, by_leaves)) => {
                    assert_eq!(found, plain);
                    all.push(by_leaves);
                }
                Err(error) => {
                    let memory =
                        matches!(error, LayersError::Memory { .. } | LayersError::ConditionsDoNotFit { .. });
                    assert!(memory, "{error}");
                }
            }
        }
    }
    assert!(all.iter().any(|n| n < all.iter().max().unwrap()), "{all:?}");
}

#[test]
fn many_random_layers_are_found_by_leaves() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut all, mut by_leaves) = (0, 0);
    for _ in 0..60 {
        let stones = stones_game(&stones().new_tree(&mut runner).unwrap().current());
        let found = all_ways_agree(&stones, None);
        (all, by_leaves) = (all + found.0, by_leaves + found.1);
    }
    assert!(by_leaves * 4 > all, "{by_leaves} of {all}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn games_of_stones(plan in stones(), plies in any::<bool>()) {
        all_ways_agree(&stones_game(&plan), plies.then_some(Layering::Plies));
    }

    #[test]
    fn games_that_always_end(plan in plan(), players in 1..4usize) {
        let game = game(&plan, Some(1), players, Kind::Any);
        for layering in [counter_weights(&game, 1), Layering::Plies] {
            all_ways_agree(&game, Some(layering));
        }
    }
}
