//! The values of a layer as a diagram over leaves of bits, and the file that says which states belong together.

use crate::bytes::{Bytes, put, put_signed};
use crate::chunks::{Bounds, ChunkReader, ChunkWriter};
use crate::error::StoreError;
use crate::set_file::MOST_EDGES;
use std::ops::Range;
use winset_index::{Digit, LeafFrame, LeafNodes, LeafRun, LeafSource, Leaves, MirrorLevel};

/// A chunk of nodes is full when it has n edges or nodes.
const EDGES: usize = 4096;
/// A chunk of leaves is full when it has n bytes.
const BYTES: usize = 1 << 15;
/// No chunk has more nodes or leaves.
const MOST_ITEMS: u64 = 1 << 16;
/// The chunks that are described in one.
const DESCRIBED: u64 = 1 << 16;
/// The chunks that are compressed together.
const TOGETHER: usize = 64;
/// The most outcomes: a leaf has a bit for each plane.
const MOST_OUTCOMES: u64 = 32;

/// Which chunks have which nodes and leaves. A large layer has hundreds of thousands of chunks, so that little is kept of
/// each.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// Of each chunk its level, or one more for leaves, and the number of its items less one.
    chunks: Vec<(u16, u16)>,
    /// Before every n-th chunk: how many items of each level there are before it.
    before: Vec<u64>,
    /// The number of items of each.
    pub items: Vec<u64>,
}

impl Map {
    /// Chunks between two that are counted before.
    const EVERY: usize = 64;

    fn new(levels: usize) -> Self {
        Map { items: vec![0; levels + 1], ..Map::default() }
    }

    /// The chunk that has an item of a level, and all that it has.
    pub fn find(&self, level: usize, item: u64) -> Option<(u64, Range<u64>)> {
        let of = self.items.len();
        if item >= *self.items.get(level)? {
            return None;
        }
        // The last counted place with no more items before it.
        let (mut low, mut high) = (0, self.before.len() / of);
        while high - low > 1 {
            let middle = low.midpoint(high);
            match self.before[middle * of + level] <= item {
                true => low = middle,
                false => high = middle,
            }
        }
        let mut first = *self.before.get(low * of + level)?;
        let begin = low * Self::EVERY;
        for (chunk, &(other, less)) in (begin..).zip(&self.chunks[begin..]) {
            if usize::from(other) == level {
                let end = first + u64::from(less) + 1;
                if item < end {
                    return Some((chunk as u64, first..end));
                }
                first = end;
            }
        }
        None
    }

    /// Takes note of the next chunk, which has 1 to 65,536 items.
    fn add(&mut self, level: u16, items: u64) {
        if self.chunks.len().is_multiple_of(Self::EVERY) {
            self.before.extend(&self.items);
        }
        self.chunks.push((level, (items - 1) as u16));
        self.items[usize::from(level)] += items;
    }

    /// The memory that it takes.
    pub fn bytes(&self) -> usize {
        4 * self.chunks.capacity() + 8 * (self.before.capacity() + self.items.len())
    }
}

/// What a file of leaves says besides its nodes and leaves.
#[derive(Clone, Debug)]
pub struct LeavesHead {
    /// The node of the first level; none if every state has the best value.
    pub root: Option<u64>,
    /// The codes of the outcomes, the best first.
    pub order: Vec<u16>,
    /// The number of chunks of nodes and leaves.
    data: u64,
    /// Where these are.
    pub map: Map,
}

impl LeavesHead {
    /// Appends to the head.
    pub fn put(&self, head: &mut Vec<u8>) {
        put(head, self.root.map_or(0, |root| root + 1));
        put(head, self.order.len() as u64);
        self.order.iter().for_each(|&code| put(head, code.into()));
        put(head, self.data);
    }

