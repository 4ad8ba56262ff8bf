//! Which values are in memory while a layer is solved, and which in files.

use crate::backward::{Backward, Current, Tally};
use crate::error::LayersError;
use crate::layer::{Kind, Part};
use crate::outcomes::Code;
use crate::stream::{Away, Distance, Joins, Pass, Slices, Stored, Values};
use std::path::{Path, PathBuf};

/// What a layer may take, and where values may wait.
pub struct Room {
    /// How many bytes; none: as many as there are.
    pub budget: Option<u64>,
    /// A directory of our own.
    pub directory: Option<PathBuf>,
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
    /// With the values in files; its own in this one.
    Away(PathBuf),
}

impl Backward<'_> {
    /// Sees that everything fits: values in memory if possible, else in files.
    pub fn make_room(
        &mut self,
        Current { layer, target, .. }: Current,
        room: &Room,
    ) -> Result<Fit, LayersError> {
        let Some(budget) = room.budget else { return Ok(Fit::Here { left: u64::MAX }) };
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
        let here = self.known.values().map(|k| k.values.bytes_here() + k.distances.len() as u64 * per_state);
        let copies = if iterates { 3 } else { 1 };
        let threads = self.forward.crew.threads() as u64;
        let passing = diagrams + own * copies + layer.len * per_state * copies.min(2) + here.sum::<u64>();
        let needed = passing + (least * threads).max(taken);
        if needed <= budget {
            self.join_bytes = ((budget - passing) / threads).min(Joins::MOST as u64) as usize;
            for known in self.known.values_mut() {
                let values = std::mem::replace(&mut known.values, Stored::Here(Values::new(0, 0)));
                known.values = values.bring_back().map_err(|e| LayersError::io(&room.directory, e))?;
            }
            return Ok(Fit::Here { left: budget - passing });
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
        Ok(Fit::Away(directory.join(format!("values-{}", layer.measure))))
    }

    /// The values of a layer in which no move stays, in a new file.
    pub fn solve_by_slices(
        &self,
        current: Current,
        path: &Path,
    ) -> Result<(Vec<Tally>, Stored), LayersError> {
        let Current { layer, target, .. } = current;
        let failure = |error| LayersError::io(&Some(path.to_owned()), error);
        let bits = self.forward.rules.outcomes.bits();
        let out = Away::new(path, layer.len, bits).map_err(failure)?;
        let nothing = Values::new(0, 0);
        let run = |part: &Part, always: Option<Code>| {
            let (targets, roots) = self.lookups(layer, part, target, &nothing);
            let roots = if always.is_none() { roots } else { vec![] };
            let pass = self.pass(current, part, targets, roots);
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
            tallies.push(stuck.map_or(Ok(tally), |digits| Err(self.stuck(&digits)))?);
        }
        Ok((tallies, Stored::Away(out)))
    }
}
