//! Going on where an earlier run has stopped.

use crate::leaves::{alternating, is_leaves, stones, stones_game};
use crate::random::{Kind, counter_weights, game, plan};
use proptest::prelude::*;
use std::collections::HashMap;
use std::ops::Range;
use winset_games::build;
use winset_index::{Index, LeafError, LeafFrame, LeafNodes, LeafReader, LeafRun, LeafValues, Leaves, Planes};
use winset_layers::{
    Code, Distance, Form, Layering, Observer, Options, Past, PastLayer, Reached, Refusal, Solution, Solved,
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
    unclear: bool,
    set: Index,
    by_code: Vec<u64>,
    values: Option<(Planes, Vec<Distance>)>,
    leaves: Option<(LeafFrame, LeafValues)>,
}

/// Leaves in memory, as a store gives them back.
struct Memory(LeafFrame, LeafValues);

impl LeafReader for Memory {
    fn frame(&self) -> &LeafFrame {
        &self.0
    }

    fn order(&self) -> &[u16] {
        &self.1.order
    }

    fn root(&self) -> Option<u64> {
        self.1.root
    }

    fn nodes(&self, level: usize) -> u64 {
        self.1.levels[level].len() as u64
    }

    fn read_nodes(&self, level: usize, range: Range<u64>) -> Result<LeafNodes, LeafError> {
        let (nodes, mut some) = (&self.1.levels[level], LeafNodes::default());
        for node in range {
            let edges = nodes.edges(node as usize);
            some.digit.extend_from_slice(&nodes.digit[edges.clone()]);
            some.child.extend_from_slice(&nodes.child[edges]);
            some.finish_node();
        }
        Ok(some)
    }

    fn read_leaves(&self, range: Range<u64>) -> Result<Leaves, LeafError> {
        let (mut first, mut at, mut some) = (0, 0, Leaves::default());
        for run in self.1.leaves.runs() {
            let each = self.0.plane_bytes(run.class).unwrap() * run.planes.count_ones() as usize;
            for leaf in first..first + u64::from(run.count) {
                if range.contains(&leaf) {
                    let bits = &self.1.leaves.bits()[at..at + each];
                    some.append(&self.0, &[LeafRun { count: 1, ..*run }], bits).unwrap();
                }
                at += each;
            }
            first += u64::from(run.count);
        }
        // Runs of one leaf each would be as good; a store has longer ones.
        let mut runs: Vec<LeafRun> = vec![];
        for run in some.runs() {
            match runs.last_mut() {
                Some(last) if (last.class, last.planes) == (run.class, run.planes) => last.count += 1,
                _ => runs.push(*run),
            }
        }
        let mut joined = Leaves::default();
        joined.append(&self.0, &runs, some.bits()).unwrap();
        Ok(joined)
    }
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
            unclear: kept.unclear,
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

    fn past_leaves(&mut self, number: usize) -> Result<Option<Box<dyn LeafReader>>, Refusal> {
        let memory = |(frame, values)| Box::new(Memory(frame, values)) as Box<dyn LeafReader>;
        Ok(self.layers[number].leaves.clone().map(memory))
    }

    fn takes_values(&self) -> bool {
        true
    }

    fn reached(&mut self, layer: &Reached) -> Result<(), Refusal> {
        assert_eq!(layer.number, self.layers.len());
        let Summary { measure, positions, ref terminal, unclear, .. } = *layer.summary;
        let (terminal, mover, set) = (terminal.clone(), mover(layer.summary), layer.index()?);
        let (by_code, values, leaves) = (vec![], None, None);
        self.layers.push(Kept { measure, positions, terminal, mover, unclear, set, by_code, values, leaves });
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
        kept.leaves = None;
        if let Some(leaves) = layer.leaves() {
            let (frame, found) = (leaves.frame().clone(), LeafValues::gather(&*leaves)?);
            // By the format's own reading they say the same.
            let codes = &kept.values.as_ref().unwrap().0;
            let mut expanded = Planes::new(codes.len(), codes.planes.len());
            found.expand(&frame, &kept.set, &mut expanded);
            assert_eq!(expanded, *codes, "layer {}", layer.number);
            kept.leaves = Some((frame, found));
        }
        self.complete = true;
        self.solved.push(layer.number);
        Ok(())
    }
}

type Everything = HashMap<usize, (Index, Planes, Vec<Distance>, Option<LeafValues>)>;