    /// Reads from a head; the map is not known yet.
    pub fn get(bytes: &mut Bytes<'_>) -> Option<Self> {
        let root = bytes.get()?.checked_sub(1);
        let outcomes = bytes.get().filter(|n| (1..=MOST_OUTCOMES).contains(n))?;
        let code = |_| u16::try_from(bytes.get()?).ok();
        let order = (0..outcomes).map(code).collect::<Option<Vec<u16>>>()?;
        Some(LeavesHead { root, order, data: bytes.get()?, map: Map::default() })
    }

    /// The number of chunks of the whole file.
    pub fn chunks(&self) -> Option<u64> {
        self.data.checked_add(self.data.div_ceil(DESCRIBED))
    }

    /// Reads where everything is, in a file whose chunks have been counted.
    pub fn read_map(&mut self, file: &ChunkReader, levels: usize) -> Result<(), StoreError> {
        let wrong = || file.damaged("what is where makes no sense");
        let mut map = Map::new(levels);
        let mut chunk = 0;
        for described in self.data..self.data + self.data.div_ceil(DESCRIBED) {
            let raw = file.chunk(described)?;
            let mut bytes = Bytes::new(&raw);
            while !bytes.is_empty() {
                let level = bytes.get().filter(|&level| level <= levels as u64);
                let level = level.and_then(|level| u16::try_from(level).ok()).ok_or_else(wrong)?;
                let items = bytes.get().filter(|n| (1..=MOST_ITEMS).contains(n)).ok_or_else(wrong)?;
                if chunk == self.data || chunk / DESCRIBED != described - self.data {
                    return Err(wrong());
                }
                map.add(level, items);
                chunk += 1;
            }
        }
        let exists = |root: u64| root < map.items[0];
        if chunk != self.data || !self.root.is_none_or(exists) {
            return Err(wrong());
        }
        self.map = map;
        Ok(())
    }

    /// Decodes a chunk of n nodes of a level.
    pub fn nodes(
        &self,
        file: &ChunkReader,
        level: usize,
        nodes: u64,
        raw: &[u8],
    ) -> Result<LeafNodes, StoreError> {
        let wrong = || file.damaged("a chunk of nodes makes no sense");
        decode_nodes(raw, nodes, self.map.items[level + 1]).ok_or_else(wrong)
    }

    /// Decodes a chunk of n leaves.
    pub fn leaves(
        &self,
        file: &ChunkReader,
        frame: &LeafFrame,
        leaves: u64,
        raw: &[u8],
    ) -> Result<Leaves, StoreError> {
        let made = decode_leaves(raw, frame, self.order.len()).filter(|made| made.len() == leaves);
        made.ok_or_else(|| file.damaged("a chunk of leaves makes no sense"))
    }
}

/// Writes the values of a layer, part by part.
pub struct LeavesWriter<'w, 'd> {
    writer: &'w mut ChunkWriter<'d>,
    /// Nodes that wait until they fill a chunk.
    nodes: Vec<LeafNodes>,
    runs: Vec<LeafRun>,
    bits: Vec<u8>,
    waiting: u64,
    /// Chunks that wait to be compressed together.
    chunks: Vec<Vec<u8>>,
    /// The level and the items of every chunk.
    described: Vec<(usize, u64)>,
    /// The number of nodes of each level and of leaves so far.
    items: Vec<u64>,
}

