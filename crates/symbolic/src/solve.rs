//! Strong solution: the value of every reachable state.

use crate::diagram::{Diagram, Job, with_kind};
use crate::error::SymbolicError;
use crate::game::SymbolicGame;
use crate::layers::{Layer, layers};
use crate::observe::{Iteration, Observer, Phase};
use crate::options::Options;
use crate::tier::Tier;
use std::collections::BTreeMap;
use std::time::Instant;
use winset_model::{Game, Opponent, Player, Rewards, Standing, State};
use winset_progress::{Kind as MeasureKind, Measure};

/// How a game is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Layers of a progress measure where one is found, else breadth-first layers, else the matrix.
    #[default]
    Auto,
    /// Breadth-first layers without duplicate removal, solved from the last to the first.
    Layered,
    /// All reachable states at once: strong preimages into a matrix of rewards.
    Matrix,
}

/// Choices for [`solve`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolveOptions {
    /// How.
    pub algorithm: Algorithm,
    /// What the players want.
    pub opponent: Opponent,
}

/// Which layers were used in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layering {
    /// By a progress measure.
    Measure,
    /// Breadth first.
    Breadth,
    /// All states in one.
    One,
}

/// Where a number of states of one layer has the same value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// Who is to move; nobody in terminal states.
    pub mover: Option<Player>,
    /// What the players get with best play.
    pub rewards: Rewards,
    /// The exact number of states.
    pub positions: u128,
}

/// The exact counts of one layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerCounts {
    /// The measure or the number of moves made.
    pub index: i64,
    /// All states.
    pub positions: u128,
    /// Terminal states.
    pub terminal: u128,
    /// All states by mover and value.
    pub shares: Vec<Share>,
}

impl LayerCounts {
    /// The states that are not terminal where the mover is behind, level and ahead; none of a player alone.
    pub fn by_mover(&self) -> [u128; 3] {
        let mut counts = [0; 3];
        for share in &self.shares {
            match share.mover.and_then(|mover| share.rewards.standing(mover)) {
                Some(Standing::Behind) => counts[0] += share.positions,
                Some(Standing::Level) => counts[1] += share.positions,
                Some(Standing::Ahead) => counts[2] += share.positions,
                None => {}
            }
        }
        counts
    }

    /// All states by who wins: the first player, the second, nobody.
    pub fn by_winner(&self) -> [u128; 3] {
        let mut counts = [0; 3];
        for share in &self.shares {
            counts[share.rewards.leader().map_or(2, Player::index)] += share.positions;
        }
        counts
    }
}

/// A solved game in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// What the players get from the initial state with best play.
    pub rewards: Rewards,
    /// Which layers were used.
    pub layering: Layering,
    /// The layers in ascending order.
    pub layers: Vec<LayerCounts>,
    /// The number of distinct reachable states.
    pub positions: u128,
    /// The sum over the layers, which can count a state several times.
    pub layer_positions: u128,
}

/// Solves a game with the diagrams that the options choose.
///
/// ```
/// use winset_symbolic::{Options, SolveOptions, solve};
/// let game = winset_games::build("tictactoe", None, &Default::default()).unwrap();
/// let options = Options { memory: 64 << 20, ..Options::default() };
/// let solution = solve(&game, &options, SolveOptions::default(), &mut ()).unwrap();
/// assert_eq!((solution.positions, solution.rewards), (5478, [50, 50].into()));
/// ```
pub fn solve(
    game: &Game,
    options: &Options,
    how: SolveOptions,
    observer: &mut dyn Observer,
) -> Result<Solution, SymbolicError> {
    struct Solve<'a>(&'a Game, &'a Options, SolveOptions, &'a mut dyn Observer);
    impl Job for Solve<'_> {
        type Output = Result<Solution, SymbolicError>;

        fn run<F: Diagram>(self) -> Self::Output {
            Ok(solve_with::<F>(self.0, self.1, self.2, self.3, false)?.0)
        }
    }
    with_kind(options.kind, Solve(game, options, how, observer))
}

/// The value sets of one layer: disjoint, and together the layer.
pub type Values<F> = Vec<(Rewards, F)>;

/// A solved game whose states can be asked.
pub struct Solved<'g, F: Diagram> {
    /// The game in diagrams.
    pub game: SymbolicGame<'g, F>,
    /// For each layer, in ascending order, its states by value.
    pub layers: Vec<(i64, Values<F>)>,
}

impl<F: Diagram> Solved<'_, F> {
    /// What the players get from a state with best play; none if it is not reachable.
    pub fn value(&self, state: &State) -> Option<Rewards> {
        let space = &self.game.symbolic.space;
        let all = self.layers.iter().flat_map(|(_, values)| values);
        all.into_iter().find(|(_, set)| space.contains(set, state)).map(|&(rewards, _)| rewards)
    }
}

