//! Values as a reduced decision diagram over the digits.

use crate::bytes::{Bytes, put, put_signed};
use crate::set_file::{MOST_EDGES, Section};
use rustc_hash::FxHashMap;
use std::ops::Range;
use winset_index::{Digit, Index, Planes, ValueDiagramBuilder, leaf};
pub use winset_index::{ValueDiagram as Diagram, ValueNodes as Nodes, ValueRef as Ref};

/// Never more nodes than this: building must not need much memory beside the layer itself.
const MOST_NODES: usize = 1 << 22;

/// Layers of fewer states are tried without sampling.
pub const FEW: u64 = 1 << 14;
/// Of n subtrees one is sampled.
const SAMPLED: u64 = 32;

/// Unless the smallest file is asked for, building looks at no more than one edge for n states: one takes
/// about as long as compressing the bits of as many.
const STATES_A_LOOK: u64 = 16;
/// As many edges take as long as finding out that a node is known.
const EDGES_A_NODE: u64 = 4;

/// A diagram is worth building if it seems to take no more than this part of what the bits take. Where it
/// gains less than that, it costs more time than it is worth.
const PROMISING: f64 = 0.625;

/// Builds the diagram of a layer's values, unless it gets, or seems to get, larger than about `limit` bytes
/// when compressed; or, if it is not to be built at any cost (`compact`), unless building it takes long.
///
/// A layer that is better kept as bits should not cost the time of building its diagram, so a sample of its
/// subtrees says first how large the whole would get and how much one has to look at.
pub fn build(index: &Index, values: &[&Planes], limit: u64, compact: bool) -> Option<Diagram> {
    let Some(top) = index.root() else {
        return Some(of_nothing(index));
    };
    let mut builder = Builder::new(index, values, limit);
    if index.len() > FEW {
        let mut sample = Sample { unit: index.len() / 256, seen: 0, states: 0 };
        if !compact {
            builder.most_looks = index.len() / SAMPLED / STATES_A_LOOK * 2;
        }
        builder.sample(&mut sample, 0, top, 0, index.len())?;
        if grown(builder.made.size, sample.states, index.len()) > PROMISING * limit as f64 {
            return None;
        }
        if !compact && builder.looks * STATES_A_LOOK > sample.states {
            return None;
        }
        builder.most_looks = u64::MAX;
    }
    let root = builder.build(0, top, 0, index.len())?;
    Some(builder.made.finish(root))
}

/// Builds the diagram of a layer's values, unless it gets larger than `limit` bytes or has too many nodes. Nodes are
/// made from below, digit by digit: a diagram that is made from other diagrams in this order is the same.
pub fn build_whole(index: &Index, values: &[&Planes], limit: Option<u64>) -> Option<Diagram> {
    let Some(top) = index.root() else {
        return Some(of_nothing(index));
    };
    let mut builder = Builder::new(index, values, limit.unwrap_or(u64::MAX));
    builder.most_nodes = if limit.is_some() { MOST_NODES } else { usize::MAX };
    let root = builder.build(0, top, 0, index.len())?;
    Some(builder.made.finish(root))
}

/// Whether a diagram of n bytes and nodes is kept where one was made: bits that nobody can enumerate are not
/// written, and else it should not be larger than they are.
pub fn is_kept((size, nodes): (u64, usize), bits: usize, len: u64) -> bool {
    len > ENUMERABLE || size <= packed_bytes(bits, len) && nodes <= MOST_NODES
}

/// The bytes that n states take as bits, before they are compressed.
pub fn packed_bytes(bits: usize, len: u64) -> u64 {
    len.div_ceil(64) * 8 * bits as u64
}

/// More states are not looked at one by one to be written as bits.
const ENUMERABLE: u64 = 1 << 34;

fn of_nothing(index: &Index) -> Diagram {
    let levels = index.levels().len();
    Diagram { levels: vec![Nodes::default(); levels], root: leaf(levels, 0) }
}

/// The size that a diagram of so much for a part of the states would have for all of them. The more states,
/// the more nodes are shared: sizes grow about with the power 3/4. (Roots, unlike powers, are the same on
/// every machine.)
fn grown(size: u64, part: u64, all: u64) -> f64 {
    let root = (all as f64 / part.max(1) as f64).sqrt();
    size as f64 * root * root.sqrt()
}

