//! Blocks of parts in a file.

use crate::dense::blocks::Blocks;
use crate::error::ExplicitError;
use crate::pack::Key;
use crate::scratch::Scratch;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use zstd::bulk::{Compressor, Decompressor};

/// The bytes that are compressed together.
const PAGE: usize = 1 << 20;

/// About what writing or reading a piece takes: a page, once more compressed, and the coder.
pub const CODING: u64 = 4 << 20;

/// Where pieces are written.
#[derive(Clone, Debug)]
pub enum Shop {
    /// Files without names, which are gone when the process is.
    Scratch(Scratch),
    /// Files of a checkpoint, each of which has a name.
    Named(PathBuf),
}

impl Shop {
    /// There may be files.
    pub fn is_there(&self) -> bool {
        match self {
            Shop::Scratch(scratch) => scratch.is_there(),
            Shop::Named(_) => true,
        }
    }

    /// What the system said about a file.
    pub fn failed(&self, error: io::Error) -> ExplicitError {
        match self {
            Shop::Scratch(scratch) => scratch.failed(error),
            Shop::Named(directory) => {
                ExplicitError::Disk { directory: directory.display().to_string(), error }
            }
        }
    }

    /// The blocks that have been written to files without names, and the bytes.
    pub fn written(&self) -> (u64, u64) {
        match self {
            Shop::Scratch(scratch) => scratch.all_written(),
            Shop::Named(_) => (0, 0),
        }
    }

    /// A piece of an earlier run.
    pub fn open(&self, name: &str, bytes: u64) -> Result<Piece, ExplicitError> {
        match self {
            Shop::Named(directory) if directory.join(name).is_file() => {
                Ok(Piece { place: Place::Named(name.to_owned()), bytes, shop: self.clone() })
            }
            _ => Err(ExplicitError::Damaged),
        }
    }
}

/// A file without a name that pieces are written to one after the other: files that are open are few.
#[derive(Default, Debug)]
pub struct Volume(Option<Arc<File>>, u64);

/// Where a piece is.
#[derive(Clone, Debug)]
enum Place {
    Inside(Arc<File>, u64),
    Named(String),
}

/// Blocks in a file.
#[derive(Clone, Debug)]
pub struct Piece {
    place: Place,
    /// About the bytes that its blocks take in memory.
    pub bytes: u64,
    shop: Shop,
}

impl Piece {
    /// Its name in a checkpoint.
    pub fn name(&self) -> Option<&str> {
        match &self.place {
            Place::Named(name) => Some(name),
            Place::Inside(..) => None,
        }
    }

    /// Writes blocks: to the end of a volume, or under a name.
    pub fn write<K: Key>(
        shop: &Shop,
        volume: &mut Volume,
        name: &str,
        blocks: &Blocks<K>,
    ) -> Result<Piece, ExplicitError> {
        let (file, place, from) = match shop {
            Shop::Named(directory) => {
                let file = File::create(directory.join(name)).map_err(|error| shop.failed(error))?;
                (Arc::new(file), Place::Named(name.to_owned()), 0)
            }
            Shop::Scratch(scratch) => {
                let file = match &volume.0 {
                    Some(file) => file.clone(),
                    None => volume.0.insert(Arc::new(scratch.file()?)).clone(),
                };
                (file.clone(), Place::Inside(file, volume.1), volume.1)
            }
        };
        let write = || {
            let mut compressor = Compressor::new(1)?;
            // What comes back wrong must not become a wrong answer.
            compressor.include_checksum(true)?;
            let (mut page, mut at): (Vec<u8>, u64) = (vec![], from);
            let mut flush = |page: &mut Vec<u8>| {
                let packed = compressor.compress(page)?;
                let sizes = [packed.len() as u32, page.len() as u32].map(u32::to_le_bytes).concat();
                file.write_all_at(&sizes, at)?;
                file.write_all_at(&packed, at + 8)?;
                at += 8 + packed.len() as u64;
                page.clear();
                Ok::<(), io::Error>(())
            };
            for block in blocks.list() {
                let words = blocks.words(block);
                for limb in 0..limbs::<K>() {
                    page.extend(block.frame.limb(limb).to_le_bytes());
                }
                for number in [block.sums, block.width(), words.len() as u32] {
                    page.extend(number.to_le_bytes());
                }
                for chunk in words.chunks(PAGE / 8) {
                    chunk.iter().for_each(|word| page.extend(word.to_le_bytes()));
                    if page.len() >= PAGE {
                        flush(&mut page)?;
                    }
                }
            }
            if !page.is_empty() {
                flush(&mut page)?;
            }
            // Nothing more.
            flush(&mut page)?;
            if place.is_named() {
                file.sync_data()?;
            }
            Ok(at)
        };
        let to = write().map_err(|error| shop.failed(error))?;
        if let Shop::Scratch(scratch) = shop {
            volume.1 = to;
            scratch.written(blocks.list().len() as u64, to - from);
        }
        Ok(Piece { place, bytes: blocks.bytes(), shop: shop.clone() })
    }

