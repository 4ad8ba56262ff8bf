//! The walk over a layer: every leaf is visited with a cursor for each way in which a move can lead to something
//! other than the best for who moves next.

use crate::backward::leaves::asked::Asked;
use crate::backward::leaves::held::{Drawer, Held};
use crate::backward::leaves::mirror::{Half, Way};
use crate::backward::leaves::places::{LeafSets, Places};
use crate::backward::leaves::shift::AllShifts;
use crate::backward::leaves::worker::Worker;
use crate::crew::Crew;
use crate::rules::condition::Cond;
use crate::rules::relation::{Rel, Relations};
use crate::rules::rules_of_game::Rules;
use crate::sets::set::{EMPTY, Level, Node};
use crate::shares::Shares;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use winset_index::Digit;

/// A way in which a move can still go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// What is left of the move.
    pub rel: Rel,
    /// The part of a later layer that it leads to; above the parts, the layer.
    pub part: u32,
    /// The node there.
    pub node: u32,
    /// How it is read.
    pub way: Way,
}

/// The states with some first digits.
pub struct Task {
    /// Those digits.
    pub prefix: Vec<Digit>,
    /// How far they are mirrored.
    pub way: Way,
    /// The states that are not terminal.
    pub open: Node,
    /// Terminal states whose outcome is not the best, by the plane of their outcome.
    pub ended: Vec<(u32, Node)>,
    /// Where the moves lead.
    pub cursors: Vec<Cursor>,
}

/// Everything that a walk over a layer reads.
pub struct Walk<'a> {
    /// The leaf's states.
    pub places: &'a Places,
    /// How one of each two mirrored states is left out, if they are.
    pub half: Option<&'a Half>,
    /// The moves.
    pub relations: &'a Relations,
    /// The number of digits of each block.
    pub digits: &'a [usize],
    /// The number of first digits of a task.
    pub top: usize,
    /// The layer's diagram.
    pub levels: &'a [Level],
    /// The leaves of it.
    pub leaves: &'a LeafSets,
    /// The rules.
    pub rules: &'a Rules,
    /// All hold in the states to solve; where not, a move ends the game in the best way.
    pub asked: &'a [Cond],
    /// The parts of all later layers that moves lead to, and where each is.
    pub sources: Vec<(&'a Drawer, &'a Held)>,
    /// The number of outcomes.
    pub outcomes: usize,
    /// Use the processor's bit instructions if it has them.
    pub fast: bool,
    /// Where the new values go.
    pub drawer: &'a Drawer,
    /// What a thread may take for a part and for those that it reads.
    pub room: u64,
    /// What each thread may remember about conditions.
    pub remember: u64,
}

