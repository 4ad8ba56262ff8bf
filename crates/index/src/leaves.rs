//! Values as a diagram over leaves of bits, in which what is best for the player to move takes no room.
//!
//! The last blocks of a state together are its *leaf*. Leaf states that occur together are a *class*, in which each has a
//! *place*; a leaf of the diagram has a plane of bits for each outcome but the best, a bit for each place of its class.
//! What is absent, in the diagram or in the planes, has the best outcome. Of two states that are each other's mirror
//! images only the first, in the order of digit strings, may be there.

use crate::blocks::Digit;
use crate::index::Index;
use crate::planes::Planes;
use std::ops::Range;

/// The most local states that a leaf may have.
const MOST_STATES: usize = 1 << 16;

/// Which states belong together as leaves, and which are mirror images: the same for all layers of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafFrame {
    level: usize,
    digits: Vec<usize>,
    class: Vec<u32>,
    place: Vec<u32>,
    width: Vec<u32>,
    mirror: Option<Vec<MirrorLevel>>,
}

/// Where a digit of a mirrored state comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirrorLevel {
    /// The level of the state whose digit becomes the one of this level.
    pub from: usize,
    /// What each digit there becomes.
    pub image: Vec<Digit>,
}

impl LeafFrame {
    /// Leaves of the blocks from `level` on, where each block has n digits. `class` has the class of every local
    /// state plus one, 0 for those that never occur; classes are numbered as they are met. None if that does not fit
    /// together: a leaf of no blocks or of all, of more than 2^16 states, or a mirror that mixes leaf and others.
    ///
    /// ```
    /// use winset_index::LeafFrame;
    /// let frame = LeafFrame::new(1, vec![3, 2, 2], vec![1, 2, 2, 0], None).unwrap();
    /// assert_eq!(frame.place(frame.local(&[1, 0])), Some((1, 1)));
    /// assert_eq!(frame.place(frame.local(&[1, 1])), None);
    /// ```
    pub fn new(
        level: usize,
        digits: Vec<usize>,
        class: Vec<u32>,
        mirror: Option<Vec<MirrorLevel>>,
    ) -> Option<Self> {
        let leaf = digits.get(level..).filter(|leaf| level > 0 && !leaf.is_empty())?;
        let states = leaf.iter().try_fold(1usize, |product, &n| product.checked_mul(n))?;
        if states > MOST_STATES || class.len() != states {
            return None;
        }
        let (mut place, mut width) = (vec![], vec![]);
        for &class in &class {
            if class as usize > width.len() {
                width.push(0);
            }
            let Some(at) = class.checked_sub(1) else {
                place.push(0);
                continue;
            };
            let width: &mut u32 = width.get_mut(at as usize)?;
            place.push(*width);
            *width += 1;
        }
        let fits = |(to, part): (usize, &MirrorLevel)| {
            (part.from < level) == (to < level)
                && digits.get(part.from) == Some(&part.image.len())
                && part.image.iter().all(|&digit| usize::from(digit) < digits[to])
        };
        let mirrors =
            |mirror: &Vec<MirrorLevel>| mirror.len() == digits.len() && mirror.iter().enumerate().all(fits);
        if !mirror.as_ref().is_none_or(mirrors) {
            return None;
        }
        Some(LeafFrame { level, digits, class, place, width, mirror })
    }

    /// The first block of the leaf.
    pub fn level(&self) -> usize {
        self.level
    }

    /// The number of digits of every block.
    pub fn digits(&self) -> &[usize] {
        &self.digits
    }

    /// The class of every local state plus one; 0 for those that never occur.
    pub fn classes(&self) -> &[u32] {
        &self.class
    }

    /// The mirror, if of two images only one is there.
    pub fn mirror(&self) -> Option<&[MirrorLevel]> {
        self.mirror.as_deref()
    }

    /// The number of a local state.
    pub fn local(&self, digits: &[Digit]) -> usize {
        self.local_of(digits.iter().copied())
    }

    fn local_of(&self, digits: impl Iterator<Item = Digit>) -> usize {
        let leaf = self.digits[self.level..].iter().zip(digits);
        leaf.fold(0, |state, (&n, digit)| state * n + usize::from(digit))
    }

    /// The class and the place of a local state; none if it never occurs.
    pub fn place(&self, local: usize) -> Option<(u32, usize)> {
        let class = self.class.get(local)?.checked_sub(1)?;
        Some((class, self.place[local] as usize))
    }

