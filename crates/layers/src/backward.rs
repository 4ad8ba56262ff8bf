//! The backward pass: values of one layer from those of later ones.

use crate::error::LayersError;
use crate::forward::{Forward, Root};
use crate::layer::{Kind, Layer, Part};
use crate::outcomes::{Code, Outcomes};
use crate::set::Node;
use crate::solve::Options;
use crate::stream::{
    Away, Distance, Distances, Joins, Lookup, NEVER_ENDS, Pass, Slices, Stored, Target, Values, extractor,
    set_distances,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use winset_index::Digit;
use winset_model::Game;

/// A layer whose values are known.
pub struct Known {
    /// Its diagram.
    pub target: Target,
    /// Its values.
    pub values: Stored,
    /// The distance of every state, if asked for.
    pub distances: Vec<Distance>,
}

/// What a layer may take, and where values may wait.
pub struct Room {
    /// How many bytes; none: as many as there are.
    pub budget: Option<u64>,
    /// A directory of our own.
    pub directory: Option<PathBuf>,
    /// The values will be taken over as a whole.
    pub taken: bool,
}

/// How many states of a part have each outcome.
pub type Tally = Vec<u64>;

/// The layers that are still needed, by measure.
pub struct Backward<'a> {
    game: &'a Game,
    /// The moves.
    pub forward: Forward,
    known: BTreeMap<i64, Known>,
    /// The number of digits of each block.
    pub digits: Vec<usize>,
    threads: usize,
    fast: bool,
    join_bytes: usize,
    /// Distances are asked for.
    pub distance: bool,
    nothing: (Target, Values),
}

impl<'a> Backward<'a> {
    /// No values yet.
    pub fn new(game: &'a Game, forward: Forward, options: &Options) -> Self {
        let (threads, fast) = (options.threads.max(1), !options.portable);
        let distance = options.distance;
        let levels = forward.rules.frame.levels();
        let digits = (0..levels).map(|k| forward.rules.frame.digits(k)).collect();
        let empty = Layer { levels: vec![Default::default(); levels], ..Default::default() };
        let target = Target::new(&empty, &empty.counts(), &vec![1; levels]);
        let nothing = (target, Values::new(0, 0));
        let (known, join_bytes) = (BTreeMap::new(), Joins::MOST);
        Backward { game, forward, known, digits, threads, fast, join_bytes, distance, nothing }
    }

    /// Solves a layer all of whose successors are known, or in the layer itself. Returns for each part how
    /// many states have each outcome.
    pub fn solve(&mut self, layer: &Layer, room: &Room) -> Result<Vec<Tally>, LayersError> {
        let greatest = self.forward.greatest_gain();
        while self.known.last_key_value().is_some_and(|(&key, _)| key > layer.measure + greatest) {
            self.known.pop_last();
        }
        let counts = layer.counts();
        let target = Target::new(layer, &counts, &self.digits);
        let by_slices = self.make_room(layer, &target, room)?;
        let (tallies, values) = match by_slices {
            Some(path) => self.values_by_slices(layer, &counts, &target, &path)?,
            None => {
                let (tallies, values) = self.values(layer, &counts, &target)?;
                (tallies, Stored::Here(values))
            }
        };
        let distances = match &values {
            Stored::Here(values) if self.distance => self.distances(layer, &counts, &target, values),
            _ => vec![],
        };
        self.known.insert(layer.measure, Known { target, values, distances });
        Ok(tallies)
    }

