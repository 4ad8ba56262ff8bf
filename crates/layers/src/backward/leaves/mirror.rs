//! One of each two mirrored states is walked and kept.
//!
//! A *mirror* is a symmetry of the game that is its own inverse and takes blocks to blocks. Levels are cut into the
//! shortest *groups* that it takes to themselves: a column in the middle of a board, a column and its counterpart.
//! Of a state and its image the one is kept whose digits come first in lexicographic order; which one that is shows
//! at the end of the first group in which they differ. Until then a state, or what a cursor leads to, is *even*.

use crate::backward::leaves::diagram::ABSENT;
use crate::backward::leaves::places::Places;
use crate::blocks::frame::Frame;
use crate::blocks::layering::Layering;
use crate::sets::set::{Level, Node};
use rustc_hash::FxHashSet;
use winset_index::Digit;
use winset_model::Game;
use winset_symmetry::Symmetry;

/// The most levels of a group: the digits of a group wait for the last of them.
const LONGEST: usize = 4;

/// How a diagram is read that has one of each two mirrored states: which of the two it is, and the digits that wait
/// for the end of their group, as one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Way(u32);

/// The bits that say which; the others are for what waits.
const KIND: u32 = 3 << 30;

impl Way {
    /// The state itself is kept.
    pub const NORMAL: Way = Way(0);
    /// Its image is kept.
    pub const MIRRORED: Way = Way(1 << 30);
    /// So far they are the same.
    pub const EVEN: Way = Way(2 << 30);

    /// What is there at the beginning.
    pub fn begin(mirror: Option<&Mirror>) -> Self {
        if mirror.is_some() { Self::EVEN } else { Self::NORMAL }
    }

    fn waits(self) -> u32 {
        self.0 & !KIND
    }

    fn wait(self, number: u32) -> Self {
        Way(self.0 & KIND | number)
    }
}

/// A level of the diagrams.
#[derive(Clone, Debug)]
struct Place {
    /// The first level of its group, and that after the last.
    group: (usize, usize),
    /// The bits that its digits need.
    bits: u32,
    /// The level that becomes this one, and what the digits there become.
    from: usize,
    image: Vec<Digit>,
}

/// A symmetry as levels and digits see it.
#[derive(Clone, Debug)]
pub struct Mirror {
    levels: Vec<Place>,
}

/// The digits of a group.
type Digits = [Digit; LONGEST];

impl Mirror {
    /// The mirrors among the symmetries of a game that fit its blocks and layers, those first that tell most states
    /// apart early. Finding them takes at most n steps.
    pub fn find(game: &Game, frame: &Frame, layering: &Layering, steps: u64) -> Vec<Self> {
        if steps < (game.exprs().len() + game.moves().len()) as u64 {
            return vec![];
        }
        let weights = layering.weights(game);
        let all = winset_symmetry::find_within(game, steps);
        let mut mirrors: Vec<Self> =
            all.iter().filter_map(|one| Self::new(game, frame, &weights, one)).collect();
        mirrors.sort_by_key(Self::late);
        mirrors
    }

    fn new(game: &Game, frame: &Frame, weights: &[Vec<i64>], symmetry: &Symmetry) -> Option<Self> {
        let sizes = || game.variables().iter().map(|variable| variable.size());
        if symmetry.after(symmetry) != Symmetry::identity(sizes()) {
            return None;
        }
        let blocks = &frame.blocks.blocks;
        // A variable with a single value is the same wherever it is.
        let varies = |var: usize| game.variables()[var].size() > 1;
        let mut at = vec![(0, 0); game.variables().len()];
        for (level, block) in blocks.iter().enumerate() {
            block.vars.iter().enumerate().for_each(|(offset, var)| at[var.index()] = (level, offset));
        }
        let mut becomes: Vec<(usize, Vec<Digit>)> = vec![];
        for (level, block) in blocks.iter().enumerate() {
            let vars =
                || block.vars.iter().map(|var| var.index()).enumerate().filter(|&(_, var)| varies(var));
            let image_of = |var: usize| at[symmetry.variables[var].index()];
            let to = vars().next().map_or(level, |(_, var)| image_of(var).0);
            let vary = |level: usize| blocks[level].vars.iter().filter(|var| varies(var.index())).count();
            if vars().any(|(_, var)| image_of(var).0 != to) || vary(level) != vary(to) {
                return None;
            }
            let weight = |level: usize, digit: Digit| -> i64 {
                let values = frame.values(level, digit).iter();
                values
                    .zip(&blocks[level].vars)
                    .map(|(&value, var)| weights[var.index()][usize::from(value)])
                    .sum()
            };
            let mut image = vec![];
            let mut gain = None;
            for (digit, values) in (0..).zip(&block.digits) {
                let mut there = vec![0; blocks[to].vars.len()];
                vars().for_each(|(offset, var)| {
                    there[image_of(var).1] = symmetry.values[var][usize::from(values[offset])];
                });
                let made = blocks[to].digit(&there)?;
                // A state and its image are in the same layer: all digits must add the same, which for the start,
                // its own image, comes to nothing.
                let added = weight(to, made) - weight(level, digit);
                if *gain.get_or_insert(added) != added {
                    return None;
                }
                image.push(made);
            }
            if block.digits.len() != blocks[to].digits.len() {
                return None;
            }
            becomes.push((to, image));
        }
        let moves = |(level, (to, image)): (usize, &(usize, Vec<Digit>))| {
            *to != level || (0..).zip(image).any(|(digit, &other)| digit != other)
        };
        if !becomes.iter().enumerate().any(moves) {
            return None;
        }
        let mut levels = vec![];
        while levels.len() < becomes.len() {
            let first = levels.len();
            let mut end = first + 1;
            let mut level = first;
            while level < end {
                end = end.max(becomes[level].0 + 1);
                level += 1;
            }
            let bits = |level: usize| usize::BITS - (becomes[level].1.len() - 1).leading_zeros();
            if end - first > LONGEST || (first..end).map(bits).sum::<u32>() > KIND.trailing_zeros() {
                return None;
            }
            for level in first..end {
                // It is its own inverse: what this level becomes, becomes this level.
                let from = becomes[level].0;
                let image = becomes[from].1.clone();
                levels.push(Place { group: (first, end), bits: bits(level), from, image });
            }
        }
        Some(Mirror { levels })
    }

