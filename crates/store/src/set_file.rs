//! The set of a layer as a file: the index's nodes in chunks, level by level.

use crate::bytes::{Bytes, put, put_signed};
use crate::chunks::{ChunkReader, ChunkWriter};
use crate::error::StoreError;
use std::ops::Range;
use winset_index::{Digit, Index, Level};

/// About as many edges as a chunk holds, so that a query decodes little.
const EDGES: u32 = 4096;

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
        let shift = (0..=12).rev().find(|&shift| fits(shift)).unwrap_or(0);
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
        (shift <= 32 && nodes <= 1 << 32).then_some(Section { nodes, shift: shift as u32, first })
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
    pub fn nodes(&self, file: &ChunkReader, k: usize, chunk: u64, raw: &[u8]) -> Result<Level, StoreError> {
        let section = &self.levels[k];
        let range = section.range(chunk);
        let last = k + 1 == self.levels.len();
        decode_nodes(raw, (range.end - range.start) as usize, self.nodes_below(k), last)
            .ok_or_else(|| file.damaged(format!("chunk {} makes no sense", section.first + chunk)))
    }
}

/// Writes an index into a file that has just been created.
pub fn write_set(writer: &mut ChunkWriter<'_>, index: &Index) -> Result<Vec<u8>, StoreError> {
    let mut head = SetHead { len: index.len(), root: index.root(), levels: vec![] };
    let below = states_below(index.levels());
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

/// Reads a whole index.
pub fn read_set(file: &ChunkReader, blocks: usize) -> Result<Index, StoreError> {
    let head = SetHead::read(file, blocks)?;
    let mut levels = vec![];
    for (k, section) in head.levels.iter().enumerate() {
        let mut level = Level { start: vec![0], ..Default::default() };
        for (i, raw) in file.chunks(section.first, section.chunks())?.iter().enumerate() {
            let part = head.nodes(file, k, i as u64, raw)?;
            let edges = level.digit.len() as u32;
            level.start.extend(part.start[1..].iter().map(|start| edges + start));
            level.digit.extend(part.digit);
            level.child.extend(part.child);
        }
        levels.push(level);
    }
    let index = Index::freeze(levels, head.root).map_err(|e| file.damaged(e.to_string()))?;
    if index.len() != head.len {
        return Err(file.damaged("the number of states is wrong"));
    }
    Ok(index)
}

/// The number of states below every node of every level, and one more level below the last.
fn states_below(levels: &[Level]) -> Vec<Vec<u64>> {
    let mut below = vec![vec![1u64]];
    for level in levels.iter().rev() {
        let children = below.last().expect("never empty");
        let count = |node: u32| match level.edges(node).last() {
            Some(e) => level.before[e] + children[level.child[e] as usize],
            None => 0,
        };
        let counts = (0..level.nodes() as u32).map(count).collect();
        below.push(counts);
    }
    below.reverse();
    below
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

fn decode_nodes(raw: &[u8], nodes: usize, children: u64, last: bool) -> Option<Level> {
    let mut bytes = Bytes::new(raw);
    let mut level = Level { start: Vec::with_capacity(nodes + 1), ..Default::default() };
    level.start.push(0);
    let mut edges = 0u64;
    for _ in 0..nodes {
        edges = edges.checked_add(bytes.get()?)?;
        level.start.push(u32::try_from(edges).ok()?);
    }
    // Every edge takes at least one byte, so a wrong count cannot make this allocate without bound.
    if edges > raw.len() as u64 {
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
    for pair in level.start.windows(2) {
        let mut sum = 0u64;
        for _ in pair[0]..pair[1] {
            level.before.push(sum);
            sum = sum.checked_add(if last { 1 } else { bytes.get()? })?;
        }
    }
    bytes.is_empty().then_some(level)
}
