//! Counting and solving a game.

use crate::backward::layer_by_layer::Backward;
use crate::backward::leaves::{Facts, Fitting, LEAVES_NEED};
use crate::backward::room::Room;
use crate::backward::stream::NEVER_ENDS;
use crate::blocks::choose::choose_blocks;
use crate::blocks::layering::Layering;
use crate::crew::Crew;
use crate::error::LayersError;
use crate::forward::resume::Past;
use crate::forward::search::Forward;
use crate::observer::{Observer, Plan, Reached, Solved, Stage};
use crate::options::{Form, Options};
use crate::rules::rules_of_game::Rules;
use crate::sets::layer::Layer;
use crate::sets::shelf::{Shelf, Taken};
use crate::solution::{Kept, Solution, Summary};
use std::sync::Arc;
use winset_index::Index;
use winset_model::{Code, CodeTable, Game, Remoteness, Valuation};

/// Finds all reachable states.
pub fn count(game: &Game, options: &Options, observer: &mut dyn Observer) -> Result<Solution, LayersError> {
    Ok(explore(game, options, observer, false)?.solution)
}

/// Finds the value of every reachable state.
pub fn solve(game: &Game, options: &Options, observer: &mut dyn Observer) -> Result<Solution, LayersError> {
    let Explored { mut forward, mut solution, mut layers, past, facts, touched } =
        explore(game, options, observer, true)?;
    let ends = solution.layers.iter().flat_map(|layer| &layer.terminal).filter(|end| end.1 > 0);
    let ends: Vec<Code> = ends.map(|&(code, _)| code).collect();
    let fitting = match facts {
        Some(facts) => Fitting::new(facts, game, &mut forward, &ends, options)?,
        None if options.distance => Fitting::Not("distances are asked for"),
        None if options.form == Form::Ranks => Fitting::Not("it is asked for"),
        None if past.solved_from() < past.layers.len() => Fitting::Not("an earlier run has begun so"),
        None => Fitting::Not("there is little memory"),
    };
    let mut backward = Backward::new(game, forward, &ends, options);
    solution.kept = fitting.kept(backward.digits.len());
    if let Fitting::Fits(leaves) = fitting {
        backward.leaves = Some(leaves);
    }
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
                    let room = room(&mut layers, &backward, options, observer);
                    let from = (number, &past);
                    take_over(game, &mut backward, (layer, &index), from, observer, &room, &mut solution)?;
                    continue;
                }
                Arc::new(layer)
            }
        };
        if number < past.layers.len() && !touched {
            backward.forward.touch(&layer)?;
        }
        let room = room(&mut layers, &backward, options, observer);
        let by_leaves = backward.leaves.is_some();
        let tallies = backward.solve(&layer, &room).map_err(|error| error.at_layer(number, options))?;
        if by_leaves && backward.leaves.is_none() {
            solution.kept = Kept::Ranks("leaves took too much");
        }
        solution.layers[number].add_tallies(&layer, tallies);
        if number == 0 {
            solution.set_value(initial_value(game, &backward, &layer)?);
        }
        let (summary, outcomes) = (&solution.layers[number], &solution.outcomes);
        let solved = Solved { number, summary, outcomes, layer: &layer, backward: &backward };
        observer.solved(&solved).map_err(LayersError::Sink)?;
        // After the first layer nothing is left to stop.
        if number > 0 && observer.stop() {
            return Err(LayersError::Stopped);
        }
    }
    Ok(solution)
}

/// What solving a layer may take, and where values may wait.
fn room(layers: &mut Shelf, backward: &Backward, options: &Options, observer: &dyn Observer) -> Room {
    let used = layers.bytes() + backward.forward.bytes();
    Room {
        budget: options.memory.map(|memory| memory.saturating_sub(used)),
        directory: options.memory.or(options.values).and(layers.directory()),
        values: options.values,
        taken: observer.takes_values(),
    }
}

/// Takes over the values of a layer that an earlier run has solved, as far as they are still needed.
fn take_over(
    game: &Game,
    backward: &mut Backward,
    (layer, index): (Layer, &Index),
    (number, past): (usize, &Past),
    observer: &mut dyn Observer,
    room: &Room,
    solution: &mut Solution,
) -> Result<(), LayersError> {
    let summary = &mut solution.layers[number];
    let reach = backward.forward.greatest_gain();
    let first_unsolved = past.solved_from().checked_sub(1).map(|last| &past.layers[last]);
    let needed = number == 0 || first_unsolved.is_some_and(|last| layer.measure <= last.measure + reach);
    let by_code = past.layers[number].solved.clone().unwrap_or_default();
    // Where both players move, the earlier run has not said who has how many.
    let split = summary.movers.len() > 1;
    if let [only] = summary.movers.as_mut_slice() {
        only.by_code = by_code;
    }
    let start = number == 0;
    let first = start.then(|| Layer { levels: layer.levels.clone(), ..layer.without_levels() });
    // Distances are read even if they are not needed, so that the observer sees all of them.
    if backward.leaves.is_some() {
        if needed {
            let reader = observer.past_leaves(number).map_err(LayersError::Source)?;
            let reader = reader.ok_or(LayersError::Past("a layer has no leaves"))?;
            backward.take_over_leaves(layer, &*reader, room)?;
        }
    } else if needed || split || backward.distance {
        let values = observer.past_values(number, index).map_err(LayersError::Source)?;
        let tallies = backward.take_over(&layer, values, split, needed)?;
        if split {
            solution.layers[number].add_tallies(&layer, tallies);
        }
    }
    if let Some(first) = first {
        solution.set_value(initial_value(game, backward, &first)?);
    }
    Ok(())
}