    /// The first level at whose end states can differ from their images, and how many digits wait there.
    fn late(&self) -> (usize, usize) {
        let moves = |&level: &usize| {
            let place = &self.levels[level];
            place.from != level || (0..).zip(&place.image).any(|(digit, &other)| digit != other)
        };
        let first = (0..self.levels.len()).find(moves).unwrap_or(0);
        let (begin, end) = self.levels[first].group;
        (end, end - begin)
    }

    /// For every level the level that becomes it, and what the digits there become.
    pub fn levels(&self) -> impl Iterator<Item = (usize, &[Digit])> {
        self.levels.iter().map(|place| (place.from, place.image.as_slice()))
    }

    /// No group lies on both sides of a level's beginning.
    pub fn cuts(&self, level: usize) -> bool {
        self.levels.get(level).is_none_or(|place| place.group.0 == level)
    }

    /// The digits of a group that are known when its last one is, and their images.
    #[inline]
    fn both(&self, (first, end): (usize, usize), mut number: u32) -> (Digits, Digits) {
        let (mut own, mut mirrored) = (Digits::default(), Digits::default());
        for level in (first..end).rev() {
            let bits = self.levels[level].bits;
            own[level - first] = (number & ((1 << bits) - 1)) as Digit;
            number >>= bits;
        }
        for level in first..end {
            let place = &self.levels[level];
            mirrored[level - first] = place.image[usize::from(own[place.from - first])];
        }
        (own, mirrored)
    }

    /// The way of a state that is walked below a digit; none if its image is walked instead.
    #[inline]
    pub fn walk(&self, level: usize, way: Way, digit: Digit) -> Option<Way> {
        if way == Way::NORMAL {
            return Some(way);
        }
        let place = &self.levels[level];
        let number = way.waits() << place.bits | u32::from(digit);
        if level + 1 < place.group.1 {
            return Some(way.wait(number));
        }
        let (own, mirrored) = self.both(place.group, number);
        match own.cmp(&mirrored) {
            std::cmp::Ordering::Less => Some(Way::NORMAL),
            std::cmp::Ordering::Equal => Some(Way::EVEN),
            std::cmp::Ordering::Greater => None,
        }
    }

    /// The node of a diagram below a digit, and the way from there; [`ABSENT`] if there is none. `down` gives the node
    /// of a level below a digit.
    #[inline]
    pub fn step(
        &self,
        level: usize,
        node: u32,
        way: Way,
        digit: Digit,
        down: impl Fn(usize, u32, Digit) -> u32,
    ) -> (u32, Way) {
        if way == Way::NORMAL {
            return (down(level, node, digit), way);
        }
        let place = &self.levels[level];
        let number = way.waits() << place.bits | u32::from(digit);
        if level + 1 < place.group.1 {
            return (node, way.wait(number));
        }
        let (own, mirrored) = self.both(place.group, number);
        let (digits, way) = match (way.0 & KIND == Way::EVEN.0, own.cmp(&mirrored)) {
            (true, std::cmp::Ordering::Less) => (own, Way::NORMAL),
            (true, std::cmp::Ordering::Equal) => (own, Way::EVEN),
            _ => (mirrored, Way::MIRRORED),
        };
        let (first, end) = place.group;
        let mut node = node;
        for (level, &digit) in (first..end).zip(&digits) {
            node = down(level, node, digit);
            if node == ABSENT {
                break;
            }
        }
        (node, way)
    }

