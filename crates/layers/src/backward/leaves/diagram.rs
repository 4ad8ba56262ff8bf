//! The values of a layer as a diagram: what is absent is the best that the player to move can get.
//!
//! The states are cut into *parts* by their first digits. Each part has diagrams of its own, made by one thread with
//! tables of its own that forget: what is there twice takes room, but is never wrong.

use crate::backward::leaves::held::{Drawer, Held};
use crate::backward::leaves::places::Places;
use rustc_hash::FxHashMap;
use std::io;
use winset_index::Digit;

/// All states below have the best value.
pub const ABSENT: u32 = 0;

/// Leaves are numbered in pages of n, all of the same class and with the same planes.
pub const PAGE: usize = 16;

/// How many nodes of a level and how many leaves a part remembers.
const NODES: usize = 1 << 14;
const LEAVES: usize = 1 << 16;

/// Leaves that follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Their class.
    pub class: u32,
    /// Which planes they have.
    pub planes: u32,
    /// Where their bits begin.
    pub at: u64,
}

/// The values of some leaf states.
#[derive(Clone, Copy)]
pub struct Leaf<'a> {
    /// Their class.
    pub class: u32,
    /// Which planes there are, as bits; the others are zero.
    pub planes: u32,
    /// The planes, one after the other.
    pub bits: &'a [u64],
}

/// The values of the states with some first digits.
#[derive(Default)]
pub struct Part {
    /// The nodes of every level between the top and the leaf: bits for the digits that there are, and the
    /// nodes below those. Node n begins at word n.
    pub levels: Vec<Vec<u32>>,
    pub pages: Vec<Page>,
    pub bits: Vec<u64>,
}

/// The words for the digits of a node.
pub fn words(digits: usize) -> usize {
    digits.div_ceil(32)
}

/// The node below a digit.
#[inline(always)]
pub fn step(nodes: &[u32], words: usize, node: u32, digit: Digit) -> u32 {
    let at = node as usize;
    let (word, bit) = (usize::from(digit) / 32, 1u32 << (digit % 32));
    let node = &nodes[at..];
    let here = node[word];
    if here & bit == 0 {
        return ABSENT;
    }
    let before: u32 = node[..word].iter().map(|bits| bits.count_ones()).sum();
    node[words + (before + (here & (bit - 1)).count_ones()) as usize]
}

impl Part {
    /// The nodes of a level, counted from the first below the top.
    #[inline]
    pub fn nodes(&self, level: usize) -> &[u32] {
        &self.levels[level]
    }

    /// A leaf.
    #[inline(always)]
    pub fn leaf(&self, places: &Places, leaf: u32) -> Leaf<'_> {
        let Page { class, planes, at } = self.pages[leaf as usize / PAGE];
        let len = places.words(class) * planes.count_ones() as usize;
        let at = at as usize + leaf as usize % PAGE * len;
        Leaf { class, planes, bits: &self.bits[at..at + len] }
    }

    /// The part as bytes, which [`Part::from_bytes`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![];
        let mut number = |n: u64| out.extend_from_slice(&n.to_le_bytes());
        number(self.levels.len() as u64);
        self.levels.iter().for_each(|nodes| number(nodes.len() as u64));
        number(self.pages.len() as u64);
        number(self.bits.len() as u64);
        for nodes in &self.levels {
            nodes.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        }
        for page in &self.pages {
            out.extend_from_slice(&page.class.to_le_bytes());
            out.extend_from_slice(&page.planes.to_le_bytes());
            out.extend_from_slice(&page.at.to_le_bytes());
        }
        self.bits.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        out
    }

    /// The part that was written as these bytes.
    pub fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        let mut rest = bytes;
        let mut take = |len: usize| {
            let (taken, left) = rest.split_at_checked(len).ok_or(io::ErrorKind::UnexpectedEof)?;
            rest = left;
            Ok::<_, io::Error>(taken)
        };
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        let mut sizes = vec![];
        for _ in 0..number(take(8)?) {
            sizes.push(number(take(8)?) as usize);
        }
        let (pages, bits) = (number(take(8)?) as usize, number(take(8)?) as usize);
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap_or_default());
        let mut levels = vec![];
        for size in sizes {
            levels.push(take(size * 4)?.chunks_exact(4).map(word).collect());
        }
        let page = |bytes: &[u8]| Page {
            class: word(&bytes[..4]),
            planes: word(&bytes[4..8]),
            at: number(&bytes[8..]),
        };
        let pages = take(pages * 16)?.chunks_exact(16).map(page).collect();
        let bits = take(bits * 8)?.chunks_exact(8).map(number).collect();
        Ok(Part { levels, pages, bits })
    }

    /// The memory that the part takes.
    pub fn bytes(&self) -> u64 {
        let nodes: usize = self.levels.iter().map(|nodes| nodes.capacity() * 4).sum();
        (nodes + self.pages.capacity() * size_of::<Page>() + self.bits.capacity() * 8) as u64
    }
}

