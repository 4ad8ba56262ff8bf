//! The text of states and moves: printing and parsing are inverse of each other.

use crate::board::{Board, Origin};
use crate::explicit::Explicit;
use crate::expr::Exprs;
use crate::game::{Game, MoveId};
use crate::names::similar;
use crate::variable::{State, Value, VarId};
use winset_diagnostic::{Diagnostic, Span, causes, visible};

causes! {
    /// Why a text is not a state or not moves of the game.
    pub enum TextCode {
        /// The board does not have the game's number of rows.
        BoardRows = "board-rows",
        /// A row does not have the game's number of columns.
        BoardColumns = "board-columns",
        /// A character or word that no value has.
        UnknownValue = "unknown-value",
        /// A word that is no fact of the game.
        UnknownFact = "unknown-fact",
        /// A variable has a value already.
        GivenTwice = "given-twice",
        /// Something is missing at the end.
        Missing = "missing",
        /// Something is left over at the end.
        Extra = "extra",
        /// No move of the game has this name.
        UnknownMove = "unknown-move",
        /// The move is not possible here.
        IllegalMove = "illegal-move",
        /// The game has ended before this move.
        GameEnded = "game-ended",
    }
}

/// What is wrong with a text that somebody typed, with its place in it.
pub type TextError = Diagnostic<TextCode>;

