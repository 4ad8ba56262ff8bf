//! Counting and solving a game.

use crate::backward::layer_by_layer::{Backward, Known, lost_level_won};
use crate::backward::room::Room;
use crate::backward::stream::{Distance, NEVER_ENDS};
use crate::backward::tier::Tally;
use crate::blocks::choose::choose_blocks;
use crate::blocks::layering::Layering;
use crate::crew::Crew;
use crate::error::LayersError;
use crate::forward::resume::{Past, PastLayer};
use crate::forward::search::Forward;
use crate::rules::rules_of_game::Rules;
use crate::sets::layer::Layer;
use crate::sets::shelf::{Shelf, Taken};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use winset_index::{Blocks, Index, Planes};
use winset_model::{Code, CodeTable, Game, Opponent, Player, Remoteness, Rewards, Valuation, VarId};
use winset_work::Work;

/// How to work.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of threads.
    pub threads: usize,
    /// What the players want.
    pub opponent: Opponent,
    /// How states are cut into layers; none: by a measure if one is found, else all in one tier.
    pub layering: Option<Layering>,
    /// The blocks, topmost first; none: chosen from the game.
    pub blocks: Option<Vec<Vec<VarId>>>,
    /// About how many bytes may be used; none: as many as there are.
    pub memory: Option<u64>,
    /// Where layers may wait that do not fit.
    pub directory: Option<PathBuf>,
    /// How many bytes of values may be in memory at a time if there is a directory; none: as many as fit.
    pub values: Option<u64>,
    /// Also find the distance to the end under best play.
    pub distance: bool,
    /// Do without the processor's bit instructions.
    pub portable: bool,
    /// Counts the steps, and says whether to go on.
    pub work: Work,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: 1,
            opponent: Opponent::Difference,
            layering: None,
            blocks: None,
            memory: None,
            directory: None,
            values: None,
            distance: false,
            portable: false,
            work: Work::default(),
        }
    }
}

/// A cause that an [`Observer`] gives for not taking a result.
pub type Refusal = Box<dyn std::error::Error + Send + Sync>;

/// What is done before there are layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A progress measure is looked for.
    Measure,
    /// Blocks are tried, the how-manieth.
    Blocks(usize),
    /// The rules are compiled over the blocks.
    Rules,
}

/// Takes results as they come: a store, a progress bar, both.
pub trait Observer {
    /// Something begins that may take a while.
    fn begins(&mut self, stage: Stage) {
        let _ = stage;
    }

    /// The blocks have been chosen and their digits are known, and so is which layer a state is in.
    fn begin(&mut self, plan: &Plan) -> Result<(), Refusal> {
        let _ = plan;
        Ok(())
    }

    /// What an earlier run has found. Asked once, after the beginning; what is named is not found again.
    fn past(&mut self) -> Result<Past, Refusal> {
        Ok(Past::default())
    }

    /// The states of a layer that [`Observer::past`] has named, as [`Reached::index`] gave them.
    fn past_set(&mut self, number: usize) -> Result<Index, Refusal> {
        Err(format!("layer {number} is not there").into())
    }

    /// The values and distances of a layer that [`Observer::past`] has named as solved, as [`Solved`] gave
    /// them.
    fn past_values(&mut self, number: usize, index: &Index) -> Result<(Planes, Vec<Distance>), Refusal> {
        let _ = index;
        Err(format!("layer {number} is not there").into())
    }

    /// The states of a layer have been found.
    fn reached(&mut self, layer: &Reached) -> Result<(), Refusal> {
        let _ = layer;
        Ok(())
    }

    /// The values of a layer are known.
    fn solved(&mut self, layer: &Solved) -> Result<(), Refusal> {
        let _ = layer;
        Ok(())
    }

    /// Whether [`Solved::values`] will be asked for, which takes memory.
    fn takes_values(&self) -> bool {
        false
    }

    /// Asked after every layer.
    fn stop(&mut self) -> bool {
        false
    }
}

/// Takes nothing.
impl Observer for () {}

/// How the work will be done.
pub struct Plan<'a> {
    /// The blocks and their digits.
    pub blocks: &'a Blocks,
    /// Which layer a state is in.
    pub layering: &'a Layering,
    /// The outcomes known so far; more can be found in any layer.
    pub outcomes: &'a CodeTable,
}

/// A layer whose states are known.
pub struct Reached<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// What is known about it.
    pub summary: &'a Summary,
    /// The rewards of every code found so far.
    pub outcomes: &'a CodeTable,
    layer: &'a Layer,
}

