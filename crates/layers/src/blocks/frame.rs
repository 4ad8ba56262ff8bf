//! The blocks of a game and the local states that can occur in them.

use crate::error::LayersError;
use crate::rules::condition::{Cond, Conditions, TooLarge};
use crate::rules::rules_of_game::Move;
use rustc_hash::FxHashSet;
use winset_index::{Blocks, Digit};
use winset_model::{Game, Value, VarId};

/// The most local states of a block.
pub const DIGIT_LIMIT: usize = 1 << 15;

/// Where each variable is: the blocks from the top, their variables one after the other.
pub struct Frame {
    /// The blocks with all digits that can occur, in the order of their values.
    pub blocks: Blocks,
    /// The first position of each block, and the number of variables.
    pub first: Vec<u32>,
    /// The position of each variable.
    pub positions: Vec<u32>,
}

impl Frame {
    /// The blocks in this order; no digits yet.
    pub fn new(groups: Vec<Vec<VarId>>, game: &Game) -> Result<Self, LayersError> {
        let groups = if groups.is_empty() { vec![vec![]] } else { groups };
        let mut first = vec![0];
        let mut positions = vec![0; game.variables().len()];
        let mut next = 0;
        for group in &groups {
            for var in group {
                if let Some(position) = positions.get_mut(var.index()) {
                    *position = next;
                }
                next += 1;
            }
            first.push(next);
        }
        let blocks = Blocks::new(groups, game.variables().len())?;
        Ok(Frame { blocks, first, positions })
    }

    /// The number of blocks.
    pub fn levels(&self) -> usize {
        self.blocks.len()
    }

    /// The number of digits of a block.
    pub fn digits(&self, level: usize) -> usize {
        self.blocks.blocks[level].digits.len()
    }

    /// The values of a block's variables for a digit.
    pub fn values(&self, level: usize, digit: Digit) -> &[Value] {
        &self.blocks.blocks[level].digits[digit as usize]
    }

    /// Finds the local states of every block: those that the moves can make of the initial state when
    /// everything outside the block is as it suits them.
    pub fn find_digits(
        &mut self,
        game: &Game,
        conds: &mut Conditions,
        moves: &[Move],
    ) -> Result<(), LayersError> {
        for level in 0..self.levels() {
            let (first, end) = (self.first[level], self.first[level + 1]);
            let block = &self.blocks.blocks[level];
            let start: Box<[Value]> = block.vars.iter().map(|&var| game.initial()[var]).collect();
            let local = local_moves(conds, moves, first, end)?;
            let mut seen: FxHashSet<Box<[Value]>> = FxHashSet::default();
            seen.insert(start.clone());
            let mut open = vec![start];
            while let Some(values) = open.pop() {
                conds.work.spend(local.len() as u64)?;
                for m in &local {
                    m.apply(conds, first, &values, &mut |next| {
                        if !seen.contains(next) {
                            seen.insert(next.into());
                            open.push(next.into());
                        }
                    });
                }
                if seen.len() > DIGIT_LIMIT {
                    let names: Vec<&str> =
                        block.vars.iter().map(|var| game.variables()[var.index()].name.as_str()).collect();
                    let variables = names.join(" ");
                    return Err(LayersError::BlockTooLarge { block: level, variables, limit: DIGIT_LIMIT });
                }
            }
            let mut all: Vec<Box<[Value]>> = seen.into_iter().collect();
            all.sort_unstable();
            for values in all {
                self.blocks.blocks[level].add(&values)?;
            }
        }
        Ok(())
    }
}

/// A condition, its negation and the new value.
type LocalCase = (Cond, Cond, Value);

/// A move as one block sees it.
struct LocalMove {
    guard: Vec<Cond>,
    /// By offset in the block.
    updates: Vec<(usize, Vec<LocalCase>)>,
}

fn local_moves(
    conds: &mut Conditions,
    moves: &[Move],
    first: u32,
    end: u32,
) -> Result<Vec<LocalMove>, TooLarge> {
    let mut local = vec![];
    for m in moves {
        let mut updates = vec![];
        for (position, cases) in m.updates.iter().filter(|u| (first..end).contains(&u.0)) {
            let mut with_negations = vec![];
            for &(when, value) in cases {
                with_negations.push((when, conds.not(when)?, value));
            }
            updates.push(((position - first) as usize, with_negations));
        }
        if !updates.is_empty() {
            local.push(LocalMove { guard: m.guard.clone(), updates });
        }
    }
    Ok(local)
}

impl LocalMove {
    fn apply(&self, conds: &Conditions, first: u32, values: &[Value], found: &mut dyn FnMut(&[Value])) {
        if !self.guard.iter().all(|&cond| conds.can_hold(cond, first, values)) {
            return;
        }
        let mut next = values.to_vec();
        self.branch(conds, first, values, 0, &mut next, found);
    }

    fn branch(
        &self,
        conds: &Conditions,
        first: u32,
        values: &[Value],
        at: usize,
        next: &mut Vec<Value>,
        found: &mut dyn FnMut(&[Value]),
    ) {
        let Some((offset, cases)) = self.updates.get(at) else { return found(next) };
        let mut outcomes = vec![];
        let mut may_keep = true;
        for &(when, not, value) in cases {
            if conds.can_hold(when, first, values) {
                outcomes.push(value);
            }
            if !conds.can_hold(not, first, values) {
                may_keep = false;
                break;
            }
        }
        if may_keep {
            outcomes.push(values[*offset]);
        }
        outcomes.sort_unstable();
        outcomes.dedup();
        for value in outcomes {
            next[*offset] = value;
            self.branch(conds, first, values, at + 1, next, found);
        }
        next[*offset] = values[*offset];
    }
}
