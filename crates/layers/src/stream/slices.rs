//! Solving a part slice by slice, with only the values in memory that a slice needs.
//!
//! All states below a place of the walk have their successors below the place's cursors, each of which is
//! one run of ranks. These runs are copied one after the other, the cursors are moved to where they are
//! now, and the slice is solved as if nothing else were there.

use crate::stream::away::{Away, Stored};
use crate::stream::join::Joins;
use crate::stream::pass::{Lookup, Pass, Place, Worker};
use crate::stream::values::Values;
use rustc_hash::FxHashMap;
use std::io;
use winset_index::Digit;

/// What a walk by slices needs besides the pass.
pub struct Slices<'a> {
    /// The pass; the values of its targets are not looked at.
    pub pass: &'a Pass<'a>,
    /// The values of each target; none: it has none.
    pub known: Vec<Option<&'a Stored>>,
    /// Where results are written.
    pub out: &'a Away,
    /// The bits of a code.
    pub bits: usize,
    /// About how many bytes a slice may take.
    pub room: u64,
}

struct State {
    joins: Joins,
    tally: Vec<u64>,
    stuck: Option<u64>,
}

impl Slices<'_> {
    /// As [`Pass::run`].
    pub fn run(&self) -> io::Result<(Vec<u64>, Option<Vec<Digit>>)> {
        let tally = vec![0; self.pass.outcomes.len()];
        let mut state = State { joins: Joins::new(self.pass.join_bytes), tally, stuck: None };
        self.walk(self.pass.top(), &mut state)?;
        Ok((state.tally, state.stuck.map(|rank| self.pass.own.unrank(self.pass.source, rank))))
    }

    /// The memory that the values of a slice take.
    fn bytes(&self, place: &Place) -> u64 {
        let below = |target: u32, node| self.pass.targets[target as usize].diagram.count(place.level, node);
        let read: u64 = place.cursors.iter().map(|c| below(c.target, c.node)).sum();
        (read + self.pass.own.count(place.level, place.own.0)) * self.bits as u64 / 8
    }

    fn walk(&self, place: Place, state: &mut State) -> io::Result<()> {
        if place.level == self.pass.bottom || self.bytes(&place) <= self.room {
            return self.solve(place, state);
        }
        for child in self.pass.children(place) {
            self.walk(child, state)?;
        }
        Ok(())
    }

    fn solve(&self, mut place: Place, state: &mut State) -> io::Result<()> {
        let pass = self.pass;
        let mut planes: Vec<Vec<Vec<u64>>> = vec![vec![vec![]; self.bits]; pass.targets.len()];
        let mut moved: FxHashMap<(u32, u64), (u64, usize)> = FxHashMap::default();
        for cursor in &mut place.cursors {
            let diagram = pass.targets[cursor.target as usize].diagram;
            let len = diagram.count(place.level, cursor.node);
            let Some(known) = self.known[cursor.target as usize].filter(|_| len > 0) else { continue };
            let planes = &mut planes[cursor.target as usize];
            let words = ((cursor.rank + len) / 64 - cursor.rank / 64 + 1) as usize;
            let begin = match moved.get(&(cursor.target, cursor.rank)) {
                Some(&(begin, copied)) if copied >= words => begin,
                _ => {
                    let begin = planes[0].len();
                    for (bit, plane) in planes.iter_mut().enumerate() {
                        plane.resize(begin + words, 0);
                        known.read(bit, cursor.rank / 64, &mut plane[begin..])?;
                    }
                    moved.insert((cursor.target, cursor.rank), (begin as u64, words));
                    begin as u64
                }
            };
            cursor.rank = begin * 64 + cursor.rank % 64;
        }
        let values: Vec<Values> = planes.into_iter().map(Values::of_words).collect();
        let with_values = pass.targets.iter().zip(&values);
        let targets: Vec<Lookup> =
            with_values.map(|(lookup, values)| Lookup { diagram: lookup.diagram, values }).collect();
        let first = place.own.1 / 64;
        let len = place.own.1 % 64 + pass.own.count(place.level, place.own.0);
        place.own.1 %= 64;
        let out = Values::new(len, self.bits);
        let local = Pass { targets, roots: vec![], ..*pass };
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
            self.out.add(bit, first, &words)?;
        }
        Ok(())
    }
}
