//! The text of states and moves: printing and parsing are inverse of each other.

use crate::board::{Board, Origin};
use crate::expr::Exprs;
use crate::game::{Game, MoveId};
use crate::variable::{State, Value, VarId};
use crate::visible::is_meant;
use thiserror::Error;

/// Why a text is not a state of the game.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum TextError {
    /// The board does not have the game's shape.
    #[error("the board has {found} where {expected} are expected")]
    Shape {
        /// What the text has.
        found: String,
        /// What the game has.
        expected: String,
    },
    /// A character or word that no value has.
    #[error("{found:?} is not possible for {variable}; possible: {expected}")]
    Value {
        /// What the text has.
        found: String,
        /// The variable's name.
        variable: String,
        /// The values' names.
        expected: String,
    },
    /// Something is missing at the end.
    #[error("the text ends before {0} is given")]
    Missing(String),
    /// Something is left over or given twice.
    #[error("{0:?} is too much")]
    Extra(String),
}

impl Game {
    /// One line: the board's rows from the top, separated by `/`, then the other variables' values. Without
    /// a board: the names of all values that have one.
    pub fn print(&self, state: &State) -> String {
        let words = self.off_board().map(|var| self.value_name(state, var));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        match self.board() {
            None => words.join(" "),
            Some(board) => {
                let rows = (0..board.rows).map(|row| board_row(board, state, row).collect::<String>());
                let mut all = vec![rows.collect::<Vec<_>>().join("/")];
                all.extend(words.iter().map(|word| (*word).to_owned()));
                all.join(" ")
            }
        }
    }

    /// The state that [`Game::print`] would print like this. Names may be written as they are shown
    /// ([`visible`](crate::visible)).
    pub fn parse(&self, text: &str) -> Result<State, TextError> {
        let mut values: Vec<Option<Value>> = vec![None; self.variables().len()];
        let mut words = split_words(text).into_iter();
        if let Some(board) = self.board() {
            let first = words.next().ok_or_else(|| TextError::Missing("the board".to_owned()))?;
            self.parse_board(board, first, &mut values)?;
            for var in self.off_board() {
                let name = self.variables()[var.index()].name.clone();
                let word = words.next().ok_or(TextError::Missing(name))?;
                values[var.index()] = Some(self.value_named(var, word)?);
            }
        } else {
            for word in words.by_ref() {
                let (var, value) = self.fact(word).ok_or_else(|| TextError::Extra(word.to_owned()))?;
                if values[var.index()].replace(value).is_some() {
                    return Err(TextError::Extra(word.to_owned()));
                }
            }
            for (slot, v) in values.iter_mut().zip(self.variables()) {
                let none = || v.values.iter().position(String::is_empty).map(|i| i as Value);
                *slot = slot.or_else(none);
            }
        }
        if let Some(word) = words.next() {
            return Err(TextError::Extra(word.to_owned()));
        }
        let missing = |i: usize| TextError::Missing(self.variables()[i].name.clone());
        let all = values.iter().enumerate().map(|(i, value)| value.ok_or_else(|| missing(i)));
        Ok(State(all.collect::<Result<Vec<Value>, TextError>>()?.into()))
    }

    /// A picture of several lines, with row and column labels; without a board the same as the text.
    pub fn draw(&self, state: &State) -> String {
        let Some(board) = self.board() else { return self.print(state) };
        let mut picture = String::new();
        for row in 0..board.rows {
            let name = Board::square_name(board.rows, board.origin, row, 0);
            picture.push_str(&format!("{:>3} ", &name[1..]));
            for glyph in board_row(board, state, row) {
                picture.push(' ');
                picture.push(glyph);
            }
            picture.push('\n');
        }
        picture.push_str("    ");
        for column in 0..board.columns {
            let name = Board::square_name(board.rows, Origin::Top, 0, column);
            picture.push(' ');
            picture.push_str(&name[..1]);
        }
        let words: Vec<String> = self
            .off_board()
            .map(|var| format!("{}: {}", self.variables()[var.index()].name, self.value_name(state, var)))
            .collect();
        if !words.is_empty() {
            picture.push_str(&format!("   {}", words.join(", ")));
        }
        picture.push('\n');
        picture
    }