    /// Sees that everything fits: values in memory if possible, else in files; then names the new one.
    fn make_room(
        &mut self,
        layer: &Layer,
        target: &Target,
        room: &Room,
    ) -> Result<Option<PathBuf>, LayersError> {
        let Some(budget) = room.budget else { return Ok(None) };
        // The least memory for joins, and for a slice of values.
        let least = (budget / 16).min(2 << 20);
        let bits = self.forward.rules.outcomes.bits();
        let iterates = layer.parts.iter().any(|part| self.stays(part));
        let per_state = if self.distance { size_of::<Distance>() as u64 } else { 0 };
        let own = Values::bytes_for(layer.len, bits);
        let diagrams = 2 * layer.bytes()
            + target.bytes()
            + self.known.values().map(|known| known.target.bytes()).sum::<u64>();
        let taken = if room.taken { 2 * (own + layer.len * per_state) + 3 * layer.bytes() } else { 0 };
        let here = self.known.values().map(|k| k.values.bytes_here() + k.distances.len() as u64 * per_state);
        let copies = if iterates { 3 } else { 1 };
        let threads = self.threads as u64;
        let passing = diagrams + own * copies + layer.len * per_state * copies.min(2) + here.sum::<u64>();
        let needed = passing + (least * threads).max(taken);
        if needed <= budget {
            self.join_bytes = ((budget - passing) / threads).min(Joins::MOST as u64) as usize;
            for known in self.known.values_mut() {
                let values = std::mem::replace(&mut known.values, Stored::Here(Values::new(0, 0)));
                known.values = values.bring_back().map_err(|e| LayersError::io(&room.directory, e))?;
            }
            return Ok(None);
        }
        let Some(directory) = room.directory.as_ref().filter(|_| !iterates && !self.distance) else {
            return Err(LayersError::Memory { layer: 0, needed, budget });
        };
        LayersError::check_memory(diagrams + (2 * least).max(taken), Some(budget))?;
        std::fs::create_dir_all(directory).map_err(|e| LayersError::io(&room.directory, e))?;
        let free = budget - diagrams;
        self.join_bytes = (free / 2).min(Joins::MOST as u64) as usize;
        for (measure, known) in &mut self.known {
            let values = std::mem::replace(&mut known.values, Stored::Here(Values::new(0, 0)));
            let path = directory.join(format!("values-{measure}"));
            known.values = values.send_away(&path).map_err(|e| LayersError::io(&room.directory, e))?;
        }
        Ok(Some(directory.join(format!("values-{}", layer.measure))))
    }

    /// The values of a layer, in memory.
    fn values(
        &self,
        layer: &Layer,
        counts: &[Vec<u64>],
        target: &Target,
    ) -> Result<(Vec<Tally>, Values), LayersError> {
        let outcomes = &self.forward.rules.outcomes;
        let mut values = Values::new(layer.len, outcomes.bits());
        let mut tallies = vec![vec![]; layer.parts.len()];
        for &(code, root) in &layer.ended {
            let part = Part { player: 0, kind: Kind::All, root, len: 0 };
            let places = self.lookups(layer, &part, target, &values).0;
            let pass = self.pass(layer, counts, &part, target, places, vec![]);
            Pass { always: Some(code), ..pass }.run(&values, self.threads);
        }
        let (staying, leaving): (Vec<usize>, Vec<usize>) =
            (0..layer.parts.len()).partition(|&i| self.stays(&layer.parts[i]));
        for i in leaving {
            tallies[i] = self.solve_part(layer, counts, &layer.parts[i], target, &values, &values)?;
        }
        if !staying.is_empty() {
            let base = values;
            let mut before = base.duplicate();
            let mut rounds = 0u64;
            values = loop {
                let after = base.duplicate();
                for &i in &staying {
                    tallies[i] = self.solve_part(layer, counts, &layer.parts[i], target, &before, &after)?;
                }
                if after.equals(&before) {
                    break after;
                }
                rounds += 1;
                if rounds > layer.len && !outcomes.is_opposed() {
                    return Err(LayersError::NoValue);
                }
                before = after;
            };
        }
        Ok((tallies, values))
    }

    /// The values of a layer in which no move stays, in a new file.
    fn values_by_slices(
        &self,
        layer: &Layer,
        counts: &[Vec<u64>],
        target: &Target,
        path: &Path,
    ) -> Result<(Vec<Tally>, Stored), LayersError> {
        let failure = |error| LayersError::io(&Some(path.to_owned()), error);
        let bits = self.forward.rules.outcomes.bits();
        let out = Away::new(path, layer.len, bits).map_err(failure)?;
        let nothing = Values::new(0, 0);
        let run = |part: &Part, always: Option<Code>| {
            let (targets, roots) = self.lookups(layer, part, target, &nothing);
            let roots = if always.is_none() { roots } else { vec![] };
            let pass = self.pass(layer, counts, part, target, targets, roots);
            let pass = Pass { always, ..pass };
            let measures = self.measures_of(layer, part);
            let known = measures.iter().map(|m| Some(&self.known.get(m)?.values));
            let known = known.chain([None]).collect();
            Slices { pass: &pass, known, out: &out, bits, room: self.join_bytes as u64 }
                .run()
                .map_err(failure)
        };
        for &(code, root) in &layer.ended {
            run(&Part { player: 0, kind: Kind::All, root, len: 0 }, Some(code))?;
        }
        let mut tallies = vec![];
        for part in &layer.parts {
            let (tally, stuck) = run(part, None)?;
            tallies.push(self.unless_stuck(tally, stuck)?);
        }
        Ok((tallies, Stored::Away(out)))
    }

