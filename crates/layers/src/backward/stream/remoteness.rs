//! The distances of a layer's states, in memory or in a file.

use crate::backward::stream::distance::{Distance, NEVER_ENDS};
use crate::backward::stream::scratch::Scratch;
use std::borrow::Cow;
use std::io;
use std::path::Path;

/// How many distances are moved at a time.
const STEP: u64 = 1 << 18;

/// The distances of a layer in rank order, wherever they are; none if they are not asked for.
pub enum Remoteness {
    /// In memory.
    Here(Vec<Distance>),
    /// In a file, and how many.
    Away(Scratch, u64),
}

/// None.
impl Default for Remoteness {
    fn default() -> Self {
        Remoteness::Here(vec![])
    }
}

impl Remoteness {
    /// For n states of which nothing is known, in memory or in a new file.
    pub fn unknown(file: Option<&Path>, len: u64) -> io::Result<Self> {
        let Some(path) = file else { return Ok(Remoteness::Here(vec![NEVER_ENDS; len as usize])) };
        let mut all = Remoteness::Away(Scratch::new(path, len * size_of::<Distance>() as u64)?, len);
        for first in (0..len).step_by(STEP as usize) {
            all.write(first, &vec![NEVER_ENDS; STEP.min(len - first) as usize])?;
        }
        Ok(all)
    }

    /// The number of distances.
    pub fn len(&self) -> u64 {
        match self {
            Remoteness::Here(all) => all.len() as u64,
            Remoteness::Away(_, len) => *len,
        }
    }

    /// The distances, if they are in memory.
    pub fn here(&self) -> &[Distance] {
        match self {
            Remoteness::Here(all) => all,
            Remoteness::Away(..) => &[],
        }
    }

    /// Distances from a rank on, at most n of them; none if they were not asked for.
    pub fn part(&self, first: u64, most: u64) -> io::Result<Cow<'_, [Distance]>> {
        let first = first.min(self.len());
        let len = most.min(self.len() - first);
        match self {
            Remoteness::Here(all) => Ok(Cow::Borrowed(&all[first as usize..(first + len) as usize])),
            Remoteness::Away(file, _) => {
                let bytes = file.read(first * 2, len as usize * 2)?;
                let distance = |bytes: &[u8]| Distance::from_le_bytes(bytes.try_into().unwrap_or_default());
                Ok(Cow::Owned(bytes.chunks_exact(2).map(distance).collect()))
            }
        }
    }

    /// All of them.
    pub fn all(&self) -> io::Result<Cow<'_, [Distance]>> {
        self.part(0, self.len())
    }

    /// Puts distances from a rank on.
    pub fn write(&mut self, first: u64, distances: &[Distance]) -> io::Result<()> {
        match self {
            Remoteness::Here(all) => {
                all[first as usize..][..distances.len()].copy_from_slice(distances);
                Ok(())
            }
            Remoteness::Away(file, _) => {
                let bytes: Vec<u8> = distances.iter().flat_map(|distance| distance.to_le_bytes()).collect();
                file.write(first * 2, &bytes)
            }
        }
    }

    /// For putting many distances of 0, in the order of the ranks.
    pub fn ends(&mut self) -> Ends<'_> {
        Ends { of: self, first: 0, window: vec![], failure: None }
    }

    /// The same again, in memory or in a new file.
    pub fn duplicate(&self, file: Option<&Path>) -> io::Result<Self> {
        let Some(path) = file else { return Ok(Remoteness::Here(self.all()?.into_owned())) };
        let mut copy = Remoteness::Away(Scratch::new(path, self.len() * 2)?, self.len());
        for first in (0..self.len()).step_by(STEP as usize) {
            copy.write(first, &self.part(first, STEP)?)?;
        }
        Ok(copy)
    }

    /// The same in memory.
    pub fn bring_back(self) -> io::Result<Self> {
        match self {
            Remoteness::Here(_) => Ok(self),
            Remoteness::Away(..) => self.duplicate(None),
        }
    }

    /// The same in a new file.
    pub fn send_away(self, path: &Path) -> io::Result<Self> {
        match self {
            Remoteness::Here(_) => self.duplicate(Some(path)),
            Remoteness::Away(..) => Ok(self),
        }
    }
}

/// Puts distances of 0 through a window that moves over all of them.
pub struct Ends<'a> {
    of: &'a mut Remoteness,
    first: u64,
    window: Vec<Distance>,
    failure: Option<io::Error>,
}

impl Ends<'_> {
    /// The state of this rank ends the game.
    pub fn add(&mut self, rank: u64) {
        let inside = rank.checked_sub(self.first).filter(|&at| at < self.window.len() as u64);
        let at = match inside {
            Some(at) => at,
            None if self.failure.is_some() => return,
            None => match self.move_to(rank) {
                Ok(()) => 0,
                Err(error) => return self.failure = Some(error),
            },
        };
        self.window[at as usize] = 0;
    }

    fn move_to(&mut self, rank: u64) -> io::Result<()> {
        self.of.write(self.first, &self.window)?;
        (self.first, self.window) = (rank, self.of.part(rank, STEP)?.into_owned());
        Ok(())
    }

    /// Writes what is left; fails if anything before has.
    pub fn finish(self) -> io::Result<()> {
        self.failure.map_or_else(|| self.of.write(self.first, &self.window), Err)
    }
}