/// Which subtrees are sampled.
struct Sample {
    /// A subtree of no more than n states is not divided further.
    unit: u64,
    seen: u64,
    states: u64,
}

struct Builder<'a> {
    index: &'a Index,
    planes: Vec<&'a [u64]>,
    made: ValueDiagramBuilder,
    /// Nodes of the last level by index node and packed values.
    last: FxHashMap<(u32, u64), Ref>,
    children: Vec<Vec<(Digit, Ref)>>,
    /// How much was looked at, in edges.
    looks: u64,
    limit: u64,
    most_looks: u64,
    most_nodes: usize,
}

impl<'a> Builder<'a> {
    fn new(index: &'a Index, values: &'a [&Planes], limit: u64) -> Self {
        let levels = index.levels().len();
        Builder {
            index,
            planes: values.iter().flat_map(|planes| planes.planes.iter().map(Vec::as_slice)).collect(),
            made: ValueDiagramBuilder::new(levels),
            last: FxHashMap::default(),
            children: vec![vec![]; levels],
            looks: 0,
            limit,
            most_looks: u64::MAX,
            most_nodes: MOST_NODES,
        }
    }

    /// Builds some of the subtrees, evenly spread.
    fn sample(&mut self, sample: &mut Sample, k: usize, node: u32, rank: u64, count: u64) -> Option<()> {
        if count <= sample.unit || k + 1 == self.children.len() {
            sample.seen += 1;
            if sample.seen % SAMPLED == SAMPLED / 2 {
                sample.states += count;
                self.build(k, node, rank, count)?;
            }
            return Some(());
        }
        let level = &self.index.levels()[k];
        let edges = level.edges(node);
        for e in edges.clone() {
            let first = rank + level.before[e];
            let end = if e + 1 < edges.end { rank + level.before[e + 1] } else { rank + count };
            self.sample(sample, k + 1, level.child[e], first, end - first)?;
        }
        Some(())
    }

    /// The diagram of the `count` states below an index node, whose first has this rank.
    fn build(&mut self, k: usize, node: u32, rank: u64, count: u64) -> Option<Ref> {
        let levels = self.children.len();
        if let Some(value) = self.constant(rank, count) {
            return Some(leaf(levels, value));
        }
        self.looks += EDGES_A_NODE;
        let level = &self.index.levels()[k];
        let edges = level.edges(node);
        let key = (k + 1 == levels).then(|| self.packed(rank, count)).flatten().map(|bits| (node, bits));
        if let Some(found) = key.and_then(|key| self.last.get(&key)) {
            return Some(*found);
        }
        self.looks += edges.len() as u64;
        if self.looks > self.most_looks {
            return None;
        }
        let mut children = std::mem::take(&mut self.children[k]);
        children.clear();
        for e in edges.clone() {
            let first = rank + level.before[e];
            let end = if e + 1 < edges.end { rank + level.before[e + 1] } else { rank + count };
            let target = if k + 1 == levels {
                leaf(levels, self.value(first))
            } else {
                self.build(k + 1, level.child[e], first, end - first)?
            };
            children.push((level.digit[e], target));
        }
        let made = self.node(k, &children);
        self.children[k] = children;
        if let (Some(key), Some(made)) = (key, made) {
            self.last.insert(key, made);
        }
        made
    }

    /// The node with these children, unless there are too many by now.
    fn node(&mut self, k: usize, children: &[(Digit, Ref)]) -> Option<Ref> {
        let made = self.made.node(k, children);
        (self.made.size <= self.limit && self.made.nodes <= self.most_nodes).then_some(made)
    }

    fn value(&self, rank: u64) -> u32 {
        let (word, bit) = ((rank / 64) as usize, rank % 64);
        let bits = self.planes.iter().enumerate();
        bits.fold(0, |value, (b, plane)| value | ((plane[word] >> bit & 1) as u32) << b)
    }

    /// The values of a few states in one word, if they fit.
    fn packed(&self, rank: u64, count: u64) -> Option<u64> {
        if self.planes.len() as u64 * count > 64 {
            return None;
        }
        let bits = self.planes.iter().enumerate();
        Some(bits.fold(0, |all, (b, plane)| all | (word_at(plane, rank) & mask(count)) << (b as u64 * count)))
    }

