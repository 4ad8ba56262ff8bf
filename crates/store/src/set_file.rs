//! The set of a layer as a file: the index's nodes in chunks, level by level.

use crate::bytes::{Bytes, put, put_signed};
use crate::chunks::{Bounds, ChunkReader, ChunkWriter};
use crate::error::StoreError;
use std::ops::Range;
use winset_index::{Digit, Index, Level};

/// About as many edges as a chunk holds, so that a query decodes little.
const EDGES: u32 = 4096;
/// No chunk has more than 2^12 nodes.
const MOST_SHIFT: u32 = 12;
/// No chunk of a set or a diagram has more edges than this: at most twice those of one node, which has no more
/// than one for each digit and a default.
pub const MOST_EDGES: u64 = 1 << 18;
/// No chunk is longer than this: a handful of bytes for each edge.
const MOST_BYTES: u64 = 1 << 22;
/// The memory of an edge of an index.
const EDGE_BYTES: u64 = 14;

/// How large a file of nodes in n levels can be in its parts.
pub fn bounds(levels: usize) -> Bounds {
    // A few numbers, a code for each outcome and three a level, none longer than ten bytes.
    Bounds { head: 200 + 30 * levels as u64, chunk: MOST_BYTES }
}

/// Where the nodes of a level are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The number of nodes.
    pub nodes: u64,
    /// Each chunk holds 2^shift nodes, the last one maybe fewer.
    pub shift: u32,
    /// The first chunk of the level.
    pub first: u64,
}

impl Section {
    /// Cuts nodes into chunks of a power of two, none with more than about [`EDGES`] edges.
    /// `start` gives each node's first edge, and the end of the last.
    pub fn cut(start: &[u32], first: u64) -> Self {
        let nodes = start.len().saturating_sub(1);
        let degree = start.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        let limit = EDGES.max(2 * degree);
        let fits = |shift: u32| {
            let ends = (0..=nodes).step_by(1 << shift).chain([nodes]).collect::<Vec<_>>();
            ends.windows(2).all(|pair| start[pair[1]] - start[pair[0]] <= limit)
        };
        let shift = (0..=MOST_SHIFT).rev().find(|&shift| fits(shift)).unwrap_or(0);
        Section { nodes: nodes as u64, shift, first }
    }

    /// The number of chunks.
    pub fn chunks(&self) -> u64 {
        self.nodes.div_ceil(1 << self.shift)
    }

    /// The nodes of a chunk, counted from the section's first chunk.
    pub fn range(&self, chunk: u64) -> Range<u64> {
        chunk << self.shift..((chunk + 1) << self.shift).min(self.nodes)
    }

    /// Appends the section to a head.
    pub fn put(&self, head: &mut Vec<u8>) {
        put(head, self.nodes);
        put(head, self.shift.into());
        put(head, self.first);
    }

    /// Reads a section from a head.
    pub fn get(bytes: &mut Bytes<'_>) -> Option<Self> {
        let (nodes, shift, first) = (bytes.get()?, bytes.get()?, bytes.get()?);
        (shift <= MOST_SHIFT.into() && nodes <= 1 << 32).then_some(Section {
            nodes,
            shift: shift as u32,
            first,
        })
    }
}

/// What the head of a set file says.
#[derive(Clone, Debug)]
pub struct SetHead {
    /// The number of states.
    pub len: u64,
    /// The topmost node.
    pub root: Option<u32>,
    /// The levels, topmost first.
    pub levels: Vec<Section>,
}

impl SetHead {
    /// Reads the head of an opened file and checks that all sections exist.
    pub fn read(file: &ChunkReader, blocks: usize) -> Result<Self, StoreError> {
        let wrong = || file.damaged("the head makes no sense");
        let head = Self::decode(&file.head).ok_or_else(wrong)?;
        let mut first = 0;
        for section in &head.levels {
            if section.first != first {
                return Err(wrong());
            }
            first += section.chunks();
        }
        let has_root = match (head.root, head.levels.first()) {
            (None, _) => head.len == 0,
            (Some(root), Some(top)) => u64::from(root) < top.nodes,
            (Some(root), None) => root == 0 && head.len == 1,
        };
        if first != file.len() || head.levels.len() != blocks || !has_root {
            return Err(wrong());
        }
        Ok(head)
    }

    fn encode(&self) -> Vec<u8> {
        let mut head = vec![];
        put(&mut head, self.len);
        put(&mut head, self.root.map_or(0, |root| u64::from(root) + 1));
        put(&mut head, self.levels.len() as u64);
        self.levels.iter().for_each(|section| section.put(&mut head));
        head
    }

    fn decode(head: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(head);
        let (len, root, levels) = (bytes.get()?, bytes.get()?, bytes.get()?);
        let root = root.checked_sub(1).map(u32::try_from).transpose().ok()?;
        let levels = (0..levels).map(|_| Section::get(&mut bytes)).collect::<Option<Vec<_>>>()?;
        bytes.is_empty().then_some(SetHead { len, root, levels })
    }

    /// The number of nodes below level k; below the last there is one.
    fn nodes_below(&self, k: usize) -> u64 {
        self.levels.get(k + 1).map_or(1, |section| section.nodes)
    }

    /// Decodes a chunk of level k, given the file's bytes of it.
    pub fn nodes(&self, file: &ChunkReader, k: usize, chunk: u64, raw: &[u8]) -> Result<Part, StoreError> {
        let section = &self.levels[k];
        let range = section.range(chunk);
        let last = k + 1 == self.levels.len();
        decode_nodes(raw, (range.end - range.start) as usize, self.nodes_below(k), last)
            .ok_or_else(|| file.damaged(format!("chunk {} makes no sense", section.first + chunk)))
    }
}

