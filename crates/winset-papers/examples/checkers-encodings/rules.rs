//! The relation of checkers as the paper may have written it.

use super::diagram::{Diagrams, Id, NO};

/// Where the turn's two variables stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    Top,
    TopAndBottom,
    Bottom,
}

/// What follows a capture after which the piece could capture again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Onward {
    /// It must, and keeps the turn; otherwise it may not.
    Decided,
    /// The player says whether it does.
    Chosen,
    /// The turn is over.
    Never,
    /// The piece is marked in any case; where it can capture no more, a transition of its own takes the mark away and
    /// gives the turn.
    Separate,
}

/// What the paper leaves open.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// A piece captures only where no piece must go on.
    pub jumps_need_rest: bool,
    /// A piece steps only where no piece must go on.
    pub steps_need_rest: bool,
    /// Pieces that must go on have moves. On 3x3 and 4x4 no capture leads to another, so that none arises.
    pub marked_move: bool,
    /// A piece that must go on can be captured.
    pub marked_are_victims: bool,
    /// Squares that no move touches may hold the unused code.
    pub unused_stays: bool,
    /// The unused code means this content too (7: nothing).
    pub unused_means: usize,
    pub turn: Turn,
    pub onward: Onward,
    /// Rows are read from the right.
    pub from_the_right: bool,
}

const EMPTY: usize = 0;
const MAN: [usize; 2] = [1, 3];
const KING: [usize; 2] = [2, 4];
const MARKED: [usize; 2] = [5, 6];

struct Rules<'r> {
    diagrams: Diagrams,
    reading: &'r Reading,
    n: isize,
    levels: Vec<Option<u8>>,
    squares: Vec<u8>,
    turns: [u8; 2],
}

/// The relation on an n x n board.
pub fn relation(n: usize, reading: &Reading) -> (Diagrams, Id) {
    let first = if reading.turn == Turn::Bottom { 0 } else { 1 };
    let mut levels = vec![None; n * n];
    let mut next = first;
    for row in 0..n {
        for i in 0..n {
            let column = if reading.from_the_right { n - 1 - i } else { i };
            if (row + column) % 2 == (n - 1) % 2 {
                levels[row * n + column] = Some(next);
                next += 1;
            }
        }
    }
    let squares: Vec<u8> = (first..next).collect();
    let mut widths = vec![64; squares.len()];
    let turns = match reading.turn {
        Turn::Top => {
            widths.insert(0, 4);
            [0, 0]
        }
        Turn::TopAndBottom => {
            widths.insert(0, 2);
            widths.push(2);
            [0, next]
        }
        Turn::Bottom => {
            widths.push(4);
            [next, next]
        }
    };
    let diagrams = Diagrams::new(widths);
    let mut rules = Rules { diagrams, reading, n: n as isize, levels, squares, turns };
    let sides = [rules.side(0), rules.side(1)];
    let all = rules.diagrams.or(&sides);
    (rules.diagrams, all)
}

