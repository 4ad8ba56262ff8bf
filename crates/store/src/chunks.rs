//! The container of every binary file: independently compressed, checksummed chunks with a directory, so
//! that any chunk can be read alone and none can be mistaken for another.

use crate::disk::{Contents, Disk, Sink};
use crate::error::StoreError;
use crate::manifest::FileRecord;
use rayon::prelude::*;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const MAGIC: &[u8; 7] = b"WINSET\n";
/// The version of all file formats together.
pub const FORMAT: u32 = 1;
const HEADER: u64 = 48;
const ENTRY: u64 = 24;
const FOOTER: u64 = 72;
/// Fast: writing must not slow down solving.
const LEVEL: i32 = 1;
/// Chunks compressed together, in parallel.
const BATCH: usize = 64;
/// The bytes that are written together.
const PENDING: usize = 1 << 17;
/// Fewer chunks are compressed where they are made.
const FEW: u64 = 4;
/// The bytes that are decompressed together, or a single chunk.
const TOGETHER: u64 = 1 << 21;

thread_local! {
    /// Kept, because its tables take longer to make than a small chunk to compress.
    static COMPRESSOR: RefCell<zstd::bulk::Compressor<'static>> =
        RefCell::new(zstd::bulk::Compressor::new(LEVEL).expect("the level is a valid one"));
    /// Kept for the same reason.
    static DECOMPRESSOR: RefCell<zstd::bulk::Decompressor<'static>> =
        RefCell::new(zstd::bulk::Decompressor::new().expect("no dictionary can be wrong"));
}

fn compressed(raw: &[u8]) -> Vec<u8> {
    COMPRESSOR.with_borrow_mut(|context| context.compress(raw).expect("the buffer is as large as it can get"))
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The digits of all blocks.
    Digits,
    /// The index of a layer.
    Set,
    /// The values of a layer.
    Values,
    /// Which states belong together where values are leaves.
    Frame,
}

/// What a file is; part of every checksum, so that a file or chunk in the wrong place is noticed.
#[derive(Clone, Debug)]
pub struct Identity {
    /// What it holds.
    pub kind: Kind,
    /// The layer; 0 for digits and the frame.
    pub layer: u32,
    /// The digest of the rules.
    pub rules: [u8; 32],
}

impl Identity {
    fn header(&self) -> [u8; HEADER as usize] {
        let mut header = [0; HEADER as usize];
        header[..7].copy_from_slice(MAGIC);
        header[7] = match self.kind {
            Kind::Digits => b'D',
            Kind::Set => b'S',
            Kind::Values => b'V',
            Kind::Frame => b'L',
        };
        header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        header[12..16].copy_from_slice(&self.layer.to_le_bytes());
        header[16..48].copy_from_slice(&self.rules);
        header
    }

    /// The checksum of a chunk's stored bytes, which also depends on where the chunk belongs.
    fn checksum(&self, chunk: u64, raw: u32, stored: &[u8]) -> u64 {
        let mut place = [0; 60];
        place[..48].copy_from_slice(&self.header());
        place[48..56].copy_from_slice(&chunk.to_le_bytes());
        place[56..].copy_from_slice(&raw.to_le_bytes());
        xxh3_64_with_seed(stored, xxh3_64(&place))
    }
}

/// Writes one file under a temporary name; [`Complete::publish`] gives it its own.
pub struct ChunkWriter<'d> {
    disk: &'d dyn Disk,
    directory: PathBuf,
    name: String,
    identity: Identity,
    sink: Box<dyn Sink>,
    hasher: blake3::Hasher,
    /// Bytes that are not written yet: writing and hashing many small pieces takes longer.
    pending: Vec<u8>,
    offset: u64,
    entries: Vec<u8>,
    chunks: u64,
}

impl<'d> ChunkWriter<'d> {
    /// Starts a file.
    pub fn create(
        disk: &'d dyn Disk,
        directory: &Path,
        name: String,
        identity: Identity,
    ) -> Result<Self, StoreError> {
        let path = temporary(directory, &name);
        let sink = disk.create(&path).map_err(|e| StoreError::io("creating", &path, e))?;
        let mut writer = ChunkWriter {
            disk,
            directory: directory.to_owned(),
            name,
            identity,
            sink,
            hasher: blake3::Hasher::new(),
            pending: vec![],
            offset: 0,
            entries: vec![],
            chunks: 0,
        };
        let header = writer.identity.header();
        writer.append(&header)?;
        Ok(writer)
    }

