//! The rules of Connect Four on columns.
//!
//! A column is one digit: a bit per stone, 1 for the second player's, and a 1 above the topmost stone. The empty column
//! is 1, and every stone makes the digit larger.

/// A column's contents.
pub type Digit = u8;

/// The empty column.
pub const EMPTY_COLUMN: Digit = 1;

/// The size of the board.
pub struct Board {
    pub columns: usize,
    pub rows: usize,
}

/// A line of four over four columns.
pub struct Line {
    /// The leftmost column.
    pub first: usize,
    /// Its row in each of the four columns.
    pub rows: [usize; 4],
}

/// The number of stones in a column.
pub fn height(digit: Digit) -> u32 {
    digit.ilog2()
}

/// Whether the player's stone lies in this row of the column.
pub fn owns(digit: Digit, row: usize, player: u8) -> bool {
    row < height(digit) as usize && digit >> row & 1 == player
}

/// Whether the column alone has four of the player's stones in a row.
pub fn four_upwards(digit: Digit, player: u8) -> bool {
    let stones = (1u8 << height(digit)) - 1;
    let own = if player == 1 { digit & stones } else { !digit & stones };
    own & own >> 1 & own >> 2 & own >> 3 != 0
}

impl Board {
    /// The column with one more stone; none if it is full.
    pub fn drop(&self, digit: Digit, player: u8) -> Option<Digit> {
        let top = height(digit);
        // The mark moves up by one, the stone takes its place.
        (top < self.rows as u32).then(|| digit + (1 << top) + (player << top))
    }

    /// All lines of four that are not upright: along a row, rising and falling.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for first in 0..(self.columns + 1).saturating_sub(4) {
            lines.extend((0..self.rows).map(|row| Line { first, rows: [row; 4] }));
            for low in 0..(self.rows + 1).saturating_sub(4) {
                lines.push(Line { first, rows: [0, 1, 2, 3].map(|i| low + i) });
                lines.push(Line { first, rows: [3, 2, 1, 0].map(|i| low + i) });
            }
        }
        lines
    }
}