    /// Adds the blocks to others; bits of the same part are joined.
    pub fn read_into<K: Key>(&self, blocks: &mut Blocks<K>) -> Result<(), ExplicitError> {
        let mut read = || {
            let (file, at) = match (&self.place, &self.shop) {
                (Place::Inside(file, at), _) => (file.clone(), *at),
                (Place::Named(name), Shop::Named(directory)) => {
                    (Arc::new(File::open(directory.join(name))?), 0)
                }
                _ => return Err(ErrorKind::NotFound.into()),
            };
            let mut pages = Pages { file, from: at, decompressor: Decompressor::new()?, page: vec![], at: 0 };
            while pages.more()? {
                let mut frame = K::default();
                for limb in 0..limbs::<K>() {
                    frame = frame.with(64 * limb as u32, u64::from_le_bytes(pages.take()?));
                }
                let [sums, width, words] =
                    [pages.take()?, pages.take()?, pages.take()?].map(u32::from_le_bytes);
                let number = blocks.find_or_add(frame, sums, width, words);
                let there = blocks.words_mut(number);
                if there.len() != words as usize {
                    return Err(ErrorKind::InvalidData.into());
                }
                for word in there {
                    *word |= u64::from_le_bytes(pages.take()?);
                }
            }
            Ok(())
        };
        read().map_err(|error: io::Error| self.shop.failed(error))
    }
}

impl Place {
    fn is_named(&self) -> bool {
        matches!(self, Place::Named(_))
    }
}

fn limbs<K: Key>() -> usize {
    K::BITS.div_ceil(64) as usize
}

/// Pages of a piece, one after the other.
struct Pages {
    file: Arc<File>,
    from: u64,
    decompressor: Decompressor<'static>,
    page: Vec<u8>,
    at: usize,
}

impl Pages {
    /// There is something left; a piece ends with an empty page.
    fn more(&mut self) -> io::Result<bool> {
        if self.at < self.page.len() {
            return Ok(true);
        }
        let mut sizes = [0; 8];
        self.file.read_exact_at(&mut sizes, self.from)?;
        let number = |at: usize| u32::from_le_bytes([sizes[at], sizes[at + 1], sizes[at + 2], sizes[at + 3]]);
        let [packed, size] = [number(0) as usize, number(4) as usize];
        // A page ends when it is full, or with the block that fills it.
        if packed > 4 * PAGE || size > 4 * PAGE {
            return Err(ErrorKind::InvalidData.into());
        }
        let mut bytes = vec![0; packed];
        self.file.read_exact_at(&mut bytes, self.from + 8)?;
        self.page = self.decompressor.decompress(&bytes, size)?;
        if self.page.len() != size {
            return Err(ErrorKind::InvalidData.into());
        }
        (self.from, self.at) = (self.from + 8 + packed as u64, 0);
        Ok(size > 0)
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        if let Some(bytes) = self.page.get(self.at..self.at + N).and_then(|bytes| bytes.try_into().ok()) {
            self.at += N;
            return Ok(bytes);
        }
        let mut taken = [0; N];
        for byte in &mut taken {
            if !self.more()? {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            *byte = self.page[self.at];
            self.at += 1;
        }
        Ok(taken)
    }
}