    /// Appends chunks that `make` makes, made and compressed in parallel; the bytes do not depend on the
    /// number of threads.
    pub fn push_each(&mut self, count: u64, make: impl Fn(u64) -> Vec<u8> + Sync) -> Result<(), StoreError> {
        let one = |chunk: u64| {
            let raw = make(chunk);
            (raw.len() as u32, compressed(&raw))
        };
        for first in (0..count).step_by(BATCH) {
            let batch = first..count.min(first + BATCH as u64);
            // Waking threads for a few chunks, or for none but one's own, takes longer than the work.
            if batch.end - batch.start < FEW || is_alone() {
                for (raw, stored) in batch.map(one) {
                    self.push_stored(raw, &stored)?;
                }
                continue;
            }
            let made: Vec<(u32, Vec<u8>)> = batch.into_par_iter().map(one).collect();
            for (raw, stored) in made {
                self.push_stored(raw, &stored)?;
            }
        }
        Ok(())
    }

    fn push_stored(&mut self, raw: u32, stored: &[u8]) -> Result<(), StoreError> {
        let checksum = self.identity.checksum(self.chunks, raw, stored);
        self.entries.extend(self.offset.to_le_bytes());
        self.entries.extend((stored.len() as u32).to_le_bytes());
        self.entries.extend(raw.to_le_bytes());
        self.entries.extend(checksum.to_le_bytes());
        self.chunks += 1;
        self.append(stored)
    }

    /// Writes directory, head and footer. The file still has its temporary name.
    pub fn complete(mut self, head: &[u8]) -> Result<Complete<'d>, StoreError> {
        let entries = std::mem::take(&mut self.entries);
        let mut footer = vec![];
        footer.extend(self.offset.to_le_bytes());
        footer.extend(self.chunks.to_le_bytes());
        footer.extend((head.len() as u64).to_le_bytes());
        footer.extend(xxh3_64(head).to_le_bytes());
        let seal = seal(&self.identity, &entries, head);
        footer.extend(seal);
        let checksum = xxh3_64_with_seed(&footer, xxh3_64(&self.identity.header()));
        footer.extend(checksum.to_le_bytes());
        self.append(&entries)?;
        self.append(head)?;
        self.append(&footer)?;
        self.flush()?;
        let blake3 = self.hasher.finalize().to_hex().to_string();
        let record = FileRecord { file: self.name, bytes: self.offset, blake3, seal: hex(&seal) };
        Ok(Complete { disk: self.disk, directory: self.directory, sink: self.sink, record })
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.pending.extend_from_slice(bytes);
        self.offset += bytes.len() as u64;
        if self.pending.len() < PENDING { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let path = || temporary(&self.directory, &self.name);
        self.sink.append(&self.pending).map_err(|e| StoreError::io("writing", &path(), e))?;
        self.hasher.update(&self.pending);
        self.pending.clear();
        Ok(())
    }
}

/// A file whose contents are complete but not yet durable or named.
pub struct Complete<'d> {
    disk: &'d dyn Disk,
    directory: PathBuf,
    sink: Box<dyn Sink>,
    /// What the manifest will say about it.
    pub record: FileRecord,
}

impl Complete<'_> {
    /// Gives the file a name. Neither that nor the contents are durable until the sink is synced, and then the directory.
    pub fn rename(mut self, name: &str) -> Result<(FileRecord, PathBuf, Box<dyn Sink>), StoreError> {
        let (from, to) = (temporary(&self.directory, &self.record.file), self.directory.join(name));
        self.disk.rename(&from, &to).map_err(|e| StoreError::io("renaming", &from, e))?;
        self.record.file = name.to_owned();
        Ok((self.record, to, self.sink))
    }

    /// Removes the file again.
    pub fn discard(self) -> Result<(), StoreError> {
        drop(self.sink);
        let path = temporary(&self.directory, &self.record.file);
        self.disk.remove(&path).map_err(|e| StoreError::io("removing", &path, e))
    }
}

/// The name under which a file is written before it is complete.
pub fn temporary(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.tmp"))
}

