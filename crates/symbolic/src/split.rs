//! Layers cut once more, by the values of a variable: the layered-games paper's future work.
//!
//! A variable stands for a group of mutually exclusive facts, so that its values cut any set of states into parts that have
//! nothing in common. Every part of a layer has a diagram of its own, forward and backward; no diagram of a whole layer
//! is made. The paper does that with step counters, which are the same in a whole layer, and asks which other
//! variables would do: [`Split::Auto`] takes the one whose largest part is smallest.

use crate::diagram::{Diagram, Job, with_kind};
use crate::error::SymbolicError;
use crate::game::SymbolicGame;
use crate::layers::{Layer, MOST};
use crate::observe::{Iteration, Observer, Phase};
use crate::options::Options;
use crate::solve::{Algorithm, LayerCounts, Layering, Share, Solution, SolveOptions, Values};
use crate::space::Space;
use crate::symbolic::Which;
use crate::tier::Tier;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Instant;
use winset_model::{Game, Value, VarId};
use winset_progress::Measure;

/// A variable is chosen at the first layer whose diagram has n nodes: smaller ones are no trouble, and the larger
/// a diagram is, the more it tells about those to come.
const TELLING: usize = 1_000;

/// By which variable layers are cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Split {
    /// By the one whose largest part has the fewest nodes, in the first layer that is not small.
    Auto,
    /// By this one.
    Variable(String),
}

/// ```
/// use winset_symbolic::Split;
/// assert_eq!("auto".parse(), Ok(Split::Auto));
/// assert_eq!("b2".parse(), Ok(Split::Variable("b2".into())));
/// ```
impl FromStr for Split {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(if text == "auto" { Split::Auto } else { Split::Variable(text.to_owned()) })
    }
}

/// Solves a game by layers whose parts are apart; says which variable cuts them, none if no layer was large enough to
/// tell.
pub fn solve_split(
    game: &Game,
    options: &Options,
    how: SolveOptions,
    split: &Split,
    observer: &mut dyn Observer,
) -> Result<(Solution, Option<VarId>), SymbolicError> {
    struct Solve<'a>(&'a Game, &'a Options, SolveOptions, &'a Split, &'a mut dyn Observer);
    impl Job for Solve<'_> {
        type Output = Result<(Solution, Option<VarId>), SymbolicError>;

        fn run<F: Diagram>(self) -> Self::Output {
            solve_parts::<F>(self.0, self.1, self.2, self.3, self.4)
        }
    }
    with_kind(options.kind, Solve(game, options, how, split, observer))
}

/// The parts of a layer that have states.
type Parts<F> = Vec<Layer<F>>;

fn solve_parts<F: Diagram>(
    game: &Game,
    options: &Options,
    how: SolveOptions,
    split: &Split,
    observer: &mut dyn Observer,
) -> Result<(Solution, Option<VarId>), SymbolicError> {
    let var = match split {
        Split::Auto => None,
        Split::Variable(name) => {
            let found = game.variables().iter().position(|variable| variable.name == *name);
            Some(VarId(found.ok_or_else(|| SymbolicError::SplitUnknown(name.clone()))? as u32))
        }
    };
    let mut compiled = SymbolicGame::<F>::new(game, options)?;
    // Where moves stay in a layer, its parts would have to wait for each other: layers by moves have no such ones.
    let raises = |m: &Measure| m.is_constant_per_move() && m.deltas.iter().all(|delta| delta.least > 0);
    let measure = winset_progress::find(game).filter(|m| how.algorithm == Algorithm::Auto && raises(m));
    let (start, deltas, layering) = match &measure {
        Some(m) => {
            (m.of(game.initial()), m.deltas.iter().map(|delta| delta.least).collect(), Layering::Measure)
        }
        None => (0, vec![1; compiled.symbolic.parts.len()], Layering::Breadth),
    };
    compiled.symbolic.measure_by(&deltas);
    let mut forward = Forward { game: &compiled, var, automatic: *split == Split::Auto };
    let layers = forward.layers(start, observer)?;
    let var = forward.var;
    let space = &compiled.symbolic.space;
    let mut positions = 0;
    if layering == Layering::Measure {
        for part in layers.iter().flatten() {
            positions += space.count(&part.states)?;
        }
    } else {
        positions = distinct(space, game, var, &layers)?;
    }
    let solution = backward(&compiled, layers, how, layering, positions, observer)?;
    Ok((solution, var))
}