    /// The bytes of a plane of a class; none if there is no such class.
    pub fn plane_bytes(&self, class: u32) -> Option<usize> {
        self.width.get(class as usize).map(|&width| width.div_ceil(8) as usize)
    }

    /// The memory that the frame takes.
    pub fn bytes(&self) -> u64 {
        let mirror = self.mirror.iter().flatten().map(|level| level.image.len() * 2 + 32).sum::<usize>();
        (self.class.len() * 8 + self.width.len() * 4 + mirror) as u64
    }

    /// Makes a string of digits the one that is there for it: itself or its image, whichever comes first.
    pub fn keep(&self, digits: &mut Vec<Digit>) {
        let Some(mirror) = &self.mirror else { return };
        let image: Vec<Digit> = mirror.iter().map(|part| image(part, digits, 0)).collect();
        if image < *digits {
            *digits = image;
        }
    }
}

/// The digit of an image. The string begins at level `first`.
fn image(part: &MirrorLevel, digits: &[Digit], first: usize) -> Digit {
    part.image[usize::from(digits[part.from - first])]
}

/// Nodes of a level above the leaf: edges `start[n]..start[n + 1]` belong to node n, ascending by digit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafNodes {
    /// Where each node's edges begin, and where the last one's end.
    pub start: Vec<u32>,
    /// The digit of each edge.
    pub digit: Vec<Digit>,
    /// The node of the next level, or above the leaf the leaf, that each edge leads to.
    pub child: Vec<u64>,
}

/// No nodes.
impl Default for LeafNodes {
    fn default() -> Self {
        LeafNodes { start: vec![0], digit: vec![], child: vec![] }
    }
}

impl LeafNodes {
    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The edges of a node.
    pub fn edges(&self, node: usize) -> Range<usize> {
        self.start[node] as usize..self.start[node + 1] as usize
    }

    /// Where a node leads for a digit; none if everything there has the best value.
    pub fn step(&self, node: usize, digit: Digit) -> Option<u64> {
        let edges = self.edges(node);
        let at = self.digit[edges.clone()].binary_search(&digit).ok()?;
        Some(self.child[edges.start + at])
    }

    /// Ends a node whose edges have been added.
    pub fn finish_node(&mut self) {
        self.start.push(self.digit.len() as u32);
    }

    /// Appends nodes.
    pub fn append(&mut self, more: &LeafNodes) {
        let edges = self.digit.len() as u32;
        self.start.extend(more.start[1..].iter().map(|start| edges + start));
        self.digit.extend_from_slice(&more.digit);
        self.child.extend_from_slice(&more.child);
    }

    /// The memory that they take.
    pub fn bytes(&self) -> usize {
        self.start.len() * 4 + self.digit.len() * 10
    }
}

/// Leaves that follow each other, all of the same class and with the same planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafRun {
    /// The class.
    pub class: u32,
    /// Which planes there are, as bits: the n-th is that of the outcome that is the n-th best, counted from 0 after the
    /// best. The others have no bits.
    pub planes: u32,
    /// The number of leaves.
    pub count: u32,
}

/// Leaves that follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leaves {
    runs: Vec<LeafRun>,
    /// The first leaf of each run and where its bits begin.
    first: Vec<(u64, usize)>,
    /// The planes of every leaf, one after the other, each in whole bytes, the lowest bit first.
    bits: Vec<u8>,
    len: u64,
}

impl Leaves {
    /// Appends runs with their bits. None if the runs and the bits do not fit together.
    pub fn append(&mut self, frame: &LeafFrame, runs: &[LeafRun], bits: &[u8]) -> Option<()> {
        let mut at = self.bits.len();
        for &run in runs {
            self.first.push((self.len, at));
            self.runs.push(run);
            let each = frame.plane_bytes(run.class)? * run.planes.count_ones() as usize;
            at = at.checked_add(each.checked_mul(run.count as usize)?)?;
            self.len += u64::from(run.count);
        }
        self.bits.extend_from_slice(bits);
        (at == self.bits.len()).then_some(())
    }

    /// The number of leaves.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The runs.
    pub fn runs(&self) -> &[LeafRun] {
        &self.runs
    }

    /// The planes of all leaves.
    pub fn bits(&self) -> &[u8] {
        &self.bits
    }

