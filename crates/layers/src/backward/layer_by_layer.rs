//! The backward pass: values of one layer from those of later ones.

use crate::backward::room::{Fit, Room};
use crate::backward::stream::{
    Distance, Distances, Joins, Lookup, NEVER_ENDS, Pass, Remoteness, Stored, Target, Tier, Unfit, Values,
    extractor, set_distances,
};
use crate::error::LayersError;
use crate::forward::search::Forward;
use crate::rules::moves::Root;
use crate::sets::layer::{Kind, Layer, Part};
use crate::sets::set::Node;
use crate::solve::Options;
use std::collections::BTreeMap;
use winset_index::Digit;
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
const STEPS_TO_SOLVE: u64 = 4;

/// How many states of a part have each outcome.
pub type Tally = Vec<u64>;

/// The layers that are still needed, by measure.
pub struct Backward<'a> {
    game: &'a Game,
    /// The moves.
    pub forward: Forward,
    /// Their values.
    pub known: BTreeMap<i64, Known>,
    /// The number of digits of each block.
    pub digits: Vec<usize>,
    fast: bool,
    /// What each thread may use for joins.
    pub join_bytes: usize,
    /// What the values of a slice may take.
    pub slice_bytes: u64,
    /// Distances are asked for.
    pub distance: bool,
    nothing: (Target, Values),
}

impl<'a> Backward<'a> {
    /// No values yet.
    pub fn new(game: &'a Game, forward: Forward, options: &Options) -> Self {
        let (fast, distance) = (!options.portable, options.distance);
        let levels = forward.rules.frame.levels();
        let digits = (0..levels).map(|k| forward.rules.frame.digits(k)).collect();
        let empty = Layer { levels: vec![Default::default(); levels], ..Default::default() };
        let target = Target::new(&empty, &empty.counts(), &vec![1; levels], &forward.crew);
        let nothing = (target, Values::new(0, 0));
        let (known, join_bytes, slice_bytes) = (BTreeMap::new(), Joins::MOST, 0);
        Backward { game, forward, known, digits, fast, join_bytes, slice_bytes, distance, nothing }
    }

    /// Solves a layer all of whose successors are known, or in the layer itself. Returns for each part how
    /// many states have each outcome.
    pub fn solve(&mut self, layer: &Layer, room: &Room) -> Result<Vec<Tally>, LayersError> {
        let greatest = self.forward.greatest_gain();
        while self.known.last_key_value().is_some_and(|(&key, _)| key > layer.measure + greatest) {
            self.known.pop_last();
        }
        let counts = layer.counts();
        let target = Target::new(layer, &counts, &self.digits, &self.forward.crew);
        let current = Current { layer, counts: &counts, target: &target };
        let (tallies, values, distances) = match self.make_room(current, room)? {
            Fit::Here { left } => self.solve_here(current, left)?,
            Fit::Away(files) => self.solve_by_slices(current, &files)?,
        };
        self.known.insert(layer.measure, Known { target, values, distances });
        self.forward.rules.conds.work.spend(layer.len * STEPS_TO_SOLVE)?;
        Ok(tallies)
    }

    /// Tallies, values and distances of a layer, all in memory; n bytes are left for it.
    fn solve_here(
        &self,
        current: Current,
        left: u64,
    ) -> Result<(Vec<Tally>, Stored, Remoteness), LayersError> {
        let Current { layer, target, .. } = current;
        let mut values = Values::new(layer.len, self.forward.rules.outcomes.bits());
        let mut tallies = vec![vec![]; layer.parts.len()];
        for &(code, root) in &layer.ended {
            let part = Part { player: Player(0), kind: Kind::All, root, len: 0 };
            let places = self.lookups(layer, &part, target, &values).0;
            let pass = self.pass(current, &part, places, vec![]);
            Pass { always: Some(code), ..pass }.run(&values, &self.forward.crew);
        }
        let (staying, leaving) = self.staying_and_leaving(layer);
        for &i in &leaving {
            tallies[i] = self.solve_part(current, &layer.parts[i], &values, &values)?;
        }
        let mut distances = if self.distance { self.ended(layer, target) } else { vec![] };
        if self.distance {
            for &i in &leaving {
                let part = &layer.parts[i];
                self.distances_of(current, part, &values, &[], &mut distances);
            }
        }
        let solved = self.solve_tier(current, &staying, &values, &mut distances, left)?;
        match solved {
            Some(found) => found.into_iter().zip(&staying).for_each(|(tally, &i)| tallies[i] = tally),
            None => {
                values = self.repeat(current, &staying, values, &mut tallies)?;
                self.repeat_distances(current, &staying, &values, &mut distances);
            }
        }
        Ok((tallies, Stored::Here(values), Remoteness::Here(distances)))
    }