fn everything(archive: &Archive) -> Everything {
    let kept = archive.layers.iter().enumerate();
    kept.map(|(number, kept)| {
        let (values, distances) = kept.values.clone().expect("solved");
        let leaves = kept.leaves.clone().map(|(_, leaves)| leaves);
        (number, (kept.set.clone(), values, distances, leaves))
    })
    .collect()
}

/// Solves the game again from every point at which it could have been stopped.
fn stop_everywhere(game: &Game, options: &Options) -> Solution {
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
        archive
            .layers
            .iter_mut()
            .for_each(|kept| (kept.values, kept.by_code, kept.leaves) = (None, vec![], None));
        archive.complete = false;
        go_on(archive, (known..layers).collect(), (0..layers).rev().collect());
    }
    for unsolved in 0..=layers {
        let mut archive = whole.clone();
        let first = archive.layers.iter_mut().take(unsolved);
        first.for_each(|kept| (kept.values, kept.by_code, kept.leaves) = (None, vec![], None));
        go_on(archive, vec![], (0..unsolved).rev().collect());
    }
    solution
}

#[test]
fn boards_are_continued() {
    for (name, size) in [("connect4", "4x4"), ("othello", "3x4"), ("breakthrough", "4x3"), ("checkers", "4")]
    {
        let Ok(game) = build(name, Some(size), &Default::default()) else { panic!("{name} {size}") };
        stop_everywhere(&game, &Options { distance: true, ..Default::default() });
    }
}

/// Whoever has begun with leaves goes on with them, and gets the same ones.
#[test]
fn leaves_are_continued() {
    let mut kept = vec![];
    for (name, size) in [
        ("connect4", "4x4"),
        ("connect4", "4x3x3"),
        ("tictactoe", "3x3"),
        ("breakthrough", "3x4"),
        ("othello", "3x4"),
    ] {
        let game = build(name, Some(size), &Default::default()).unwrap();
        for symmetry in [false, true] {
            let options = Options { symmetry, form: Form::Leaves, ..Default::default() };
            kept.push(stop_everywhere(&game, &options).kept);
        }
    }
    assert!(kept.iter().filter(|&&kept| is_leaves(kept)).count() >= 6, "{kept:?}");
    let halved =
        |kept: &&winset_layers::Kept| matches!(kept, winset_layers::Kept::Leaves { halved: true, .. });
    assert!(kept.iter().filter(halved).count() >= 2, "{kept:?}");
}

/// Threads, and files in which parts wait, change no leaf.
#[test]
fn leaves_are_the_same_whoever_finds_them() {
    let directory = std::env::temp_dir().join(format!("winset-same-leaves-{}", std::process::id()));
    for (name, size) in [("connect4", "5x4"), ("breakthrough", "4x4"), ("tictactoe", "4x3x3")] {
        let game = build(name, Some(size), &Default::default()).unwrap();
        let mut all = vec![];
        for (threads, memory, values) in
            [(1, None, None), (2, None, None), (3, Some(100 << 20), None), (2, Some(1 << 30), Some(1 << 12))]
        {
            let directory = Some(directory.clone());
            let options =
                Options { threads, memory, values, directory, form: Form::Leaves, ..Default::default() };
            let mut archive = Archive::default();
            assert!(is_leaves(solve(&game, &options, &mut archive).unwrap().kept));
            all.push(everything(&archive));
        }
        assert!(all.iter().all(|other| *other == all[0]), "{name} {size}");
    }
    let _ = std::fs::remove_dir(directory);
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
    fn games_of_stones_are_continued(plan in stones(), plies in any::<bool>(), threads in 1..3usize) {
        let layering = plies.then_some(Layering::Plies);
        stop_everywhere(&stones_game(&plan), &Options { layering, threads, form: Form::Leaves, ..Default::default() });
    }

    #[test]
    fn random_leaves_are_continued(plan in plan(), opposed in any::<bool>(), plies in any::<bool>()) {
        let kind = if opposed { Kind::Opposed } else { Kind::WinDrawLoss };
        let game = game(&alternating(plan), Some(1), 2, kind);
        let layering = if plies { Layering::Plies } else { counter_weights(&game, 1) };
        stop_everywhere(&game, &Options { layering: Some(layering), form: Form::Leaves, ..Default::default() });
    }

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
