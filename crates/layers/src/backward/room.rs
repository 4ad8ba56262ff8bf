//! Which values are in memory while a layer is solved, and which in files.

use crate::backward::layer_by_layer::{Backward, Current, Known};
use crate::backward::stream::{Distance, Joins, Remoteness, Stored, Values};
use crate::error::LayersError;
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
        /// The bytes that are left.
        left: u64,
    },
    /// With the values in files; its own in new ones whose names begin like this.
    Away(PathBuf),
}

impl Fit {
    /// The file of this kind, where values are in files.
    pub fn file(&self, kind: &str) -> Option<PathBuf> {
        match self {
            Fit::Here { .. } => None,
            Fit::Away(begin) => Some(begin.with_extension(kind)),
        }
    }

    /// A file could not be written or read.
    pub fn failure(&self, error: io::Error) -> LayersError {
        LayersError::io(&self.file("").as_deref().and_then(Path::parent).map(Path::to_owned), error)
    }
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
        let most = room.values.filter(|_| room.directory.is_some());
        if needed <= budget && most.is_none_or(|most| values <= most) {
            self.join_bytes = ((budget - passing) / threads).min(Joins::MOST as u64) as usize;
            for known in self.known.values_mut() {
                known.replace(Stored::bring_back, Remoteness::bring_back).map_err(failure)?;
            }
            return Ok(Fit::Here { left: budget - passing });
        }
        let Some(directory) = &room.directory else {
            return Err(LayersError::memory(needed, budget));
        };
        LayersError::check_memory(diagrams + (2 * least).max(taken), Some(budget))?;
        std::fs::create_dir_all(directory).map_err(failure)?;
        let free = budget - diagrams;
        self.join_bytes = (free / 2).min(Joins::MOST as u64) as usize;
        self.slice_bytes = most.unwrap_or(u64::MAX).min(self.join_bytes as u64);
        for (measure, known) in &mut self.known {
            let path = |what: &str| directory.join(format!("layer-{measure}.{what}"));
            known
                .replace(|v| v.send_away(&path("values")), |d| d.send_away(&path("distances")))
                .map_err(failure)?;
        }
        Ok(Fit::Away(directory.join(format!("layer-{}", layer.measure))))
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
        self.distances = distances(std::mem::take(&mut self.distances))?;
        Ok(())
    }
}
