//! A plain explicit solver for small boards: states in hash maps, values by recursion.
//!
//! Stores, checkers and explorers are tested with what it writes, so that they need to know no engine; and
//! engines can be compared with it.
//!
//! ```
//! use winset_reference::{Cut, build, solve};
//! let solution = solve(&build("tictactoe", "3x3"), Cut::Bfs, false);
//! assert_eq!(solution.values.len(), 5478);
//! assert_eq!(solution.value.rewards, [50, 50]);
//! ```

pub mod circles;
mod cyclic;
pub mod forge;
pub mod leaves;
mod random;
mod random_game;
mod truth;

pub use cyclic::{chase, solve_cyclic};
pub use random::Random;
pub use random_game::{RandomGame, random_game};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;
pub use truth::{Position, Truth, positions};
use winset_index::{Blocks, Digit, Index, LeafFrame, Planes};
use winset_model::{At, Explicit, Game, Opponent, Player, Remoteness, State, Valuation, VarId};
use winset_store::{
    Disk, Header, LayerCounts, LayerValues, Layering, OsDisk, Store, StoreError, StoreWriter,
};

/// How the tests cut a game into layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// By the number of stones.
    Stones,
    /// By the number of moves.
    Bfs,
    /// Not at all.
    Single,
}

/// One layer, solved.
pub struct Layer {
    /// The digits known when the layer was made.
    pub blocks: Blocks,
    /// The positions that are not terminal, in rank order.
    pub states: Vec<State>,
    /// Their set.
    pub index: Index,
    /// Their values.
    pub codes: Planes,
    /// Their distances to the end.
    pub distances: Planes,
    /// How many there are.
    pub counts: LayerCounts,
}

/// A solved game.
pub struct Solution {
    /// What the manifest says before the first layer.
    pub header: Header,
    /// The layers.
    pub layers: Vec<Layer>,
    /// The value of the start.
    pub value: Valuation,
    /// Every reachable position's value, terminal ones included.
    pub values: FxHashMap<State, Valuation>,
    /// Values are kept as leaves of these states.
    pub frame: Option<LeafFrame>,
}

/// A built-in game; panics if there is none.
pub fn build(name: &str, size: &str) -> Game {
    winset_games::build(name, Some(size), &Default::default()).unwrap()
}

/// Builds the game that a manifest names.
pub fn rebuild(manifest: &winset_store::Manifest) -> Result<Game, winset_games::GameError> {
    let game = &manifest.header.game;
    winset_games::build(&game.name, Some(&game.size), &Default::default())
}

/// Opens a store of a built-in game.
pub fn open(directory: &Path) -> Result<Store, StoreError> {
    Store::open(directory, rebuild)
}

/// The game's blocks, and one more for each variable that is in none.
pub fn groups(game: &Game) -> Vec<Vec<VarId>> {
    let mut groups = game.blocks().to_vec();
    let grouped: Vec<VarId> = groups.iter().flatten().copied().collect();
    let all = (0..game.variables().len() as u32).map(VarId);
    groups.extend(all.filter(|var| !grouped.contains(var)).map(|var| vec![var]));
    groups
}