/// The states of all layers, each once, where a state can be in several.
fn distinct<F: Diagram>(
    space: &Space<F>,
    game: &Game,
    var: Option<VarId>,
    layers: &[Parts<F>],
) -> Result<u128, SymbolicError> {
    let values = var.map_or(1, |var| game.variables()[var.index()].size());
    let mut sum = 0;
    for value in 0..values {
        let mut union = space.none().clone();
        for part in layers.iter().rev().flatten() {
            let inside = match var {
                Some(var) => space.and(&part.states, space.is(var, value as Value))?,
                None => part.states.clone(),
            };
            union = space.or(&union, &inside)?;
        }
        sum += space.count(&union)?;
        space.tidy();
    }
    Ok(sum)
}

/// The way forward.
struct Forward<'a, 'g, F: Diagram> {
    game: &'a SymbolicGame<'g, F>,
    var: Option<VarId>,
    automatic: bool,
}

impl<F: Diagram> Forward<'_, '_, F> {
    fn layers(&mut self, start: i64, observer: &mut dyn Observer) -> Result<Vec<Parts<F>>, SymbolicError> {
        let (symbolic, space) = (&self.game.symbolic, &self.game.symbolic.space);
        let deltas = symbolic.deltas();
        let mut seen: FxHashSet<Vec<F>> = FxHashSet::default();
        let mut layers = vec![];
        let mut pending = BTreeMap::from([(start, vec![symbolic.initial.clone()])]);
        while let Some((index, mut sets)) = pending.pop_first() {
            let began = Instant::now();
            if self.automatic && self.var.is_none() && sets.iter().any(|set| set.node_count() >= TELLING) {
                self.choose(&sets)?;
            }
            // What was noted before the variable was chosen is whole.
            if let (Some(_), [whole]) = (self.var, &sets[..]) {
                sets = self.cut(whole)?;
            }
            sets.retain(|set| set != space.none());
            if sets.is_empty() {
                continue;
            }
            let mut parts = vec![];
            for states in sets {
                let going_on = space.subtract(&states, &symbolic.stops)?;
                for &delta in &deltas {
                    let which = Which { player: None, delta: Some(delta) };
                    let image = symbolic.image_of_going_on(&going_on, which)?;
                    let pieces = self.cut(&image)?;
                    let next = pending.entry(index + delta).or_default();
                    if next.len() < pieces.len() {
                        let before = std::mem::take(next);
                        *next = match &before[..] {
                            [whole] if pieces.len() > 1 => self.cut(whole)?,
                            _ => vec![space.none().clone(); pieces.len()],
                        };
                    }
                    for (set, piece) in next.iter_mut().zip(&pieces) {
                        *set = space.or(set, piece)?;
                    }
                }
                parts.push(Layer { index, states, going_on });
                if observer.is_cancelled() {
                    return Err(SymbolicError::Cancelled);
                }
                space.tidy();
            }
            let going_on: Vec<F> =
                parts.iter().map(|part| part.going_on.clone()).filter(|set| set != space.none()).collect();
            if !going_on.is_empty() && !seen.insert(going_on) || layers.len() > MOST {
                return Err(SymbolicError::Endless(layers.len()));
            }
            report(space, Phase::Forward, index, parts.iter().map(|part| &part.states), began, observer)?;
            layers.push(parts);
        }
        Ok(layers)
    }

    /// The parts of a set, one for each value; the set itself where it is not cut.
    fn cut(&self, set: &F) -> Result<Vec<F>, SymbolicError> {
        let space = &self.game.symbolic.space;
        match self.var {
            None => Ok(vec![set.clone()]),
            Some(var) => pieces(space, self.game.game, set, var),
        }
    }