/// What was made lately for a part, so that it need not be made twice: a tag, the part's number and what it is. What
/// was made for other parts has no influence, so that a part is the same whoever makes it.
struct Recent(Vec<u64>);

/// The numbers of parts begin again after n.
const EPOCHS: u64 = (1 << 16) - 1;

impl Recent {
    /// Something with this hash, if it is remembered.
    #[inline]
    fn find(&self, epoch: u64, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let row = hash as usize & (self.0.len() - 1) & !3;
        let tag = hash >> 48 << 16 | epoch;
        self.0[row..row + 4].iter().find(|&&e| e >> 32 == tag && same(e as u32)).map(|&e| e as u32)
    }

    /// Remembers; what was remembered longest in the row is forgotten.
    #[inline]
    fn put(&mut self, epoch: u64, hash: u64, what: u32) {
        let row = hash as usize & (self.0.len() - 1) & !3;
        self.0.copy_within(row..row + 3, row + 1);
        self.0[row] = (hash >> 48 << 16 | epoch) << 32 | u64::from(what);
    }
}

/// Makes parts, one after the other.
pub struct Builder {
    part: Part,
    /// The number of the part: what was remembered for another one is not found again.
    epoch: u64,
    /// Where the next leaf of a class with some planes goes, and the end of its page.
    open: FxHashMap<(u32, u32), (u32, u32)>,
    nodes: Vec<Recent>,
    leaves: Recent,
    node: Vec<u32>,
}

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word) * u128::from(0x9E37_79B9_7F4A_7C15_u64);
    (product as u64) ^ (product >> 64) as u64
}

impl Builder {
    /// For parts with n levels above the leaf.
    pub fn new(levels: usize) -> Self {
        let mut builder = Builder {
            part: Part::default(),
            epoch: 0,
            open: FxHashMap::default(),
            nodes: (0..levels).map(|_| Recent(vec![0; NODES])).collect(),
            leaves: Recent(vec![0; LEAVES]),
            node: vec![],
        };
        builder.begin();
        builder
    }

    fn begin(&mut self) {
        if self.epoch == EPOCHS {
            self.epoch = 0;
            self.nodes.iter_mut().chain([&mut self.leaves]).for_each(|recent| recent.0.fill(0));
        }
        self.epoch += 1;
        self.open.clear();
        // Number 0 means absent, so that nothing else may have it.
        let page = Page { class: 0, planes: 0, at: 0 };
        let levels = self.nodes.iter().map(|_| vec![0]).collect();
        self.part = Part { levels, pages: vec![page], bits: vec![] };
    }

    /// The part with all that was made; the next one begins.
    pub fn finish(&mut self) -> Part {
        let mut part = std::mem::take(&mut self.part);
        close_up(&mut part, self.open.values().copied());
        part.levels.iter_mut().for_each(Vec::shrink_to_fit);
        part.pages.shrink_to_fit();
        part.bits.shrink_to_fit();
        self.begin();
        part
    }

    /// The memory that the part takes so far.
    pub fn bytes(&self) -> u64 {
        self.part.bytes()
    }

