//! The search as a whole: forward, backward by diagrams, and the rest one by one.

use super::Switch;
use super::explicit::{self, Rest};
use super::keep::{Cause, Indexes, Keeper, KeptPast, KeptPlan, KeptSet};
use crate::diagram::{Diagram, Job, with_kind};
use crate::error::SymbolicError;
use crate::game::SymbolicGame;
use crate::layers::{Forward, Layer};
use crate::observe::Observer;
use crate::options::Options;
use crate::solve::{Algorithm, LayerCounts, Layering, Share, Solution};
use winset_model::{CodeTable, Game, Opponent, Player, Rewards, TooManyCodes};
use winset_progress::{Kind as MeasureKind, Measure, every_play_ends};

/// Of the memory, the part that diagrams get where states may have to be looked at one by one afterwards.
const DIAGRAMS: (u64, u64) = (3, 4);

/// Choices for [`drive`].
#[derive(Clone, Copy, Debug)]
pub struct Drive {
    /// Layers by a measure where there is one ([`Algorithm::Auto`]), or by moves.
    pub algorithm: Algorithm,
    /// What the players want.
    pub opponent: Opponent,
    /// When states are looked at one by one.
    pub switch: Switch,
    /// Memory is set apart for that from the beginning.
    pub reserve: bool,
    /// Threads that look at them.
    pub threads: usize,
}

/// What [`drive`] gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driven {
    /// The solved game in numbers.
    pub solution: Solution,
    /// The last layer, by number, whose states were looked at one by one, and why.
    pub switched: Option<(usize, Why)>,
    /// The bits of a value of a state that was looked at.
    pub bits: usize,
}

/// Why states were looked at one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The diagrams did not fit.
    Full,
    /// Somebody wanted it.
    Asked,
}

/// Why there is no solution.
#[derive(Debug)]
pub enum DriveError {
    /// The search could not go on.
    Symbolic(SymbolicError),
    /// Whoever keeps the layers could not.
    Keeping(Cause),
}

impl From<SymbolicError> for DriveError {
    fn from(error: SymbolicError) -> Self {
        DriveError::Symbolic(error)
    }
}

impl From<TooManyCodes> for DriveError {
    fn from(error: TooManyCodes) -> Self {
        DriveError::Symbolic(SymbolicError::Past(error.to_string()))
    }
}

/// Solves a game layer by layer and gives the layers to a keeper.
///
/// ```
/// use winset_symbolic::hybrid::{Drive, Switch, drive};
/// use winset_symbolic::{Algorithm, Options};
/// let game = winset_games::build("tictactoe", None, &Default::default()).unwrap();
/// let options = Options { memory: 64 << 20, ..Options::default() };
/// let how = Drive {
///     algorithm: Algorithm::Auto,
///     opponent: Default::default(),
///     switch: Switch::At(4),
///     reserve: false,
///     threads: 1,
/// };
/// let driven = drive(&game, &options, how, &mut (), &mut ()).unwrap();
/// assert_eq!((driven.solution.positions, driven.solution.rewards), (5478, [50, 50].into()));
/// ```
pub fn drive(
    game: &Game,
    options: &Options,
    how: Drive,
    keeper: &mut dyn Keeper,
    observer: &mut dyn Observer,
) -> Result<Driven, DriveError> {
    struct Run<'a>(&'a Game, &'a Options, Drive, &'a mut dyn Keeper, &'a mut dyn Observer);
    impl Job for Run<'_> {
        type Output = Result<Outcome, DriveError>;

        fn run<F: Diagram>(self) -> Self::Output {
            by_diagrams::<F>(self.0, self.1, self.2, self.3, self.4)
        }
    }
    let mut part = options.clone();
    if how.reserve {
        part.memory =
            (options.memory / DIAGRAMS.1 * DIAGRAMS.0).max(options.memory.min(crate::budget::MINIMUM));
    }
    // The manager and all its nodes are gone when this is back.
    let Outcome { mut found, rest } = with_kind(options.kind, Run(game, &part, how, keeper, observer))?;
    let (mut switched, mut bits) = (None, 0);
    if let Some((mut rest, why)) = rest {
        switched = Some((rest.layers - 1, why));
        bits = rest.table.bits();
        explicit::solve(game, options, how, &mut rest, keeper, observer, &mut found)?;
    }
    Ok(Driven { bits, ..found.finish(switched)? })
}