impl Reached<'_> {
    /// The states that have a place: all that are not terminal and perhaps some that are.
    pub fn index(&self) -> Result<Index, LayersError> {
        self.layer.index()
    }
}

/// A layer whose values are known.
pub struct Solved<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// What is known about it.
    pub summary: &'a Summary,
    /// The rewards of every code.
    pub outcomes: &'a CodeTable,
    layer: &'a Layer,
    known: &'a Known,
}

impl Solved<'_> {
    /// The states that have a place.
    pub fn index(&self) -> Result<Index, LayersError> {
        self.layer.index()
    }

    /// Their codes in rank order.
    pub fn values(&self) -> Result<Planes, LayersError> {
        self.known.values.to_planes().map_err(|error| LayersError::io(&None, error))
    }

    /// Their distances to the end in rank order, [`crate::NEVER_ENDS`] where play goes on for ever; empty if not
    /// asked for.
    pub fn distances(&self) -> Result<Cow<'_, [Distance]>, LayersError> {
        self.known.distances.all().map_err(|error| LayersError::io(&None, error))
    }

    /// Names the code and the distance of every state, if those are asked for, a piece of the layer at a time.
    pub fn each_distance(&self, mut found: impl FnMut(Code, Distance)) -> Result<(), LayersError> {
        const STEP: u64 = 1 << 16;
        let failure = |error| LayersError::io(&None, error);
        for first in (0..self.known.distances.len()).step_by(STEP as usize) {
            let distances = self.known.distances.part(first, STEP).map_err(failure)?;
            let values = self.known.values.part(first / 64, distances.len().div_ceil(64)).map_err(failure)?;
            (0..).zip(distances.iter()).for_each(|(at, &distance)| found(values.get(at), distance));
        }
        Ok(())
    }
}

/// The states of a layer with one player to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movers {
    /// Who moves.
    pub player: Player,
    /// The number of states that are not terminal.
    pub states: u64,
    /// How many have each outcome, by code; empty until solved.
    pub by_code: Vec<u64>,
}

/// What is known about a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The value of the measure, or the number of moves made.
    pub measure: i64,
    /// The number of states.
    pub positions: u64,
    /// The number of terminal states by code.
    pub terminal: Vec<(Code, u64)>,
    /// The other states.
    pub movers: Vec<Movers>,
    /// The number of states that have a place.
    pub places: u64,
    /// The number of nodes of the layer's diagram.
    pub nodes: u64,
    /// The memory that the layer's diagram takes.
    pub bytes: u64,
}

impl Summary {
    fn new(layer: &Layer) -> Self {
        let mut movers: Vec<Movers> = vec![];
        for part in &layer.parts {
            match movers.iter_mut().find(|m| m.player == part.player) {
                Some(m) => m.states += part.len,
                None => movers.push(Movers { player: part.player, states: part.len, by_code: vec![] }),
            }
        }
        Summary {
            measure: layer.measure,
            positions: layer.positions,
            terminal: layer.terminal.clone(),
            movers,
            places: layer.len,
            nodes: layer.nodes(),
            bytes: layer.bytes(),
        }
    }

    /// What an earlier run has said; the rest is filled in when the layer is read.
    fn of_past(past: &PastLayer) -> Self {
        Summary {
            measure: past.measure,
            positions: past.positions,
            terminal: past.terminal.clone(),
            movers: vec![],
            places: 0,
            nodes: 0,
            bytes: 0,
        }
    }

    fn add_tallies(&mut self, layer: &Layer, tallies: Vec<Tally>) {
        for (part, tally) in layer.parts.iter().zip(tallies) {
            let movers = self.movers.iter_mut().find(|m| m.player == part.player);
            let by_code = &mut movers.expect("summarised before").by_code;
            by_code.resize(tally.len().max(by_code.len()), 0);
            by_code.iter_mut().zip(tally).for_each(|(sum, n)| *sum += n);
        }
    }

    /// The number of terminal states.
    pub fn ended(&self) -> u64 {
        self.terminal.iter().map(|&(_, n)| n).sum()
    }

    /// The states that are not terminal, for the player to move: lost, level, won.
    pub fn lost_level_won(&self, outcomes: &CodeTable) -> [u64; 3] {
        let mut sum = [0; 3];
        for m in &self.movers {
            let part = lost_level_won(outcomes, &m.by_code, m.player.index());
            sum.iter_mut().zip(part).for_each(|(sum, n)| *sum += n);
        }
        sum
    }
}

