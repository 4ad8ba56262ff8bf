//! Successors that are not stored, until 64 of them can be looked at together.

use crate::batch::{bits, run_mask};
use crate::plan::Plan;
use winset_index::Digit;
use winset_model::MoveId;

/// Up to 64 moves, each from a lane of the batch, with the layer and the digits that they lead to.
#[derive(Default)]
pub struct Waiting {
    pub moves: Vec<(usize, MoveId, i64)>,
    digits: Vec<Digit>,
    /// The moves all of whose new digits have a meaning.
    known: u64,
}

impl Waiting {
    pub fn push(&mut self, to: (usize, MoveId, i64), digits: &[Digit], known: bool) {
        self.known |= u64::from(known) << self.moves.len();
        self.moves.push(to);
        self.digits.extend_from_slice(digits);
    }

    /// The digits that a move leads to.
    pub fn digits(&self, number: usize, levels: usize) -> &[Digit] {
        &self.digits[number * levels..(number + 1) * levels]
    }

    pub fn is_full(&self) -> bool {
        self.moves.len() == 64
    }

    pub fn clear(&mut self) {
        self.moves.clear();
        self.digits.clear();
        self.known = 0;
    }

    /// Enters the values of all successors with known digits into the masks; neighbours are much alike.
    pub fn enter(&self, plan: &Plan<'_>, masks: &mut [u64]) {
        let (count, levels) = (self.moves.len(), plan.blocks.len());
        for k in 0..levels {
            let mut begin = 0;
            for end in 1..=count {
                let digit = self.digits[begin * levels + k];
                if end < count && self.digits[end * levels + k] == digit {
                    continue;
                }
                let run = run_mask(begin, end) & self.known;
                if run != 0 {
                    for &row in plan.digit_rows(k, usize::from(digit)) {
                        masks[row as usize] |= run;
                    }
                }
                begin = end;
            }
        }
    }

    /// The others, by number.
    pub fn unknown(&self) -> impl Iterator<Item = usize> {
        bits(run_mask(0, self.moves.len()) & !self.known)
    }
}
