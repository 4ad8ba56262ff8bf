//! Sorted states in a file: differences from one to the next, some thousand at a time, compressed.

use crate::error::ExplicitError;
use crate::pack::Key;
use crate::scratch::Scratch;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use winset_settle::Worth;
use zstd::bulk::{Compressor, Decompressor};

/// The states of a page: enough to compress well, few enough to be read for one of them.
const ENTRIES: usize = 1 << 12;

/// The bytes that are collected before they are written.
const AT_ONCE: usize = 1 << 18;

/// About what reading a run takes: a page as it is on disk, unpacked and decoded, and the decoder.
pub const READING: u64 = 256 << 10;

/// About what writing one takes.
pub const WRITING: u64 = 1 << 20;

/// The most bytes of a page before it is compressed: a key of 512 bits takes 74, a value 6.
const LARGEST: usize = ENTRIES * 80;

/// States in ascending order, each with what it is worth if that is known.
pub struct Run<K> {
    file: File,
    scratch: Scratch,
    pages: Vec<Page<K>>,
    /// How many there are.
    pub states: u64,
    /// The bytes on disk.
    pub bytes: u64,
    valued: bool,
}

/// Where a page is, and its first state.
struct Page<K> {
    first: K,
    offset: u64,
    bytes: u32,
    entries: u32,
}

impl<K: Key> Run<K> {
    /// The bytes of memory that it takes while it waits.
    pub fn waiting(&self) -> u64 {
        (size_of::<Page<K>>() * self.pages.len()) as u64
    }

    /// From the first state on.
    pub fn iter(&self) -> Result<Iter<'_, K>, ExplicitError> {
        Ok(Iter { run: self, reader: Reader::new(&self.scratch)?, page: 0, at: 0 })
    }

    /// Looks up keys in ascending order, each with a number: tells what they are worth, or that they are not there. Only
    /// pages that can have one of them are read.
    pub fn look_up(
        &self,
        keys: impl Iterator<Item = (K, u32)>,
        mut tell: impl FnMut(K, u32, Option<Worth>),
    ) -> Result<(), ExplicitError> {
        let (mut reader, mut page, mut at) = (Reader::new(&self.scratch)?, usize::MAX, 0);
        for (key, number) in keys {
            let next = self.pages.partition_point(|page| page.first <= key).wrapping_sub(1);
            if next == usize::MAX {
                tell(key, number, None);
                continue;
            }
            if next != page {
                reader.read(self, next)?;
                (page, at) = (next, 0);
            }
            at += reader.keys[at..].partition_point(|&other| other < key);
            let there = reader.keys.get(at) == Some(&key);
            tell(key, number, there.then(|| reader.worth(at)));
        }
        Ok(())
    }
}

/// Writes a run.
pub struct RunWriter<K> {
    run: Run<K>,
    compressor: Compressor<'static>,
    gaps: Vec<u8>,
    values: Vec<u8>,
    entries: usize,
    first: K,
    last: K,
    out: Vec<u8>,
}

impl<K: Key> RunWriter<K> {
    /// A run of states, with values or without.
    pub fn new(scratch: &Scratch, valued: bool) -> Result<Self, ExplicitError> {
        let file = scratch.file()?;
        let compressor = || {
            let mut compressor = Compressor::new(1)?;
            // What comes back wrong must not become a wrong answer.
            compressor.include_checksum(true)?;
            Ok(compressor)
        };
        Ok(RunWriter {
            compressor: compressor().map_err(|error| scratch.failed(error))?,
            run: Run { file, scratch: scratch.clone(), pages: vec![], states: 0, bytes: 0, valued },
            gaps: vec![],
            values: vec![],
            entries: 0,
            first: K::default(),
            last: K::default(),
            out: vec![],
        })
    }

    /// Adds a state that comes after all others.
    pub fn push(&mut self, key: K, worth: Worth) -> Result<(), ExplicitError> {
        if self.entries == 0 {
            self.first = key;
        } else {
            debug_assert!(key > self.last, "states ascend");
            write_number(&mut self.gaps, key.minus(self.last));
        }
        self.last = key;
        if self.run.valued {
            for number in [worth.code, worth.distance] {
                write_small(&mut self.values, number);
            }
        }
        self.entries += 1;
        if self.entries == ENTRIES { self.page() } else { Ok(()) }
    }