    /// The value of all the states, if they have the same.
    fn constant(&self, rank: u64, count: u64) -> Option<u32> {
        let mut value = 0;
        for (b, plane) in self.planes.iter().enumerate() {
            let bit = plane[(rank / 64) as usize] >> (rank % 64) & 1;
            if !same(plane, rank, count, bit) {
                return None;
            }
            value |= (bit as u32) << b;
        }
        Some(value)
    }
}

fn mask(count: u64) -> u64 {
    if count >= 64 { !0 } else { (1 << count) - 1 }
}

/// 64 bits from any position; there is one word more than needed.
fn word_at(plane: &[u64], rank: u64) -> u64 {
    let (word, bit) = ((rank / 64) as usize, rank % 64);
    if bit == 0 { plane[word] } else { plane[word] >> bit | plane[word + 1] << (64 - bit) }
}

fn same(plane: &[u64], mut rank: u64, mut count: u64, bit: u64) -> bool {
    let expected = bit.wrapping_neg();
    while count > 0 {
        let some = count.min(64);
        if (word_at(plane, rank) ^ expected) & mask(some) != 0 {
            return false;
        }
        (rank, count) = (rank + some, count - some);
    }
    true
}

/// A chunk of nodes, column by column: numbers of exceptions, their digits, kinds of targets, numbers of
/// targets that are nodes.
pub fn encode(nodes: &Nodes, k: usize, levels: usize, range: Range<u64>) -> Vec<u8> {
    let range = range.start as usize..range.end as usize;
    let mut raw = vec![];
    let edges = |n: usize| nodes.start[n] as usize..nodes.start[n + 1] as usize;
    range.clone().for_each(|n| put(&mut raw, edges(n).len() as u64));
    for n in range.clone() {
        let mut next = 0;
        for e in edges(n) {
            put(&mut raw, u64::from(nodes.digit[e]) - next);
            next = u64::from(nodes.digit[e]) + 1;
        }
    }
    let targets = || {
        range
            .clone()
            .flat_map(|n| std::iter::once(nodes.default[n]).chain(nodes.target[edges(n)].iter().copied()))
    };
    for target in targets() {
        let (level, number) = ((target >> 32) as usize, target & 0xffff_ffff);
        put(&mut raw, if level == levels { 2 * number } else { 2 * (level - k - 1) as u64 + 1 });
    }
    let mut previous = vec![0i64; levels];
    for target in targets() {
        let (level, number) = ((target >> 32) as usize, target as u32);
        if level < levels {
            put_signed(&mut raw, i64::from(number) - previous[level]);
            previous[level] = number.into();
        }
    }
    raw
}

/// Reads back a chunk of level k; nothing if it makes no sense. Every target is checked to exist.
pub fn decode(raw: &[u8], k: usize, sections: &[Section], nodes: u64, values: u64) -> Option<Nodes> {
    let levels = sections.len();
    let mut bytes = Bytes::new(raw);
    let mut made = Nodes::default();
    let mut edges = 0u64;
    for _ in 0..nodes {
        edges = edges.checked_add(bytes.get()?)?;
        made.start.push(u32::try_from(edges).ok()?);
    }
    if edges > MOST_EDGES.min(raw.len() as u64) {
        return None;
    }
    for n in 0..nodes as usize {
        let mut next = 0u64;
        for _ in made.start[n]..made.start[n + 1] {
            let digit = next.checked_add(bytes.get()?)?;
            made.digit.push(Digit::try_from(digit).ok()?);
            next = digit + 1;
        }
    }
    let kinds = (0..nodes + edges).map(|_| bytes.get()).collect::<Option<Vec<u64>>>()?;
    let mut kinds = kinds.into_iter();
    let mut previous = vec![0i64; levels];
    let mut target = || -> Option<Ref> {
        let kind = kinds.next()?;
        if kind & 1 == 0 {
            return (kind / 2 < values.min(1 << 32)).then_some(leaf(levels, (kind / 2) as u32));
        }
        let level = usize::try_from(kind / 2).ok()?.checked_add(k + 1)?;
        let section = sections.get(level)?;
        let number = previous[level].checked_add(bytes.get_signed()?)?;
        previous[level] = number;
        (number >= 0 && (number as u64) < section.nodes).then_some((level as u64) << 32 | number as u64)
    };
    for n in 0..nodes as usize {
        made.default.push(target()?);
        for _ in made.start[n]..made.start[n + 1] {
            made.target.push(target()?);
        }
    }
    bytes.is_empty().then_some(made)
}
