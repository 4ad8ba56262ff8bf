//! The backward pass: values of one layer from those of later ones.

use crate::backward::leaves::ByLeaves;
use crate::backward::room::Room;
use crate::backward::stream::{Distance, Joins, Lookup, Pass, Remoteness, Stored, Target, Values, extractor};
use crate::backward::tier::Tally;
use crate::error::LayersError;
use crate::forward::search::Forward;
use crate::options::Options;
use crate::rules::moves::Root;
use crate::sets::layer::{Layer, Part};
use crate::sets::set::Node;
use std::collections::BTreeMap;
use std::sync::Arc;
use winset_index::{Digit, Planes};
use winset_model::{Code, CodeTable, Game, Player, Standing};

/// A layer whose values are known.
pub struct Known {
    /// Its diagram.
    pub target: Target,
    /// Its values.
    pub values: Stored,
    /// The distance of every state, if asked for.
    pub distances: Remoteness,
}

/// The layer being solved, ready to be walked.
#[derive(Clone, Copy)]
pub struct Current<'a> {
    /// Its states.
    pub layer: &'a Layer,
    /// How many there are below each node.
    pub counts: &'a [Vec<u64>],
    /// The layer as cursors see it.
    pub target: &'a Target,
}

/// What solving a state costs, in steps of an image.
pub const STEPS_TO_SOLVE: u64 = 4;

/// The layers that are still needed, by measure.
pub struct Backward<'a> {
    /// The rules.
    pub game: &'a Game,
    /// The moves.
    pub forward: Forward,
    /// Their values.
    pub known: BTreeMap<i64, Known>,
    /// The number of digits of each block.
    pub digits: Vec<usize>,
    pub fast: bool,
    /// The values as leaves, where the game fits.
    pub leaves: Option<Box<ByLeaves>>,
    /// What each thread may use for joins.
    pub join_bytes: usize,
    /// What the values of a slice may take.
    pub slice_bytes: u64,
    /// Distances are asked for.
    pub distance: bool,
    /// Which codes a play can end with, and that of play without end.
    pub occurs: Vec<bool>,
    /// No states.
    pub nothing: (Target, Values),
}

impl<'a> Backward<'a> {
    /// No values yet. `ends` are the codes of the positions in which the game has ended.
    pub fn new(game: &'a Game, forward: Forward, ends: &[Code], options: &Options) -> Self {
        let mut occurs = vec![false; forward.rules.outcomes.len()];
        ends.iter().chain([&CodeTable::ENDLESS]).for_each(|&code| occurs[usize::from(code)] = true);
        let (fast, distance) = (!options.portable, options.distance);
        let levels = forward.rules.frame.levels();
        let digits = (0..levels).map(|k| forward.rules.frame.digits(k)).collect();
        let empty = Layer { levels: vec![Default::default(); levels], ..Default::default() };
        let target = Target::new(&empty, &empty.counts(), &vec![1; levels], &forward.crew);
        let nothing = (target, Values::new(0, 0));
        let (known, join_bytes, slice_bytes) = (BTreeMap::new(), Joins::MOST, 0);
        Backward {
            game,
            forward,
            known,
            digits,
            fast,
            leaves: None,
            join_bytes,
            slice_bytes,
            distance,
            occurs,
            nothing,
        }
    }