    /// Writes what has been collected as a page.
    fn page(&mut self) -> Result<(), ExplicitError> {
        let Self { run, gaps, values, out, .. } = self;
        gaps.append(values);
        let packed = self.compressor.compress(gaps).map_err(|error| run.scratch.failed(error))?;
        let (bytes, entries) = (packed.len() as u32, self.entries as u32);
        run.pages.push(Page { first: self.first, offset: run.bytes, bytes, entries });
        run.bytes += u64::from(bytes);
        run.states += u64::from(entries);
        out.extend(packed);
        gaps.clear();
        self.entries = 0;
        if out.len() >= AT_ONCE { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), ExplicitError> {
        self.run.file.write_all(&self.out).map_err(|error| self.run.scratch.failed(error))?;
        self.out.clear();
        Ok(())
    }

    /// All states have been added.
    pub fn finish(mut self) -> Result<Run<K>, ExplicitError> {
        if self.entries > 0 {
            self.page()?;
        }
        self.write()?;
        self.run.pages.shrink_to_fit();
        self.run.scratch.written(self.run.states, self.run.bytes);
        Ok(self.run)
    }
}

/// A page that has been read.
struct Reader<K> {
    decompressor: Decompressor<'static>,
    packed: Vec<u8>,
    raw: Vec<u8>,
    keys: Vec<K>,
    worths: Vec<Worth>,
}

impl<K: Key> Reader<K> {
    fn new(scratch: &Scratch) -> Result<Self, ExplicitError> {
        let decompressor = Decompressor::new().map_err(|error| scratch.failed(error))?;
        Ok(Reader { decompressor, packed: vec![], raw: vec![], keys: vec![], worths: vec![] })
    }

    fn worth(&self, at: usize) -> Worth {
        self.worths.get(at).copied().unwrap_or_default()
    }

    fn read(&mut self, run: &Run<K>, number: usize) -> Result<(), ExplicitError> {
        let page = &run.pages[number];
        let mut read = || {
            self.packed.resize(page.bytes as usize, 0);
            run.file.read_exact_at(&mut self.packed, page.offset)?;
            self.raw.clear();
            self.raw.reserve(LARGEST.min(page.entries as usize * 80));
            self.decompressor.decompress_to_buffer(&self.packed, &mut self.raw)?;
            let (mut rest, mut key) = (&self.raw[..], page.first);
            self.keys.clear();
            self.keys.push(key);
            for _ in 1..page.entries {
                key = key.plus(read_number(&mut rest)?);
                self.keys.push(key);
            }
            self.worths.clear();
            for _ in 0..if run.valued { page.entries } else { 0 } {
                let [code, distance] = [read_small(&mut rest)?, read_small(&mut rest)?];
                self.worths.push(Worth { code, distance });
            }
            Ok(())
        };
        read().map_err(|error: io::Error| run.scratch.failed(error))
    }
}

/// Gives the states of a run one after the other.
pub struct Iter<'a, K> {
    run: &'a Run<K>,
    reader: Reader<K>,
    page: usize,
    at: usize,
}

impl<K: Key> Iter<'_, K> {
    /// The next state, if there is one.
    pub fn next(&mut self) -> Result<Option<(K, Worth)>, ExplicitError> {
        if self.at == self.reader.keys.len() {
            if self.page == self.run.pages.len() {
                return Ok(None);
            }
            self.reader.read(self.run, self.page)?;
            (self.page, self.at) = (self.page + 1, 0);
        }
        self.at += 1;
        Ok(Some((self.reader.keys[self.at - 1], self.reader.worth(self.at - 1))))
    }
}

/// Gives every state of some runs and sorted lists once, in ascending order.
pub fn merge<'a, K: Key>(
    runs: impl IntoIterator<Item = &'a Run<K>>,
    lists: &[Vec<K>],
    mut give: impl FnMut(K) -> Result<(), ExplicitError>,
) -> Result<(), ExplicitError> {
    let mut runs = runs.into_iter().map(Run::iter).collect::<Result<Vec<_>, _>>()?;
    let mut lists: Vec<_> = lists.iter().map(|list| list.iter().copied()).collect();
    let (count, all) = (runs.len(), runs.len() + lists.len());
    let mut next = |source: usize| match source < count {
        true => Ok::<_, ExplicitError>(runs[source].next()?.map(|(key, _)| key)),
        false => Ok(lists[source - count].next()),
    };
    let mut heap = BinaryHeap::new();
    for source in 0..all {
        heap.extend(next(source)?.map(|key| Reverse((key, source))));
    }
    let mut last = None;
    while let Some(Reverse((key, source))) = heap.pop() {
        if last != Some(key) {
            give(key)?;
            last = Some(key);
        }
        heap.extend(next(source)?.map(|key| Reverse((key, source))));
    }
    Ok(())
}

