//! Layers whose values do not fit into memory, solved from files and into files.

use crate::backward::layer_by_layer::{Backward, Current, Tally};
use crate::backward::stream::{Away, Pass, Remoteness, Slices, Source, Stored, Values, each_rank};
use crate::error::LayersError;
use crate::sets::layer::{Kind, Part};
use std::io;
use std::path::Path;
use winset_model::{Code, Player};

impl Backward<'_> {
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
            let part = Part { player: Player(0), kind: Kind::All, root, len: 0 };
            self.slices(current, &part, Some(code), (None, false), |slices| slices.solve(&base))
                .map_err(failure)?;
        }
        let solve_part = |i: usize, before: Option<&Stored>, after: &Away| -> Result<Tally, LayersError> {
            let before = before.map(|values| Source { values, distances: None });
            let solved =
                self.slices(current, &layer.parts[i], None, (before, false), |slices| slices.solve(after));
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
            self.slices(current, &layer.parts[i], None, (own, true), |slices| slices.measure(values, &found))
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
    /// layer's states are taken to be worth; `far` says whether distances are needed besides values.
    fn slices<T>(
        &self,
        current: Current,
        part: &Part,
        always: Option<Code>,
        (own, far): (Option<Source>, bool),
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
            Some(Source { values: &known.values, distances: far.then_some(&known.distances) })
        };
        let known = self.measures_of(current.layer, part).iter().map(source).chain([None]).collect();
        let (bits, room) = (self.forward.rules.outcomes.bits(), self.slice_bytes);
        walk(&Slices { pass: &pass, known, bits, room })
    }
}
