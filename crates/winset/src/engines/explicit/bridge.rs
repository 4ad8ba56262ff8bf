//! Between the explicit engine and who keeps what it finds.

use super::numbering::Numbering;
use crate::checkpoint::{Checkpoint, FoundLayer, Past, PastLayer, SolvedLayer};
use crate::engine::{Cause, Stage, Watcher};
use std::collections::BTreeMap;
use std::time::Instant;
use winset_explicit::{Count, Distance, ExplicitError, Key, NEVER_ENDS, Observer, Values};
use winset_index::{Index, Planes};
use winset_model::{Code, CodeTable, grouped};

/// About the bytes that a position takes while it is put into a store.
const TAKEN: u64 = 24;

/// Tells the checkpoint and the watcher what the engine has found.
pub struct Bridge<'a> {
    numbering: &'a Numbering,
    /// Keeps what is found.
    pub checkpoint: &'a mut dyn Checkpoint,
    watcher: &'a mut dyn Watcher,
    distance: bool,
    clock: Instant,
    /// What each layer has taken.
    pub seconds: BTreeMap<usize, f64>,
    counts: Vec<Count>,
    /// How many tiers there are, once one of them is solved part by part.
    tiers: Option<u64>,
    /// What an earlier run has finished.
    past: Past,
    /// The layer of the past whose states were read last, and their places.
    read: Option<(usize, Index)>,
}

impl<'a> Bridge<'a> {
    /// Nothing is found but what is in the checkpoint.
    pub fn new(
        numbering: &'a Numbering,
        checkpoint: &'a mut dyn Checkpoint,
        watcher: &'a mut dyn Watcher,
        distance: bool,
        past: Past,
    ) -> Self {
        let (clock, seconds, counts, read) = (Instant::now(), BTreeMap::new(), vec![], None);
        let tiers = None;
        Bridge { numbering, checkpoint, watcher, distance, clock, seconds, counts, tiers, past, read }
    }

    /// An earlier run has found the values of a layer.
    fn is_solved(&self, number: usize) -> bool {
        self.past.layers.get(number).is_some_and(|past| past.solved.is_some())
    }

    /// The places of a layer of the past.
    fn places(&mut self, number: usize) -> Result<Index, Cause> {
        match self.read.take() {
            Some((read, index)) if read == number => Ok(index),
            _ => self.checkpoint.set(number),
        }
    }

    /// A layer is done; nothing is told of what an earlier run has finished.
    fn done(&mut self, number: usize, phase: &str, of: Option<u64>, new: bool) -> Result<(), ExplicitError> {
        *self.seconds.entry(number).or_default() += self.clock.elapsed().as_secs_f64();
        self.clock = Instant::now();
        if new {
            let positions = self.counts[number].positions;
            let message = format!("{} positions", grouped(positions));
            let (done, positions) = (number as u64, Some(positions.into()));
            self.watcher.stage(&Stage { phase, done, of, positions, message: &message });
        }
        // After the last piece of the work nothing is left to stop.
        let through = phase == "backward" && number == 0;
        if !through && self.watcher.stop() { Err(ExplicitError::Stopped) } else { Ok(()) }
    }
}

