//! Values that do not fit into memory: read and written as streams.

use crate::backward::stream::scratch::Scratch;
use crate::backward::stream::values::Values;
use std::io;
use std::path::Path;
use winset_index::Planes;
use winset_model::Code;

/// How many words are moved at a time.
const STEP: u64 = 1 << 16;

/// The values of a layer in a file of our own: its planes one after the other.
pub struct Away {
    file: Scratch,
    len: u64,
    bits: usize,
}

impl Away {
    /// All codes 0, in a new file.
    pub fn new(path: &Path, len: u64, bits: usize) -> io::Result<Self> {
        Ok(Away { file: Scratch::new(path, Values::bytes_for(len, bits))?, len, bits })
    }

    fn words(&self) -> u64 {
        self.len / 64 + 2
    }

    /// Words of a plane from a place on.
    fn read(&self, bit: usize, first: u64, words: &mut [u64]) -> io::Result<()> {
        let bytes = self.file.read((bit as u64 * self.words() + first) * 8, words.len() * 8)?;
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
        Ok(())
    }

    /// Sets bits of a plane from a word on.
    pub fn add(&self, bit: usize, first: u64, words: &[u64]) -> io::Result<()> {
        let mut here = vec![0; words.len()];
        self.read(bit, first, &mut here)?;
        let bytes: Vec<u8> = here.iter().zip(words).flat_map(|(a, b)| (a | b).to_le_bytes()).collect();
        self.file.write((bit as u64 * self.words() + first) * 8, &bytes)
    }

    /// The steps in which the whole file is read: first byte and length.
    fn steps(&self) -> impl Iterator<Item = (u64, usize)> {
        let (end, step) = (Values::bytes_for(self.len, self.bits), STEP * 8);
        (0..end).step_by(step as usize).map(move |first| (first, step.min(end - first) as usize))
    }

    /// The same in another file.
    pub fn duplicate(&self, path: &Path) -> io::Result<Self> {
        let copy = Away::new(path, self.len, self.bits)?;
        for (first, len) in self.steps() {
            copy.file.write(first, &self.file.read(first, len)?)?;
        }
        Ok(copy)
    }

    /// Both have the same codes.
    pub fn equals(&self, other: &Self) -> io::Result<bool> {
        for (first, len) in self.steps() {
            if self.file.read(first, len)? != other.file.read(first, len)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The values of a layer, wherever they are.
pub enum Stored {
    /// In memory.
    Here(Values),
    /// In a file.
    Away(Away),
}

impl Stored {
    /// The values, if they are in memory.
    pub fn here(&self) -> Option<&Values> {
        match self {
            Stored::Here(values) => Some(values),
            Stored::Away(_) => None,
        }
    }

    /// The memory that the values take if they are in memory.
    pub fn bytes_here(&self) -> u64 {
        match self {
            Stored::Here(values) => values.bytes(),
            Stored::Away(away) => Values::bytes_for(away.len, away.bits),
        }
    }

    /// Words of a plane from a place on, as many as there are room for.
    pub fn read(&self, bit: usize, first: u64, words: &mut [u64]) -> io::Result<()> {
        match self {
            Stored::Here(values) => {
                values.copy_words(bit, first, words);
                Ok(())
            }
            Stored::Away(away) => away.read(bit, first, words),
        }
    }

    /// Codes of n words, from a word on.
    pub fn part(&self, first: u64, words: usize) -> io::Result<Values> {
        let bits = match self {
            Stored::Here(values) => values.planes().len(),
            Stored::Away(away) => away.bits,
        };
        let mut planes = vec![vec![0; words]; bits];
        for (bit, plane) in planes.iter_mut().enumerate() {
            self.read(bit, first, plane)?;
        }
        Ok(Values::of_words(planes))
    }

    /// The code at a rank.
    pub fn get(&self, rank: u64) -> io::Result<Code> {
        match self {
            Stored::Here(values) => Ok(values.get(rank)),
            Stored::Away(_) => Ok(self.part(rank / 64, 1)?.get(rank % 64)),
        }
    }

    /// All values, in the form in which they are kept.
    pub fn to_planes(&self) -> io::Result<Planes> {
        let away = match self {
            Stored::Here(values) => return Ok(values.to_planes()),
            Stored::Away(away) => away,
        };
        let mut planes = Planes::new(away.len, away.bits);
        for (bit, plane) in planes.planes.iter_mut().enumerate() {
            away.read(bit, 0, plane)?;
        }
        Ok(planes)
    }

    /// The same in memory.
    pub fn bring_back(self) -> io::Result<Self> {
        match self {
            Stored::Here(_) => Ok(self),
            Stored::Away(_) => Ok(Stored::Here(Values::of(self.to_planes()?))),
        }
    }

    /// The same in a new file.
    pub fn send_away(self, path: &Path) -> io::Result<Self> {
        let Stored::Here(values) = &self else { return Ok(self) };
        let away = Away::new(path, values.len(), values.planes().len())?;
        let mut words = vec![0; STEP as usize];
        for bit in 0..away.bits {
            for first in (0..away.words()).step_by(STEP as usize) {
                let step = STEP.min(away.words() - first) as usize;
                values.copy_words(bit, first, &mut words[..step]);
                away.add(bit, first, &words[..step])?;
            }
        }
        Ok(Stored::Away(away))
    }
}
