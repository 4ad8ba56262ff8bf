//! Which values are in memory while a layer is solved, and which in files.

use crate::backward::{Backward, Current, Known, Tally};
use crate::error::LayersError;
use crate::layer::{Kind, Part};
use crate::outcomes::Code;
use crate::stream::{Away, Distance, Joins, Pass, Remoteness, Slices, Source, Stored, Values, each_rank};
use std::io;
use std::path::{Path, PathBuf};

/// What a layer may take, and where values may wait.
pub struct Room {
    /// How many bytes; none: as many as there are.
    pub budget: Option<u64>,
    /// A directory of our own.
    pub directory: Option<PathBuf>,
    /// How many bytes of values may be in memory at a time.
    pub values: Option<u64>,
    /// The values will be taken over as a whole.
    pub taken: bool,
}

/// How a layer fits.
pub enum Fit {
    /// All in memory.
    Here {
        /// So many bytes are left.
        left: u64,
    },
    /// With the values in files; its own in new ones whose names begin like this.
    Away(PathBuf),
}

impl Backward<'_> {
    /// Sees that everything fits: values in memory if possible, else in files.
    pub fn make_room(
        &mut self,
        Current { layer, target, .. }: Current,
        room: &Room,
    ) -> Result<Fit, LayersError> {
        if room.budget.is_none() && room.values.is_none() {
            return Ok(Fit::Here { left: u64::MAX });
        }
        let budget = room.budget.unwrap_or(u64::MAX);
        let failure = |error| LayersError::io(&room.directory, error);
        // The least memory for joins, and for a slice of values.
        let least = (budget / 16).min(2 << 20);
        let bits = self.forward.rules.outcomes.bits();
        let iterates = layer.parts.iter().any(|part| self.stays(layer, part));
        let per_state = if self.distance { size_of::<Distance>() as u64 } else { 0 };
        let own = Values::bytes_for(layer.len, bits);
        let diagrams = 2 * layer.bytes()
            + target.bytes()
            + self.known.values().map(|known| known.target.bytes()).sum::<u64>();
        let taken = if room.taken { 2 * (own + layer.len * per_state) + 3 * layer.bytes() } else { 0 };
        let here = self.known.values().map(|k| k.values.bytes_here() + k.distances.len() * per_state);
        let copies = if iterates { 3 } else { 1 };
        let threads = self.forward.crew.threads() as u64;
        let values = own * copies + layer.len * per_state * copies.min(2) + here.sum::<u64>();
        let passing = diagrams + values;
        let needed = passing + (least * threads).max(taken);
        if needed <= budget && room.values.is_none_or(|most| values <= most) {
            self.join_bytes = ((budget - passing) / threads).min(Joins::MOST as u64) as usize;
            for known in self.known.values_mut() {
                known.replace(Stored::bring_back, Remoteness::bring_back).map_err(failure)?;
            }
            return Ok(Fit::Here { left: budget - passing });
        }
        let Some(directory) = &room.directory else {
            return Err(LayersError::Memory { layer: 0, needed, budget });
        };
        LayersError::check_memory(diagrams + (2 * least).max(taken), Some(budget))?;
        std::fs::create_dir_all(directory).map_err(failure)?;
        let free = budget - diagrams;
        self.join_bytes = (free / 2).min(Joins::MOST as u64) as usize;
        self.slice_bytes = room.values.unwrap_or(u64::MAX).min(self.join_bytes as u64);
        for (measure, known) in &mut self.known {
            let path = |what: &str| directory.join(format!("layer-{measure}.{what}"));
            known
                .replace(|v| v.send_away(&path("values")), |d| d.send_away(&path("distances")))
                .map_err(failure)?;
        }
        Ok(Fit::Away(directory.join(format!("layer-{}", layer.measure))))
    }

    /// Tallies, values and distances of a layer, in new files.
    pub fn solve_by_slices(
        &self,
        current: Current,
        files: &Path,
    ) -> Result<(Vec<Tally>, Stored, Remoteness), LayersError> {
        let layer = current.layer;
        let failure = |error| LayersError::io(&Some(files.to_owned()), error);
        let bits = self.forward.rules.outcomes.bits();
        let base = Away::new(&files.with_extension("values"), layer.len, bits).map_err(failure)?;
        for &(code, root) in &layer.ended {
            let part = Part { player: 0, kind: Kind::All, root, len: 0 };
            self.slices(current, &part, Some(code), None, |slices| slices.solve(&base)).map_err(failure)?;
        }
        let solve_part = |i: usize, before: Option<&Stored>, after: &Away| -> Result<Tally, LayersError> {
            let before = before.map(|values| Source { values, distances: None });
            let solved = self.slices(current, &layer.parts[i], None, before, |slices| slices.solve(after));
            let (tally, stuck) = solved.map_err(failure)?;
            stuck.map_or(Ok(tally), |digits| Err(self.stuck(&digits)))
        };
        let (staying, leaving) = self.staying_and_leaving(layer);
        let mut tallies = vec![vec![]; layer.parts.len()];
        for i in leaving.iter().copied() {
            tallies[i] = solve_part(i, None, &base)?;
        }
        let mut values = base;
        if !staying.is_empty() {
            let copy = |of: &Away, round: u64| {
                of.duplicate(&files.with_extension(format!("round-{round}"))).map_err(failure)
            };
            let (base, mut round) = (values, 0);
            let mut before = Stored::Away(copy(&base, round)?);
            values = loop {
                round += 1;
                let after = copy(&base, round)?;
                for &i in &staying {
                    tallies[i] = solve_part(i, Some(&before), &after)?;
                }
                if matches!(&before, Stored::Away(before) if after.equals(before).map_err(failure)?) {
                    break after;
                }
                self.check_rounds(round, layer)?;
                before = Stored::Away(after);
            };
        }
        let values = Stored::Away(values);
        let distances = match self.distance {
            true => self.distances_by_slices(current, &values, files).map_err(failure)?,
            false => Remoteness::Here(vec![]),
        };
        Ok((tallies, values, distances))
    }

    /// The distances of a layer whose values are known, in a new file.
    fn distances_by_slices(&self, current: Current, values: &Stored, files: &Path) -> io::Result<Remoteness> {
        let Current { layer, target, .. } = current;
        let found = Remoteness::unknown(&files.with_extension("distances"), layer.len)?;
        for &(_, root) in &layer.ended {
            let mut ends = found.ends();
            each_rank(layer, target, root, &mut |rank| ends.add(rank));
            ends.finish()?;
        }
        let (staying, leaving) = self.staying_and_leaving(layer);
        let measure = |i: usize, before: Option<&Remoteness>| {
            let own = before.map(|before| Source { values, distances: Some(before) });
            self.slices(current, &layer.parts[i], None, own, |slices| slices.measure(values, &found))
        };
        for &i in &leaving {
            measure(i, None)?;
        }
        let mut changed = !staying.is_empty();
        while changed {
            changed = false;
            let before = found.duplicate(&files.with_extension("before"))?;
            for &i in &staying {
                changed |= measure(i, Some(&before))?;
            }
        }
        Ok(found)
    }

    /// Walks over a part by slices. `always` is an outcome that all its states have; `own` is what the
    /// layer's states are taken to be worth.
    fn slices<T>(
        &self,
        current: Current,
        part: &Part,
        always: Option<Code>,
        own: Option<Source>,
        walk: impl FnOnce(&Slices) -> io::Result<T>,
    ) -> io::Result<T> {
        let nothing = Values::new(0, 0);
        let (targets, roots) = self.lookups(current.layer, part, current.target, &nothing);
        let roots = if always.is_none() { roots } else { vec![] };
        let pass = Pass { always, ..self.pass(current, part, targets, roots) };
        let source = |measure: &i64| {
            if *measure == current.layer.measure {
                return own;
            }
            let known = self.known.get(measure)?;
            Some(Source { values: &known.values, distances: self.distance.then_some(&known.distances) })
        };
        let known = self.measures_of(current.layer, part).iter().map(source).chain([None]).collect();
        let (bits, room) = (self.forward.rules.outcomes.bits(), self.slice_bytes);
        walk(&Slices { pass: &pass, known, bits, room })
    }
}

impl Known {
    /// Moves the values and distances to another place.
    fn replace(
        &mut self,
        values: impl FnOnce(Stored) -> io::Result<Stored>,
        distances: impl FnOnce(Remoteness) -> io::Result<Remoteness>,
    ) -> io::Result<()> {
        self.values = values(std::mem::replace(&mut self.values, Stored::Here(Values::new(0, 0))))?;
        self.distances = distances(std::mem::replace(&mut self.distances, Remoteness::Here(vec![])))?;
        Ok(())
    }
}