    /// Solves a layer all of whose successors are known, or in the layer itself. Returns for each part how
    /// many states have each outcome.
    pub fn solve(&mut self, layer: &Arc<Layer>, room: &Room) -> Result<Vec<Tally>, LayersError> {
        let greatest = self.forward.greatest_gain();
        while self.known.last_key_value().is_some_and(|(&key, _)| key > layer.measure + greatest) {
            self.known.pop_last();
        }
        if let Some(mut by) = self.leaves.take() {
            by.forget_beyond(layer.measure + greatest);
            match self.solve_by_leaves(&mut by, layer, room)? {
                Some(tallies) => {
                    self.leaves = Some(by);
                    return Ok(tallies);
                }
                None => self.leave_leaves(*by, room)?,
            }
        }
        let counts = layer.counts();
        let target = Target::new(layer, &counts, &self.digits, &self.forward.crew);
        let current = Current { layer, counts: &counts, target: &target };
        let fit = self.make_room(current, room)?;
        let (tallies, values, distances) = self.solve_layer(current, &fit)?;
        self.known.insert(layer.measure, Known { target, values, distances });
        self.forward.rules.conds.work.spend(layer.len * STEPS_TO_SOLVE)?;
        Ok(tallies)
    }

    /// Takes the values of a layer.
    pub fn insert(&mut self, measure: i64, target: Target, values: Values, distances: Vec<Distance>) {
        let (values, distances) = (Stored::Here(values), Remoteness::Here(distances));
        self.known.insert(measure, Known { target, values, distances });
    }

    /// No two players want the same.
    pub fn is_opposed(&self) -> bool {
        self.forward.rules.outcomes.is_opposed(|code| self.occurs[usize::from(code)])
    }

    /// The error for a state without moves.
    pub fn stuck(&self, digits: &[Digit]) -> LayersError {
        let state = self.forward.rules.frame.blocks.state(digits);
        LayersError::Stuck(self.game.print(&state))
    }

    /// The distances of a solved layer, where they are asked for and values are kept by rank.
    pub fn distances(&self, layer: &Layer) -> Option<(&Stored, &Remoteness)> {
        self.known.get(&layer.measure).map(|known| (&known.values, &known.distances))
    }

    /// The code of a state of a layer that has been solved, and its distance if asked for. None if it has no place.
    pub fn value(
        &self,
        layer: &Layer,
        digits: &[Digit],
    ) -> std::io::Result<Option<(Code, Option<Distance>)>> {
        if let Some(by) = &self.leaves {
            return Ok(by.code(layer, digits, &self.digits)?.map(|code| (code, None)));
        }
        let known = self.known.get(&layer.measure);
        let Some((known, rank)) = known.and_then(|known| Some((known, known.target.rank(digits)?))) else {
            return Ok(None);
        };
        Ok(Some((known.values.get(rank)?, known.distances.part(rank, 1)?.first().copied())))
    }

    /// The codes of a solved layer in rank order.
    pub fn ranked(&self, layer: &Layer) -> std::io::Result<Planes> {
        if let Some(by) = &self.leaves {
            let mut values = Stored::new(None, layer.len, self.forward.rules.outcomes.bits())?;
            by.write_ranked(layer, &self.digits, extractor(self.fast), &mut values)?;
            return values.to_planes();
        }
        match self.known.get(&layer.measure) {
            Some(known) => known.values.to_planes(),
            None => Ok(Planes::new(0, 0)),
        }
    }

    /// The part has moves that stay inside the layer.
    pub fn stays(&self, layer: &Layer, part: &Part) -> bool {
        self.moves_of(layer, part).any(|root| root.gain == 0)
    }

    /// The moves of a part's player there.
    pub fn moves_of(&self, layer: &Layer, part: &Part) -> impl Iterator<Item = &Root> {
        let (player, kind, all_leave) = (part.player, part.kind, layer.all_leave);
        let made =
            move |root: &&Root| root.player == player && root.kind == kind && (root.gain != 0 || !all_leave);
        self.forward.roots.iter().filter(made)
    }

    /// The measures of the layers that a part's moves lead to.
    pub fn measures_of(&self, layer: &Layer, part: &Part) -> Vec<i64> {
        let mut measures: Vec<i64> =
            self.moves_of(layer, part).map(|root| layer.measure + root.gain).collect();
        measures.sort_unstable();
        measures.dedup();
        measures
    }