/// Seven bits at a time, the lowest first; the highest bit of a byte says that more follow.
fn write_number<K: Key>(bytes: &mut Vec<u8>, number: K) {
    let mut shift = 0;
    let mut width = number.width();
    while width > 7 {
        bytes.push(number.field(shift, 0x7f) as u8 | 0x80);
        (shift, width) = (shift + 7, width - 7);
    }
    bytes.push(number.field(shift, 0x7f) as u8);
}

fn read_number<K: Key>(bytes: &mut &[u8]) -> io::Result<K> {
    let (mut number, mut shift) = (K::default(), 0);
    loop {
        let (&byte, rest) = bytes.split_first().ok_or(ErrorKind::UnexpectedEof)?;
        *bytes = rest;
        if shift >= K::BITS {
            return Err(ErrorKind::InvalidData.into());
        }
        number = number.with(shift, (byte & 0x7f).into());
        shift += 7;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
}

fn write_small(bytes: &mut Vec<u8>, mut number: u16) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read_small(bytes: &mut &[u8]) -> io::Result<u16> {
    u16::try_from(read_number::<u64>(bytes)?).map_err(|_| ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wide::Wide;

    /// Ascending keys with gaps of every width, from the lowest to the highest there is.
    fn keys<K: Key>(count: u64) -> Vec<K> {
        let mut seed = count;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 33
        };
        let key = |random: &mut dyn FnMut() -> u64| {
            let width = 1 + random() as u32 % 16;
            K::default().with(random() as u32 % (K::BITS - 15), random() & ((1 << width) - 1))
        };
        let mut keys: Vec<K> = (0..count).map(|_| key(&mut random).or(key(&mut random))).collect();
        keys.extend([K::default(), K::ones(K::BITS - 16, 16)]);
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    fn written<K: Key>(keys: &[K], valued: bool) -> Run<K> {
        let mut writer = RunWriter::new(&Scratch::new(Some(std::env::temp_dir())), valued).unwrap();
        let each = keys.iter().zip(0u32..);
        each.for_each(|(&key, i)| writer.push(key, worth(i)).unwrap());
        writer.finish().unwrap()
    }

    fn worth(i: u32) -> Worth {
        Worth { code: (i % 300) as u16, distance: i.wrapping_mul(77) as u16 }
    }

    fn comes_back<K: Key>() {
        for count in [0, 1, 5_000, 20_000] {
            let keys = keys::<K>(count);
            for valued in [false, true] {
                let run = written(&keys, valued);
                assert_eq!(run.states, keys.len() as u64);
                let mut iter = run.iter().unwrap();
                for (i, &key) in (0..).zip(&keys) {
                    let expected = if valued { worth(i) } else { Worth::default() };
                    assert_eq!(iter.next().unwrap(), Some((key, expected)));
                }
                assert_eq!(iter.next().unwrap(), None);
            }
            let run = written(&keys[keys.len() / 3..], true);
            let mut told = 0;
            let asked = keys.iter().zip(0..).step_by(3).map(|(&key, i)| (key, i));
            run.look_up(asked, |key, i, found| {
                told += 1;
                let at = (i as usize).checked_sub(keys.len() / 3);
                assert_eq!(keys[i as usize], key);
                assert_eq!(found, at.map(|at| worth(at as u32)));
            })
            .unwrap();
            assert_eq!(told, keys.len().div_ceil(3));
        }
    }

    #[test]
    fn what_was_written_comes_back() {
        comes_back::<u64>();
        comes_back::<u128>();
        comes_back::<Wide<8>>();
    }

    #[test]
    fn runs_and_lists_are_merged() {
        let all = keys::<u64>(30_000);
        let part = |n: usize| -> Vec<u64> {
            all.iter()
                .copied()
                .enumerate()
                .filter(|(i, _)| i % 5 == n || i % 7 == n)
                .map(|(_, key)| key)
                .collect()
        };
        let runs = [0, 1, 2].map(|n| written(&part(n), false));
        let mut found = vec![];
        merge(&runs, &[part(3), part(4), vec![]], |key| {
            found.push(key);
            Ok(())
        })
        .unwrap();
        assert_eq!(found, all);
    }

    /// A changed byte is noticed.
    #[test]
    fn damage_is_noticed() {
        let all = keys::<u64>(10_000);
        let run = written(&all, true);
        run.file.write_all_at(&[0x55; 3], run.bytes / 2).unwrap();
        let mut iter = run.iter().unwrap();
        let read = loop {
            match iter.next() {
                Ok(Some(_)) => {}
                other => break other,
            }
        };
        assert!(matches!(read, Err(ExplicitError::Disk { .. })));
    }
}
