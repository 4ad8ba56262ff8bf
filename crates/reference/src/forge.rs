//! Falsified stores: a store taken apart, changed, and put together again with every checksum, seal and digest
//! computed anew.
//!
//! Written after FORMAT.md and not with the store's own code: whatever that page lets anyone do can be done here.

use crate::contents;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const HEADER: usize = 48;
const ENTRY: usize = 24;
const FOOTER: usize = 72;
const MANIFEST: &str = "manifest.json";

/// A store in parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Forged {
    /// The manifest; its digest and the files' lengths, digests and seals are computed when it is written.
    pub manifest: Value,
    /// The binary files by name.
    pub files: BTreeMap<String, Container>,
}

/// A binary file in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// The first 48 bytes.
    pub header: [u8; HEADER],
    /// The chunks, decompressed.
    pub chunks: Vec<Vec<u8>>,
    /// The head.
    pub head: Vec<u8>,
}

impl Forged {
    /// Takes a store apart; panics if it is not one.
    pub fn read(directory: &Path) -> Self {
        let mut files: BTreeMap<String, Vec<u8>> = contents(directory).into_iter().collect();
        let manifest = serde_json::from_slice(&files.remove(MANIFEST).expect("a manifest")).expect("JSON");
        let is_binary = |(name, bytes): (String, Vec<u8>)| {
            (name.ends_with(".set") || name.ends_with(".val") || name.ends_with(".dig"))
                .then(|| (name, Container::parse(&bytes)))
        };
        Forged { manifest, files: files.into_iter().filter_map(is_binary).collect() }
    }

    /// Puts the store together in a directory.
    pub fn write(&self, directory: &Path) {
        self.write_changed(directory, |_| true);
    }

    /// The same, but of the binary files only those that have changed are written; the manifest names all.
    pub fn write_changed(&self, directory: &Path, changed: impl Fn(&str) -> bool) {
        let mut manifest = self.manifest.clone();
        let made: BTreeMap<&str, (Vec<u8>, [u8; 32])> =
            self.files.iter().map(|(name, file)| (name.as_str(), file.bytes())).collect();
        each_file_record(&mut manifest, &mut |record| {
            let Some((bytes, seal)) = record["file"].as_str().and_then(|name| made.get(name)) else { return };
            record["bytes"] = bytes.len().into();
            record["blake3"] = blake3::hash(bytes).to_hex().to_string().into();
            record["seal"] = blake3::Hash::from_bytes(*seal).to_hex().to_string().into();
        });
        for (name, (bytes, _)) in made.iter().filter(|(name, _)| changed(name)) {
            std::fs::write(directory.join(name), bytes).expect("the file can be written");
        }
        std::fs::write(directory.join(MANIFEST), manifest_text(&manifest)).expect("it can be written");
    }
}

/// Visits every object that names a file.
fn each_file_record(value: &mut Value, visit: &mut impl FnMut(&mut Value)) {
    if value.get("file").is_some_and(Value::is_string) {
        visit(value);
    }
    match value {
        Value::Array(list) => list.iter_mut().for_each(|item| each_file_record(item, visit)),
        Value::Object(map) => map.values_mut().for_each(|item| each_file_record(item, visit)),
        _ => {}
    }
}

/// The text of a manifest with its digest.
pub fn manifest_text(manifest: &Value) -> String {
    let mut rest = manifest.clone();
    if let Some(map) = rest.as_object_mut() {
        map.remove("digest");
    }
    let text = |digest: &str| {
        let rest = serde_json::to_string_pretty(&rest).expect("JSON");
        format!("{{\n  \"digest\": \"{digest}\",\n{}\n", rest.trim_start_matches("{\n"))
    };
    let digest = blake3::hash(text(&"0".repeat(64)).as_bytes()).to_hex().to_string();
    text(&digest)
}

impl Container {
    /// Takes a file apart.
    pub fn parse(bytes: &[u8]) -> Self {
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes")) as usize;
        let footer = bytes.len() - FOOTER;
        let (directory, count, head) = (number(footer), number(footer + 8), number(footer + 16));
        let chunk = |i: usize| {
            let entry = directory + i * ENTRY;
            let lengths = number(entry + 8);
            let (stored, raw) = (lengths & 0xffff_ffff, lengths >> 32);
            let from = number(entry);
            zstd::bulk::decompress(&bytes[from..from + stored], raw).expect("a frame")
        };
        Container {
            header: bytes[..HEADER].try_into().expect("48 bytes"),
            chunks: (0..count).map(chunk).collect(),
            head: bytes[footer - head..footer].to_vec(),
        }
    }

    /// The file, and its seal.
    pub fn bytes(&self) -> (Vec<u8>, [u8; 32]) {
        let frames = self
            .chunks
            .iter()
            .map(|raw| (zstd::bulk::compress(raw, 1).expect("there is memory"), raw.len() as u32));
        assemble(&self.header, frames, &self.head)
    }
}

/// A file of compressed frames, each with the length that its directory entry gives, and its seal.
pub fn assemble(
    header: &[u8; HEADER],
    frames: impl Iterator<Item = (Vec<u8>, u32)>,
    head: &[u8],
) -> (Vec<u8>, [u8; 32]) {
    let (mut bytes, mut directory, mut count) = (header.to_vec(), vec![], 0u64);
    for (stored, raw) in frames {
        let mut place = header.to_vec();
        place.extend(count.to_le_bytes());
        place.extend(raw.to_le_bytes());
        directory.extend((bytes.len() as u64).to_le_bytes());
        directory.extend((stored.len() as u32).to_le_bytes());
        directory.extend(raw.to_le_bytes());
        directory.extend(xxh3_64_with_seed(&stored, xxh3_64(&place)).to_le_bytes());
        bytes.extend(stored);
        count += 1;
    }
    seal(header, bytes, &directory, count, head)
}

/// Appends directory, head and footer to header and chunks.
pub fn seal(
    header: &[u8; HEADER],
    mut bytes: Vec<u8>,
    directory: &[u8],
    count: u64,
    head: &[u8],
) -> (Vec<u8>, [u8; 32]) {
    let seal = *blake3::Hasher::new().update(header).update(directory).update(head).finalize().as_bytes();
    let mut footer = (bytes.len() as u64).to_le_bytes().to_vec();
    footer.extend(count.to_le_bytes());
    footer.extend((head.len() as u64).to_le_bytes());
    footer.extend(xxh3_64(head).to_le_bytes());
    footer.extend(seal);
    footer.extend(xxh3_64_with_seed(&footer, xxh3_64(header)).to_le_bytes());
    bytes.extend_from_slice(directory);
    bytes.extend_from_slice(head);
    bytes.extend(footer);
    (bytes, seal)
}

/// The numbers of a chunk or head that has nothing but numbers, as FORMAT.md writes them.
pub fn numbers(mut bytes: &[u8]) -> Vec<u64> {
    let mut numbers = vec![];
    while !bytes.is_empty() {
        let (mut number, mut shift) = (0u64, 0);
        while let Some((&byte, rest)) = bytes.split_first() {
            bytes = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        numbers.push(number);
    }
    numbers
}

/// Numbers as bytes.
pub fn bytes_of(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = vec![];
    for &number in numbers {
        let mut rest = number;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes
}