    /// The legal move that players write like this, ignoring case.
    pub fn move_named(&self, legal: impl IntoIterator<Item = MoveId>, name: &str) -> Option<MoveId> {
        legal.into_iter().find(|&id| is_meant(&self.move_at(id).name, name.trim_ascii()))
    }

    /// The expression for exactly this state.
    pub fn state_expr(&self, exprs: &mut Exprs, state: &State) -> crate::expr::ExprId {
        let all: Vec<_> =
            state.0.iter().enumerate().map(|(i, &value)| exprs.is(VarId(i as u32), value)).collect();
        exprs.and(all)
    }

    fn off_board(&self) -> impl Iterator<Item = VarId> + '_ {
        let on_board = |var: VarId| self.board().is_some_and(|b| b.cells.contains(&Some(var)));
        (0..self.variables().len() as u32).map(VarId).filter(move |&var| !on_board(var))
    }

    fn value_name(&self, state: &State, var: VarId) -> &str {
        &self.variables()[var.index()].values[state[var] as usize]
    }

    fn value_named(&self, var: VarId, word: &str) -> Result<Value, TextError> {
        let v = &self.variables()[var.index()];
        let value = v.values.iter().position(|name| is_meant(name, word));
        value.map(|i| i as Value).ok_or_else(|| TextError::Value {
            found: word.to_owned(),
            variable: v.name.clone(),
            expected: v.values.join(" "),
        })
    }

    fn fact(&self, word: &str) -> Option<(VarId, Value)> {
        self.variables().iter().enumerate().find_map(|(i, v)| {
            let value = v.values.iter().position(|name| is_meant(name, word))?;
            Some((VarId(i as u32), value as Value))
        })
    }

    fn parse_board(&self, board: &Board, text: &str, values: &mut [Option<Value>]) -> Result<(), TextError> {
        let rows: Vec<&str> = text.split('/').collect();
        if rows.len() != board.rows {
            let (found, expected) = (format!("{} rows", rows.len()), format!("{}", board.rows));
            return Err(TextError::Shape { found, expected });
        }
        for (row, line) in rows.iter().enumerate() {
            if line.chars().count() != board.columns {
                let found = format!("{} squares in row {}", line.chars().count(), row + 1);
                return Err(TextError::Shape { found, expected: format!("{}", board.columns) });
            }
            for (column, glyph) in line.chars().enumerate() {
                let cell = board.cell(row as isize, column as isize);
                let found = board.glyphs.iter().position(|&g| g == glyph);
                match (cell, found) {
                    (Some(var), Some(value)) => values[var.index()] = Some(value as Value),
                    (None, _) if glyph == Board::UNUSED => {}
                    _ => {
                        return Err(TextError::Value {
                            found: glyph.to_string(),
                            variable: Board::square_name(board.rows, board.origin, row, column),
                            expected: match cell {
                                Some(_) => {
                                    board.glyphs.iter().map(char::to_string).collect::<Vec<_>>().join(" ")
                                }
                                None => Board::UNUSED.to_string(),
                            },
                        });
                    }
                }
            }
        }
        Ok(())
    }
}

fn board_row<'a>(board: &'a Board, state: &'a State, row: usize) -> impl Iterator<Item = char> + 'a {
    (0..board.columns).map(move |column| match board.cell(row as isize, column as isize) {
        Some(var) => board.glyphs[state[var] as usize],
        None => Board::UNUSED,
    })
}

/// Splits at blanks outside parentheses. Blanks of other scripts can be part of a name.
fn split_words(text: &str) -> Vec<&str> {
    let (mut words, mut depth, mut start) = (vec![], 0usize, None);
    for (i, c) in text.char_indices() {
        if c.is_ascii_whitespace() && depth == 0 {
            if let Some(begin) = start.take() {
                words.push(&text[begin..i]);
            }
            continue;
        }
        start.get_or_insert(i);
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    words.extend(start.map(|begin| &text[begin..]));
    words
}

/// An exact count with its digits in groups of three.
///
/// ```
/// assert_eq!(winset_model::grouped(69_763_700u64), "69,763,700");
/// ```
pub fn grouped(n: impl Into<u128>) -> String {
    let digits = n.into().to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