/// Some nodes of a level.
#[derive(Debug)]
pub struct Part {
    /// The nodes.
    pub level: Level,
    /// The number of states below each, as the file says.
    pub totals: Vec<u64>,
}

/// Writes an index into a file that has just been created.
pub fn write_set(writer: &mut ChunkWriter<'_>, index: &Index) -> Result<Vec<u8>, StoreError> {
    let mut head = SetHead { len: index.len(), root: index.root(), levels: vec![] };
    let below = index.states_below();
    let (mut first, last) = (0, index.levels().len().saturating_sub(1));
    for (k, level) in index.levels().iter().enumerate() {
        let section = Section::cut(&level.start, first);
        first += section.chunks();
        writer.push_each(section.chunks(), |chunk| {
            encode_nodes(level, section.range(chunk), (k < last).then(|| below[k + 1].as_slice()))
        })?;
        head.levels.push(section);
    }
    Ok(head.encode())
}

/// Reads a whole index, which may take so much memory. Every number of the file is compared with what it should
/// be: single positions are looked up by these numbers.
pub fn read_set(file: &ChunkReader, head: &SetHead, room: u64) -> Result<Index, StoreError> {
    let (mut levels, mut totals) = (vec![], vec![]);
    let mut left = room;
    let mut take = |bytes: u64| match left.checked_sub(bytes) {
        Some(less) => {
            left = less;
            Ok(())
        }
        None => Err(file.too_large(room)),
    };
    for (k, section) in head.levels.iter().enumerate() {
        take(section.nodes * 12 + 4)?;
        let mut level = Level { start: vec![0], ..Default::default() };
        let mut below = Vec::with_capacity(section.nodes as usize);
        level.start.reserve_exact(section.nodes as usize);
        let decode = |chunk: u64, raw: Vec<u8>| head.nodes(file, k, chunk - section.first, &raw);
        file.each(section.first, section.chunks(), decode, |part| {
            let edges = level.digit.len() as u64;
            // Lists grow by a quarter.
            take(part.level.digit.len() as u64 * EDGE_BYTES * 5 / 4)?;
            if edges + part.level.digit.len() as u64 > u32::MAX.into() {
                return Err(file.too_large(room));
            }
            level.start.extend(part.level.start[1..].iter().map(|start| edges as u32 + start));
            append(&mut level.digit, &part.level.digit);
            append(&mut level.child, &part.level.child);
            append(&mut level.before, &part.level.before);
            below.extend(part.totals);
            Ok(())
        })?;
        levels.push(level);
        totals.push(below);
    }
    let index = Index::checked(levels, &totals, head.root).map_err(|e| file.damaged(e.to_string()))?;
    if index.len() != head.len {
        return Err(file.damaged("the number of states is wrong"));
    }
    Ok(index)
}

/// Appends to a list that grows by no more than a quarter: the memory of a large one is counted.
pub fn append<T: Copy>(list: &mut Vec<T>, more: &[T]) {
    if list.capacity() - list.len() < more.len() {
        list.reserve_exact(more.len().max(list.len() / 4));
    }
    list.extend_from_slice(more);
}

/// Column by column: degrees, digits, and above the last level children and the states below each edge.
fn encode_nodes(level: &Level, nodes: Range<u64>, below: Option<&[u64]>) -> Vec<u8> {
    let edges = level.start[nodes.start as usize] as usize..level.start[nodes.end as usize] as usize;
    let mut raw = Vec::with_capacity(8 * edges.len() + nodes.clone().count());
    for node in nodes.clone() {
        put(&mut raw, level.edges(node as u32).len() as u64);
    }
    for node in nodes.clone() {
        let mut next = 0;
        for e in level.edges(node as u32) {
            put(&mut raw, u64::from(level.digit[e]) - next);
            next = u64::from(level.digit[e]) + 1;
        }
    }
    let Some(below) = below else { return raw };
    let mut previous = 0;
    for &child in &level.child[edges.clone()] {
        put_signed(&mut raw, i64::from(child) - previous);
        previous = i64::from(child);
    }
    level.child[edges].iter().for_each(|&child| put(&mut raw, below[child as usize]));
    raw
}

fn decode_nodes(raw: &[u8], nodes: usize, children: u64, last: bool) -> Option<Part> {
    let mut bytes = Bytes::new(raw);
    let mut level = Level { start: Vec::with_capacity(nodes + 1), ..Default::default() };
    level.start.push(0);
    let mut edges = 0u64;
    for _ in 0..nodes {
        edges = edges.checked_add(bytes.get()?)?;
        level.start.push(u32::try_from(edges).ok()?);
    }
    // Every edge takes at least one byte, so a wrong count cannot make this allocate without bound.
    if edges > MOST_EDGES.min(raw.len() as u64) {
        return None;
    }
    for pair in level.start.windows(2) {
        let mut next = 0u64;
        for _ in pair[0]..pair[1] {
            let digit = next.checked_add(bytes.get()?)?;
            level.digit.push(Digit::try_from(digit).ok()?);
            next = digit + 1;
        }
    }
    let mut previous = 0i64;
    for _ in 0..edges {
        let child = if last { 0 } else { previous.checked_add(bytes.get_signed()?)? };
        if child < 0 || child as u64 >= children {
            return None;
        }
        level.child.push(child as u32);
        previous = child;
    }
    let mut totals = Vec::with_capacity(nodes);
    for pair in level.start.windows(2) {
        let mut sum = 0u64;
        for _ in pair[0]..pair[1] {
            level.before.push(sum);
            sum = sum.checked_add(if last { 1 } else { bytes.get()? })?;
        }
        totals.push(sum);
    }
    bytes.is_empty().then_some(Part { level, totals })
}