/// What the diagrams gave, and what they left.
pub(super) struct Outcome {
    pub found: Found,
    pub rest: Option<(Rest, Why)>,
}

/// What is known of all layers.
pub struct Found {
    /// What the start is worth.
    pub start: Option<Rewards>,
    pub layering: Layering,
    pub measures: Vec<i64>,
    pub shares: Vec<Option<Vec<Share>>>,
    pub positions: u128,
}

impl Found {
    fn finish(self, switched: Option<(usize, Why)>) -> Result<Driven, DriveError> {
        let mut layers = vec![];
        for (index, shares) in self.measures.iter().zip(self.shares) {
            let shares = shares.ok_or_else(|| SymbolicError::Past("a layer has no values".to_owned()))?;
            let sum = |ended: bool| {
                let some = shares.iter().filter(|share| !ended || share.mover.is_none());
                some.map(|share| share.positions).sum::<u128>()
            };
            let (positions, terminal) = (sum(false), sum(true));
            layers.push(LayerCounts { index: *index, positions, terminal, shares });
        }
        let rewards = self.start.ok_or_else(|| SymbolicError::Past("the start has no value".to_owned()))?;
        let solution = Solution {
            rewards,
            layering: self.layering,
            layer_positions: layers.iter().map(|layer| layer.positions).sum(),
            positions: self.positions,
            layers,
        };
        Ok(Driven { solution, switched, bits: 0 })
    }
}

/// Numbers of states by code.
pub fn by_code(shares: &[Share], table: &CodeTable, ended: bool) -> Result<Vec<u64>, SymbolicError> {
    let mut counts = vec![0u64; table.len()];
    for share in shares.iter().filter(|share| share.mover.is_none() == ended) {
        let code = table.code(share.rewards).ok_or_else(|| {
            SymbolicError::Past(format!("there is no code for the rewards {}", share.rewards))
        })?;
        counts[usize::from(code)] +=
            u64::try_from(share.positions).map_err(|_| SymbolicError::TooManyToNumber)?;
    }
    Ok(counts)
}

fn by_diagrams<F: Diagram>(
    game: &Game,
    options: &Options,
    how: Drive,
    keeper: &mut dyn Keeper,
    observer: &mut dyn Observer,
) -> Result<Outcome, DriveError> {
    let mut compiled = SymbolicGame::<F>::new(game, options)?;
    let measure = winset_progress::find(game);
    let incremental = measure.as_ref().is_some_and(|m| m.kind == MeasureKind::Incremental);
    // Who keeps values without distances must know that every play ends; that layers by moves do shows it.
    let fits =
        |m: &Measure| m.is_constant_per_move() && (!keeper.keeps() || every_play_ends(game, &m.weights));
    let measure = measure.filter(|m| how.algorithm == Algorithm::Auto && fits(m));
    let (start, deltas): (i64, Vec<i64>) = match &measure {
        Some(m) => (m.of(game.initial()), m.deltas.iter().map(|delta| delta.least).collect()),
        None => (0, vec![1; game.moves().len()]),
    };
    compiled.symbolic.measure_by(&deltas);
    let mut table = CodeTable::of_game(game, how.opponent);
    let plan = KeptPlan {
        blocks: &compiled.symbolic.space.blocks(),
        measure: measure.as_ref().map(|m| (m.weights.as_slice(), start)),
        codes: table.table(),
    };
    let past = keeper.begin(&plan).map_err(DriveError::Keeping)?;
    if !past.codes.is_empty() {
        table = CodeTable::of(past.codes.clone(), how.opponent);
    }
    let layering = if measure.is_some() { Layering::Measure } else { Layering::Breadth };
    let disjoint = layering == Layering::Measure || incremental;
    let indexes = Indexes::within(options.memory / 64);
    let mut search = Search {
        game: &compiled,
        how,
        keeper,
        observer,
        table,
        layers: vec![],
        measures: vec![],
        past,
        indexes,
    };
    search.forward(start)?;
    let positions = search.distinct(disjoint)?;
    search.backward(layering, positions, deltas)
}

