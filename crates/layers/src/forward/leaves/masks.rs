//! The states of a class in which conditions hold, as bits.

use crate::forward::leaves::classes::Classes;
use crate::forward::leaves::tails::{Run, Tails};
use crate::rules::condition::{Cond, FALSE, TRUE};
use crate::rules::conjunction::{Conj, Conjunctions};
use crate::rules::rules_of_game::Rules;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// The most words that are remembered from layer to layer.
const REMEMBERED: usize = 1 << 21;

/// What is known of conditions in classes.
#[derive(Default)]
pub struct Masks {
    conds: FxHashMap<(Cond, u32), u32>,
    cond_words: Vec<u64>,
    conjs: FxHashMap<(Conj, u32), u32>,
    conj_words: Vec<u64>,
    /// How many runs of states have been looked at.
    pub looked: u64,
}

impl Masks {
    /// About the memory that this takes.
    pub fn bytes(&self) -> u64 {
        let tables = (self.conds.capacity() + self.conjs.capacity()) * 16;
        (tables + (self.cond_words.capacity() + self.conj_words.capacity()) * 8) as u64
    }

    /// Forgets what is not worth keeping until the next layer.
    pub fn forget(&mut self) {
        self.conjs.clear();
        self.conj_words.clear();
        if self.cond_words.len() > REMEMBERED {
            *self = Masks { looked: self.looked, ..Default::default() };
        }
    }

    /// Where the mask of a list of conditions in a class is.
    pub fn find(
        &mut self,
        rules: &Rules,
        conjs: &Conjunctions,
        classes: &Classes,
        tails: &mut Tails,
        (conj, class): (Conj, u32),
    ) -> u32 {
        let entry = match self.conjs.entry((conj, class)) {
            Entry::Occupied(entry) => return *entry.get(),
            Entry::Vacant(entry) => entry,
        };
        let words = classes.words(class);
        let start = self.conj_words.len();
        self.conj_words.resize(start + words, u64::MAX);
        for &cond in conjs.list(conj) {
            let at = *self.conds.entry((cond, class)).or_insert_with(|| {
                tails.provide(classes, class);
                let at = self.cond_words.len();
                self.cond_words.resize(at + words, 0);
                let level = classes.level;
                let mut fill = Fill { rules, tails, level, out: &mut self.cond_words[at..], looked: 0 };
                fill.below(0, cond, tails.runs(class), 0);
                self.looked += fill.looked;
                at as u32
            });
            let mask = &self.cond_words[at as usize..at as usize + words];
            self.conj_words[start..].iter_mut().zip(mask).for_each(|(all, mask)| *all &= mask);
        }
        *entry.insert(start as u32)
    }

    /// The mask that begins at a place.
    #[inline]
    pub fn get(&self, at: u32) -> &[u64] {
        &self.conj_words[at as usize..]
    }
}

struct Fill<'a> {
    rules: &'a Rules,
    tails: &'a Tails,
    level: usize,
    out: &'a mut [u64],
    looked: u64,
}

impl Fill<'_> {
    fn below(&mut self, depth: usize, cond: Cond, runs: &[Run], first: u32) {
        let frame = &self.rules.frame;
        let level = self.level + depth;
        self.looked += runs.len() as u64;
        for run in runs {
            let values = frame.values(level, run.digit);
            let begin = first + run.first;
            match self.rules.conds.follow(cond, frame.first[level], values) {
                FALSE => {}
                TRUE => {
                    for place in begin..begin + run.len {
                        self.out[place as usize / 64] |= 1 << (place % 64);
                    }
                }
                rest => {
                    let tails = self.tails;
                    self.below(depth + 1, rest, &tails.tail(run.tail).runs, begin);
                }
            }
        }
    }
}