/// Solves a game with one kind of diagrams; with `keep`, every layer's value sets stay in memory.
pub fn solve_with<'g, F: Diagram>(
    game: &'g Game,
    options: &Options,
    how: SolveOptions,
    observer: &mut dyn Observer,
    keep: bool,
) -> Result<(Solution, Solved<'g, F>), SymbolicError> {
    let mut compiled = SymbolicGame::<F>::new(game, options)?;
    let measure = match how.algorithm {
        Algorithm::Auto => winset_progress::find(game).filter(Measure::is_constant_per_move),
        _ => None,
    };
    let mut layering = match how.algorithm {
        Algorithm::Matrix => Layering::One,
        _ if measure.is_some() => Layering::Measure,
        _ => Layering::Breadth,
    };
    loop {
        let parts = compiled.symbolic.parts.len();
        let (start, deltas) = match (layering, &measure) {
            (Layering::Measure, Some(m)) => {
                (m.of(game.initial()), m.deltas.iter().map(|delta| delta.least).collect())
            }
            (Layering::One, _) => (0, vec![0; parts]),
            _ => (0, vec![1; parts]),
        };
        compiled.symbolic.measure_by(&deltas);
        let layers = match layers(&compiled.symbolic, start, observer) {
            Err(SymbolicError::Endless(_)) if how.algorithm == Algorithm::Auto => {
                layering = Layering::One;
                continue;
            }
            layers => layers?,
        };
        let incremental = measure.as_ref().is_some_and(|m| m.kind == MeasureKind::Incremental);
        let disjoint = layering != Layering::Breadth || incremental;
        let positions = distinct(&compiled, &layers, disjoint)?;
        let Back { mut counts, rewards, kept } = backward(&compiled, layers, how.opponent, observer, keep)?;
        counts.reverse();
        let layer_positions = counts.iter().map(|layer| layer.positions).sum();
        let solution = Solution { rewards, layering, layers: counts, positions, layer_positions };
        return Ok((solution, Solved { game: compiled, layers: kept }));
    }
}

fn distinct<F: Diagram>(
    game: &SymbolicGame<'_, F>,
    layers: &[Layer<F>],
    disjoint: bool,
) -> Result<u128, SymbolicError> {
    let space = &game.symbolic.space;
    if disjoint {
        return layers.iter().map(|layer| space.count(&layer.states)).sum();
    }
    let mut union = space.none().clone();
    for layer in layers.iter().rev() {
        union = space.or(&union, &layer.states)?;
    }
    space.count(&union)
}

/// What the way back gives: counts from the last layer to the first, the value at the start, and the value
/// sets that were kept.
struct Back<F> {
    counts: Vec<LayerCounts>,
    rewards: Rewards,
    kept: Vec<(i64, Values<F>)>,
}

/// From the last layer to the first.
fn backward<F: Diagram>(
    game: &SymbolicGame<'_, F>,
    mut layers: Vec<Layer<F>>,
    opponent: Opponent,
    observer: &mut dyn Observer,
    keep: bool,
) -> Result<Back<F>, SymbolicError> {
    let space = &game.symbolic.space;
    let deltas = game.symbolic.deltas();
    let reach = deltas.last().copied().unwrap_or(0);
    let mut solved: BTreeMap<i64, Values<F>> = BTreeMap::new();
    let mut tier = Tier::new(game, opponent);
    let (mut counts, mut kept, mut at_start) = (vec![], vec![], None);
    while let Some(layer) = layers.pop() {
        let began = Instant::now();
        let index = layer.index;
        let result = tier.solve(&layer, &solved, observer)?;
        let shares = &result.shares;
        let terminal = shares.iter().filter(|s| s.mover.is_none()).map(|s| s.positions).sum();
        let positions = shares.iter().map(|s| s.positions).sum();
        let nodes: Vec<usize> = result.values.iter().map(|(_, set)| set.node_count()).collect();
        observer.iteration(&Iteration {
            phase: Phase::Backward,
            index,
            states: positions,
            nodes: nodes.iter().sum(),
            peak: nodes.iter().copied().max().unwrap_or(0),
            time: began.elapsed(),
        });
        counts.push(LayerCounts { index, positions, terminal, shares: result.shares });
        if layers.is_empty() {
            let state = game.game.initial();
            let start = result.values.iter().find(|(_, set)| space.contains(set, state));
            at_start = start.map(|&(rewards, _)| rewards);
        }
        if keep {
            kept.push((index, result.values.clone()));
        }
        solved.insert(index, result.values);
        while solved.last_key_value().is_some_and(|(&last, _)| last > index - 1 + reach) {
            solved.pop_last();
        }
        drop(layer);
        // After the first layer nothing is left to cancel.
        if !layers.is_empty() && observer.is_cancelled() {
            return Err(SymbolicError::Cancelled);
        }
        space.tidy();
    }
    kept.reverse();
    let rewards = at_start.expect("the start is in the first layer");
    Ok(Back { counts, rewards, kept })
}
