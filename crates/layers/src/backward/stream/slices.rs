//! Solving a part slice by slice, with only the values in memory that a slice needs.
//!
//! All states below a place of the walk have their successors below the place's cursors, each of which is
//! one run of ranks. These runs are copied one after the other, the cursors are moved to where they are
//! now, and the slice is solved as if nothing else were there.

use crate::backward::stream::away::{Away, Stored};
use crate::backward::stream::distance::{Distance, Distances};
use crate::backward::stream::join::Joins;
use crate::backward::stream::pass::{Lookup, Pass, Place, Worker};
use crate::backward::stream::remoteness::Remoteness;
use crate::backward::stream::values::Values;
use rustc_hash::FxHashMap;
use std::io;
use winset_index::Digit;

/// What is known of a target.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The values.
    pub values: &'a Stored,
    /// The distances, where they are asked for.
    pub distances: Option<&'a Remoteness>,
}

/// What a walk by slices needs besides the pass.
pub struct Slices<'a> {
    /// The pass; the values of its targets are not looked at.
    pub pass: &'a Pass<'a>,
    /// What is known of each target; none: it has no values.
    pub known: &'a [Option<Source<'a>>],
    /// The bits of a code.
    pub bits: usize,
    /// About how many bytes a slice may take.
    pub room: u64,
}

/// What the cursors of a slice need of every target.
struct Copied {
    values: Vec<Values>,
    distances: Vec<Vec<Distance>>,
}

struct State {
    joins: Joins,
    tally: Vec<u64>,
    stuck: Option<u64>,
}

