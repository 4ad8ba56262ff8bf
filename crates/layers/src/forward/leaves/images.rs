//! Where moves inside the leaf lead from the states of a class.

use crate::error::LayersError;
use crate::forward::leaves::classes::{Classes, NONE};
use crate::forward::leaves::moved::Moved;
use crate::forward::leaves::tails::{Run, Tails};
use crate::rules::conjunction::Conjunctions;
use crate::rules::relation::{IDENTITY, Rel, Relations};
use crate::rules::rules_of_game::Rules;
use rustc_hash::FxHashMap;

/// What moves make of a class.
pub struct Image {
    /// A class that had all successors when they were found; [`NONE`] if there are none.
    target: u32,
    /// The place of each state, and a successor.
    pairs: Box<[(u16, u32)]>,
    /// The same as bits, for the target as it was when they were last settled.
    moved: Moved,
    settled: u32,
    /// The round in which it was last asked for.
    round: u32,
}

impl Image {
    /// The bits of the class as those of the target.
    #[inline]
    pub fn moved(&self) -> &Moved {
        &self.moved
    }
}

/// What all moves that were asked for make of classes.
#[derive(Default)]
pub struct Images {
    ids: FxHashMap<(Rel, u32), u32>,
    all: Vec<Image>,
    /// Those that have been asked for in this round.
    asked: Vec<u32>,
    round: u32,
    bytes: u64,
    /// How many states have been looked at.
    pub looked: u64,
}

/// The game's moves, which are found out as they are met.
pub struct Steps<'a> {
    /// The rules.
    pub rules: &'a mut Rules,
    /// Lists of conditions.
    pub conjs: &'a mut Conjunctions,
    /// The relations.
    pub relations: &'a mut Relations,
}

impl Images {
    /// About the memory that this takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The image of a class, which must have been asked for.
    #[inline]
    pub fn get(&self, rel: Rel, class: u32) -> &Image {
        &self.all[self.ids[&(rel, class)] as usize]
    }

    /// Forgets what is made of classes that have been replaced.
    pub fn forget(&mut self, classes: &Classes) {
        let (all, bytes) = (&mut self.all, &mut self.bytes);
        self.ids.retain(|&(_, class), &mut id| {
            let keep = !classes.is_replaced(class);
            if !keep {
                let image = &mut all[id as usize];
                *bytes -= (image.pairs.len() * 8) as u64 + image.moved.bytes();
                *image = Image {
                    target: NONE,
                    pairs: [].into(),
                    moved: Moved::default(),
                    settled: NONE,
                    round: 0,
                };
            }
            keep
        });
    }

    /// Begins to ask anew.
    pub fn begin(&mut self) {
        self.asked.clear();
        self.round += 1;
    }

    /// The class of all successors of the states of a class; [`NONE`] if there are none.
    pub fn target(
        &mut self,
        steps: &mut Steps,
        classes: &mut Classes,
        tails: &mut Tails,
        rel: Rel,
        class: u32,
    ) -> Result<u32, LayersError> {
        if let Some(&id) = self.ids.get(&(rel, class)) {
            let image = &mut self.all[id as usize];
            if image.round != self.round {
                image.round = self.round;
                self.asked.push(id);
            }
            return Ok(image.target);
        }
        tails.provide(classes, class);
        let mut walk = Walk { steps, tails, level: classes.level, found: vec![] };
        walk.below(&classes.strides, 0, tails.runs(class), 0, rel, (classes.states(class), 0))?;
        let pairs = walk.found;
        self.looked += classes.states(class).len() as u64 + pairs.len() as u64;
        let mut target = NONE;
        for &(_, state) in &pairs {
            target = classes.join(state, target);
        }
        let id = self.all.len() as u32;
        self.bytes += (pairs.len() * 8) as u64;
        let (pairs, round) = (pairs.into(), self.round);
        self.all.push(Image { target, pairs, moved: Moved::default(), settled: NONE, round });
        self.ids.insert((rel, class), id);
        self.asked.push(id);
        Ok(target)
    }

    /// Moves bits to where the targets have them now.
    pub fn settle(&mut self, classes: &Classes) {
        for id in std::mem::take(&mut self.asked) {
            let image = &mut self.all[id as usize];
            if image.target == NONE {
                continue;
            }
            image.target = classes.now(image.target);
            if image.settled != image.target {
                let to_place = |&(from, state): &(u16, u32)| (from, classes.place(state));
                self.bytes -= image.moved.bytes();
                image.moved = Moved::new(image.pairs.iter().map(to_place).collect());
                self.bytes += image.moved.bytes();
                image.settled = image.target;
            }
        }
    }
}

struct Walk<'a, 'b> {
    steps: &'a mut Steps<'b>,
    tails: &'a Tails,
    level: usize,
    found: Vec<(u16, u32)>,
}

impl Walk<'_, '_> {
    /// Adds the successors of the states of some runs, the first of which is at a place of the class; `states` are
    /// those of the class, and what digits before have added to them.
    fn below(
        &mut self,
        strides: &[u32],
        depth: usize,
        runs: &[Run],
        first: u32,
        rel: Rel,
        (states, added): (&[u32], i64),
    ) -> Result<(), LayersError> {
        let Steps { rules, conjs, relations } = &mut *self.steps;
        let mut all = vec![];
        for run in runs {
            let steps = relations.steps(rules, conjs, self.level + depth, rel, run.digit)?;
            all.extend(steps.map(|at| (run, relations.step(self.level + depth, at))));
        }
        for (run, (next, rel)) in all {
            let added = added + (i64::from(next) - i64::from(run.digit)) * i64::from(strides[depth]);
            let first = first + run.first;
            if rel == IDENTITY || depth + 1 == strides.len() {
                let places = first..first + run.len;
                let image = |place: u32| (i64::from(states[place as usize]) + added) as u32;
                self.found.extend(places.map(|place| (place as u16, image(place))));
            } else {
                let tails = self.tails;
                self.below(strides, depth + 1, &tails.tail(run.tail).runs, first, rel, (states, added))?;
            }
        }
        Ok(())
    }
}