/// What is known about a game.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The blocks and their digits.
    pub blocks: Blocks,
    /// The rewards of every code.
    pub outcomes: CodeTable,
    /// How the states were cut into layers.
    pub layering: Layering,
    /// The layers, in the order in which they were reached.
    pub layers: Vec<Summary>,
    /// What the players get from the initial state; none if it was only counted.
    pub value: Option<Rewards>,
    /// How long perfect play lasts from there, if distances were asked for.
    pub remoteness: Remoteness,
    /// Every move was seen to leave its layer, so that every play comes to an end, whatever the rules show. Not known,
    /// and so false, of layers from earlier runs.
    pub every_move_leaves: bool,
}

impl Solution {
    fn set_value(&mut self, value: Valuation) {
        (self.value, self.remoteness) = (Some(value.rewards), value.remoteness);
    }

    /// The number of states.
    pub fn positions(&self) -> u128 {
        self.layers.iter().map(|layer| u128::from(layer.positions)).sum()
    }

    /// The states that are not terminal, for the player to move: lost, level, won.
    pub fn lost_level_won(&self) -> [u128; 3] {
        let mut sum = [0; 3];
        for layer in &self.layers {
            let part = layer.lost_level_won(&self.outcomes);
            sum.iter_mut().zip(part).for_each(|(sum, n)| *sum += u128::from(n));
        }
        sum
    }
}

/// Finds all reachable states.
pub fn count(game: &Game, options: &Options, observer: &mut dyn Observer) -> Result<Solution, LayersError> {
    Ok(explore(game, options, observer, false)?.solution)
}

/// Finds the value of every reachable state.
pub fn solve(game: &Game, options: &Options, observer: &mut dyn Observer) -> Result<Solution, LayersError> {
    let Explored { forward, mut solution, mut layers, past } = explore(game, options, observer, true)?;
    let ends = solution.layers.iter().flat_map(|layer| &layer.terminal).filter(|end| end.1 > 0);
    let ends: Vec<Code> = ends.map(|&(code, _)| code).collect();
    let mut backward = Backward::new(game, forward, &ends, options);
    let solved_from = past.solved_from();
    while let Some(taken) = layers.pop()? {
        let number = layers.len();
        let layer = match taken {
            Taken::Layer(layer) => layer,
            Taken::Past => {
                let index = observer.past_set(number).map_err(LayersError::Source)?;
                let layer = backward.forward.restore(game, &index, &past.layers[number])?;
                solution.layers[number] = Summary::new(&layer);
                if number >= solved_from {
                    take_over(&mut backward, &layer, &index, number, &past, observer, &mut solution)?;
                    if number == 0 {
                        solution.set_value(initial_value(game, &backward, &layer)?);
                    }
                    continue;
                }
                Arc::new(layer)
            }
        };
        if number < past.layers.len() {
            backward.forward.touch(&layer)?;
        }
        let used = layers.bytes() + backward.forward.bytes();
        let room = Room {
            budget: options.memory.map(|memory| memory.saturating_sub(used)),
            directory: options.memory.or(options.values).and(layers.directory()),
            values: options.values,
            taken: observer.takes_values(),
        };
        let tallies = backward.solve(&layer, &room).map_err(|error| error.at_layer(number, options))?;
        solution.layers[number].add_tallies(&layer, tallies);
        if number == 0 {
            solution.set_value(initial_value(game, &backward, &layer)?);
        }
        if let Some(known) = backward.known(layer.measure) {
            let (summary, outcomes) = (&solution.layers[number], &solution.outcomes);
            let solved = Solved { number, summary, outcomes, layer: &layer, known };
            observer.solved(&solved).map_err(LayersError::Sink)?;
        }
        if observer.stop() {
            return Err(LayersError::Stopped);
        }
    }
    Ok(solution)
}

/// Takes over the values of a layer that an earlier run has solved, as far as they are still needed.
fn take_over(
    backward: &mut Backward,
    layer: &Layer,
    index: &Index,
    number: usize,
    past: &Past,
    observer: &mut dyn Observer,
    solution: &mut Solution,
) -> Result<(), LayersError> {
    let summary = &mut solution.layers[number];
    let reach = backward.forward.greatest_gain();
    let first_unsolved = past.solved_from().checked_sub(1).map(|last| &past.layers[last]);
    let needed = number == 0 || first_unsolved.is_some_and(|last| layer.measure <= last.measure + reach);
    let by_code = past.layers[number].solved.clone().unwrap_or_default();
    // Where both players move, the earlier run has not said who has how many.
    let split = summary.movers.len() > 1;
    // Distances are read even if they are not needed, so that the observer sees all of them.
    if needed || split || backward.distance {
        let values = observer.past_values(number, index).map_err(LayersError::Source)?;
        let tallies = backward.take_over(layer, values, split, needed)?;
        summary.add_tallies(layer, tallies);
    }
    if let [only] = summary.movers.as_mut_slice() {
        only.by_code = by_code;
    }
    Ok(())
}

