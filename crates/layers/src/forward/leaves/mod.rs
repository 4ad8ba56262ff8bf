//! Forward search with leaves of bits: the last blocks of sets are not walked digit by digit.
//!
//! | file | does |
//! |---|---|
//! | `classes.rs` | which states of the leaf belong together, and where each stands as a bit |
//! | `tails.rs` | the states of a class by their first digits |
//! | `images.rs`, `moved.rs` | moves inside the leaf, as moves of bits |
//! | `masks.rs` | conditions on the leaf, as bits |
//! | `packed.rs` | sets with leaves, and the same sets as diagrams of all blocks |
//! | `step.rs` | a layer from those before it |
//!
//! A request for the successors of several leaves is answered at once: leaves above which the move was made are
//! ORed, in the others bits are moved. What goes on from there is cut out by a mask. Only what is left in the end is made
//! into nodes of all blocks, which is how layers are kept.

mod classes;
mod images;
mod masks;
mod moved;
mod packed;
mod step;
mod tails;

pub use packed::LeafSets;
pub use step::Step;

use crate::sets::layer::Layer;
use classes::Classes;
use images::Images;
use masks::Masks;
use packed::join_states;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use tails::Tails;

/// The most local states that a leaf may have.
const MOST_STATES: usize = 1 << 14;

/// Leaves of fewer nodes are not worth it.
const MANY: usize = 1 << 10;

/// The most words of leaves for each edge that they replace.
const WORDS_PER_EDGE: usize = 3;

/// States are looked at, to find out what becomes of them, if there are at most the first of these for each request, and the second
/// beside.
const LOOKED_PER_REQUEST: u64 = 8;
const LOOKED: u64 = 1 << 20;

/// The layers that may have to be made again without leaves.
const FAILURES: usize = 2;

/// What is known about the leaves of a game.
pub struct Leaves {
    classes: Classes,
    tails: Tails,
    images: Images,
    masks: Masks,
    /// The leaves of layers that are still needed, by measure.
    known: BTreeMap<i64, LeafSets>,
    /// The number of requests that have been answered.
    answered: u64,
    /// How many layers could not be made.
    failures: usize,
    /// They are used even where they are not worth it.
    forced: bool,
    /// The processor's bit instructions may be used.
    fast: bool,
    /// The number of digits of every block of the game.
    digits: Vec<usize>,
}

impl Leaves {
    /// The leaf with the most blocks that has not too many states, of two at least; `from` is the first level that may
    /// belong to it. Used wherever that is possible, if it is `forced`; `fast` with the processor's bit instructions.
    pub fn new(digits: &[usize], from: usize, fast: bool, forced: bool) -> Option<Box<Self>> {
        let states = |level: usize| digits[level..].iter().fold(1usize, |all, &n| all.saturating_mul(n));
        let level = (from.max(1)..digits.len().saturating_sub(1)).find(|&l| states(l) <= MOST_STATES)?;
        Some(Box::new(Leaves {
            classes: Classes::new(level, &digits[level..]),
            tails: Tails::default(),
            images: Images::default(),
            masks: Masks::default(),
            known: BTreeMap::new(),
            answered: 0,
            failures: 0,
            forced,
            fast,
            digits: digits.to_vec(),
        }))
    }

    /// A leaf with one block less, about which nothing is known yet.
    fn smaller(&self) -> Option<Box<Self>> {
        Leaves::new(&self.digits, self.classes.level + 1, self.fast, self.forced)
    }

    /// The memory that all of this takes.
    pub fn bytes(&self) -> u64 {
        let known: u64 = self.known.values().map(LeafSets::bytes).sum();
        known + self.classes.bytes() + self.tails.bytes() + self.images.bytes() + self.masks.bytes()
    }

    /// Forgets the leaves of layers that are not among these.
    fn keep(&mut self, layers: &[Arc<Layer>]) {
        self.known.retain(|measure, _| layers.iter().any(|layer| layer.measure == *measure));
    }

    /// Finds the leaves of layers that were made without. Says whether they are worth it.
    fn pack(&mut self, layers: &[Arc<Layer>]) -> bool {
        let unknown: Vec<&Arc<Layer>> =
            layers.iter().filter(|layer| !self.known.contains_key(&layer.measure)).collect();
        unknown.iter().for_each(|layer| join_states(&layer.levels, &mut self.classes));
        if !self.settle() {
            return false;
        }
        for layer in unknown {
            self.known.insert(layer.measure, LeafSets::of(&layer.levels, &self.classes));
        }
        let words: usize = self.known.values().map(LeafSets::words).sum();
        let edges: usize = layers.iter().map(|layer| layer.levels[self.classes.level].digit.len()).sum();
        self.forced || words <= WORDS_PER_EDGE * edges
    }

    /// Gives states their places after classes have changed. False if a class has become too wide.
    fn settle(&mut self) -> bool {
        if self.classes.is_unsettled() {
            let Some(old) = self.classes.settle() else { return false };
            let old: FxHashMap<u32, Vec<u32>> = old.into_iter().collect();
            self.known.values_mut().for_each(|sets| sets.settle(&self.classes, &old));
            old.keys().for_each(|&class| self.tails.forget(class));
            self.images.forget(&self.classes);
        }
        self.images.settle(&self.classes);
        true
    }

    /// There is enough to do in these layers.
    fn are_worth_it(&self, layers: &[Arc<Layer>]) -> bool {
        let nodes = layers.iter().map(|layer| layer.levels[self.classes.level].nodes()).sum::<usize>();
        nodes >= if self.forced { 1 } else { MANY }
    }

    /// What was found out was worth it so far.
    fn pays(&self) -> bool {
        self.forced || self.images.looked + self.masks.looked <= LOOKED + LOOKED_PER_REQUEST * self.answered
    }
}