impl<'w, 'd> LeavesWriter<'w, 'd> {
    /// Writes everything into a file that has just been created, and gives what belongs into its head.
    pub fn write(
        writer: &'w mut ChunkWriter<'d>,
        source: &dyn LeafSource,
        reading: impl Fn(std::io::Error) -> StoreError,
    ) -> Result<LeavesHead, StoreError> {
        let (frame, order) = (source.frame(), source.order().to_vec());
        let (levels, top) = (frame.level(), source.top());
        let mut this = LeavesWriter {
            writer,
            nodes: vec![LeafNodes::default(); levels],
            runs: vec![],
            bits: vec![],
            waiting: 0,
            chunks: vec![],
            described: vec![],
            items: vec![0; levels + 1],
        };
        let mut roots = vec![];
        for number in 0..source.parts() {
            let part = source.part(number).map_err(&reading)?;
            let first: Vec<u64> = this.items.clone();
            roots.extend(part.roots.iter().map(|root| first[top.len()] + root));
            for (level, nodes) in (top.len()..).zip(&part.levels) {
                this.add_nodes(level, nodes, |child| first[level + 1] + child)?;
            }
            this.add_leaves(frame, &part.leaves)?;
        }
        for (level, nodes) in top.iter().enumerate() {
            let last = level + 1 == top.len();
            this.add_nodes(level, nodes, |child| if last { roots[child as usize] } else { child })?;
        }
        let root = source.root().map(|root| if top.is_empty() { roots[root as usize] } else { root });
        for level in 0..levels {
            this.flush_nodes(level)?;
        }
        this.flush_leaves()?;
        this.compress()?;
        let (described, writer) = (this.described, this.writer);
        let data = described.len() as u64;
        for some in described.chunks(DESCRIBED as usize) {
            let mut raw = vec![];
            for &(level, items) in some {
                put(&mut raw, level as u64);
                put(&mut raw, items);
            }
            writer.push_each(1, |_| raw.clone())?;
        }
        Ok(LeavesHead { root, order, data, map: Map::default() })
    }

    fn add_nodes(
        &mut self,
        level: usize,
        nodes: &LeafNodes,
        number: impl Fn(u64) -> u64,
    ) -> Result<(), StoreError> {
        for node in 0..nodes.len() {
            let to = &mut self.nodes[level];
            let edges = nodes.edges(node);
            to.digit.extend_from_slice(&nodes.digit[edges.clone()]);
            to.child.extend(nodes.child[edges].iter().map(|&child| number(child)));
            to.finish_node();
            if to.digit.len() >= EDGES || to.len() >= EDGES {
                self.flush_nodes(level)?;
            }
        }
        self.items[level] += nodes.len() as u64;
        Ok(())
    }

    fn flush_nodes(&mut self, level: usize) -> Result<(), StoreError> {
        let nodes = std::mem::take(&mut self.nodes[level]);
        if nodes.is_empty() {
            return Ok(());
        }
        self.push(level, nodes.len() as u64, encode_nodes(&nodes))
    }

    fn add_leaves(&mut self, frame: &LeafFrame, leaves: &Leaves) -> Result<(), StoreError> {
        let mut bits = leaves.bits();
        for run in leaves.runs() {
            let each = frame.plane_bytes(run.class).unwrap_or(0) * run.planes.count_ones() as usize;
            let mut left = run.count as usize;
            while left > 0 {
                let room = (BYTES.saturating_sub(self.bits.len()) / each.max(1)).max(1);
                let some = left.min(room);
                let (taken, rest) = bits.split_at(some * each);
                self.bits.extend_from_slice(taken);
                bits = rest;
                let count = some as u32;
                self.waiting += some as u64;
                match self.runs.last_mut() {
                    Some(last) if (last.class, last.planes) == (run.class, run.planes) => last.count += count,
                    _ => self.runs.push(LeafRun { count, ..*run }),
                }
                left -= some;
                if self.bits.len() + each > BYTES {
                    self.flush_leaves()?;
                }
            }
        }
        let at = self.items.len() - 1;
        self.items[at] += leaves.len();
        Ok(())
    }

    fn flush_leaves(&mut self) -> Result<(), StoreError> {
        let (runs, bits) = (std::mem::take(&mut self.runs), std::mem::take(&mut self.bits));
        let leaves = std::mem::take(&mut self.waiting);
        if leaves == 0 {
            return Ok(());
        }
        self.push(self.nodes.len(), leaves, encode_leaves(&runs, &bits))
    }

    fn push(&mut self, level: usize, items: u64, raw: Vec<u8>) -> Result<(), StoreError> {
        self.described.push((level, items));
        self.chunks.push(raw);
        if self.chunks.len() == TOGETHER { self.compress() } else { Ok(()) }
    }