/// What the forward pass leaves to the backward pass.
struct Explored {
    forward: Forward,
    solution: Solution,
    layers: Shelf,
    past: Past,
}

fn explore(
    game: &Game,
    options: &Options,
    observer: &mut dyn Observer,
    keep: bool,
) -> Result<Explored, LayersError> {
    options.work.spend(0)?;
    observer.begins(Stage::Measure);
    let layering = options.layering.clone().unwrap_or_else(|| Layering::find(game));
    let groups = match &options.blocks {
        Some(blocks) => blocks.clone(),
        None => {
            let mut tried = |n| observer.begins(Stage::Blocks(n));
            choose_blocks(game, &layering, options.memory, &options.work, &mut tried)
        }
    };
    observer.begins(Stage::Rules);
    let outcomes = CodeTable::of_game(game, options.opponent);
    let rules = Rules::new(game, groups, outcomes, options.memory, options.work.clone())?;
    let forward = Forward::new(game, rules, &layering, options.memory)?;
    let mut forward = forward.with_crew(Crew::new(options.threads)?);
    let Forward { rules, layering, .. } = &forward;
    let plan = Plan { blocks: &rules.frame.blocks, layering, outcomes: &rules.outcomes };
    observer.begin(&plan).map_err(LayersError::Sink)?;
    let waiting = options.memory.map_or(u64::MAX, |memory| memory / 4);
    let mut layers = Shelf::new(options.directory.clone(), waiting);
    let past = if keep { observer.past().map_err(LayersError::Source)? } else { Past::default() };
    let mut summaries: Vec<Summary> = past.layers.iter().map(Summary::of_past).collect();
    let needed = forward.go_on(game, &past, &mut |number| observer.past_set(number))?;
    for _ in 0..past.layers.len() - needed.len() {
        layers.push_past();
    }
    for (number, layer) in needed {
        summaries[number] = Summary::new(&layer);
        layers.push(layer)?;
    }
    let none_stays = forward.roots.iter().all(|root| root.gain != 0);
    let mut every_move_leaves = past.layers.is_empty();
    loop {
        let used = layers.bytes() + forward.bytes();
        let fits = LayersError::check_memory(used, options.memory);
        fits.map_err(|error| error.at_layer(summaries.len(), options))?;
        let budget = options.memory.map(|memory| memory.saturating_sub(used));
        let found =
            forward.next_layer(game, budget).map_err(|error| error.at_layer(summaries.len(), options))?;
        let Some(layer) = found else { break };
        every_move_leaves &= none_stays || layer.all_leave;
        let summary = Summary::new(&layer);
        let reached = Reached {
            number: summaries.len(),
            summary: &summary,
            outcomes: &forward.rules.outcomes,
            layer: &layer,
        };
        observer.reached(&reached).map_err(LayersError::Sink)?;
        summaries.push(summary);
        if keep {
            layers.push(layer)?;
        }
        if observer.stop() {
            return Err(LayersError::Stopped);
        }
    }
    let blocks = forward.rules.frame.blocks.clone();
    let outcomes = forward.rules.outcomes.clone();
    let layering = forward.layering.clone();
    let (value, remoteness) = (None, Remoteness::Unknown);
    let solution =
        Solution { blocks, outcomes, layering, layers: summaries, value, remoteness, every_move_leaves };
    Ok(Explored { forward, solution, layers, past })
}

fn initial_value(game: &Game, backward: &Backward, layer: &Layer) -> Result<Valuation, LayersError> {
    let rules = &backward.forward.rules;
    let digits = rules.frame.blocks.digits(game.initial()).unwrap_or_default();
    let known = backward.known(layer.measure);
    let placed = known.and_then(|known| Some((known, known.target.rank(&digits)?)));
    let failure = |error| LayersError::io(&None, error);
    let (code, distance) = match placed {
        Some((known, rank)) => {
            let code = known.values.get(rank).map_err(failure)?;
            (code, known.distances.part(rank, 1).map_err(failure)?.first().copied())
        }
        // A start that ends the game may have no place.
        None => (layer.default.unwrap_or_default(), backward.distance.then_some(0)),
    };
    let remoteness = match distance {
        None => Remoteness::Unknown,
        Some(NEVER_ENDS) => Remoteness::Endless,
        Some(plies) => Remoteness::Plies(plies.into()),
    };
    Ok(Valuation { rewards: rules.outcomes.rewards(code), remoteness })
}
