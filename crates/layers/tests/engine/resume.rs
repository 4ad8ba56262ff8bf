//! Going on where an earlier run has stopped.

use crate::random::{Kind, counter_weights, game, plan};
use proptest::prelude::*;
use std::collections::HashMap;
use winset_games::build;
use winset_index::{Index, Planes};
use winset_layers::{
    Code, Distance, Layering, Observer, Options, Past, PastLayer, Reached, Refusal, Solution, Solved,
    Summary, solve,
};
use winset_model::{Game, Player, Rewards};

/// What a store keeps of a layer: not who moves where both do.
#[derive(Clone)]
struct Kept {
    measure: i64,
    positions: u64,
    terminal: Vec<(Code, u64)>,
    mover: Option<Player>,
    set: Index,
    by_code: Vec<u64>,
    values: Option<(Planes, Vec<Distance>)>,
}

/// Keeps everything, and gives back what it has been given.
#[derive(Clone, Default)]
struct Archive {
    outcomes: Vec<Rewards>,
    layers: Vec<Kept>,
    complete: bool,
    /// What was found in this run.
    reached: Vec<usize>,
    solved: Vec<usize>,
}

fn mover(summary: &Summary) -> Option<Player> {
    match summary.movers.as_slice() {
        [only] => Some(only.player),
        _ => None,
    }
}

impl Observer for Archive {
    fn past(&mut self) -> Result<Past, Refusal> {
        let layer = |kept: &Kept| PastLayer {
            measure: kept.measure,
            positions: kept.positions,
            terminal: kept.terminal.clone(),
            mover: kept.mover,
            solved: kept.values.as_ref().map(|_| kept.by_code.clone()),
        };
        let layers = self.layers.iter().map(layer).collect();
        Ok(Past { outcomes: self.outcomes.clone(), layers, complete: self.complete })
    }

    fn past_set(&mut self, number: usize) -> Result<Index, Refusal> {
        Ok(self.layers[number].set.clone())
    }

    fn past_values(&mut self, number: usize, _: &Index) -> Result<(Planes, Vec<Distance>), Refusal> {
        Ok(self.layers[number].values.clone().ok_or("not solved")?)
    }

    fn reached(&mut self, layer: &Reached) -> Result<(), Refusal> {
        assert_eq!(layer.number, self.layers.len());
        let Summary { measure, positions, ref terminal, .. } = *layer.summary;
        let (terminal, mover, set) = (terminal.clone(), mover(layer.summary), layer.index()?);
        self.layers.push(Kept { measure, positions, terminal, mover, set, by_code: vec![], values: None });
        self.outcomes = layer.outcomes.table().to_vec();
        self.reached.push(layer.number);
        Ok(())
    }

    fn solved(&mut self, layer: &Solved) -> Result<(), Refusal> {
        let kept = &mut self.layers[layer.number];
        assert_eq!(kept.set, layer.index()?);
        for m in &layer.summary.movers {
            kept.by_code.resize(kept.by_code.len().max(m.by_code.len()), 0);
            kept.by_code.iter_mut().zip(&m.by_code).for_each(|(sum, n)| *sum += n);
        }
        kept.values = Some((layer.values()?, layer.distances()?.into_owned()));
        self.complete = true;
        self.solved.push(layer.number);
        Ok(())
    }
}

type Everything = HashMap<usize, (Index, Planes, Vec<Distance>)>;

fn everything(archive: &Archive) -> Everything {
    let kept = archive.layers.iter().enumerate();
    kept.map(|(number, kept)| {
        let (values, distances) = kept.values.clone().expect("solved");
        (number, (kept.set.clone(), values, distances))
    })
    .collect()
}

/// Solves the game again from every point at which it could have been stopped.
fn stop_everywhere(game: &Game, options: &Options) {
    let mut whole = Archive::default();
    let solution: Solution = solve(game, options, &mut whole).unwrap();
    let layers = whole.layers.len();
    let go_on = |mut archive: Archive, reached: Vec<usize>, solved: Vec<usize>| {
        (archive.reached, archive.solved) = (vec![], vec![]);
        let again = solve(game, options, &mut archive).unwrap();
        assert_eq!(archive.reached, reached);
        assert_eq!(archive.solved, solved);
        assert_eq!(everything(&archive), everything(&whole));
        assert_eq!(archive.outcomes, whole.outcomes);
        assert_eq!(again.value, solution.value);
        // How many nodes are left over depends on what was known before.
        let without_size = |layer: &Summary| Summary { nodes: 0, bytes: 0, ..layer.clone() };
        let summaries = |of: &Solution| of.layers.iter().map(without_size).collect::<Vec<_>>();
        assert_eq!(summaries(&again), summaries(&solution));
    };
    for known in 0..=layers {
        let mut archive = whole.clone();
        archive.layers.truncate(known);
        archive.layers.iter_mut().for_each(|kept| (kept.values, kept.by_code) = (None, vec![]));
        archive.complete = false;
        go_on(archive, (known..layers).collect(), (0..layers).rev().collect());
    }
    for unsolved in 0..=layers {
        let mut archive = whole.clone();
        let first = archive.layers.iter_mut().take(unsolved);
        first.for_each(|kept| (kept.values, kept.by_code) = (None, vec![]));
        go_on(archive, vec![], (0..unsolved).rev().collect());
    }
}

#[test]
fn boards_are_continued() {
    for (name, size) in [("connect4", "4x4"), ("othello", "3x4"), ("breakthrough", "4x3"), ("checkers", "4")]
    {
        let Ok(game) = build(name, Some(size), &Default::default()) else { panic!("{name} {size}") };
        stop_everywhere(&game, &Options { distance: true, ..Default::default() });
    }
}

#[test]
fn what_belongs_to_another_game_is_refused() {
    let game = |size| build("connect4", Some(size), &Default::default()).unwrap();
    let mut archive = Archive::default();
    solve(&game("4x4"), &Options::default(), &mut archive).unwrap();
    let error = solve(&game("4x3"), &Options::default(), &mut archive).unwrap_err();
    assert!(error.to_string().contains("an earlier run"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_games_are_continued(plan in plan(), own in any::<bool>()) {
        let opponent = if own { winset_layers::Opponent::Own } else { Default::default() };
        let ends = game(&plan, Some(1), 2, Kind::Any);
        for layering in [counter_weights(&ends, 1), counter_weights(&ends, 2), Layering::Plies, Layering::OneTier] {
            let options = Options { opponent, layering: Some(layering), distance: true, ..Default::default() };
            stop_everywhere(&ends, &options);
        }
        let tiers = game(&plan, Some(0), 2, Kind::WinDrawLoss);
        let layering = Some(counter_weights(&tiers, 1));
        stop_everywhere(&tiers, &Options { layering, ..Default::default() });
    }
}