    /// Takes the values of a layer.
    pub fn insert(&mut self, measure: i64, target: Target, values: Values, distances: Vec<Distance>) {
        let (values, distances) = (Stored::Here(values), Remoteness::Here(distances));
        self.known.insert(measure, Known { target, values, distances });
    }

    /// Values of parts with moves inside the layer, by passes over them as long as anything changes.
    fn repeat(
        &self,
        current: Current,
        staying: &[usize],
        base: Values,
        tallies: &mut [Tally],
    ) -> Result<Values, LayersError> {
        if staying.is_empty() {
            return Ok(base);
        }
        let mut before = base.duplicate();
        let mut rounds = 0u64;
        loop {
            let after = base.duplicate();
            for &i in staying {
                tallies[i] = self.solve_part(current, &current.layer.parts[i], &before, &after)?;
                self.forward.rules.conds.work.spend(current.layer.len)?;
            }
            if after.equals(&before) {
                return Ok(after);
            }
            rounds += 1;
            self.check_rounds(rounds, current.layer)?;
            before = after;
        }
    }

    /// Values that have changed so often do so for ever, unless what one player wins the other loses.
    pub fn check_rounds(&self, rounds: u64, layer: &Layer) -> Result<(), LayersError> {
        if rounds > layer.len && !self.forward.rules.outcomes.is_opposed() {
            return Err(LayersError::NoValue);
        }
        Ok(())
    }

    /// The same for distances, when the values are known.
    fn repeat_distances(
        &self,
        current: Current,
        staying: &[usize],
        values: &Values,
        distances: &mut Vec<Distance>,
    ) {
        while self.distance && !staying.is_empty() {
            let before = distances.clone();
            for &i in staying {
                self.distances_of(current, &current.layer.parts[i], values, &before, distances);
            }
            if *distances == before {
                return;
            }
        }
    }

    /// Values, and distances if asked for, of parts whose moves can go in circles, as a graph. None if
    /// passes are better: there is nothing but passing, or more than two players' wins, or no room.
    fn solve_tier(
        &self,
        current: Current,
        staying: &[usize],
        values: &Values,
        distances: &mut [Distance],
        room: u64,
    ) -> Result<Option<Vec<Tally>>, LayersError> {
        let Current { layer, target, .. } = current;
        let circles = staying.iter().any(|&i| layer.parts[i].kind == Kind::All);
        let plain = self.game.is_win_draw_loss() && self.forward.rules.outcomes.len() == 3;
        let (per_state, per_move) = Tier::BYTES;
        let Some(rest) = room.checked_sub(per_state * layer.len) else { return Ok(None) };
        if !circles || !plain || layer.len >= u64::from(u32::MAX) {
            return Ok(None);
        }
        let mut tier = Tier::new(layer.len, rest / per_move);
        for &i in staying {
            let part = &layer.parts[i];
            let (targets, roots) = self.lookups(layer, part, target, values);
            let known = self.known_distances(layer, part, distances);
            let added = tier.add(&self.pass(current, part, targets, roots), &known);
            match added {
                Ok(()) => {}
                Err(Unfit::TooLarge) => return Ok(None),
                Err(Unfit::Stuck(rank)) => return Err(self.stuck(&target.unrank(layer, rank))),
            }
        }
        Ok(Some(tier.solve(values, distances)))
    }

    /// The distances of a layer of which only the terminal states' are known.
    fn ended(&self, layer: &Layer, target: &Target) -> Vec<Distance> {
        let mut distances = vec![NEVER_ENDS; layer.len as usize];
        for &(_, root) in &layer.ended {
            set_distances(layer, target, root, 0, &mut distances);
        }
        distances
    }

    /// The distances in each target of a part's pass; those of the layer itself are given.
    fn known_distances<'b>(&'b self, layer: &Layer, part: &Part, own: &'b [Distance]) -> Vec<&'b [Distance]> {
        let distances_at = |measure: &i64| match self.known.get(measure) {
            Some(known) => known.distances.here(),
            None => own,
        };
        self.measures_of(layer, part).iter().map(distances_at).chain([own]).collect()
    }

