//! The geometry of a board: where the cells are, how they are drawn and named.

use crate::game::Player;
use crate::variable::VarId;

/// Which row is number 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The topmost, as in Othello.
    Top,
    /// The bottom one, as in chess.
    Bottom,
}

/// Whose a piece is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Owner {
    /// Nobody's: an empty square.
    #[default]
    Nobody,
    /// One player's.
    Player(Player),
    /// The piece of whoever is to move.
    Mover,
}

/// A rectangular board. Cells are listed row by row from the top left; a square that is never used has
/// no variable.
#[derive(Clone, Debug)]
pub struct Board {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The variable of each square.
    pub cells: Vec<Option<VarId>>,
    /// The character of each value of a cell.
    pub glyphs: Vec<char>,
    /// Whose piece each value of a cell is.
    pub owners: Vec<Owner>,
    /// Which row is number 1.
    pub origin: Origin,
}

impl Board {
    /// The character of a square that is never used, in a position's text.
    pub const UNUSED: char = '_';

    /// The character between rows, in a position's text.
    pub const NEXT_ROW: char = '/';

    /// The variable of the square at a row (0 = top) and column (0 = left), if both are on the board and
    /// the square is used.
    pub fn cell(&self, row: isize, column: isize) -> Option<VarId> {
        let inside = (0..self.rows as isize).contains(&row) && (0..self.columns as isize).contains(&column);
        if inside { self.cells[row as usize * self.columns + column as usize] } else { None }
    }

    /// A square as players write it: letter = column, number = row.
    ///
    /// ```
    /// use winset_model::{Board, Origin};
    /// assert_eq!(Board::square_name(4, Origin::Bottom, 3, 1), "b1");
    /// assert_eq!(Board::square_name(4, Origin::Top, 3, 1), "b4");
    /// ```
    pub fn square_name(rows: usize, origin: Origin, row: usize, column: usize) -> String {
        let letter = (b'a' + column as u8) as char;
        let number = match origin {
            Origin::Top => row + 1,
            Origin::Bottom => rows - row,
        };
        format!("{letter}{number}")
    }
}
