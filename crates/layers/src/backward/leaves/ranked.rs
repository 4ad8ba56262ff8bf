//! Values by rank, as stores and other passes want them.

use crate::backward::leaves::ByLeaves;
use crate::backward::leaves::diagram::{ABSENT, LayerValues, Leaf, Part, step, words};
use crate::backward::leaves::mirror::{Half, LeafMirror, Way};
use crate::backward::leaves::places::{LeafSets, Places};
use crate::backward::leaves::walk::child;
use crate::backward::stream::Stored;
use crate::sets::layer::Layer;
use crate::sets::set::{EMPTY, Node};
use std::io;
use std::sync::Arc;
use winset_index::Digit;
use winset_model::Code;

/// Where the walk is in the values.
#[derive(Clone, Copy)]
enum At {
    /// Everything below has the best value.
    Best,
    /// Above the parts.
    Top(u32, Way),
    /// In a part with this number.
    Part(usize, u32, Way),
}

/// The values of a layer, with the part that is being read.
struct Reader<'a> {
    values: &'a LayerValues,
    half: Option<&'a Half>,
    /// The number of digits of each block.
    digits: &'a [usize],
    /// Its number and the part itself.
    part: (usize, Arc<Part>),
}

impl<'a> Reader<'a> {
    fn new(values: &'a LayerValues, half: Option<&'a Half>, digits: &'a [usize]) -> Self {
        Reader { values, half, digits, part: (usize::MAX, Arc::default()) }
    }

    fn begin(&self) -> At {
        self.normal(0, self.values.root, Way::begin(self.half.map(|half| &half.mirror)))
    }

    /// A node above the parts, or the one of a part that is there.
    fn normal(&self, level: usize, node: u32, way: Way) -> At {
        if node == ABSENT {
            return At::Best;
        }
        if level < self.values.top.len() {
            return At::Top(node, way);
        }
        let (number, node) = self.values.below[node as usize - 1];
        At::Part(number as usize, node, way)
    }

    fn step(&mut self, level: usize, at: At, digit: Digit) -> io::Result<At> {
        let digits = self.digits;
        let top = self.values.top.len();
        Ok(match at {
            At::Best => At::Best,
            At::Top(node, way) => {
                let nodes = &self.values.top;
                let down = |level: usize, node, digit| step(&nodes[level], words(digits[level]), node, digit);
                let (node, way) = self.below(level, node, way, digit, down);
                self.normal(level + 1, node, way)
            }
            At::Part(number, node, way) => {
                self.open(number)?;
                let part = &self.part.1;
                let down = |level: usize, node, digit| {
                    step(part.nodes(level - top), words(digits[level]), node, digit)
                };
                match self.below(level, node, way, digit, down) {
                    (ABSENT, _) => At::Best,
                    (node, way) => At::Part(number, node, way),
                }
            }
        })
    }

    fn below(
        &self,
        level: usize,
        node: u32,
        way: Way,
        digit: Digit,
        down: impl Fn(usize, u32, Digit) -> u32,
    ) -> (u32, Way) {
        match self.half {
            Some(half) => half.mirror.step(level, node, way, digit, down),
            None => (down(level, node, digit), way),
        }
    }

    fn open(&mut self, number: usize) -> io::Result<()> {
        if self.part.0 != number {
            self.part = (number, self.values.drawer.get(&self.values.parts[number])?);
        }
        Ok(())
    }

    /// A leaf that tells about states of a class, and how it is read.
    fn leaf(&mut self, places: &Places, class: u32, at: At) -> io::Result<Option<(Leaf<'_>, Way)>> {
        let At::Part(number, leaf, way) = at else { return Ok(None) };
        self.open(number)?;
        let leaf = self.part.1.leaf(places, leaf);
        let told = match self.half {
            Some(half) if way != Way::NORMAL => half.leaf.class(class),
            _ => class,
        };
        Ok((leaf.class == told).then_some((leaf, way)))
    }
}

/// Bits one after the other, on their way to a plane.
#[derive(Default)]
struct Stream {
    words: Vec<u64>,
    /// Bits of a word that is not full yet, and how many.
    rest: u64,
    filled: u32,
    /// The words that have gone before.
    gone: u64,
}

/// The words of a plane that are written at a time.
const STEP: usize = 1 << 13;

impl Stream {
    #[inline]
    fn push(&mut self, bits: u64, n: u32) {
        self.rest |= bits << self.filled;
        let filled = self.filled + n;
        if filled < 64 {
            self.filled = filled;
            return;
        }
        self.words.push(self.rest);
        // Shifted in two steps, so that a shift by 64 gives 0.
        self.rest = bits >> 1 >> (63 - self.filled);
        self.filled = filled - 64;
    }
}

struct Ranked<'a> {
    layer: &'a Layer,
    values: Reader<'a>,
    places: &'a Places,
    leaves: &'a LeafSets,
    order: &'a [Code],
    extract: fn(u64, u64) -> u64,
    planes: Vec<Stream>,
    out: &'a mut Stored,
}