/// Names that are listed to help; of more, only these.
const LISTED: usize = 40;

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
            let first = words.next().ok_or_else(|| self.missing(text, "the board", None))?;
            self.parse_board(board, text, first, &mut values)?;
            for var in self.off_board() {
                let name = &self.variables()[var.index()].name;
                let word = words.next().ok_or_else(|| self.missing(text, name, Some(var)))?;
                values[var.index()] = Some(self.value_named(var, text, word)?);
            }
            if let Some(word) = words.next() {
                let message = format!("{word:?} is too much: everything has been given before");
                let wrong = Diagnostic::error(TextCode::Extra, Span::of(text, word), message);
                return Err(wrong.help(self.example()));
            }
        } else {
            for word in words {
                let (var, value) = self.fact(word).ok_or_else(|| self.unknown_fact(text, word))?;
                if let Some(before) = values[var.index()].replace(value) {
                    let span = Span::of(text, word);
                    let before = &self.variables()[var.index()].values[usize::from(before)];
                    let message = format!("{word:?} is too much: {before:?} has been given before");
                    let help = "of these, a position has one".to_owned();
                    return Err(Diagnostic::error(TextCode::GivenTwice, span, message).help(help));
                }
            }
            for (slot, v) in values.iter_mut().zip(self.variables()) {
                let none = || v.values.iter().position(String::is_empty).map(|i| i as Value);
                *slot = slot.or_else(none);
            }
        }
        let missing = |i: usize| self.missing(text, &self.variables()[i].name, Some(VarId(i as u32)));
        let all = values.iter().enumerate().map(|(i, value)| value.ok_or_else(|| missing(i)));
        Ok(State(all.collect::<Result<Vec<Value>, TextError>>()?.into()))
    }

    /// How a position is written, shown by the start.
    fn example(&self) -> String {
        format!("the start of the game is written {:?}", self.print(self.initial()))
    }

    fn missing(&self, text: &str, what: &str, var: Option<VarId>) -> TextError {
        let end = text.trim_end().len();
        let message = format!("the text ends before {what} is given");
        let wrong = Diagnostic::error(TextCode::Missing, Span::new(end, end), message);
        wrong.help(match var {
            Some(var) => possible(&self.variables()[var.index()].values),
            None => self.example(),
        })
    }

    fn unknown_fact(&self, text: &str, word: &str) -> TextError {
        let message = format!("nothing in a position of this game is called {word:?}");
        let wrong = Diagnostic::error(TextCode::UnknownFact, Span::of(text, word), message);
        let all = self.variables().iter().flat_map(|v| v.values.iter().map(String::as_str));
        match similar(word, all.filter(|name| !name.is_empty())) {
            near if near.is_empty() => wrong.help(self.example()),
            near => wrong.help(format!("there is {}", near.join(", "))),
        }
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

    /// The state after moves from another, written one after the other with blanks or commas between them.
    pub fn play(&self, from: &State, moves: &str) -> Result<State, TextError> {
        let mut states = self.play_out(&mut Explicit::new(self), from.clone(), moves)?;
        Ok(states.pop().unwrap_or_else(|| from.clone()))
    }

    /// All states on the way, the first first, for who has the rules ready: to prepare them takes longer than a few moves.
    pub fn play_out(
        &self,
        explicit: &mut Explicit<'_>,
        from: State,
        moves: &str,
    ) -> Result<Vec<State>, TextError> {
        let mut states = vec![from];
        for word in split(moves, |c| c.is_ascii_whitespace() || c == ',') {
            let at = explicit.at(&states[states.len() - 1]);
            let legal: Vec<MoveId> = at.moves().collect();
            let Some(id) = self.move_named(legal.iter().copied(), word) else {
                return Err(self.not_legal(&legal, Span::of(moves, word), word));
            };
            let next = at.apply(id);
            states.push(next);
        }
        Ok(states)
    }

    /// What is wrong with a move that is not one of the legal ones.
    pub fn not_legal(&self, legal: &[MoveId], span: Span, word: &str) -> TextError {
        if legal.is_empty() {
            let message = format!("{word:?} is not a legal move: the game has ended");
            return Diagnostic::error(TextCode::GameEnded, span, message);
        }
        let names: Vec<&str> = legal.iter().map(|&id| self.move_at(id).name.as_str()).collect();
        let known = self.moves().iter().any(|m| is_meant(&m.name, word));
        let (code, message) = match known {
            true => (TextCode::IllegalMove, format!("{word:?} is not a legal move here")),
            false => (TextCode::UnknownMove, format!("{word:?} is not a move of this game")),
        };
        let near = similar(word, names.iter().copied()).join(", ");
        let meant = if near.is_empty() || known { String::new() } else { format!("did you mean {near}? ") };
        Diagnostic::error(code, span, message).help(format!("{meant}legal: {}", listed(&names)))
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

    fn value_named(&self, var: VarId, text: &str, word: &str) -> Result<Value, TextError> {
        let v = &self.variables()[var.index()];
        let value = v.values.iter().position(|name| is_meant(name, word));
        value.map(|i| i as Value).ok_or_else(|| {
            let message = format!("{word:?} is not possible for {}", v.name);
            let wrong = Diagnostic::error(TextCode::UnknownValue, Span::of(text, word), message);
            wrong.help(possible(&v.values))
        })
    }

    fn fact(&self, word: &str) -> Option<(VarId, Value)> {
        self.variables().iter().enumerate().find_map(|(i, v)| {
            let value = v.values.iter().position(|name| is_meant(name, word))?;
            Some((VarId(i as u32), value as Value))
        })
    }

    fn parse_board(
        &self,
        board: &Board,
        text: &str,
        word: &str,
        values: &mut [Option<Value>],
    ) -> Result<(), TextError> {
        let rows: Vec<&str> = word.split(Board::NEXT_ROW).collect();
        if rows.len() != board.rows {
            let message =
                format!("the board has {} where {} are expected", count(rows.len(), "row"), board.rows);
            let wrong = Diagnostic::error(TextCode::BoardRows, Span::of(text, word), message);
            return Err(wrong.help(self.example()));
        }
        for (row, line) in rows.iter().enumerate() {
            let squares = line.chars().count();
            if squares != board.columns {
                let (row, squares) = (row + 1, count(squares, "square"));
                let message =
                    format!("row {row} of the board has {squares} where {} are expected", board.columns);
                let wrong = Diagnostic::error(TextCode::BoardColumns, Span::of(text, line), message);
                return Err(wrong.help(self.example()));
            }
            for (column, (at, glyph)) in line.char_indices().enumerate() {
                let cell = board.cell(row as isize, column as isize);
                let found = board.glyphs.iter().position(|&g| g == glyph);
                match (cell, found) {
                    (Some(var), Some(value)) => values[var.index()] = Some(value as Value),
                    (None, _) if glyph == Board::UNUSED => {}
                    _ => {
                        let square = Board::square_name(board.rows, board.origin, row, column);
                        let span = Span::of(text, &line[at..at + glyph.len_utf8()]);
                        let message = format!("{glyph:?} is not possible for {square}");
                        let wrong = Diagnostic::error(TextCode::UnknownValue, span, message);
                        let glyphs: Vec<String> = match cell {
                            Some(_) => board.glyphs.iter().map(char::to_string).collect(),
                            None => vec![Board::UNUSED.to_string()],
                        };
                        return Err(wrong.help(possible(&glyphs)));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether a name is meant by what somebody wrote: the name itself or the way it is shown, in any case.
fn is_meant(name: &str, written: &str) -> bool {
    name.eq_ignore_ascii_case(written)
        || written.contains("\\u{") && visible(name).eq_ignore_ascii_case(written)
}

/// The number with its noun.
fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// What may stand there.
fn possible(names: &[String]) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    format!("possible: {}", listed(&names))
}

/// The names in a row; of very many, the first.
fn listed(names: &[&str]) -> String {
    let shown = names[..names.len().min(LISTED)].join(" ");
    match names.len() - names.len().min(LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
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
    split(text, |c| c.is_ascii_whitespace())
}

/// Splits outside parentheses: a name of a game from a file can have blanks.
fn split(text: &str, between: impl Fn(char) -> bool) -> Vec<&str> {
    let (mut words, mut depth, mut start) = (vec![], 0usize, None);
    for (i, c) in text.char_indices() {
        if between(c) && depth == 0 {
            words.extend(start.take().map(|begin: usize| &text[begin..i]));
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
