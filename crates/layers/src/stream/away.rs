//! Values that do not fit into memory: read and written as streams.

use crate::outcomes::Code;
use crate::stream::values::Values;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use winset_index::Planes;

/// The values of a layer in a file of our own: its planes one after the other.
pub struct Away {
    file: Mutex<File>,
    path: PathBuf,
    len: u64,
    bits: usize,
}

impl Away {
    /// All codes 0, in a new file.
    pub fn new(path: &Path, len: u64, bits: usize) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        file.set_len(Values::bytes_for(len, bits))?;
        Ok(Away { file: Mutex::new(file), path: path.to_owned(), len, bits })
    }

    fn words(&self) -> u64 {
        self.len / 64 + 2
    }

    /// Words of a plane from a place on.
    fn read(&self, bit: usize, first: u64, words: &mut [u64]) -> io::Result<()> {
        let mut bytes = vec![0; words.len() * 8];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start((bit as u64 * self.words() + first) * 8))?;
        file.read_exact(&mut bytes)?;
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
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start((bit as u64 * self.words() + first) * 8))?;
        file.write_all(&bytes)
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        // Only our own; nothing depends on its being gone.
        let _ = std::fs::remove_file(&self.path);
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

    /// The code at a rank.
    pub fn get(&self, rank: u64) -> io::Result<Code> {
        let away = match self {
            Stored::Here(values) => return Ok(values.get(rank)),
            Stored::Away(away) => away,
        };
        let mut code = 0;
        for bit in 0..away.bits {
            let mut word = [0];
            away.read(bit, rank / 64, &mut word)?;
            code |= ((word[0] >> (rank % 64) & 1) as Code) << bit;
        }
        Ok(code)
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
        /// How many words are moved at a time.
        const STEP: usize = 1 << 16;
        let Stored::Here(values) = &self else { return Ok(self) };
        let away = Away::new(path, values.len(), values.planes().len())?;
        let mut words = vec![0; STEP];
        for bit in 0..away.bits {
            for first in (0..away.words()).step_by(STEP) {
                let step = STEP.min((away.words() - first) as usize);
                values.copy_words(bit, first, &mut words[..step]);
                away.add(bit, first, &words[..step])?;
            }
        }
        Ok(Stored::Away(away))
    }
}