    fn compress(&mut self) -> Result<(), StoreError> {
        let chunks = std::mem::take(&mut self.chunks);
        self.writer.push_each(chunks.len() as u64, |chunk| chunks[chunk as usize].clone())
    }
}

/// Column by column: degrees, digits, children.
fn encode_nodes(nodes: &LeafNodes) -> Vec<u8> {
    let mut raw = Vec::with_capacity(4 * nodes.digit.len());
    (0..nodes.len()).for_each(|node| put(&mut raw, nodes.edges(node).len() as u64));
    for node in 0..nodes.len() {
        let mut next = 0;
        for &digit in &nodes.digit[nodes.edges(node)] {
            put(&mut raw, u64::from(digit) - next);
            next = u64::from(digit) + 1;
        }
    }
    let mut previous = 0;
    for &child in &nodes.child {
        put_signed(&mut raw, child as i64 - previous);
        previous = child as i64;
    }
    raw
}

fn decode_nodes(raw: &[u8], nodes: u64, children: u64) -> Option<LeafNodes> {
    let mut bytes = Bytes::new(raw);
    let mut made = LeafNodes::default();
    let mut edges = 0u64;
    for _ in 0..nodes {
        edges = edges.checked_add(bytes.get()?)?;
        made.start.push(u32::try_from(edges).ok()?);
    }
    // Every edge takes at least one byte, so a wrong count cannot make this allocate without bound.
    if edges > MOST_EDGES.min(raw.len() as u64) {
        return None;
    }
    for node in 0..nodes as usize {
        let mut next = 0u64;
        for _ in made.edges(node) {
            let digit = next.checked_add(bytes.get()?)?;
            made.digit.push(Digit::try_from(digit).ok()?);
            next = digit + 1;
        }
    }
    let mut previous = 0i64;
    for _ in 0..edges {
        previous = previous.checked_add(bytes.get_signed()?)?;
        made.child.push(u64::try_from(previous).ok().filter(|&child| child < children)?);
    }
    bytes.is_empty().then_some(made)
}

/// The number of runs, the runs, and their bits.
fn encode_leaves(runs: &[LeafRun], bits: &[u8]) -> Vec<u8> {
    let mut raw = Vec::with_capacity(bits.len() + 8 * runs.len());
    put(&mut raw, runs.len() as u64);
    runs.iter().for_each(|run| put(&mut raw, run.class.into()));
    runs.iter().for_each(|run| put(&mut raw, run.planes.into()));
    runs.iter().for_each(|run| put(&mut raw, run.count.into()));
    raw.extend_from_slice(bits);
    raw
}

fn decode_leaves(raw: &[u8], frame: &LeafFrame, outcomes: usize) -> Option<Leaves> {
    let mut bytes = Bytes::new(raw);
    let runs = bytes.get().filter(|&runs| runs <= raw.len() as u64)?;
    let mut column = || (0..runs).map(|_| u32::try_from(bytes.get()?).ok()).collect::<Option<Vec<u32>>>();
    let (classes, planes, counts) = (column()?, column()?, column()?);
    let mut made = vec![];
    for ((class, planes), count) in classes.into_iter().zip(planes).zip(counts) {
        // A plane for each outcome but the best.
        if u64::from(planes) >> (outcomes - 1) != 0 || planes == 0 || count == 0 {
            return None;
        }
        made.push(LeafRun { class, planes, count });
    }
    let mut leaves = Leaves::default();
    leaves.append(frame, &made, bytes.rest())?;
    Some(leaves)
}

/// How large the parts of a frame's file can be, for blocks with n digits.
pub fn frame_bounds(digits: &[u64]) -> Bounds {
    let widest = digits.iter().copied().max().unwrap_or(0).max(1 << 16);
    Bounds { head: 30, chunk: 3 * (widest + 4) }
}