/// The search by diagrams.
pub(super) struct Search<'a, 'g, F: Diagram> {
    pub game: &'a SymbolicGame<'g, F>,
    pub how: Drive,
    pub keeper: &'a mut dyn Keeper,
    pub observer: &'a mut dyn Observer,
    pub table: CodeTable,
    /// The layers from the first on; none where nobody has needed it yet.
    pub layers: Vec<Option<Layer<F>>>,
    pub measures: Vec<i64>,
    pub past: KeptPast,
    pub indexes: Indexes,
}

impl<F: Diagram> Search<'_, '_, F> {
    fn forward(&mut self, start: i64) -> Result<(), DriveError> {
        let symbolic = &self.game.symbolic;
        self.measures = self.past.layers.iter().map(|layer| layer.measure).collect();
        self.layers = self.past.layers.iter().map(|_| None).collect();
        if self.past.complete {
            return Ok(());
        }
        let mut forward = Forward::new(symbolic, start);
        if let Some(&last) = self.measures.last() {
            let reach = symbolic.deltas().last().copied().unwrap_or(0);
            let near = self.measures.partition_point(|&measure| measure + reach <= last);
            let known = (near..self.measures.len()).map(|number| self.layer(number));
            let known = known.collect::<Result<Vec<_>, _>>()?;
            forward.known(&known)?;
        }
        while let Some(layer) = forward.step(self.observer)? {
            if self.keeper.keeps() {
                self.keep_set(&layer)?;
            }
            self.measures.push(layer.index);
            self.layers.push(Some(layer));
        }
        Ok(())
    }

    /// A layer, from the keeper if need be.
    pub(super) fn layer(&mut self, number: usize) -> Result<Layer<F>, DriveError> {
        if let Some(layer) = &self.layers[number] {
            return Ok(layer.clone());
        }
        let symbolic = &self.game.symbolic;
        let index = self.keeper.set(number).map_err(DriveError::Keeping)?;
        let states = symbolic.space.set_of(&index)?;
        let going_on = symbolic.space.subtract(&states, &symbolic.stops)?;
        let layer = Layer { index: self.measures[number], states, going_on };
        self.layers[number] = Some(layer.clone());
        Ok(layer)
    }

    fn keep_set(&mut self, layer: &Layer<F>) -> Result<(), DriveError> {
        let space = &self.game.symbolic.space;
        let terminal = space.diff(&layer.states, &layer.going_on)?;
        let mut ended = vec![];
        for (rewards, set) in self.game.by_rewards(&terminal)? {
            ended.push(Share { mover: None, rewards, positions: space.count(&set)? });
        }
        ended.sort_by_key(|share| share.rewards);
        for share in &ended {
            self.table.add(share.rewards)?;
        }
        let shares = self.game.by_turn(&layer.going_on)?;
        let mut movers = (0..).zip(&shares).filter(|(_, set)| **set != *space.none()).map(|(p, _)| Player(p));
        let mover = movers.next().filter(|_| movers.next().is_none());
        let index = space.index(&layer.states)?;
        let kept = KeptSet {
            number: self.measures.len(),
            measure: layer.index,
            terminal_by_code: by_code(&ended, &self.table, true)?,
            mover,
            codes: self.table.table(),
            index: &index,
        };
        self.keeper.put_set(&kept).map_err(DriveError::Keeping)?;
        self.indexes.keep(self.measures.len(), index);
        Ok(())
    }

    /// The number of different states, which is not the sum where a state can be in several layers.
    fn distinct(&mut self, disjoint: bool) -> Result<u128, DriveError> {
        let space = &self.game.symbolic.space;
        if disjoint {
            let mut sum = 0;
            for number in 0..self.measures.len() {
                sum += match (&self.layers[number], self.past.layers.get(number)) {
                    (_, Some(past)) => past.positions.into(),
                    (Some(layer), _) => space.count(&layer.states)?,
                    (None, None) => 0,
                };
            }
            return Ok(sum);
        }
        let mut union = space.none().clone();
        for number in (0..self.measures.len()).rev() {
            let there = self.layers[number].is_some();
            union = space.or(&union, &self.layer(number)?.states)?;
            if !there {
                self.layers[number] = None;
            }
            space.tidy();
        }
        Ok(space.count(&union)?)
    }
}
