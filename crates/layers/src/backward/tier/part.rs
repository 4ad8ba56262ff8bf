//! One pass over a part of a layer, with values in memory or in files.

use crate::backward::layer_by_layer::{Backward, Current};
use crate::backward::room::Fit;
use crate::backward::stream::{
    Distance, Distances, Lookup, Pass, Remoteness, Slices, Source, Stored, Target,
};
use crate::backward::tier::Tally;
use crate::error::LayersError;
use crate::rules::moves::Root;
use crate::sets::layer::Part;
use std::io;
use winset_model::Code;

/// A walk over a part, and what it reads.
pub struct Task<'a> {
    /// The walk. Where values are in files it does not know them.
    pub pass: Pass<'a>,
    /// What is known of each of its targets; none: it has no values.
    known: Vec<Option<Source<'a>>>,
}

impl Backward<'_> {
    /// The walk over a part all of whose states have this outcome.
    pub fn ending<'b>(&'b self, current: Current<'b>, part: &'b Part, code: Code) -> Task<'b> {
        let own = vec![self.lookup(current.target)];
        let pass = Pass { always: Some(code), ..self.pass(current, part, own, vec![]) };
        Task { pass, known: vec![None] }
    }

    /// The walk over a part to find values; moves that stay inside the layer lead to states with these.
    pub fn task<'b>(&'b self, current: Current<'b>, part: &'b Part, inside: Option<&'b Stored>) -> Task<'b> {
        let inside = inside.map(|values| Source { values, distances: None });
        self.walk(current, part, &self.measures_of(current.layer, part), inside, false)
    }

    /// The walk over a part to find distances. None are given where no move stays inside the layer.
    pub fn measuring<'b>(
        &'b self,
        current: Current<'b>,
        part: &'b Part,
        inside: Option<(&'b Stored, &'b Remoteness)>,
    ) -> Task<'b> {
        let inside = inside.map(|(values, distances)| Source { values, distances: Some(distances) });
        self.walk(current, part, &self.measures_of(current.layer, part), inside, self.distance)
    }

    /// The walk over a part without the moves that leave the layer. States without a place have this value.
    pub fn inside<'b>(
        &'b self,
        current: Current<'b>,
        part: &'b Part,
        values: &'b Stored,
        default: Code,
    ) -> Task<'b> {
        let inside = Some(Source { values, distances: None });
        let mut task = self.walk(current, part, &[current.layer.measure], inside, false);
        task.pass.targets.iter_mut().for_each(|target| target.default = Some(default));
        task
    }

    /// The walk over a part with its moves to the layers of these measures.
    fn walk<'b>(
        &'b self,
        current: Current<'b>,
        part: &'b Part,
        measures: &[i64],
        inside: Option<Source<'b>>,
        far: bool,
    ) -> Task<'b> {
        let layer = current.layer;
        let (mut targets, mut known) = (vec![], vec![]);
        for measure in measures {
            let (mut lookup, source) = match self.known.get(measure) {
                _ if *measure == layer.measure => (self.lookup(current.target), inside),
                Some(known) => {
                    let distances = far.then_some(&known.distances);
                    (self.lookup(&known.target), Some(Source { values: &known.values, distances }))
                }
                None => (self.lookup(&self.nothing.0), None),
            };
            if let Some(values) = source.and_then(|source| source.values.here()) {
                lookup.values = values;
            }
            targets.push(lookup);
            known.push(source);
        }
        // The last is for finding places.
        targets.push(self.lookup(current.target));
        known.push(None);
        let target_of = |gain: i64| measures.iter().position(|&m| m == layer.measure + gain);
        let with_target = |root: &Root| Some((root.rel, target_of(root.gain)? as u32));
        let roots = self.moves_of(layer, part).filter_map(with_target).collect();
        Task { pass: self.pass(current, part, targets, roots), known }
    }

    /// A layer without values.
    fn lookup<'b>(&'b self, diagram: &'b Target) -> Lookup<'b> {
        Lookup { diagram, values: &self.nothing.1, default: diagram.default }
    }

    /// Writes the values of a part's states. Returns how many have each outcome.
    pub fn solve_part(&self, task: &Task, fit: &Fit, after: &Stored) -> Result<Tally, LayersError> {
        let (tally, stuck) = match after {
            Stored::Here(values) => task.pass.run(values, &self.forward.crew),
            Stored::Away(away) => {
                self.slices(task, after.bits()).solve(away).map_err(|error| fit.failure(error))?
            }
        };
        stuck.map_or(Ok(tally), |digits| Err(self.stuck(&digits)))
    }

    /// Writes the distances of a part's states, whose values are known. Says whether anything has changed.
    pub fn measure_part(&self, task: &Task, values: &Stored, out: &mut Remoteness) -> io::Result<bool> {
        if let (Stored::Here(values), Remoteness::Here(out)) = (values, &mut *out) {
            return Ok(Distances { pass: &task.pass, known: task.distances_here(), values }.run(out));
        }
        self.slices(task, values.bits()).measure(values, out)
    }

    fn slices<'b>(&self, task: &'b Task<'b>, bits: usize) -> Slices<'b> {
        Slices { pass: &task.pass, known: &task.known, bits, room: self.slice_bytes }
    }
}

impl Task<'_> {
    /// The distances in each target, as far as they are known and in memory.
    pub fn distances_here(&self) -> Vec<&[Distance]> {
        let distances = self.known.iter().map(|source| source.and_then(|source| source.distances));
        distances.map(|distances| distances.map_or(&[][..], Remoteness::here)).collect()
    }
}