/// Solves a game whose play always ends.
pub fn solve(game: &Game, cut: Cut, remoteness: bool) -> Solution {
    let layering = match cut {
        Cut::Bfs => Layering::Bfs,
        Cut::Single => Layering::Single,
        Cut::Stones => {
            let board = game.board().unwrap();
            let is_cell = |i: usize| board.cells.contains(&Some(VarId(i as u32)));
            let weights = game.variables().iter().enumerate();
            let weights: Vec<Vec<i64>> = weights
                .map(|(i, v)| (0..v.size()).map(|value| (is_cell(i) && value > 0).into()).collect())
                .collect();
            let base = game.initial().0.iter().zip(&weights).map(|(&value, w)| w[value as usize]).sum();
            Layering::Measure { weights, base }
        }
    };
    let mut header = Header::new(game, "explicit", &groups(game), layering);
    header.remoteness = remoteness;
    let steps = reach(game);
    let mut values = FxHashMap::default();
    let mut explicit = Explicit::new(game);
    for step in steps.iter().rev() {
        valuate(&mut explicit, &mut values, step, header.opponent);
    }
    let players = game.players().len();
    header.codes.retain(|rewards| rewards.len() == players);
    let others = values.values().map(|value| value.rewards).filter(|rewards| !header.codes.contains(rewards));
    header.codes.extend(others.collect::<std::collections::BTreeSet<_>>());
    let mut by_layer: Vec<Vec<State>> = vec![];
    for (l, step) in steps.iter().enumerate() {
        for state in step {
            let layer = match cut {
                Cut::Bfs => l,
                _ => header.layering.layer(state).unwrap() as usize,
            };
            by_layer.resize(by_layer.len().max(layer + 1), vec![]);
            by_layer[layer].push(state.clone());
        }
    }
    let mut blocks = Blocks::new(groups(game), game.variables().len()).unwrap();
    let layers = by_layer.into_iter().map(|mut states| {
        states.sort();
        states.dedup();
        layer(&header, &mut explicit, &values, &mut blocks, states)
    });
    let layers = layers.collect();
    let mut value = values[game.initial()];
    if !remoteness {
        value.remoteness = Remoteness::Unknown;
    }
    Solution { header, layers, value, values, frame: None }
}

/// The states after 0, 1, 2... moves, without removing what occurred in an earlier step.
fn reach(game: &Game) -> Vec<Vec<State>> {
    let mut explicit = Explicit::new(game);
    let mut steps = vec![vec![game.initial().clone()]];
    loop {
        let mut next: Vec<State> = vec![];
        for batch in steps.last().unwrap().chunks(64) {
            explicit.load(batch.to_vec());
            for lane in 0..batch.len() {
                let at = explicit.lane(lane);
                next.extend(at.moves().map(|m| at.apply(m)));
            }
        }
        next.sort();
        next.dedup();
        if next.is_empty() {
            return steps;
        }
        steps.push(next);
    }
}

/// Values of states that are all one move apart from states with values.
fn valuate(
    explicit: &mut Explicit<'_>,
    values: &mut FxHashMap<State, Valuation>,
    states: &[State],
    opponent: Opponent,
) {
    for batch in states.chunks(64) {
        explicit.load(batch.to_vec());
        for (lane, state) in batch.iter().enumerate() {
            if !values.contains_key(state) {
                let value = value(explicit.lane(lane), values, opponent);
                values.insert(state.clone(), value);
            }
        }
    }
}

fn value(at: At<'_>, values: &FxHashMap<State, Valuation>, opponent: Opponent) -> Valuation {
    if let Some(rewards) = at.rewards() {
        return Valuation::ended(rewards);
    }
    let mover = at.turn().expect("it is somebody's turn");
    let next: Vec<Valuation> = at.moves().map(|m| values[&at.apply(m)]).collect();
    let liking = |v: &&Valuation| opponent.liking(mover, v.rewards);
    let rewards = next.iter().max_by_key(liking).expect("there is a move").rewards;
    let same = next.iter().filter(|v| v.rewards == rewards).map(|v| v.remoteness);
    let after = match opponent.hurries(mover, rewards) {
        true => same.min(),
        false => same.max(),
    }
    .expect("there is a move");
    Valuation { rewards, remoteness: after.before() }
}

