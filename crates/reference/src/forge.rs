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
            [".set", ".val", ".dig", ".frm"]
                .iter()
                .any(|end| name.ends_with(end))
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
        let made = self.made();
        for (name, (bytes, _)) in made.iter().filter(|(name, _)| changed(name)) {
            std::fs::write(directory.join(name), bytes).expect("the file can be written");
        }
        let manifest = self.sealed(&made);
        std::fs::write(directory.join(MANIFEST), manifest_text(&manifest)).expect("it can be written");
    }

    /// Every binary file with its seal.
    pub fn made(&self) -> Made {
        self.files.iter().map(|(name, file)| (name.clone(), file.bytes())).collect()
    }

    /// The manifest with the lengths, digests and seals of these files.
    pub fn sealed(&self, made: &Made) -> Value {
        let mut manifest = self.manifest.clone();
        each_file_record(&mut manifest, &mut |record| {
            let Some((bytes, seal)) = record["file"].as_str().and_then(|name| made.get(name)) else { return };
            record["bytes"] = bytes.len().into();
            record["blake3"] = blake3::hash(bytes).to_hex().to_string().into();
            record["seal"] = blake3::Hash::from_bytes(*seal).to_hex().to_string().into();
        });
        manifest
    }
}

/// Binary files by name, with their seals.
pub type Made = BTreeMap<String, (Vec<u8>, [u8; 32])>;

/// The JSON pointers of everything in a value: the value itself, its members, theirs.
pub fn pointers(value: &Value) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut inside = |key: String, item: &Value| {
        all.extend(pointers(item).into_iter().map(|rest| format!("/{key}{rest}")));
    };
    match value {
        Value::Array(list) => list.iter().enumerate().for_each(|(i, item)| inside(i.to_string(), item)),
        Value::Object(map) => {
            map.iter().for_each(|(key, item)| inside(key.replace('~', "~0").replace('/', "~1"), item));
        }
        _ => {}
    }
    all
}

/// What else could stand in the place of a value: neighbours and extremes of numbers, other words, other types,
/// lists and objects with a part missing, doubled or in another place.
pub fn alternatives(value: &Value) -> Vec<Value> {
    let mut others =
        vec![Value::Null, false.into(), 0.into(), "".into(), serde_json::json!([]), serde_json::json!({})];
    match value {
        Value::Bool(known) => others.push((!known).into()),
        Value::Number(number) => {
            let number = number.as_i128().unwrap_or(0);
            let near = [number - 1, number + 1, 1, -1, 255, 1 << 32, i64::MAX.into(), u64::MAX.into()];
            let fits =
                |n: i128| u64::try_from(n).map(Value::from).or_else(|_| i64::try_from(n).map(Value::from));
            others.extend(near.into_iter().filter_map(|n| fits(n).ok()));
        }
        Value::String(text) => {
            let words =
                ["difference", "own", "packed", "diagram", "measure", "bfs", "single", "endless", "../x"];
            others.extend(words.map(Value::from));
            others.push(format!("{text}x").into());
            let changed = |digit: char| if digit == '0' { '1' } else { '0' };
            let mut letters = text.chars();
            others
                .extend(letters.next().map(|first| format!("{}{}", changed(first), letters.as_str()).into()));
        }
        Value::Array(list) => {
            for at in 0..list.len() {
                let with = |change: &dyn Fn(&mut Vec<Value>)| {
                    let mut other = list.clone();
                    change(&mut other);
                    Value::from(other)
                };
                others.push(with(&|other| drop(other.remove(at))));
                others.push(with(&|other| other.insert(at, list[at].clone())));
                others.push(with(&|other| other.swap(at, (at + 1) % list.len())));
                others.push(with(&|other| other.truncate(at)));
            }
            others.push(list.iter().cloned().chain([0.into()]).collect::<Vec<Value>>().into());
        }
        Value::Object(map) => {
            for key in map.keys() {
                let mut other = map.clone();
                other.remove(key);
                others.push(other.into());
            }
        }
        Value::Null => others.push(serde_json::json!({"plies": 1})),
    }
    others.retain(|other| other != value);
    others
}

/// The other contents that differ in one place from bytes which are numbers (`bytes_of`): every bit, every number
/// one more, one less, 0 and the extremes, a byte too many or too few.
pub fn changed_bytes(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut others: Vec<Vec<u8>> = vec![];
    for bit in 0..8 * bytes.len() {
        let mut other = bytes.to_vec();
        other[bit / 8] ^= 1 << (bit % 8);
        others.push(other);
    }
    let list = numbers(bytes);
    if bytes_of(&list) == bytes {
        for (at, &number) in list.iter().enumerate() {
            let near = [
                number.wrapping_add(1),
                number.wrapping_sub(1),
                number ^ 1,
                0,
                1,
                1 << 16,
                1 << 32,
                u64::MAX,
            ];
            for other in near {
                let mut list = list.clone();
                list[at] = other;
                others.push(bytes_of(&list));
            }
        }
    }
    others.extend([[bytes, &[0]].concat(), bytes.split_last().map_or(vec![1], |(_, rest)| rest.to_vec())]);
    others.retain(|other| other != bytes);
    others.sort_unstable();
    others.dedup();
    others
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

impl Container {
    /// The other files, with their seals, that differ in one number of the directory or the footer; the checksums
    /// are those of what stands there now.
    pub fn changed_frames(&self) -> Vec<(Vec<u8>, [u8; 32])> {
        let (bytes, own) = self.bytes();
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        let footer = bytes.len() - FOOTER;
        let (start, end) = (number(footer) as usize, footer - self.head.len());
        let near = |n: u64| [n.wrapping_add(1), n.wrapping_sub(1), 0, n ^ 1 << 12, u64::MAX];
        let mut others = vec![];
        for (chunk, entry) in (start..end).step_by(ENTRY).enumerate() {
            for (at, width) in [(0, 8), (8, 4), (12, 4)] {
                let value = number(entry + at) & (u64::MAX >> (64 - 8 * width));
                for other in near(value) {
                    let mut directory = bytes[start..end].to_vec();
                    let changed = &mut directory[entry - start..][..ENTRY];
                    changed[at..at + width].copy_from_slice(&other.to_le_bytes()[..width]);
                    let offset = u64::from_le_bytes(changed[..8].try_into().expect("8 bytes")) as usize;
                    let stored = u32::from_le_bytes(changed[8..12].try_into().expect("4 bytes")) as usize;
                    let place = [&self.header[..], &(chunk as u64).to_le_bytes(), &changed[12..16]].concat();
                    let frame = bytes.get(offset..offset.saturating_add(stored)).unwrap_or_default();
                    let checksum = xxh3_64_with_seed(frame, xxh3_64(&place));
                    changed[16..].copy_from_slice(&checksum.to_le_bytes());
                    let count = self.chunks.len() as u64;
                    others.push(seal(&self.header, bytes[..start].to_vec(), &directory, count, &self.head));
                }
            }
        }
        for field in 0..3 {
            let at = footer + 8 * field;
            for other in near(number(at)) {
                let mut changed = bytes.clone();
                changed[at..at + 8].copy_from_slice(&other.to_le_bytes());
                let checksum = xxh3_64_with_seed(&changed[footer..footer + 64], xxh3_64(&self.header));
                changed[footer + 64..].copy_from_slice(&checksum.to_le_bytes());
                others.push((changed, own));
            }
        }
        others.retain(|other| other.0 != bytes);
        others
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