    /// The walk over a part.
    pub fn pass<'b>(
        &'b self,
        current: Current<'b>,
        part: &'b Part,
        targets: Vec<Lookup<'b>>,
        roots: Vec<(u32, u32)>,
    ) -> Pass<'b> {
        let Current { layer, counts, target } = current;
        Pass {
            source: layer,
            counts,
            part,
            own: target,
            relations: &self.forward.relations,
            targets,
            roots,
            outcomes: &self.forward.rules.outcomes,
            bottom: bottom(layer, part.root, counts, self.join_bytes as u64),
            always: None,
            join_bytes: self.join_bytes,
            fast: self.fast,
            extract: extractor(self.fast),
        }
    }
}

/// The level from which on the states below a node are handled together. Higher up there are fewer visits
/// but more distinct nodes, each of which must be prepared once, and the more states a node has, the more of the memory for
/// joins one of it takes.
fn bottom(layer: &Layer, root: Node, counts: &[Vec<u64>], join_bytes: u64) -> usize {
    /// Rough costs, in nanoseconds: of a visit, and of preparing one state for the several nodes of
    /// later layers that it meets.
    const VISIT: f64 = 150.0;
    const PREPARE: f64 = 200.0;
    let mut visits = vec![0f64; layer.levels[0].nodes()];
    visits[root as usize] = 1.0;
    let mut best = (f64::INFINITY, layer.levels.len() - 1);
    for (k, level) in layer.levels.iter().enumerate() {
        let walks: f64 = visits.iter().sum();
        let states: f64 =
            visits.iter().zip(&counts[k]).filter(|(v, _)| **v > 0.0).map(|(_, &count)| count as f64).sum();
        let cost = walks * VISIT + states * PREPARE;
        // Words within a join are numbered by 32 bits.
        let most = (join_bytes / Joins::BYTES_FOR_A_STATE).min(1 << 31);
        let fits = visits.iter().zip(&counts[k]).all(|(v, &count)| *v == 0.0 || count < most);
        if fits && cost < best.0 {
            best = (cost, k);
        }
        let mut below = vec![0f64; layer.levels.get(k + 1).map_or(1, |next| next.nodes())];
        for (node, &visits) in visits.iter().enumerate().filter(|(_, visits)| **visits > 0.0) {
            for at in level.edges(node as Node) {
                below[level.child[at] as usize] += visits;
            }
        }
        visits = below;
    }
    best.1
}

/// The outcomes of a tally from the player's view: lost, level, won; none of a player alone.
pub fn lost_level_won(outcomes: &CodeTable, tally: &[u64], player: usize) -> [u64; 3] {
    let mut result = [0; 3];
    for (code, &n) in tally.iter().enumerate() {
        match outcomes.standing(code as Code, Player::new(player)) {
            Some(Standing::Behind) => result[0] += n,
            Some(Standing::Level) => result[1] += n,
            Some(Standing::Ahead) => result[2] += n,
            None => {}
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::set::Level;

    /// All strings of four digits below 16: a node for each level.
    fn all_strings() -> Layer {
        let level = || Level { start: vec![0, 16], digit: (0..16).collect(), child: vec![0; 16] };
        Layer { levels: vec![level(), level(), level(), level()], ..Default::default() }
    }

    #[test]
    fn what_is_joined_at_once_fits_into_the_memory_for_joins() {
        let layer = all_strings();
        let counts = layer.counts();
        for bytes in [0, 1 << 7, 1 << 10, 1 << 12, 1 << 16, 1 << 20, 1 << 30] {
            let level = bottom(&layer, 0, &counts, bytes);
            let last = layer.levels.len() - 1;
            assert!(
                level == last || counts[level][0] * Joins::BYTES_FOR_A_STATE <= bytes,
                "{bytes}: {level}"
            );
        }
        // With room enough, what is cheapest: few nodes, each met often, with few states.
        assert_eq!(bottom(&layer, 0, &counts, 1 << 30), 2);
        assert_eq!(bottom(&layer, 0, &counts, 1 << 10), 3);
    }
}