    /// A leaf with these planes, none of them zero.
    #[inline]
    pub fn leaf(&mut self, places: &Places, class: u32, planes: u32, bits: &[u64]) -> u32 {
        let mut hash = mix(u64::from(planes), u64::from(class) + 1);
        for &word in bits {
            hash = mix(hash, word);
        }
        let part = &self.part;
        let same = |leaf: u32| {
            let Some(page) = part.pages.get(leaf as usize / PAGE) else { return false };
            page.class == class && page.planes == planes && part.leaf(places, leaf).bits == bits
        };
        if let Some(leaf) = self.leaves.find(self.epoch, hash, same) {
            return leaf;
        }
        let part = &mut self.part;
        let (next, end) = self.open.entry((class, planes)).or_insert((0, 0));
        if next == end {
            *next = (part.pages.len() * PAGE) as u32;
            *end = *next + PAGE as u32;
            part.pages.push(Page { class, planes, at: part.bits.len() as u64 });
            part.bits.resize(part.bits.len() + PAGE * bits.len(), 0);
        }
        let leaf = *next;
        *next += 1;
        let at = part.pages[leaf as usize / PAGE].at as usize + leaf as usize % PAGE * bits.len();
        part.bits[at..at + bits.len()].copy_from_slice(bits);
        self.leaves.put(self.epoch, hash, leaf);
        leaf
    }

    /// A node of a level with n digits, given its edges in order.
    pub fn node(&mut self, level: usize, digits: usize, edges: &[(Digit, u32)]) -> u32 {
        if edges.is_empty() {
            return ABSENT;
        }
        let words = words(digits);
        let node = &mut self.node;
        node.clear();
        node.resize(words, 0);
        for &(digit, below) in edges {
            node[usize::from(digit) / 32] |= 1 << (digit % 32);
            node.push(below);
        }
        let mut hash = mix(1, node.len() as u64);
        for pair in node.chunks(2) {
            hash = mix(hash, u64::from(pair[0]) << 32 | u64::from(*pair.get(1).unwrap_or(&0)));
        }
        let nodes = &mut self.part.levels[level];
        let same = |at: u32| nodes.get(at as usize..at as usize + node.len()) == Some(&node[..]);
        if let Some(at) = self.nodes[level].find(self.epoch, hash, same) {
            return at;
        }
        let at = nodes.len() as u32;
        nodes.extend_from_slice(node);
        self.nodes[level].put(self.epoch, hash, at);
        at
    }

    /// More nodes or leaves than can be numbered.
    pub fn overflows(&self) -> bool {
        const MOST: usize = (u32::MAX - (1 << 16)) as usize;
        self.part.levels.iter().any(|nodes| nodes.len() > MOST) || self.part.pages.len() > MOST / PAGE
    }
}

/// Takes the room out of a part that its last pages have left over: where there are many small parts it is more than
/// what is in them. `open` are the leaves that would come next on those pages, and the ends of the pages.
fn close_up(part: &mut Part, open: impl Iterator<Item = (u32, u32)>) {
    let mut free = vec![0; part.pages.len()];
    open.for_each(|(next, end)| free[(end as usize - 1) / PAGE] = (end - next) as usize);
    let mut to = 0;
    for (page, &free) in free.iter().enumerate().skip(1) {
        let from = part.pages[page].at as usize;
        let end = part.pages.get(page + 1).map_or(part.bits.len(), |next| next.at as usize);
        let used = (end - from) / PAGE * (PAGE - free);
        part.bits.copy_within(from..from + used, to);
        part.pages[page].at = to as u64;
        to += used;
    }
    part.bits.truncate(to);
}

/// The values of a layer.
pub struct LayerValues {
    /// The nodes above the parts, level by level, as in [`Part`]; below the last are nodes of parts, numbered from 1.
    pub top: Vec<Vec<u32>>,
    /// Those: the part, and the node of its first level.
    pub below: Vec<(u32, u32)>,
    /// The topmost node; [`ABSENT`] if every state has the best value.
    pub root: u32,
    /// The parts, and where they are.
    pub parts: Vec<Held>,
    pub drawer: Drawer,
    /// Whose best value is left out.
    pub mover: winset_model::Player,
}

impl LayerValues {
    /// The memory that the values take.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(Held::bytes_here).sum::<u64>()
            + self.top.iter().map(|nodes| nodes.capacity() as u64 * 4).sum::<u64>()
            + self.below.capacity() as u64 * 8
            + self.drawer.taken()
    }
}