impl Ranked<'_> {
    fn below(&mut self, level: usize, node: Node, at: At) -> io::Result<()> {
        if level == self.places.level {
            return self.leaf(node, at);
        }
        let here = &self.layer.levels[level];
        if self.planes.first().is_some_and(|plane| plane.words.len() >= STEP) {
            self.write()?;
        }
        for edge in here.edges(node) {
            let (digit, child) = (here.digit[edge], here.child[edge]);
            let at = self.values.step(level, at, digit)?;
            self.below(level + 1, child, at)?;
        }
        Ok(())
    }

    fn leaf(&mut self, node: Node, at: At) -> io::Result<()> {
        let (class, states) = self.leaves.get(node);
        let words = states.len();
        let half = self.values.half;
        let leaf = self.values.leaf(self.places, class, at)?;
        for (word, &states) in states.iter().enumerate() {
            let n = states.count_ones();
            let mut codes = [0u64; Code::BITS as usize];
            let mut add = |bits: u64, code: Code| {
                (0..)
                    .zip(&mut codes)
                    .filter(|(bit, _)| code >> bit & 1 == 1)
                    .for_each(|(_, word)| *word |= bits);
            };
            let mut best = states;
            if let Some((leaf, way)) = leaf {
                let planes = (0..self.order.len() - 1).filter(|plane| leaf.planes >> plane & 1 == 1);
                for (kept, plane) in planes.enumerate() {
                    let plane_bits = &leaf.bits[kept * words..][..words];
                    let bits = match half {
                        Some(half) if way != Way::NORMAL => {
                            told(&half.leaf, plane_bits, (class, way), word, states)
                        }
                        _ => plane_bits[word] & states,
                    };
                    best &= !bits;
                    add(bits, self.order[plane + 1]);
                }
            }
            add(best, self.order[0]);
            for (stream, bits) in self.planes.iter_mut().zip(codes) {
                stream.push((self.extract)(bits, states), n);
            }
        }
        Ok(())
    }
}

/// What a plane tells about the states in a word of a class, read in some way.
fn told(mirror: &LeafMirror, plane: &[u64], (class, way): (u32, Way), word: usize, states: u64) -> u64 {
    let (mut bits, mut left) = (0, states);
    while left != 0 {
        let bit = left.trailing_zeros();
        let place = mirror.place(class, word * 64 + bit as usize, way);
        bits |= (plane[place / 64] >> (place % 64) & 1) << bit;
        left &= left - 1;
    }
    bits
}

impl Ranked<'_> {
    /// Writes all full words.
    fn write(&mut self) -> io::Result<()> {
        for (bit, plane) in self.planes.iter_mut().enumerate() {
            self.out.add(bit, plane.gone, &plane.words)?;
            plane.gone += plane.words.len() as u64;
            plane.words.clear();
        }
        Ok(())
    }
}

impl ByLeaves {
    /// Writes the codes of a layer's states by rank, over zeros; says whether they are known.
    pub fn write_ranked(
        &self,
        layer: &Layer,
        digits: &[usize],
        extract: fn(u64, u64) -> u64,
        out: &mut Stored,
    ) -> io::Result<bool> {
        let Some((_, values)) = self.known.get(&layer.measure) else { return Ok(false) };
        let Some(leaves) = self.places.sets(layer) else { return Ok(false) };
        let planes = (0..out.bits()).map(|_| Stream::default()).collect();
        let order = &self.orders[values.mover.index()];
        let (places, leaves) = (&self.places, &leaves);
        let values = Reader::new(values, self.half.as_ref(), digits);
        let mut ranked = Ranked { layer, values, places, leaves, order, extract, planes, out };
        if let Some(root) = layer.root {
            let begin = ranked.values.begin();
            ranked.below(0, root, begin)?;
        }
        ranked
            .planes
            .iter_mut()
            .filter(|plane| plane.filled > 0)
            .for_each(|plane| plane.words.push(plane.rest));
        ranked.write()?;
        Ok(true)
    }

    /// The code of a state of a layer; none if it has no place.
    pub fn code(&self, layer: &Layer, digits: &[Digit], sizes: &[usize]) -> io::Result<Option<Code>> {
        let Some((_, values)) = self.known.get(&layer.measure) else { return Ok(None) };
        let order = &self.orders[values.mover.index()];
        let mut values = Reader::new(values, self.half.as_ref(), sizes);
        let mut node = layer.root.unwrap_or(EMPTY);
        let mut at = values.begin();
        for (level, &digit) in digits.iter().enumerate() {
            node = child(&layer.levels[level], node, digit);
            if level < self.places.level {
                at = values.step(level, at, digit)?;
            }
        }
        let place = self.places.place(self.places.local(&digits[self.places.level..]));
        let Some((class, place)) = place.filter(|_| node != EMPTY) else { return Ok(None) };
        let Some((leaf, way)) = values.leaf(&self.places, class, at)? else {
            return Ok(order.first().copied());
        };
        let place = self.half.as_ref().map_or(place, |half| half.leaf.place(class, place, way));
        let words = self.places.words(class);
        let planes = (0..order.len() - 1).filter(|plane| leaf.planes >> plane & 1 == 1);
        let holds = |kept: usize| leaf.bits[kept * words + place / 64] >> (place % 64) & 1 == 1;
        let plane = planes.enumerate().find(|&(kept, _)| holds(kept)).map(|(_, plane)| plane);
        Ok(order.get(plane.map_or(0, |plane| plane + 1)).copied())
    }
}