    /// The memory that they take.
    pub fn bytes(&self) -> usize {
        self.runs.len() * 28 + self.bits.len()
    }

    /// A leaf, if it is there.
    pub fn get(&self, frame: &LeafFrame, leaf: u64) -> Option<Leaf<'_>> {
        let at = self.first.partition_point(|&(first, _)| first <= leaf).checked_sub(1)?;
        let (run, (first, begin)) = (self.runs[at], self.first[at]);
        let plane = frame.plane_bytes(run.class)?;
        let each = plane * run.planes.count_ones() as usize;
        let within = (leaf - first < u64::from(run.count)).then_some((leaf - first) as usize)?;
        let bits = self.bits.get(begin + within * each..begin + (within + 1) * each)?;
        Some(Leaf { class: run.class, planes: run.planes, plane, bits })
    }
}

/// The values of some leaf states.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a> {
    class: u32,
    planes: u32,
    /// The bytes of a plane.
    plane: usize,
    bits: &'a [u8],
}

impl Leaf<'_> {
    /// How many outcomes are better than that of a state, whose class and place these are.
    pub fn outcome(&self, (class, place): (u32, usize)) -> usize {
        // Nothing is said about other classes.
        if class != self.class {
            return 0;
        }
        let mut planes = self.planes;
        for bits in self.bits.chunks_exact(self.plane.max(1)) {
            let plane = planes.trailing_zeros() as usize;
            planes &= planes.wrapping_sub(1);
            if bits[place / 8] >> (place % 8) & 1 == 1 {
                return plane + 1;
            }
        }
        0
    }
}

/// The values of the states with some first digits, on their way to a store. Nodes and leaves are numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeafPart {
    /// The levels from the first below those digits to the last above the leaf.
    pub levels: Vec<LeafNodes>,
    /// The leaves.
    pub leaves: Leaves,
    /// The nodes of the first level to which the levels above lead, in their order.
    pub roots: Vec<u64>,
}

/// The values of a layer, part by part.
pub trait LeafSource: Sync {
    /// Which states belong together.
    fn frame(&self) -> &LeafFrame;
    /// The codes of the outcomes, the best for the player to move first.
    fn order(&self) -> &[u16];
    /// The number of parts.
    fn parts(&self) -> usize;
    /// A part.
    fn part(&self, number: usize) -> std::io::Result<LeafPart>;
    /// The levels above the parts. The last one leads to roots of parts, numbered one part after the other.
    fn top(&self) -> Vec<LeafNodes>;
    /// The node of the first level, or the root of a part if there are no levels above; none if every state has the best
    /// value.
    fn root(&self) -> Option<u64>;
}

/// The values of a layer that is kept somewhere, read piece by piece. Nodes of a level, and leaves, have one numbering
/// in which those of parts follow each other.
pub trait LeafReader {
    /// Which states belong together.
    fn frame(&self) -> &LeafFrame;
    /// The codes of the outcomes, the best first.
    fn order(&self) -> &[u16];
    /// The node of the first level; none if every state has the best value.
    fn root(&self) -> Option<u64>;
    /// The number of nodes of a level.
    fn nodes(&self, level: usize) -> u64;
    /// Some nodes of a level.
    fn read_nodes(&self, level: usize, range: Range<u64>) -> Result<LeafNodes, LeafError>;
    /// Some leaves.
    fn read_leaves(&self, range: Range<u64>) -> Result<Leaves, LeafError>;
}

/// Why something could not be read.
pub type LeafError = Box<dyn std::error::Error + Send + Sync>;

/// The values of a layer in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeafValues {
    /// The codes of the outcomes, the best first.
    pub order: Vec<u16>,
    /// The node of the first level; none if every state has the best value.
    pub root: Option<u64>,
    /// The levels above the leaf.
    pub levels: Vec<LeafNodes>,
    /// The leaves.
    pub leaves: Leaves,
}