impl<K: Key> Observer<K> for Bridge<'_> {
    fn past(&mut self) -> Option<winset_explicit::Past> {
        let count = |layer: &PastLayer| Count {
            measure: layer.measure,
            positions: layer.positions,
            terminal_by_code: layer.terminal_by_code.clone(),
            mover: layer.mover,
        };
        self.counts = self.past.layers.iter().map(count).collect();
        let (codes, tiers, complete) = (self.past.codes.clone(), self.counts.clone(), self.past.complete);
        (!tiers.is_empty()).then_some(winset_explicit::Past { codes, tiers, complete })
    }

    fn past_states(&mut self, number: usize) -> Result<Option<Vec<K>>, ExplicitError> {
        let index = self.places(number)?;
        let keys = self.numbering.keys(&index);
        self.read = Some((number, index));
        Ok(keys)
    }

    fn past_values(&mut self, number: usize, states: u64) -> Result<Option<Values>, ExplicitError> {
        if !self.is_solved(number) {
            return Ok(None);
        }
        let index = self.places(number)?;
        let (codes, distances) = self.checkpoint.values(number, &index)?;
        if codes.len() != states || distances.as_ref().is_some_and(|distances| distances.len() != states) {
            return Err(ExplicitError::Damaged);
        }
        let known = self.past.codes.len() as u32;
        let codes = (0..states).map(|rank| Some(codes.get(rank)).filter(|&code| code < known));
        let codes = codes.map(|code| code.map(|code| code as Code)).collect::<Option<Vec<Code>>>();
        let distance = |plies: u32| match plies.checked_sub(1) {
            None => NEVER_ENDS,
            // More than can be told here were not told when they were put there.
            Some(plies) => Distance::try_from(plies).unwrap_or(NEVER_ENDS - 1),
        };
        // Where they are not kept nobody asks for them, and every play ends.
        let of = |rank| distances.as_ref().map_or(0, |distances| distance(distances.get(rank)));
        let distances = (0..states).map(of).collect();
        Ok(Some(Values { codes: codes.ok_or(ExplicitError::Damaged)?, distances }))
    }

    fn looked_at(&mut self, number: usize) -> Result<(), ExplicitError> {
        self.read = None;
        self.done(number, "forward", None, false)
    }

    fn counted(
        &mut self,
        number: usize,
        count: &Count,
        parts: (u64, u64),
        solved: bool,
    ) -> Result<(), ExplicitError> {
        *self.seconds.entry(number).or_default() += self.clock.elapsed().as_secs_f64();
        self.clock = Instant::now();
        let message = format!("{} positions in {} parts", grouped(count.positions), grouped(parts.0));
        let (done, positions) = (number as u64, Some(count.positions.into()));
        let of = solved.then(|| *self.tiers.get_or_insert(done + 1));
        let phase = if solved { "backward" } else { "forward" };
        self.watcher.stage(&Stage { phase, done, of, positions, message: &message });
        // After the last piece of the work nothing is left to stop.
        if !(solved && number == 0) && self.watcher.stop() { Err(ExplicitError::Stopped) } else { Ok(()) }
    }

    fn begins_again(&mut self) {
        self.counts.clear();
        self.seconds.clear();
    }

    fn room(&self, states: u64) -> u64 {
        if self.checkpoint.takes_values() { states * TAKEN } else { 0 }
    }

    fn found(
        &mut self,
        number: usize,
        count: &Count,
        going: &[K],
        outcomes: &CodeTable,
    ) -> Result<(), ExplicitError> {
        self.counts.push(count.clone());
        if let Some(past) = self.past.layers.get(number) {
            if past.positions != count.positions {
                let (theirs, ours) = (grouped(past.positions), grouped(count.positions));
                let cause =
                    format!("layer {number} of the store has {theirs} positions, by the rules it has {ours}");
                return Err(ExplicitError::Refused(cause.into()));
            }
            return self.done(number, "forward", None, false);
        }
        self.checkpoint.put_set(&FoundLayer {
            number,
            measure: count.measure,
            positions: count.positions,
            terminal_by_code: count.terminal_by_code.clone(),
            mover: count.mover,
            unclear: false,
            codes: outcomes.table(),
            index: &|| Ok(self.numbering.index(going)),
        })?;
        self.done(number, "forward", None, true)
    }

    fn solved(
        &mut self,
        number: usize,
        going: &[K],
        values: &Values,
        by_code: Vec<u64>,
        outcomes: &CodeTable,
    ) -> Result<(), ExplicitError> {
        let Values { codes, distances } = values;
        let of = Some(self.counts.len() as u64);
        if self.is_solved(number) {
            return self.done(number, "backward", of, false);
        }
        let plies = |&distance: &Distance| if distance == NEVER_ENDS { 0 } else { u32::from(distance) + 1 };
        self.checkpoint.put_values(&SolvedLayer {
            number,
            measure: self.counts[number].measure,
            by_code,
            codes: outcomes.table(),
            index: &|| Ok(self.numbering.index(going)),
            values: &|| Ok(planes(codes.iter().map(|&code| code.into()), outcomes.bits())),
            leaves: None,
            distances: &|| {
                let longest = distances.iter().map(plies).max().unwrap_or(0);
                let bits = (u32::BITS - longest.leading_zeros()).max(1) as usize;
                Ok(self.distance.then(|| planes(distances.iter().map(plies), bits)))
            },
        })?;
        self.done(number, "backward", of, true)
    }
}

/// Numbers in rank order.
fn planes(numbers: impl ExactSizeIterator<Item = u32>, bits: usize) -> Planes {
    let mut planes = Planes::new(numbers.len() as u64, bits);
    (0..).zip(numbers).for_each(|(rank, number)| planes.set(rank, number));
    planes
}
