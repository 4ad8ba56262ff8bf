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
}

/// The values of a layer, wherever they are.
pub enum Stored {
    /// In memory.
    Here(Values),
    /// In a file.
    Away(Away),
}

impl Stored {
    /// All codes 0, in memory or in a new file.
    pub fn new(file: Option<&Path>, len: u64, bits: usize) -> io::Result<Self> {
        Ok(match file {
            None => Stored::Here(Values::new(len, bits)),
            Some(path) => Stored::Away(Away::new(path, len, bits)?),
        })
    }

    /// The number of states and the bits of a code.
    fn size(&self) -> (u64, usize) {
        match self {
            Stored::Here(values) => (values.len(), values.planes().len()),
            Stored::Away(away) => (away.len, away.bits),
        }
    }

    /// Sets bits of a plane from a word on.
    pub fn add(&self, bit: usize, first: u64, words: &[u64]) -> io::Result<()> {
        match self {
            Stored::Here(values) => {
                values.add_words(bit, first, words);
                Ok(())
            }
            Stored::Away(away) => away.add(bit, first, words),
        }
    }

    /// The bits of a code.
    pub fn bits(&self) -> usize {
        self.size().1
    }

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
        let mut planes = vec![vec![0; words]; self.bits()];
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

    /// The same again, in memory or in a new file.
    pub fn duplicate(&self, file: Option<&Path>) -> io::Result<Self> {
        let ((len, bits), Some(path)) = (self.size(), file) else {
            return match self {
                Stored::Here(values) => Ok(Stored::Here(values.duplicate())),
                Stored::Away(_) => Ok(Stored::Here(Values::of(self.to_planes()?))),
            };
        };
        let away = Away::new(path, len, bits)?;
        let mut words = vec![0; STEP as usize];
        for (bit, first, step) in self.steps() {
            self.read(bit, first, &mut words[..step])?;
            away.add(bit, first, &words[..step])?;
        }
        Ok(Stored::Away(away))
    }

    /// Both have the same codes.
    pub fn equals(&self, other: &Self) -> io::Result<bool> {
        if let (Stored::Here(these), Stored::Here(those)) = (self, other) {
            return Ok(these.equals(those));
        }
        let (mut these, mut those) = (vec![0; STEP as usize], vec![0; STEP as usize]);
        for (bit, first, step) in self.steps() {
            self.read(bit, first, &mut these[..step])?;
            other.read(bit, first, &mut those[..step])?;
            if these[..step] != those[..step] {
                return Ok(false);
            }
        }
        Ok(self.size() == other.size())
    }

    /// The steps in which all is read: plane, first word and number of words.
    fn steps(&self) -> impl Iterator<Item = (usize, u64, usize)> {
        let (len, bits) = self.size();
        let words = len / 64 + 2;
        let firsts = move |bit| (0..words).step_by(STEP as usize).map(move |first| (bit, first));
        (0..bits).flat_map(firsts).map(move |(bit, first)| (bit, first, STEP.min(words - first) as usize))
    }

    /// The same in memory.
    pub fn bring_back(self) -> io::Result<Self> {
        match self {
            Stored::Here(_) => Ok(self),
            Stored::Away(_) => self.duplicate(None),
        }
    }

    /// The same in a new file.
    pub fn send_away(self, path: &Path) -> io::Result<Self> {
        match self {
            Stored::Here(_) => self.duplicate(Some(path)),
            Stored::Away(_) => Ok(self),
        }
    }
}