    /// The distances of a part's states from those of their successors.
    fn distances_of(
        &self,
        current: Current,
        part: &Part,
        values: &Values,
        before: &[Distance],
        after: &mut [Distance],
    ) {
        let (targets, roots) = self.lookups(current.layer, part, current.target, values);
        let known = self.known_distances(current.layer, part, before);
        let pass = self.pass(current, part, targets, roots);
        Distances { pass: &pass, known, values }.run(after);
    }

    /// The error for a state without moves.
    pub fn stuck(&self, digits: &[Digit]) -> LayersError {
        let state = self.forward.rules.frame.blocks.state(digits);
        LayersError::Stuck(self.game.print(&state))
    }

    /// The layer that was solved last and others that are still needed.
    pub fn known(&self, measure: i64) -> Option<&Known> {
        self.known.get(&measure)
    }

    /// The parts with moves that stay inside the layer, and the others.
    pub fn staying_and_leaving(&self, layer: &Layer) -> (Vec<usize>, Vec<usize>) {
        (0..layer.parts.len()).partition(|&i| self.stays(layer, &layer.parts[i]))
    }

    /// The part has moves that stay inside the layer.
    pub fn stays(&self, layer: &Layer, part: &Part) -> bool {
        self.moves_of(layer, part).any(|root| root.gain == 0)
    }

    fn moves_of(&self, layer: &Layer, part: &Part) -> impl Iterator<Item = &Root> {
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

    /// Where the moves of a part lead: targets, and roots of relations with their target's number.
    pub fn lookups<'b>(
        &'b self,
        layer: &Layer,
        part: &Part,
        own: &'b Target,
        own_values: &'b Values,
    ) -> (Vec<Lookup<'b>>, Vec<(u32, u32)>) {
        let measures = self.measures_of(layer, part);
        let target_of = |root: &Root| measures.iter().position(|&m| m == layer.measure + root.gain);
        let with_target = |root: &Root| Some((root.rel, target_of(root)? as u32));
        let roots = self.moves_of(layer, part).filter_map(with_target).collect();
        let mut targets: Vec<Lookup> = measures
            .iter()
            .map(|measure| match self.known.get(measure) {
                _ if *measure == layer.measure => Lookup { diagram: own, values: own_values },
                Some(known) => {
                    Lookup { diagram: &known.target, values: known.values.here().unwrap_or(&self.nothing.1) }
                }
                None => Lookup { diagram: &self.nothing.0, values: &self.nothing.1 },
            })
            .collect();
        targets.push(Lookup { diagram: own, values: own_values });
        (targets, roots)
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
            bottom: bottom(layer, part.root, counts),
            always: None,
            join_bytes: self.join_bytes,
            fast: self.fast,
            extract: extractor(self.fast),
        }
    }

    fn solve_part(
        &self,
        current: Current,
        part: &Part,
        before: &Values,
        after: &Values,
    ) -> Result<Tally, LayersError> {
        let (targets, roots) = self.lookups(current.layer, part, current.target, before);
        let pass = self.pass(current, part, targets, roots);
        let (tally, stuck) = pass.run(after, &self.forward.crew);
        stuck.map_or(Ok(tally), |digits| Err(self.stuck(&digits)))
    }
}

/// The level from which on the states below a node are handled together. Higher up there are fewer visits
/// but more distinct nodes, each of which must be prepared once.
fn bottom(layer: &Layer, root: Node, counts: &[Vec<u64>]) -> usize {
    /// Rough costs, in nanoseconds: of a visit, and of preparing one state for the several nodes of
    /// later layers that it meets.
    const VISIT: f64 = 150.0;
    const PREPARE: f64 = 200.0;
    let mut visits = vec![0f64; layer.levels[0].nodes()];
    visits[root as usize] = 1.0;
    let mut best = (f64::INFINITY, 0);
    for (k, level) in layer.levels.iter().enumerate() {
        let walks: f64 = visits.iter().sum();
        let states: f64 =
            visits.iter().zip(&counts[k]).filter(|(v, _)| **v > 0.0).map(|(_, &count)| count as f64).sum();
        let cost = walks * VISIT + states * PREPARE;
        // Words within a join are numbered by 32 bits.
        let fits = visits.iter().zip(&counts[k]).all(|(v, &count)| *v == 0.0 || count < 1 << 31);
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
