//! What is asked of the states that must be solved, followed along with the walk.
//!
//! Where a move ends the game in the best way nothing needs to be solved. Each thread follows the conditions for
//! itself and remembers what it has found.

use crate::backward::leaves::places::Places;
use crate::rules::condition::{Cond, TRUE};
use crate::rules::conjunction::{Conj, Conjunctions};
use crate::rules::rules_of_game::Rules;
use rustc_hash::FxHashMap;
use winset_index::Digit;

/// The conditions that a thread has met.
pub struct Asked {
    conjs: Conjunctions,
    /// Where conditions on the leaf hold, by condition and class.
    masks: FxHashMap<(Cond, u32), Box<[u64]>>,
    /// The same for lists of conditions, and where the mask of a list begins that was asked for last, with its class.
    all: FxHashMap<(Conj, u32), u32>,
    last: Vec<(u32, u32)>,
    words: Vec<u64>,
    /// About what the masks take.
    bytes: u64,
}

impl Default for Asked {
    fn default() -> Self {
        let (masks, all, last, words) = Default::default();
        Asked { conjs: Conjunctions::new(), masks, all, last, words, bytes: 0 }
    }
}

impl Asked {
    /// Forgets everything if it takes too much; what was asked for before has no meaning any more.
    pub fn begin(&mut self, most: u64) {
        if self.bytes + self.conjs.bytes() > most {
            *self = Self::default();
        }
    }

    /// The list of these conditions.
    pub fn list(&mut self, list: &[Cond]) -> Conj {
        self.conjs.intern(list.to_vec())
    }

    /// What is left of a list below a digit.
    #[inline]
    pub fn step(&mut self, rules: &Rules, level: usize, conj: Conj, digit: Digit) -> Conj {
        self.conjs.step(rules, level, conj, digit)
    }

    /// The states of a class where what is left holds.
    #[inline]
    pub fn mask(&mut self, rules: &Rules, places: &Places, conj: Conj, class: u32) -> &[u64] {
        let at = match self.last.get(conj as usize) {
            Some(&(of, at)) if of == class => at,
            _ => self.find(rules, places, conj, class),
        };
        &self.words[at as usize..at as usize + places.words(class)]
    }

    fn find(&mut self, rules: &Rules, places: &Places, conj: Conj, class: u32) -> u32 {
        let at = match self.all.get(&(conj, class)) {
            Some(&at) => at,
            None => {
                let mut mask = vec![!0; places.words(class)];
                for i in 0..self.conjs.list(conj).len() {
                    let cond = self.conjs.list(conj)[i];
                    let one = self.one(rules, places, cond, class);
                    mask.iter_mut().zip(one).for_each(|(mask, one)| *mask &= one);
                }
                let at = self.words.len() as u32;
                self.bytes += 32 + mask.len() as u64 * 8;
                self.words.extend(mask);
                self.all.insert((conj, class), at);
                at
            }
        };
        if self.last.len() <= conj as usize {
            self.last.resize(conj as usize + 1, (u32::MAX, 0));
        }
        self.last[conj as usize] = (class, at);
        at
    }

    fn one(&mut self, rules: &Rules, places: &Places, cond: Cond, class: u32) -> &[u64] {
        self.masks.entry((cond, class)).or_insert_with(|| {
            let mut mask = vec![0; places.words(class)];
            for (place, &state) in places.states(class).iter().enumerate() {
                let mut rest = cond;
                for (level, &digit) in (places.level..).zip(&places.digits(state)) {
                    let first = rules.frame.first[level];
                    rest = rules.conds.follow(rest, first, rules.frame.values(level, digit));
                }
                mask[place / 64] |= u64::from(rest == TRUE) << (place % 64);
            }
            self.bytes += 40 + mask.len() as u64 * 8;
            mask.into()
        })
    }
}