    /// Takes the variable whose largest part is smallest.
    fn choose(&mut self, sets: &[F]) -> Result<(), SymbolicError> {
        let (space, game) = (&self.game.symbolic.space, self.game.game);
        let mut best: Option<(usize, usize, VarId)> = None;
        for number in 0..game.variables().len() {
            let var = VarId(number as u32);
            let (mut largest, mut sum) = (0, 0);
            for set in sets {
                for piece in pieces(space, game, set, var)? {
                    let nodes = piece.node_count();
                    (largest, sum) = (largest.max(nodes), sum + nodes);
                }
            }
            space.tidy();
            best = Some(best.map_or((largest, sum, var), |known| known.min((largest, sum, var))));
        }
        self.var = best.map(|(.., var)| var);
        Ok(())
    }
}

fn pieces<F: Diagram>(space: &Space<F>, game: &Game, set: &F, var: VarId) -> Result<Vec<F>, SymbolicError> {
    let size = game.variables()[var.index()].size();
    (0..size).map(|value| space.and(set, space.is(var, value as Value))).collect()
}

fn report<'s, F: Diagram + 's>(
    space: &Space<F>,
    phase: Phase,
    index: i64,
    sets: impl Iterator<Item = &'s F>,
    began: Instant,
    observer: &mut dyn Observer,
) -> Result<(), SymbolicError> {
    let (mut states, mut nodes, mut peak) = (0, 0, 0);
    for set in sets {
        let size = set.node_count();
        (states, nodes, peak) = (states + space.count(set)?, nodes + size, peak.max(size));
    }
    observer.iteration(&Iteration { phase, index, states, nodes, peak, time: began.elapsed() });
    if observer.is_cancelled() { Err(SymbolicError::Cancelled) } else { Ok(()) }
}

/// From the last layer to the first, part by part.
fn backward<F: Diagram>(
    game: &SymbolicGame<'_, F>,
    mut layers: Vec<Parts<F>>,
    how: SolveOptions,
    layering: Layering,
    positions: u128,
    observer: &mut dyn Observer,
) -> Result<Solution, SymbolicError> {
    let space = &game.symbolic.space;
    let reach = game.symbolic.deltas().last().copied().unwrap_or(0);
    let mut solved: BTreeMap<i64, Values<F>> = BTreeMap::new();
    let mut tier = Tier::new(game, how.opponent);
    let (mut counts, mut at_start) = (vec![], None);
    while let Some(parts) = layers.pop() {
        let began = Instant::now();
        let index = parts[0].index;
        let (mut values, mut shares): (Values<F>, Vec<Share>) = (vec![], vec![]);
        for part in parts {
            let result = tier.solve(&part, &solved, observer)?;
            values.extend(result.values);
            for share in result.shares {
                match shares.iter_mut().find(|s| (s.mover, s.rewards) == (share.mover, share.rewards)) {
                    Some(known) => known.positions += share.positions,
                    None => shares.push(share),
                }
            }
            space.tidy();
        }
        report(space, Phase::Backward, index, values.iter().map(|(_, set)| set), began, observer)?;
        if layers.is_empty() {
            let start = values.iter().find(|(_, set)| space.contains(set, game.game.initial()));
            at_start = start.map(|&(rewards, _)| rewards);
        }
        let terminal = shares.iter().filter(|s| s.mover.is_none()).map(|s| s.positions).sum();
        let positions = shares.iter().map(|s| s.positions).sum();
        counts.push(LayerCounts { index, positions, terminal, shares });
        solved.insert(index, values);
        while solved.last_key_value().is_some_and(|(&last, _)| last > index - 1 + reach) {
            solved.pop_last();
        }
        space.tidy();
    }
    counts.reverse();
    let layer_positions = counts.iter().map(|layer| layer.positions).sum();
    let rewards = at_start.expect("the start is in the first layer");
    Ok(Solution { rewards, layering, layers: counts, positions, layer_positions })
}