    /// The image of every state of a set is in the set too.
    pub fn keeps(&self, levels: &[Level], root: Node) -> bool {
        Images { mirror: self, levels, seen: FxHashSet::default() }.are_in(0, root, root)
    }
}

struct Images<'a> {
    mirror: &'a Mirror,
    levels: &'a [Level],
    seen: FxHashSet<(usize, Node, Node)>,
}

impl Images<'_> {
    /// The images of the states below a node are below another.
    fn are_in(&mut self, level: usize, node: Node, other: Node) -> bool {
        level == self.levels.len()
            || !self.seen.insert((level, node, other))
            || self.group(level, level, node, 0, other)
    }

    fn group(&mut self, first: usize, level: usize, node: Node, number: u32, other: Node) -> bool {
        let levels = self.levels;
        let place = &self.mirror.levels[level];
        let here = &levels[level];
        here.edges(node).all(|at| {
            let (number, child) = (number << place.bits | u32::from(here.digit[at]), here.child[at]);
            if level + 1 < place.group.1 {
                return self.group(first, level + 1, child, number, other);
            }
            let (_, mirrored) = self.mirror.both(place.group, number);
            let mut there = Some(other);
            for (level, digit) in (first..=level).zip(mirrored) {
                let find = |node: Node| {
                    let edges = levels[level].edges(node);
                    let at = levels[level].digit[edges.clone()].binary_search(&digit).ok()?;
                    Some(levels[level].child[edges.start + at])
                };
                there = there.and_then(find);
            }
            there.is_some_and(|there| self.are_in(level + 1, child, there))
        })
    }
}

/// A mirror with which half of the states are left out.
pub struct Half {
    /// As the levels above the leaf see it.
    pub mirror: Mirror,
    /// As the leaf sees it.
    pub leaf: LeafMirror,
}

/// A mirror as the leaf sees it.
pub struct LeafMirror {
    /// What every local state becomes.
    image: Vec<u32>,
    /// What the states of each class become, by their places: a class and the places there.
    classes: Vec<(u32, Vec<u16>)>,
    /// Which states of each class come no later than their images.
    first: Vec<Vec<u64>>,
}

impl LeafMirror {
    /// None if the leaf cuts a group, or if classes do not become classes.
    pub fn new(mirror: &Mirror, places: &Places) -> Option<Self> {
        let before = places.level;
        if !mirror.cuts(before) {
            return None;
        }
        let leaf = &mirror.levels[before..];
        let becomes = |state: u32| {
            let digits = places.digits(state);
            let image = leaf.iter().map(|place| place.image[usize::from(digits[place.from - before])]);
            places.local(&image.collect::<Vec<Digit>>())
        };
        let image: Vec<u32> = (0..places.len() as u32).map(becomes).collect();
        let mut new = LeafMirror { image, classes: vec![], first: vec![] };
        for class in 0..places.classes() {
            let (mut first, mut list, mut to) = (vec![0; places.words(class)], vec![], None);
            for (place, &state) in places.states(class).iter().enumerate() {
                let image = new.image[state as usize];
                let (other, there) = places.place(image)?;
                if *to.get_or_insert(other) != other {
                    return None;
                }
                list.push(there as u16);
                first[place / 64] |= u64::from(state <= image) << (place % 64);
            }
            let to = to?;
            if places.states(to).len() != list.len() {
                return None;
            }
            new.classes.push((to, list));
            new.first.push(first);
        }
        Some(new)
    }

    /// The states of a class that are kept below an even prefix.
    pub fn first(&self, class: u32) -> &[u64] {
        &self.first[class as usize]
    }

    /// The local state that tells about another one, which is read in this way.
    pub fn kept(&self, state: u32, way: Way) -> u32 {
        let image = self.image[state as usize];
        match way {
            Way::NORMAL => state,
            Way::MIRRORED => image,
            _ => state.min(image),
        }
    }

    /// The class that a class becomes.
    pub fn class(&self, class: u32) -> u32 {
        self.classes[class as usize].0
    }

    /// The place of what tells about a state at some place of a class, which is read in this way.
    #[inline]
    pub fn place(&self, class: u32, place: usize, way: Way) -> usize {
        let even = way == Way::EVEN && self.first(class)[place / 64] >> (place % 64) & 1 == 1;
        if even || way == Way::NORMAL { place } else { self.classes[class as usize].1[place].into() }
    }
}