impl Walk<'_> {
    /// The way of a state below a digit; none if it is left out, since its image is walked.
    #[inline(always)]
    pub fn way(&self, level: usize, way: Way, digit: Digit) -> Option<Way> {
        match self.half {
            Some(half) if way != Way::NORMAL => half.mirror.walk(level, way, digit),
            _ => Some(way),
        }
    }

    /// Where a cursor leads below a digit, before that is known to be there.
    #[inline]
    pub fn steps(&self, level: usize, cursor: Cursor, digit: Digit) -> &[(Digit, Rel)] {
        match cursor.way {
            Way::NORMAL => self.relations.made_steps(level, cursor.rel, digit),
            // Nothing has been looked for since its group began, so that this may be where the forward pass has not been.
            // It has made every move of every state in which play goes on: what it has not come to is none.
            _ => self.relations.known_steps(level, cursor.rel, digit).unwrap_or_default(),
        }
    }

    /// Solves the tasks, those of a bundle into one part. Returns the parts, none where every state has the best value,
    /// and how many states have each outcome, the best first, which is not counted; nothing if there is no room.
    pub fn run(&self, bundles: &[&[Task]], tools: &mut Vec<Tools>, crew: &Crew) -> io::Result<Option<Found>> {
        let threads = crew.threads();
        tools.resize_with(threads, Tools::default);
        let mut found = (bundles.iter().map(|_| None).collect(), vec![0; self.outcomes]);
        let all: Vec<usize> = (0..bundles.len()).collect();
        let large = self.pass(bundles, &all, self.room, tools, crew, &mut found)?;
        if large.is_empty() {
            return Ok(Some(found));
        }
        // What is too large for one of several threads is done by one alone.
        let mut one = vec![std::mem::take(&mut tools[0])];
        let room = self.room.saturating_mul(threads as u64);
        let large = match threads {
            1 => large,
            _ => self.pass(bundles, &large, room, &mut one, crew, &mut found)?,
        };
        tools[0] = one.remove(0);
        Ok(large.is_empty().then_some(found))
    }

    /// Solves some of the bundles, each thread with so much room; returns those for which that was too little.
    fn pass(
        &self,
        bundles: &[&[Task]],
        numbers: &[usize],
        room: u64,
        tools: &mut Vec<Tools>,
        crew: &Crew,
        (parts, tally): &mut Found,
    ) -> io::Result<Vec<usize>> {
        let stop = AtomicBool::new(false);
        let shares = Shares::new(numbers.len(), tools.len());
        let found = crew.map(std::mem::take(tools), |thread, tools| {
            let mut worker = Worker::new(self, tools, room);
            let (mut parts, mut large) = (vec![], vec![]);
            while !stop.load(Relaxed)
                && let Some(taken) = shares.take(thread, 1)
            {
                for &number in &numbers[taken] {
                    let before = worker.tally.clone();
                    match worker.bundle(bundles[number]) {
                        Ok(_) if worker.full => {
                            (worker.full, worker.tally) = (false, before);
                            large.push(number);
                        }
                        Ok(None) => {}
                        Ok(Some(part)) => parts.push((number, part)),
                        Err(error) => {
                            worker.failed = Some(error);
                            stop.store(true, Relaxed);
                        }
                    }
                }
            }
            (parts, large, worker.tally, worker.tools, worker.failed)
        });
        let (mut left, mut failed) = (vec![], None);
        for (made, large, counted, used, error) in found {
            tools.push(used);
            made.into_iter().for_each(|(number, part)| parts[number] = Some(part));
            tally.iter_mut().zip(counted).for_each(|(sum, n)| *sum += n);
            left.extend(large);
            failed = failed.or(error);
        }
        failed.map_or(Ok(left), Err)
    }
}

/// A part, and for each task of its bundle the node there.
pub type Made = (Held, Vec<u32>);

/// Parts in the order of their bundles, and how many states have each outcome.
pub type Found = (Vec<Option<Made>>, Vec<u64>);

/// What a thread finds out for itself and uses again in every layer.
#[derive(Default)]
pub struct Tools {
    /// Moves inside the leaf.
    pub shifts: AllShifts,
    /// Conditions on states.
    pub asked: Asked,
    /// The nodes and leaves looked at, each with what is read for it.
    pub steps: u64,
}

impl Tools {
    /// About what else a thread needs: tables of what was made lately, and moves inside the leaf.
    pub const BYTES: u64 = 4 << 20;
}

/// The node below a digit.
pub fn child(level: &Level, node: Node, digit: Digit) -> Node {
    if node == EMPTY {
        return EMPTY;
    }
    let edges = level.edges(node);
    match level.digit[edges.clone()].binary_search(&digit) {
        Ok(at) => level.child[edges.start + at],
        Err(_) => EMPTY,
    }
}

/// Sorts the end of a stack and leaves equal ones out.
pub fn sort_and_dedup(stack: &mut Vec<Cursor>, from: usize) {
    if stack.len() - from > 24 {
        stack[from..].sort_unstable();
    }
    // Otherwise a handful, mostly in order already.
    for i in from + 1..stack.len() {
        let mut at = i;
        while at > from && stack[at - 1] > stack[at] {
            stack.swap(at - 1, at);
            at -= 1;
        }
    }
    let mut len = from;
    for i in from..stack.len() {
        if len == from || stack[len - 1] != stack[i] {
            stack[len] = stack[i];
            len += 1;
        }
    }
    stack.truncate(len);
}