/// Writes a frame into a file that has just been created.
pub fn write_frame(writer: &mut ChunkWriter<'_>, frame: &LeafFrame) -> Result<Vec<u8>, StoreError> {
    writer.push_each(1, |_| {
        let mut raw = vec![];
        frame.classes().iter().for_each(|&class| put(&mut raw, class.into()));
        raw
    })?;
    let mirror = frame.mirror().unwrap_or_default();
    writer.push_each(mirror.len() as u64, |level| {
        let part = &mirror[level as usize];
        let mut raw = vec![];
        put(&mut raw, part.from as u64);
        part.image.iter().for_each(|&digit| put(&mut raw, digit.into()));
        raw
    })?;
    let mut head = vec![];
    put(&mut head, frame.level() as u64);
    put(&mut head, u64::from(frame.mirror().is_some()));
    Ok(head)
}

/// Reads a frame for blocks with n digits.
pub fn read_frame(file: &ChunkReader, digits: &[u64]) -> Result<LeafFrame, StoreError> {
    let wrong = || file.damaged("it does not say which states belong together");
    let mut bytes = Bytes::new(&file.head);
    let (Some(level), Some(mirrored)) = (bytes.get(), bytes.get().filter(|&flag| flag < 2)) else {
        return Err(wrong());
    };
    let levels = if mirrored == 1 { digits.len() as u64 } else { 0 };
    if !bytes.is_empty() || file.len() != 1 + levels {
        return Err(wrong());
    }
    let numbers = |raw: &[u8]| {
        let (mut bytes, mut numbers) = (Bytes::new(raw), vec![]);
        while !bytes.is_empty() {
            numbers.push(u32::try_from(bytes.get()?).ok()?);
        }
        Some(numbers)
    };
    let classes = numbers(&file.chunk(0)?).ok_or_else(wrong)?;
    let mut mirror = vec![];
    for chunk in 1..=levels {
        let list = numbers(&file.chunk(chunk)?).ok_or_else(wrong)?;
        let (&from, image) = list.split_first().ok_or_else(wrong)?;
        let image = image.iter().map(|&digit| Digit::try_from(digit)).collect::<Result<Vec<Digit>, _>>();
        mirror.push(MirrorLevel { from: from as usize, image: image.map_err(|_| wrong())? });
    }
    let digits = digits.iter().map(|&n| n as usize).collect();
    let level = usize::try_from(level).map_err(|_| wrong())?;
    LeafFrame::new(level, digits, classes, (mirrored == 1).then_some(mirror)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every item of every level is in the chunk that a plain list has it in.
    #[test]
    fn every_item_is_found() {
        for (levels, chunks) in [(1, 0), (1, 1), (3, 63), (3, 64), (3, 65), (5, 1000)] {
            let (mut map, mut plain) = (Map::new(levels), vec![vec![]; levels + 1]);
            for chunk in 0..chunks {
                let level = chunk * chunk % 7 % (levels + 1);
                let items = 1 + (chunk as u64 * 31) % 5;
                let first = map.items[level];
                plain[level].push((chunk as u64, first..first + items));
                map.add(level as u16, items);
            }
            for (level, chunks) in plain.iter().enumerate() {
                let mut next = 0;
                for (chunk, items) in chunks {
                    assert_eq!(items.start, next);
                    for item in items.clone() {
                        assert_eq!(map.find(level, item), Some((*chunk, items.clone())));
                    }
                    next = items.end;
                }
                assert_eq!(map.find(level, next), None);
                assert_eq!(map.find(level, u64::MAX), None);
            }
            assert_eq!(map.find(levels + 1, 0), None);
        }
    }

    #[test]
    fn a_full_chunk_is_found() {
        let mut map = Map::new(1);
        map.add(0, MOST_ITEMS);
        map.add(1, 1);
        map.add(0, 1);
        assert_eq!(map.find(0, MOST_ITEMS - 1), Some((0, 0..MOST_ITEMS)));
        assert_eq!(map.find(0, MOST_ITEMS), Some((2, MOST_ITEMS..MOST_ITEMS + 1)));
    }
}
