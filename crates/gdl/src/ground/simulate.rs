//! Playing the ground rules directly, 64 states at a time: one bit of a word per state.
//!
//! It shares nothing with the formulas, so it also serves to check them.

use crate::ground::constants::{Constants, Order};
use crate::ground::instances::{AtomId, Ground};

/// The fluents that hold, one bit each.
pub(crate) type Bits = Box<[u64]>;

/// Plays up to 64 states at once.
pub(crate) struct Simulator<'g> {
    ground: &'g Ground,
    order: &'g Order,
    constants: &'g Constants,
    words: Vec<u64>,
    /// The derived components that do not depend on moves, and those that do.
    still: Vec<u32>,
    moved: Vec<u32>,
    /// Literals looked at so far.
    pub work: u64,
    /// More work than this is not begun: what is evaluated then is worthless.
    pub most: u64,
}

impl<'g> Simulator<'g> {
    pub fn new(
        ground: &'g Ground,
        order: &'g Order,
        constants: &'g Constants,
        depends_on_moves: impl Fn(AtomId) -> bool,
    ) -> Self {
        let derived = (0..order.groups()).filter(|c| {
            let group = order.group(*c);
            !ground.is_input(group[0]) && group.iter().any(|a| constants.value(*a).is_none())
        });
        let (moved, still) = derived.partition(|c| order.group(*c).iter().any(|a| depends_on_moves(*a)));
        let words = (0..ground.atoms)
            .map(|a| if constants.value(a as AtomId) == Some(true) { u64::MAX } else { 0 })
            .collect();
        Simulator { ground, order, constants, words, still, moved, work: 0, most: u64::MAX }
    }

    /// It gave up; what it says of the states it has loaded is worthless.
    pub fn is_exhausted(&self) -> bool {
        self.work > self.most
    }

    pub fn start(&self) -> Bits {
        let mut bits = vec![0; self.ground.fluents.len().div_ceil(64)];
        for (f, holds) in self.ground.init.iter().enumerate() {
            bits[f / 64] |= u64::from(*holds) << (f % 64);
        }
        bits.into()
    }

    /// Loads states and evaluates everything that does not depend on the moves.
    pub fn load(&mut self, states: &[&Bits]) {
        for f in 0..self.ground.fluents.len() {
            let mut word = 0;
            for (lane, state) in states.iter().enumerate() {
                word |= (state[f / 64] >> (f % 64) & 1) << lane;
            }
            self.words[f] = word;
        }
        self.work += (self.ground.actions.len() + self.ground.fluents.len()) as u64 * states.len() as u64;
        self.settle_still();
    }

    /// The successors of the loaded states when each does its own actions.
    pub fn advance(&mut self, actions: &[Vec<usize>]) -> Vec<Bits> {
        self.act(actions);
        let size = self.ground.fluents.len().div_ceil(64);
        self.work += (self.ground.actions.len() + self.ground.fluents.len() * actions.len()) as u64;
        let mut next: Vec<Bits> = vec![vec![0; size].into(); actions.len()];
        for (f, atom) in self.ground.next.iter().enumerate() {
            let word = atom.map_or(0, |a| self.words[a as usize]);
            for (lane, state) in next.iter_mut().enumerate() {
                state[f / 64] |= (word >> lane & 1) << (f % 64);
            }
        }
        next
    }

    /// Goes on to the successors: they are loaded in place of the states they come from.
    pub fn step(&mut self, actions: &[Vec<usize>]) {
        self.act(actions);
        let word = |atom: &Option<AtomId>| atom.map_or(0, |a| self.words[a as usize]);
        let next: Vec<u64> = self.ground.next.iter().map(word).collect();
        self.words[..next.len()].copy_from_slice(&next);
        self.settle_still();
    }

    /// One of the loaded states.
    pub fn state(&self, lane: usize) -> Bits {
        let mut bits = vec![0; self.ground.fluents.len().div_ceil(64)];
        for f in 0..self.ground.fluents.len() {
            bits[f / 64] |= (self.words[f] >> lane & 1) << (f % 64);
        }
        bits.into()
    }

    /// Evaluates everything that depends on the moves, when each state does its own actions.
    fn act(&mut self, actions: &[Vec<usize>]) {
        for action in 0..self.ground.actions.len() {
            self.words[self.ground.action_atom(action) as usize] = 0;
        }
        for (lane, list) in actions.iter().enumerate() {
            for action in list {
                self.words[self.ground.action_atom(*action) as usize] |= 1 << lane;
            }
        }
        let moved = std::mem::take(&mut self.moved);
        moved.iter().for_each(|c| self.settle(*c));
        self.moved = moved;
    }

    fn settle_still(&mut self) {
        let still = std::mem::take(&mut self.still);
        still.iter().for_each(|c| self.settle(*c));
        self.still = still;
    }

    /// In which of the loaded states an atom holds.
    pub fn word(&self, atom: AtomId) -> u64 {
        self.words[atom as usize]
    }

    fn settle(&mut self, component: u32) {
        let order = self.order;
        let group = order.group(component);
        if !self.order.recursive[component as usize] {
            self.words[group[0] as usize] = self.evaluate(group[0]);
            return;
        }
        for atom in group {
            if self.constants.value(*atom).is_none() {
                self.words[*atom as usize] = 0;
            }
        }
        let mut changed = true;
        while changed && self.work <= self.most {
            changed = false;
            for atom in group {
                if self.constants.value(*atom).is_none() {
                    let word = self.evaluate(*atom);
                    changed |= word != self.words[*atom as usize];
                    self.words[*atom as usize] = word;
                }
            }
        }
    }

    fn evaluate(&mut self, atom: AtomId) -> u64 {
        let mut word = 0;
        let mut work = 0;
        for body in self.ground.bodies(atom) {
            let mut all = u64::MAX;
            for literal in body {
                let flip = if literal & 1 == 1 { u64::MAX } else { 0 };
                all &= self.words[(literal >> 1) as usize] ^ flip;
                work += 1;
                if all == 0 {
                    break;
                }
            }
            word |= all;
            if word == u64::MAX {
                break;
            }
        }
        self.work += work;
        word
    }
}