    /// Takes the values of a layer.
    pub fn insert(&mut self, measure: i64, target: Target, values: Values, distances: Vec<Distance>) {
        self.known.insert(measure, Known { target, values: Stored::Here(values), distances });
    }

    /// The distances of a layer whose values are known: 0 for terminal states, the others from their
    /// successors, again and again as long as moves inside the layer change anything.
    fn distances(
        &self,
        layer: &Layer,
        counts: &[Vec<u64>],
        target: &Target,
        values: &Values,
    ) -> Vec<Distance> {
        let mut distances = vec![NEVER_ENDS; layer.len as usize];
        for &(_, root) in &layer.ended {
            set_distances(layer, target, root, 0, &mut distances);
        }
        let run = |part: &Part, before: &[Distance], after: &mut [Distance]| {
            let (targets, roots) = self.lookups(layer, part, target, values);
            let distances_at = |measure: &i64| match self.known.get(measure) {
                Some(known) => known.distances.as_slice(),
                None => before,
            };
            let known = self.measures_of(layer, part).iter().map(distances_at).chain([before]).collect();
            let pass = self.pass(layer, counts, part, target, targets, roots);
            Distances { pass: &pass, known, values }.run(after);
        };
        let (staying, leaving): (Vec<&Part>, Vec<&Part>) =
            layer.parts.iter().partition(|part| self.stays(part));
        for part in leaving {
            run(part, &[], &mut distances);
        }
        while !staying.is_empty() {
            let before = distances.clone();
            for part in &staying {
                run(part, &before, &mut distances);
            }
            if distances == before {
                break;
            }
        }
        distances
    }

    /// The layer that was solved last and others that are still needed.
    pub fn known(&self, measure: i64) -> Option<&Known> {
        self.known.get(&measure)
    }

    fn stays(&self, part: &Part) -> bool {
        self.moves_of(part).any(|root| root.gain == 0)
    }

    fn moves_of(&self, part: &Part) -> impl Iterator<Item = &Root> {
        let (player, kind) = (part.player, part.kind);
        self.forward.roots.iter().filter(move |root| root.player == player && root.kind == kind)
    }

    /// The measures of the layers that a part's moves lead to.
    fn measures_of(&self, layer: &Layer, part: &Part) -> Vec<i64> {
        let mut measures: Vec<i64> = self.moves_of(part).map(|root| layer.measure + root.gain).collect();
        measures.sort_unstable();
        measures.dedup();
        measures
    }

    /// Where the moves of a part lead: targets, and roots of relations with their target's number.
    fn lookups<'b>(
        &'b self,
        layer: &Layer,
        part: &Part,
        own: &'b Target,
        own_values: &'b Values,
    ) -> (Vec<Lookup<'b>>, Vec<(u32, u32)>) {
        let measures = self.measures_of(layer, part);
        let target_of = |root: &Root| measures.iter().position(|&m| m == layer.measure + root.gain);
        let with_target = |root: &Root| Some((root.rel, target_of(root)? as u32));
        let roots = self.moves_of(part).filter_map(with_target).collect();
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

    fn pass<'b>(
        &'b self,
        layer: &'b Layer,
        counts: &'b [Vec<u64>],
        part: &'b Part,
        own: &'b Target,
        targets: Vec<Lookup<'b>>,
        roots: Vec<(u32, u32)>,
    ) -> Pass<'b> {
        Pass {
            source: layer,
            counts,
            part,
            own,
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
        layer: &Layer,
        counts: &[Vec<u64>],
        part: &Part,
        own: &Target,
        before: &Values,
        after: &Values,
    ) -> Result<Tally, LayersError> {
        let (targets, roots) = self.lookups(layer, part, own, before);
        let pass = self.pass(layer, counts, part, own, targets, roots);
        let (tally, stuck) = pass.run(after, self.threads);
        self.unless_stuck(tally, stuck)
    }

    fn unless_stuck(&self, tally: Tally, stuck: Option<Vec<Digit>>) -> Result<Tally, LayersError> {
        match stuck {
            None => Ok(tally),
            Some(digits) => {
                let state = self.forward.rules.frame.blocks.state(&digits);
                Err(LayersError::Stuck(self.game.print(&state)))
            }
        }
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

/// The outcomes of a tally from the player's view: lost, drawn, won.
pub fn lost_drawn_won(outcomes: &Outcomes, tally: &[u64], player: usize) -> [u64; 3] {
    let mut result = [0; 3];
    for (code, &n) in tally.iter().enumerate() {
        result[outcomes.outcome(code as Code, player) as usize] += n;
    }
    result
}