impl LeafValues {
    /// Everything that a source has, all parts with one numbering.
    pub fn gather(source: &dyn LeafSource) -> std::io::Result<Self> {
        let (frame, top) = (source.frame(), source.top());
        let mut levels = vec![LeafNodes::default(); frame.level()];
        let (mut leaves, mut roots) = (Leaves::default(), vec![]);
        for number in 0..source.parts() {
            let part = source.part(number)?;
            let counts = levels.iter().map(|nodes| nodes.len() as u64).chain([leaves.len()]);
            let first: Vec<u64> = counts.collect();
            roots.extend(part.roots.iter().map(|root| first[top.len()] + root));
            for (level, mut nodes) in (top.len()..).zip(part.levels) {
                nodes.child.iter_mut().for_each(|child| *child += first[level + 1]);
                levels[level].append(&nodes);
            }
            let fits = leaves.append(frame, part.leaves.runs(), part.leaves.bits());
            fits.ok_or_else(|| std::io::Error::other("leaves that do not fit together"))?;
        }
        for (level, mut nodes) in top.iter().cloned().enumerate() {
            if level + 1 == top.len() {
                nodes.child.iter_mut().for_each(|child| *child = roots[*child as usize]);
            }
            levels[level].append(&nodes);
        }
        let root = source.root().map(|root| if top.is_empty() { roots[root as usize] } else { root });
        Ok(LeafValues { order: source.order().to_vec(), root, levels, leaves })
    }

    /// The leaf below some digits that are there, those above the leaf.
    fn find(&self, frame: &LeafFrame, digits: impl Iterator<Item = Digit>) -> Option<Leaf<'_>> {
        let mut node = self.root?;
        for (nodes, digit) in self.levels.iter().zip(digits) {
            node = nodes.step(node as usize, digit)?;
        }
        self.leaves.get(frame, node)
    }

    /// The code of every state of a set in rank order, in planes that are all 0.
    pub fn expand(&self, frame: &LeafFrame, index: &Index, out: &mut Planes) {
        if let Some(root) = index.root() {
            let digits = Vec::with_capacity(frame.digits.len());
            Expand { values: self, frame, index, out, digits, rank: 0 }.below(root);
        }
    }
}

struct Expand<'a> {
    values: &'a LeafValues,
    frame: &'a LeafFrame,
    index: &'a Index,
    out: &'a mut Planes,
    digits: Vec<Digit>,
    rank: u64,
}

impl Expand<'_> {
    fn below(&mut self, node: u32) {
        if self.digits.len() == self.frame.level {
            return self.leaf(node);
        }
        let level = &self.index.levels()[self.digits.len()];
        for edge in level.edges(node) {
            self.digits.push(level.digit[edge]);
            self.below(level.child[edge]);
            self.digits.pop();
        }
    }

    fn leaf(&mut self, node: u32) {
        let (values, frame, before) = (self.values, self.frame, self.frame.level);
        // Whether a state or its image is there shows above the leaf, unless both have the same digits there.
        let (images, leaf) = match &frame.mirror {
            None => (None, values.find(frame, self.digits.iter().copied())),
            Some(mirror) => {
                let above = || mirror[..before].iter().map(|part| image(part, &self.digits, 0));
                match above().cmp(self.digits.iter().copied()) {
                    std::cmp::Ordering::Less => {
                        (Some((&mirror[before..], true)), values.find(frame, above()))
                    }
                    std::cmp::Ordering::Equal => {
                        (Some((&mirror[before..], false)), values.find(frame, self.digits.iter().copied()))
                    }
                    std::cmp::Ordering::Greater => (None, values.find(frame, self.digits.iter().copied())),
                }
            }
        };
        let mut states = vec![];
        each_below(self.index, before, node, &mut vec![], &mut |digits| {
            let mut local = frame.local(digits);
            if let Some((mirror, always)) = images {
                let there = frame.local_of(mirror.iter().map(|part| image(part, digits, before)));
                local = if always { there } else { local.min(there) };
            }
            states.push(local);
        });
        for local in states {
            let outcome = match (leaf, frame.place(local)) {
                (Some(leaf), Some(place)) => leaf.outcome(place),
                _ => 0,
            };
            // An outcome without a code is one that no code stands for, which whoever looks at it will find.
            let code = values.order.get(outcome).map_or(u32::MAX, |&code| code.into());
            self.out.set(self.rank, code);
            self.rank += 1;
        }
    }
}

fn each_below(
    index: &Index,
    level: usize,
    node: u32,
    digits: &mut Vec<Digit>,
    visit: &mut impl FnMut(&[Digit]),
) {
    let Some(here) = index.levels().get(level) else { return visit(digits) };
    for edge in here.edges(node) {
        digits.push(here.digit[edge]);
        each_below(index, level + 1, here.child[edge], digits, visit);
        digits.pop();
    }
}