fn layer(
    header: &Header,
    explicit: &mut Explicit<'_>,
    values: &FxHashMap<State, Valuation>,
    blocks: &mut Blocks,
    states: Vec<State>,
) -> Layer {
    let code = |v: &Valuation| header.codes.iter().position(|&c| c == v.rewards).unwrap();
    let positions = states.len() as u64;
    let mut terminal_by_code = vec![0; header.codes.len()];
    let mut movers: Vec<Option<Player>> = vec![];
    let mut kept: Vec<(Vec<Digit>, State)> = vec![];
    for batch in states.chunks(64) {
        explicit.load(batch.to_vec());
        for (lane, state) in batch.iter().enumerate() {
            let at = explicit.lane(lane);
            if at.is_terminal() {
                terminal_by_code[code(&values[state])] += 1;
            } else {
                movers.push(at.turn());
                kept.push((blocks.add(state).expect("few digits"), state.clone()));
            }
        }
    }
    kept.sort();
    movers.sort();
    movers.dedup();
    let index = Index::from_sorted(blocks.len(), kept.iter().map(|s| s.0.as_slice()));
    let mut codes = Planes::new(index.len(), header.code_bits());
    let mut distances = Planes::new(index.len(), 8);
    for (rank, (_, state)) in kept.iter().enumerate() {
        codes.set(rank as u64, code(&values[state]) as u32);
        // Stored numbers are plies plus one; play without end is 0.
        distances.set(rank as u64, values[state].remoteness.plies().map_or(0, |plies| plies + 1));
    }
    let counts = LayerCounts {
        positions,
        terminal: positions - index.len(),
        terminal_by_code,
        mover: if let [mover] = movers[..] { mover } else { None },
        unclear: false,
    };
    let states = kept.into_iter().map(|s| s.1).collect();
    Layer { blocks: blocks.clone(), states, index, codes, distances, counts }
}

/// Writes what is not there yet, as a solver would; reads back what is.
pub fn write_on(disk: Arc<dyn Disk>, directory: &Path, solution: &Solution) -> Result<(), StoreError> {
    write_until(disk, directory, solution, u32::MAX)
}

/// Stops after this many steps.
pub fn write_until(
    disk: Arc<dyn Disk>,
    directory: &Path,
    solution: &Solution,
    steps: u32,
) -> Result<(), StoreError> {
    write_waiting(disk, directory, solution, steps, None)
}

/// The same with what is put becoming durable after another time than the usual one.
pub fn write_waiting(
    disk: Arc<dyn Disk>,
    directory: &Path,
    solution: &Solution,
    mut steps: u32,
    patience: Option<std::time::Duration>,
) -> Result<(), StoreError> {
    let (mut writer, progress) = StoreWriter::create_or_resume_on(disk, directory, solution.header.clone())?;
    if let Some(patience) = patience {
        writer.wait_at_most(patience);
    }
    let mut stop = || {
        steps = steps.saturating_sub(1);
        steps == 0
    };
    for (l, layer) in solution.layers.iter().enumerate() {
        if progress.sets.contains(&(l as u32)) {
            assert_eq!(writer.read_set(l as u32, u64::MAX)?, layer.index);
            continue;
        }
        writer.put_blocks(&layer.blocks)?;
        writer.put_set(l as u32, &layer.index, layer.counts.clone())?;
        if stop() {
            return Ok(());
        }
    }
    writer.forward_done()?;
    for (l, layer) in solution.layers.iter().enumerate().rev() {
        let distances = solution.header.remoteness.then_some(&layer.distances);
        if progress.values.contains(&(l as u32)) {
            let (codes, kept) = writer.read_values(l as u32, &layer.index, u64::MAX)?;
            assert_eq!(codes, layer.codes);
            assert_eq!(kept.as_ref(), distances);
            continue;
        }
        match &solution.frame {
            Some(frame) => {
                let by_code = (0..solution.header.codes.len() as u32).map(|code| {
                    (0..layer.codes.len()).filter(|&rank| layer.codes.get(rank) == code).count() as u64
                });
                let by_code: Vec<u64> = by_code.collect();
                writer.put_leaves(l as u32, &leaves::OnePart::new(solution, layer, frame), &by_code)?;
            }
            None => {
                let values = LayerValues { codes: &layer.codes, distances, by_code: None };
                writer.put_values(l as u32, Some(&layer.index), &values)?;
            }
        }
        if stop() {
            return Ok(());
        }
    }
    writer.finish(solution.value)
}

/// A new directory in memory if there is such a place: syncing thousands of small files to a disk takes
/// longer than all that is tested.
pub fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a temporary directory can be made")
}

/// Writes a whole store; panics if it cannot.
pub fn write(directory: &Path, solution: &Solution) {
    write_on(Arc::new(OsDisk), directory, solution).unwrap();
}

/// All files of a directory with their contents.
pub fn contents(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}