impl Rules<'_> {
    fn cell(&self, row: isize, column: isize) -> Option<u8> {
        let inside = (0..self.n).contains(&row) && (0..self.n).contains(&column);
        if inside { self.levels[(row * self.n + column) as usize] } else { None }
    }

    fn is(&mut self, square: u8, contents: &[usize]) -> Id {
        let unused = self.reading.unused_means;
        self.diagrams.on(square, |pair| contents.contains(&if pair / 8 == 7 { unused } else { pair / 8 }))
    }

    fn becomes(&mut self, square: u8, content: usize) -> Id {
        self.diagrams.on(square, |pair| pair % 8 == content)
    }

    fn turn(&mut self, player: usize, after: bool) -> Id {
        let together = self.reading.turn != Turn::TopAndBottom;
        self.diagrams.on(self.turns[usize::from(after)], |i| match (together, after) {
            (true, false) => i >> 1 == player,
            (true, true) => i & 1 == player,
            _ => i == player,
        })
    }

    fn others_stay(&mut self, but: &[u8]) -> Id {
        let squares: Vec<u8> = self.squares.iter().copied().filter(|square| !but.contains(square)).collect();
        let contents = if self.reading.unused_stays { 8 } else { 7 };
        let same = |rules: &mut Self, square| {
            rules.diagrams.on(square, |pair| pair / 8 == pair % 8 && pair / 8 < contents)
        };
        let stay: Vec<Id> = squares.into_iter().map(|square| same(self, square)).collect();
        self.diagrams.and(&stay)
    }

    fn all_rest(&mut self) -> Id {
        let marked: Vec<Id> =
            self.squares.clone().into_iter().map(|square| self.is(square, &MARKED)).collect();
        let any = self.diagrams.or(&marked);
        self.diagrams.not(any)
    }

    /// Something stands on the square jumped over, and the square beyond is free.
    fn takes(&mut self, player: usize, over: u8, to: u8) -> Id {
        let mut victims = vec![MAN[1 - player], KING[1 - player]];
        if self.reading.marked_are_victims {
            victims.extend(MARKED);
        }
        let parts = [self.is(over, &victims), self.is(to, &[EMPTY])];
        self.diagrams.and(&parts)
    }

    /// A piece at a square can capture in one of its directions.
    fn can_take(&mut self, player: usize, king: bool, (row, column): (isize, isize)) -> Id {
        let mut ways = vec![];
        for (down, right) in directions(player, king) {
            let over = self.cell(row + down, column + right);
            if let (Some(over), Some(to)) = (over, self.cell(row + 2 * down, column + 2 * right)) {
                ways.push(self.takes(player, over, to));
            }
        }
        self.diagrams.or(&ways)
    }

    /// All transitions of one player.
    fn side(&mut self, player: usize) -> Id {
        let all_rest = self.all_rest();
        let far = if player == 0 { 0 } else { self.n - 1 };
        let (mut steps, mut jumps, mut can_jump, mut ends) = (vec![], vec![], vec![], vec![]);
        let places = (0..self.n).flat_map(|row| (0..self.n).map(move |column| (row, column)));
        let places: Vec<(isize, isize)> = places.collect();
        for ((row, column), king) in places.into_iter().flat_map(|at| [(at, false), (at, true)]) {
            let Some(from) = self.cell(row, column) else { continue };
            let own = if king { KING[player] } else { MAN[player] };
            let rests = self.is(from, &[own]);
            let marked =
                if self.reading.marked_move { self.is(from, &[MARKED[usize::from(king)]]) } else { NO };
            if self.reading.onward == Onward::Separate {
                let more = self.can_take(player, king, (row, column));
                let parts = [
                    marked,
                    self.diagrams.not(more),
                    self.becomes(from, own),
                    self.turn(1 - player, true),
                    self.others_stay(&[from]),
                ];
                ends.push(self.diagrams.and(&parts));
            }
            for (down, right) in directions(player, king) {
                let Some(near) = self.cell(row + down, column + right) else { continue };
                let arrived = if row + down == far { KING[player] } else { own };
                let step = [
                    rests,
                    self.is(near, &[EMPTY]),
                    self.becomes(from, EMPTY),
                    self.becomes(near, arrived),
                    self.turn(1 - player, true),
                    self.others_stay(&[from, near]),
                ];
                steps.push(self.diagrams.and(&step));
                let Some(to) = self.cell(row + 2 * down, column + 2 * right) else { continue };
                let takes = self.takes(player, near, to);
                let free = if self.reading.jumps_need_rest { [rests, all_rest] } else { [rests, rests] };
                let free = self.diagrams.and(&free);
                let may = self.diagrams.or(&[free, marked]);
                let guard = self.diagrams.and(&[may, takes]);
                can_jump.push(guard);
                let landed = self.landed(player, king, to, (row + 2 * down, column + 2 * right), far);
                let jump = [
                    guard,
                    self.becomes(from, EMPTY),
                    self.becomes(near, EMPTY),
                    landed,
                    self.others_stay(&[from, near, to]),
                ];
                jumps.push(self.diagrams.and(&jump));
            }
        }
        let can_jump = self.diagrams.or(&can_jump);
        let mut quiet = vec![self.diagrams.or(&steps), self.diagrams.not(can_jump)];
        if self.reading.steps_need_rest {
            quiet.push(all_rest);
        }
        jumps.push(self.diagrams.and(&quiet));
        jumps.extend(ends);
        let moves = self.diagrams.or(&jumps);
        let turn = self.turn(player, false);
        self.diagrams.and(&[turn, moves])
    }

    /// What a capture makes of the square where it ends, and of the turn.
    fn landed(&mut self, player: usize, king: bool, to: u8, at: (isize, isize), far: isize) -> Id {
        let crowned = !king && at.0 == far;
        let own = if king || crowned { KING[player] } else { MAN[player] };
        // The way back leads over the square just emptied, and ends where the piece stood: that is no capture.
        let more = if crowned { NO } else { self.can_take(player, king, at) };
        let goes_on = [self.becomes(to, MARKED[usize::from(king)]), self.turn(player, true)];
        let rests = [self.becomes(to, own), self.turn(1 - player, true)];
        let (goes_on, rests) = (self.diagrams.and(&goes_on), self.diagrams.and(&rests));
        match self.reading.onward {
            _ if crowned => rests,
            Onward::Never => rests,
            Onward::Separate => goes_on,
            Onward::Chosen => self.diagrams.or(&[goes_on, rests]),
            Onward::Decided => {
                let no_more = self.diagrams.not(more);
                let both = [self.diagrams.and(&[more, goes_on]), self.diagrams.and(&[no_more, rests])];
                self.diagrams.or(&both)
            }
        }
    }
}

fn directions(player: usize, king: bool) -> Vec<(isize, isize)> {
    let forward = if player == 0 { -1 } else { 1 };
    let rows = if king { vec![forward, -forward] } else { vec![forward] };
    rows.into_iter().flat_map(|row| [(row, -1), (row, 1)]).collect()
}