/// Gives a complete, synced file its name, durably.
pub fn publish(disk: &dyn Disk, directory: &Path, from: &Path, name: &str) -> Result<(), StoreError> {
    disk.rename(from, &directory.join(name)).map_err(|e| StoreError::io("renaming", from, e))?;
    disk.sync_directory(directory).map_err(|e| StoreError::io("syncing", directory, e))
}

fn seal(identity: &Identity, entries: &[u8], head: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&identity.header()).update(entries).update(head);
    *hasher.finalize().as_bytes()
}

/// The length of a chunk when decompressed, as its entry in the directory says.
fn raw_length(entry: &[u8]) -> u32 {
    u32::from_le_bytes(entry[12..16].try_into().expect("4 bytes"))
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes behind hexadecimal digits.
pub fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != 2 * N || !text.is_ascii() {
        return None;
    }
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
    }
    Some(bytes)
}

/// How large the parts of a file can be. Who wrote it may have been anyone, so that a length is compared with
/// what makes sense before memory is taken for it.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The length of the head.
    pub head: u64,
    /// The length of a chunk when decompressed.
    pub chunk: u64,
}

impl Bounds {
    /// No compressed chunk is longer than this: what cannot be compressed grows by little.
    fn stored(&self) -> u64 {
        self.chunk + self.chunk / 128 + 1024
    }
}

/// Reads single chunks of a finished file.
#[derive(Debug)]
pub struct ChunkReader {
    path: PathBuf,
    file: Box<dyn Contents>,
    identity: Identity,
    bounds: Bounds,
    length: u64,
    directory: u64,
    chunks: u64,
    /// What the chunks mean; the kind of file says how to read it.
    pub head: Vec<u8>,
}

impl ChunkReader {
    /// Opens a file and checks that it is the one that the manifest names, without reading its chunks.
    pub fn open(
        disk: &dyn Disk,
        directory: &Path,
        record: &FileRecord,
        identity: Identity,
        bounds: Bounds,
    ) -> Result<Self, StoreError> {
        let path = directory.join(&record.file);
        let file = disk.open(&path).map_err(|e| StoreError::io("opening", &path, e))?;
        let length = file.length().map_err(|e| StoreError::io("reading", &path, e))?;
        let mut reader =
            ChunkReader { path, file, identity, bounds, length, directory: 0, chunks: 0, head: vec![] };
        if length != record.bytes || length < HEADER + FOOTER {
            return Err(reader.damaged(format!("{length} bytes where {} were written", record.bytes)));
        }
        let header = reader.bytes(0, HEADER)?;
        if header[..8] != reader.identity.header()[..8] {
            return Err(reader.damaged("this is another kind of file"));
        }
        if header[8..] != reader.identity.header()[8..] {
            return Err(reader.damaged("this file belongs to another layer, game or format version"));
        }
        let footer = reader.bytes(length - FOOTER, FOOTER)?;
        let (fields, checksum) = footer.split_at(FOOTER as usize - 8);
        if xxh3_64_with_seed(fields, xxh3_64(&header)).to_le_bytes() != checksum {
            return Err(reader.damaged("the footer's checksum is wrong"));
        }
        let number = |i: usize| u64::from_le_bytes(fields[8 * i..8 * i + 8].try_into().expect("8 bytes"));
        let (offset, chunks, head) = (number(0), number(1), number(2));
        let end = chunks.checked_mul(ENTRY).and_then(|n| n.checked_add(offset)?.checked_add(head));
        if end != Some(length - FOOTER) || head > bounds.head {
            return Err(reader.damaged("the parts' lengths do not fit"));
        }
        if hex(&fields[32..]) != record.seal {
            return Err(reader.damaged("this is not the file that the manifest names"));
        }
        reader.head = reader.bytes(length - FOOTER - head, head)?;
        if xxh3_64(&reader.head) != number(3) {
            return Err(reader.damaged("the head's checksum is wrong"));
        }
        (reader.directory, reader.chunks) = (offset, chunks);
        Ok(reader)
    }

    /// The number of chunks.
    pub fn len(&self) -> u64 {
        self.chunks
    }

    /// One chunk, decompressed, with its checksum checked.
    pub fn chunk(&self, chunk: u64) -> Result<Vec<u8>, StoreError> {
        if chunk >= self.chunks {
            return Err(self.damaged(format!("there is no chunk {chunk}")));
        }
        let entry = self.bytes(self.directory + chunk * ENTRY, ENTRY)?;
        self.stored_chunk(chunk, &entry)
    }

