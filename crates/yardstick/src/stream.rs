//! A layer's values from those of the next.
//!
//! A walk through the layer meets its positions in the order of their numbers and takes along, for every move, its place
//! in the next layer. All positions that differ in the last column only are solved together.

use crate::board::Board;
use crate::index::{Cursor, Index};
use crate::set::{EMPTY, Node};
use std::arch::x86_64::{_pdep_u64, _pext_u64};

/// The proof that the processor can move scattered bits: only from [`Bmi2::detect`].
#[derive(Clone, Copy)]
pub struct Bmi2(());

impl Bmi2 {
    pub fn detect() -> Option<Self> {
        let there = std::is_x86_feature_detected!("bmi2") && std::is_x86_feature_detected!("popcnt");
        there.then_some(Bmi2(()))
    }
}

/// A bit per position for each of two outcomes of the player to move; a position with neither is won.
pub struct Values {
    loss: Vec<u64>,
    draw: Vec<u64>,
}

impl Values {
    /// Words for all positions, and one more for those who read or write across the end.
    fn filled(len: u64, draw: u64) -> Self {
        let words = len as usize / 64 + 2;
        Values { loss: vec![0; words], draw: vec![draw; words] }
    }

    /// All positions are drawn.
    pub fn all_drawn(len: u64) -> Self {
        Self::filled(len, !0)
    }
}

/// The values of `this` layer, in which the player moves, and the numbers of losses, draws and wins.
pub fn stream(
    instructions: Bmi2,
    board: &Board,
    player: u8,
    this: &Index,
    next: &Index,
    known: &Values,
) -> (Values, [u64; 3]) {
    let out = Values::filled(this.len, 0);
    let mut walk = Walk { instructions, board, player, this, next, known, out, at: 0, tally: [0; 3] };
    let still = (next.root != EMPTY).then_some(Cursor { node: next.root, rank: 0 });
    walk.run(0, this.root, still, &[]);
    assert_eq!(walk.at, this.len, "the walk meets every position");
    (walk.out, walk.tally)
}

struct Walk<'a> {
    instructions: Bmi2,
    board: &'a Board,
    player: u8,
    this: &'a Index,
    next: &'a Index,
    known: &'a Values,
    out: Values,
    /// The number of the next position to be met.
    at: u64,
    tally: [u64; 3],
}

impl Walk<'_> {
    /// Solves what is below a node. `moved` are the places after moves in the columns so far; `still` is the place
    /// without a move so far, as long as the next layer has such positions.
    fn run(&mut self, level: usize, node: Node, still: Option<Cursor>, moved: &[Cursor]) {
        if level + 1 == self.board.columns {
            return self.last_column(node, still, moved);
        }
        let here = &self.this.levels[level];
        for edge in here.start[node as usize] as usize..here.start[node as usize + 1] as usize {
            let (digit, child) = (here.digit[edge], here.child[edge]);
            let mut places = [Cursor::default(); 8];
            let mut len = 0;
            let raised = self.board.drop(digit, self.player);
            let stone = raised.map(|raised| still.and_then(|place| self.next.step(level, place, raised)));
            let others = moved.iter().map(|&place| self.next.step(level, place, digit));
            // A move out of the set of positions in which the game goes on ends the game: it wins.
            let wins = others.chain(stone).any(|place| match place {
                Some(place) => {
                    places[len] = place;
                    len += 1;
                    false
                }
                None => true,
            });
            if wins {
                let positions = self.this.levels[level + 1].count[child as usize];
                self.at += positions;
                self.tally[2] += positions;
                continue;
            }
            let still = still.and_then(|place| self.next.step(level, place, digit));
            self.run(level + 1, child, still, &places[..len]);
        }
    }

    fn last_column(&mut self, node: Node, still: Option<Cursor>, moved: &[Cursor]) {
        let Bmi2(()) = self.instructions;
        #[allow(unsafe_code, reason = "a kernel compiled for instructions that not every processor has")]
        // SAFETY: `instructions` says that the processor has them.
        unsafe {
            self.last_column_bmi2(node, still, moved)
        }
    }

    /// Solves all positions below a node of the last level, a bit for each.
    #[target_feature(enable = "bmi2,popcnt")]
    fn last_column_bmi2(&mut self, node: Node, still: Option<Cursor>, moved: &[Cursor]) {
        let level = self.board.columns - 1;
        let (this, next) = (&self.this.levels[level], &self.next.levels[level]);
        let here = this.patterns[node as usize];
        let height = this.height[node as usize];
        let (mut win, mut draw) = (0, 0);
        for place in moved {
            let there = next.patterns[place.node as usize];
            win |= here & !there | _pdep_u64(read(&self.known.loss, place.rank), there);
            draw |= _pdep_u64(read(&self.known.draw, place.rank), there);
        }
        if usize::from(height) < self.board.rows {
            match still {
                None => win = here,
                Some(place) => {
                    // The stone goes on top: its colour is the highest bit of the pattern's number.
                    let shift = u32::from(self.player) << height;
                    let there = next.patterns[place.node as usize];
                    win |= here & !(there >> shift);
                    win |= _pdep_u64(read(&self.known.loss, place.rank), there) >> shift;
                    draw |= _pdep_u64(read(&self.known.draw, place.rank), there) >> shift;
                }
            }
        }
        win &= here;
        draw &= here & !win;
        let loss = here & !win & !draw;
        write(&mut self.out.loss, self.at, _pext_u64(loss, here));
        write(&mut self.out.draw, self.at, _pext_u64(draw, here));
        self.at += u64::from(here.count_ones());
        for (sum, outcome) in self.tally.iter_mut().zip([loss, draw, win]) {
            *sum += u64::from(outcome.count_ones());
        }
    }
}

/// 64 bits from a place on.
#[inline(always)]
fn read(bits: &[u64], at: u64) -> u64 {
    let (word, shift) = ((at / 64) as usize, at % 64);
    if shift == 0 { bits[word] } else { bits[word] >> shift | bits[word + 1] << (64 - shift) }
}

/// Sets bits from a place on, where none are set.
#[inline(always)]
fn write(bits: &mut [u64], at: u64, set: u64) {
    let (word, shift) = ((at / 64) as usize, at % 64);
    bits[word] |= set << shift;
    if shift != 0 {
        bits[word + 1] |= set >> (64 - shift);
    }
}