/// What the forward pass leaves to the backward pass.
struct Explored {
    forward: Forward,
    solution: Solution,
    layers: Shelf,
    past: Past,
    /// What was seen on the way, unless values are to be kept by rank.
    facts: Option<Facts>,
    /// The moves of layers from an earlier run are known, too.
    touched: bool,
}

/// Measure, blocks and rules: what there is before the first layer.
pub(crate) fn prepare(
    game: &Game,
    options: &Options,
    begins: &mut dyn FnMut(Stage),
) -> Result<Forward, LayersError> {
    options.work.spend(0)?;
    begins(Stage::Measure);
    let layering = options.layering.clone().unwrap_or_else(|| Layering::find(game));
    let groups = match &options.blocks {
        Some(blocks) => blocks.clone(),
        None => {
            let mut tried = |n| begins(Stage::Blocks(n));
            choose_blocks(game, &layering, options.memory, &options.work, &mut tried)
        }
    };
    begins(Stage::Rules);
    let outcomes = CodeTable::of_game(game, options.opponent);
    let rules = Rules::new(game, groups, outcomes, options.memory, options.work.clone())?;
    let forward = Forward::new(game, rules, &layering, options.memory)?;
    Ok(forward.with_crew(Crew::new(options.threads)?))
}

fn explore(
    game: &Game,
    options: &Options,
    observer: &mut dyn Observer,
    keep: bool,
) -> Result<Explored, LayersError> {
    let mut forward = prepare(game, options, &mut |stage| observer.begins(stage))?.with_leaves(options);
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
    // Distances are kept by rank, and who has begun so goes on so. Where memory is scarce, what leaves take besides the
    // values is too much.
    let solved_from = past.solved_from();
    // Where everything is solved nothing but the start is asked for.
    let finished = solved_from == 0 && !past.layers.is_empty();
    let begun_so = solved_from == past.layers.len()
        || !finished && observer.past_leaves(solved_from).map_err(LayersError::Source)?.is_some();
    let roomy = options.form == Form::Leaves || options.memory.is_none_or(|memory| memory >= LEAVES_NEED);
    let by_leaves = keep && roomy && options.form != Form::Ranks && !options.distance && begun_so;
    let lasting = observer.takes_values() || !past.layers.is_empty();
    let mut facts = by_leaves.then(|| Facts::new(&forward.digits, lasting));
    if let Some(facts) = &mut facts {
        for (number, layer) in past.layers.iter().enumerate() {
            let index = observer.past_set(number).map_err(LayersError::Source)?;
            let layer = forward.restore(game, &index, layer)?;
            facts.add(&layer);
            // Whoever solves by leaves must know all moves before the first layer, as if all layers had just been found:
            // what is known of a move inside the leaf is found out once.
            if number < solved_from {
                forward.touch(&layer)?;
            }
        }
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
        if let Some(facts) = &mut facts {
            facts.add(&layer);
        }
        if keep {
            layers.push(layer)?;
        }
        if observer.stop() {
            return Err(LayersError::Stopped);
        }
    }
    forward.leaves = None;
    let blocks = forward.rules.frame.blocks.clone();
    let outcomes = forward.rules.outcomes.clone();
    let layering = forward.layering.clone();
    let (value, remoteness) = (None, Remoteness::Unknown);
    let (layers_found, kept) = (summaries, Kept::Ranks("nothing was solved"));
    let solution = Solution {
        blocks,
        outcomes,
        layering,
        layers: layers_found,
        value,
        remoteness,
        every_move_leaves,
        kept,
        found_by_leaves: forward.made_by_leaves,
    };
    let touched = facts.is_some();
    Ok(Explored { forward, solution, layers, past, facts, touched })
}

fn initial_value(game: &Game, backward: &Backward, layer: &Layer) -> Result<Valuation, LayersError> {
    let rules = &backward.forward.rules;
    let digits = rules.frame.blocks.digits(game.initial()).unwrap_or_default();
    let value = backward.value(layer, &digits).map_err(|error| LayersError::io(&None, error))?;
    // A start that ends the game may have no place.
    let (code, distance) =
        value.unwrap_or((layer.default.unwrap_or_default(), backward.distance.then_some(0)));
    let remoteness = match distance {
        None => Remoteness::Unknown,
        Some(NEVER_ENDS) => Remoteness::Endless,
        Some(plies) => Remoteness::Plies(plies.into()),
    };
    Ok(Valuation { rewards: rules.outcomes.rewards(code), remoteness })
}