    /// The chunks from `first` on, at most `count`: decompressed and decoded in parallel, some at a time, and
    /// taken in their order.
    pub fn each<T: Send>(
        &self,
        first: u64,
        count: u64,
        decode: impl Fn(u64, Vec<u8>) -> Result<T, StoreError> + Sync,
        mut take: impl FnMut(T) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (mut begin, end) = (first, self.chunks.min(first.saturating_add(count)));
        while begin < end {
            let some = (end - begin).min(BATCH as u64);
            let entries = self.bytes(self.directory + begin * ENTRY, some * ENTRY)?;
            let lengths = entries.chunks(ENTRY as usize).scan(0, |sum, entry| {
                *sum += u64::from(raw_length(entry));
                Some(*sum)
            });
            let some = (lengths.take_while(|&sum| sum <= TOGETHER).count() as u64).max(1);
            let one = |(i, entry): (usize, &[u8])| {
                let chunk = begin + i as u64;
                decode(chunk, self.stored_chunk(chunk, entry)?)
            };
            let entries = &entries[..(some * ENTRY) as usize];
            let decoded: Vec<Result<T, StoreError>> = if some < FEW || is_alone() {
                entries.chunks(ENTRY as usize).enumerate().map(one).collect()
            } else {
                entries.par_chunks(ENTRY as usize).enumerate().map(one).collect()
            };
            decoded.into_iter().try_for_each(|part| take(part?))?;
            begin += some;
        }
        Ok(())
    }

    /// That every byte of the file is the one that was written.
    pub fn check_digest(&self, record: &FileRecord) -> Result<(), StoreError> {
        let mut hasher = blake3::Hasher::new();
        for offset in (0..self.length).step_by(PENDING) {
            hasher.update(&self.bytes(offset, (self.length - offset).min(PENDING as u64))?);
        }
        if hasher.finalize().to_hex().as_str() != record.blake3 {
            return Err(self.damaged("its digest is not the one in the manifest"));
        }
        Ok(())
    }

    /// An error about this file.
    pub fn damaged(&self, reason: impl Into<String>) -> StoreError {
        StoreError::damaged(&self.path, reason)
    }

    /// There is no room for what this file says.
    pub fn too_large(&self, room: u64) -> StoreError {
        StoreError::TooLarge { path: self.path.clone(), room }
    }

    fn stored_chunk(&self, chunk: u64, entry: &[u8]) -> Result<Vec<u8>, StoreError> {
        let offset = u64::from_le_bytes(entry[..8].try_into().expect("8 bytes"));
        let stored = u32::from_le_bytes(entry[8..12].try_into().expect("4 bytes"));
        let raw = raw_length(entry);
        let checksum = u64::from_le_bytes(entry[16..].try_into().expect("8 bytes"));
        let fits = offset.checked_add(stored.into()).is_some_and(|end| end <= self.directory);
        if !fits || u64::from(raw) > self.bounds.chunk || u64::from(stored) > self.bounds.stored() {
            return Err(self.damaged(format!("the directory's entry of chunk {chunk} is wrong")));
        }
        let bytes = self.bytes(offset, stored.into())?;
        if self.identity.checksum(chunk, raw, &bytes) != checksum {
            return Err(self.damaged(format!("the checksum of chunk {chunk} is wrong")));
        }
        let plain = DECOMPRESSOR
            .with_borrow_mut(|context| context.decompress(&bytes, raw as usize))
            .map_err(|_| self.damaged(format!("chunk {chunk} cannot be decompressed")))?;
        if plain.len() != raw as usize {
            return Err(self.damaged(format!("chunk {chunk} is too short")));
        }
        Ok(plain)
    }

    fn bytes(&self, offset: u64, length: u64) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![0; length as usize];
        self.file.read_at(&mut bytes, offset).map_err(|e| StoreError::io("reading", &self.path, e))?;
        Ok(bytes)
    }
}

/// There are no other threads to share the work with. Whoever wants them comes with a pool of his own: making one behind
/// his back ends by a panic where the system gives no threads.
fn is_alone() -> bool {
    rayon::current_thread_index().is_none() || rayon::current_num_threads() == 1
}