impl Slices<'_> {
    /// As [`Pass::run`], into a file.
    pub fn solve(&self, out: &Away) -> io::Result<(Vec<u64>, Option<Vec<Digit>>)> {
        let tally = vec![0; self.pass.outcomes.len()];
        let mut state = State { joins: Joins::new(self.pass.join_bytes), tally, stuck: None };
        let deepest = self.pass.bottom;
        self.walk(self.pass.top(), deepest, &mut |place| self.solve_slice(place, out, &mut state))?;
        Ok((state.tally, state.stuck.map(|rank| self.pass.own.unrank(self.pass.source, rank))))
    }

    /// As [`Distances::run`], into a file; `own` are the values of the layer itself. Says whether anything
    /// has changed.
    pub fn measure(&self, own: &Stored, out: &mut Remoteness) -> io::Result<bool> {
        let mut changed = false;
        let deepest = self.pass.source.levels.len();
        self.walk(self.pass.top(), deepest, &mut |place| {
            changed |= self.measure_slice(place, own, out)?;
            Ok(())
        })?;
        Ok(changed)
    }

    /// The memory that the values of a slice take.
    fn bytes(&self, place: &Place) -> u64 {
        let below = |target: u32, node| self.pass.targets[target as usize].diagram.count(place.level, node);
        let read: u64 = place.cursors.iter().map(|c| below(c.target, c.node)).sum();
        let states = read + self.pass.own.count(place.level, place.own.0);
        let far = self.known.iter().flatten().any(|known| known.distances.is_some());
        states * self.bits as u64 / 8 + if far { states * size_of::<Distance>() as u64 } else { 0 }
    }

    /// Cuts the states below a place into slices that fit, but not deeper than this level.
    fn walk(
        &self,
        place: Place,
        deepest: usize,
        visit: &mut dyn FnMut(Place) -> io::Result<()>,
    ) -> io::Result<()> {
        if place.level == deepest || self.bytes(&place) <= self.room {
            return visit(place);
        }
        for child in self.pass.children(place) {
            self.walk(child, deepest, visit)?;
        }
        Ok(())
    }

    /// Copies what the cursors of a place need, and moves them there.
    fn copy(&self, place: &mut Place) -> io::Result<Copied> {
        let pass = self.pass;
        let mut planes: Vec<Vec<Vec<u64>>> = vec![vec![vec![]; self.bits]; pass.targets.len()];
        let mut distances: Vec<Vec<Distance>> = vec![vec![]; pass.targets.len()];
        let mut moved: FxHashMap<(u32, u64), (u64, usize)> = FxHashMap::default();
        // Where the next run of each target goes; there are no planes where all states have the same value.
        let mut ends = vec![0; pass.targets.len()];
        for cursor in &mut place.cursors {
            let target = cursor.target as usize;
            let len = pass.targets[target].diagram.count(place.level, cursor.node);
            let Some(known) = self.known[target].filter(|_| len > 0) else { continue };
            let planes = &mut planes[target];
            let words = ((cursor.rank + len) / 64 - cursor.rank / 64 + 1) as usize;
            let begin = match moved.get(&(cursor.target, cursor.rank)) {
                Some(&(begin, copied)) if copied >= words => begin,
                _ => {
                    let begin: usize = ends[target];
                    ends[target] += words;
                    for (bit, plane) in planes.iter_mut().enumerate() {
                        plane.resize(begin + words, 0);
                        known.values.read(bit, cursor.rank / 64, &mut plane[begin..])?;
                    }
                    if let Some(remoteness) = known.distances {
                        let part = remoteness.part(cursor.rank / 64 * 64, words as u64 * 64)?;
                        distances[target].extend_from_slice(&part);
                        distances[target].resize((begin + words) * 64, 0);
                    }
                    moved.insert((cursor.target, cursor.rank), (begin as u64, words));
                    begin as u64
                }
            };
            cursor.rank = begin * 64 + cursor.rank % 64;
        }
        Ok(Copied { values: planes.into_iter().map(Values::of_words).collect(), distances })
    }

    /// The pass over nothing but what was copied.
    fn local<'b>(&'b self, copied: &'b Copied) -> Pass<'b> {
        let with_values = self.pass.targets.iter().zip(&copied.values);
        let targets = with_values.map(|(lookup, values)| Lookup { values, ..*lookup });
        Pass { targets: targets.collect(), roots: vec![], ..*self.pass }
    }

    fn solve_slice(&self, mut place: Place, file: &Away, state: &mut State) -> io::Result<()> {
        let copied = self.copy(&mut place)?;
        let (first, len) = self.begin(&mut place);
        let local = self.local(&copied);
        let out = Values::new(len, self.bits);
        let mut worker = Worker::new(&local, &out);
        worker.joins = std::mem::take(&mut state.joins);
        worker.run(&place);
        state.joins = std::mem::take(&mut worker.joins);
        state.tally.iter_mut().zip(&worker.tally).for_each(|(sum, n)| *sum += n);
        let stuck = worker.stuck.map(|rank| first * 64 + rank);
        state.stuck = state.stuck.into_iter().chain(stuck).min();
        let mut words = vec![0; (len / 64 + 1) as usize];
        for bit in 0..self.bits {
            out.copy_words(bit, 0, &mut words);
            file.add(bit, first, &words)?;
        }
        Ok(())
    }

    fn measure_slice(&self, mut place: Place, own: &Stored, file: &mut Remoteness) -> io::Result<bool> {
        let copied = self.copy(&mut place)?;
        let (first, len) = self.begin(&mut place);
        let local = self.local(&copied);
        let values = own.part(first, (len / 64 + 1) as usize)?;
        let mut distances = file.part(first * 64, len)?.into_owned();
        let known = copied.distances.iter().map(Vec::as_slice).collect();
        let changed = Distances { pass: &local, known, values: &values }.run_below(&place, &mut distances);
        if changed {
            file.write(first * 64, &distances)?;
        }
        Ok(changed)
    }

    /// Counts a place's own ranks from the word with the first of them; returns that word and where they end.
    fn begin(&self, place: &mut Place) -> (u64, u64) {
        let first = place.own.1 / 64;
        place.own.1 %= 64;
        (first, place.own.1 + self.pass.own.count(place.level, place.own.0))
    }
}
