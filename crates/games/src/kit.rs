//! What the rules of many games have in common.

use winset_model::{Board, ExprId, Exprs, GameBuilder, Player, Update, Value, VarId};

/// Steps to the four nearest squares, as rows down and columns to the right.
pub(crate) const ORTHOGONAL: [(isize, isize); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

/// Steps to the eight nearest squares.
pub(crate) const EIGHT: [(isize, isize); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// One step for each direction of a straight line.
pub(crate) const LINES: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// The characters of a counter on a board.
pub(crate) const DIGITS: &str = "0123456789abcdefghijklmnopqrstuvwxyz";

/// What the squares of one block can hold together, at most.
const MOST_CONTENTS: usize = 1 << 13;

/// The characters of the counts from 0 to the most.
pub(crate) fn digits(most: usize) -> &'static str {
    &DIGITS[..=most]
}

/// Words for building games.
pub(crate) trait Kit {
    /// The board, which must have been added.
    fn squares(&self) -> Board;

    /// The squares in use, row by row from the top left.
    fn cells(&self) -> Vec<VarId>;

    /// The squares in use by row and column.
    fn places(&self) -> Vec<(isize, isize)>;

    /// The names of some squares, one after the other.
    fn called(&self, cells: &[VarId]) -> String;

    /// One of the variables has the value.
    fn any(&mut self, vars: &[VarId], value: Value) -> ExprId;

    /// All of the variables have the value.
    fn all(&mut self, vars: &[VarId], value: Value) -> ExprId;

    /// None of the variables has the value.
    fn none(&mut self, vars: &[VarId], value: Value) -> ExprId;

    /// The variable has one of the values.
    fn among(&mut self, var: VarId, values: impl IntoIterator<Item = Value>) -> ExprId;

    /// All hold.
    fn both(&mut self, a: ExprId, b: ExprId) -> ExprId;

    /// At least n of the conditions hold.
    fn at_least(&mut self, count: usize, conditions: &[ExprId]) -> ExprId;

    /// Adds `step` to a counter; where that is no value of it, it stays.
    fn add(&mut self, var: VarId, step: isize) -> Update;

    /// The player has a move where it is the player's turn, by all moves so far.
    fn can_move(&mut self, player: Player) -> ExprId;

    /// Who is to move and cannot loses: the last condition to add.
    fn who_cannot_move_loses(&mut self);

    /// The game has ended where one of these holds, and the player wins.
    fn wins(&mut self, player: Player, conditions: impl IntoIterator<Item = ExprId>);

    /// The game has ended where this holds, and unless somebody wins it is a tie: the last condition to add.
    fn else_ties(&mut self, condition: ExprId);

    /// The start, its board as the game writes it and everything else at its first value; and the board's rows as the
    /// blocks.
    fn begin(&mut self, board: &str);
}

impl Kit for GameBuilder {
    fn squares(&self) -> Board {
        self.board.clone().expect("the game has a board")
    }

    fn cells(&self) -> Vec<VarId> {
        self.squares().cells.into_iter().flatten().collect()
    }

    fn places(&self) -> Vec<(isize, isize)> {
        let board = self.squares();
        let all = (0..board.rows as isize).flat_map(|row| (0..board.columns as isize).map(move |c| (row, c)));
        all.filter(|&(row, column)| board.cell(row, column).is_some()).collect()
    }

    fn called(&self, cells: &[VarId]) -> String {
        cells.iter().map(|cell| self.variables[cell.index()].name.as_str()).collect()
    }

    fn any(&mut self, vars: &[VarId], value: Value) -> ExprId {
        let each: Vec<ExprId> = vars.iter().map(|&var| self.exprs.is(var, value)).collect();
        self.exprs.or(each)
    }

    fn all(&mut self, vars: &[VarId], value: Value) -> ExprId {
        let each: Vec<ExprId> = vars.iter().map(|&var| self.exprs.is(var, value)).collect();
        self.exprs.and(each)
    }

    fn none(&mut self, vars: &[VarId], value: Value) -> ExprId {
        let any = self.any(vars, value);
        self.exprs.not(any)
    }

    fn among(&mut self, var: VarId, values: impl IntoIterator<Item = Value>) -> ExprId {
        let each: Vec<ExprId> = values.into_iter().map(|value| self.exprs.is(var, value)).collect();
        self.exprs.or(each)
    }

    fn both(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.exprs.and([a, b])
    }

    fn at_least(&mut self, count: usize, conditions: &[ExprId]) -> ExprId {
        // row[n]: with the conditions still to come, n more hold.
        let mut row = vec![Exprs::FALSE; count + 1];
        row[0] = Exprs::TRUE;
        for &condition in conditions {
            for n in (1..=count).rev() {
                row[n] = self.exprs.ite(condition, row[n - 1], row[n]);
            }
        }
        row[count]
    }

    fn add(&mut self, var: VarId, step: isize) -> Update {
        let size = self.variables[var.index()].size() as isize;
        let fits = (0..size).filter(|value| (0..size).contains(&(value + step)));
        let cases = fits.map(|value| (self.exprs.is(var, value as Value), (value + step) as Value));
        let cases = cases.collect();
        Update { var, cases }
    }

    fn can_move(&mut self, player: Player) -> ExprId {
        let guards: Vec<ExprId> = self.moves.iter().filter(|m| m.player == player).map(|m| m.guard).collect();
        self.exprs.or(guards)
    }

    fn who_cannot_move_loses(&mut self) {
        for player in Player::all(2) {
            let can_move = self.can_move(player);
            let stuck = self.exprs.not(can_move);
            let lost = self.both(self.turn[player.index()], stuck);
            self.wins(player.other(), [lost]);
        }
    }

    fn wins(&mut self, player: Player, conditions: impl IntoIterator<Item = ExprId>) {
        let conditions: Vec<ExprId> = conditions.into_iter().collect();
        let any = self.exprs.or(conditions.iter().copied());
        self.reward_winner(player, any);
        self.terminal.extend(conditions);
    }

    fn else_ties(&mut self, condition: ExprId) {
        self.terminal.push(condition);
        let won: Vec<ExprId> = self.rewards[0].iter().map(|&(_, when)| when).collect();
        let won = self.exprs.or(won);
        let level = self.exprs.not(won);
        self.reward_draw(level);
    }

    fn begin(&mut self, picture: &str) {
        let board = self.squares();
        self.initial = self.state(vec![0; self.variables.len()]);
        let glyphs = picture.chars().filter(|&glyph| glyph != Board::NEXT_ROW);
        for (cell, glyph) in board.cells.iter().zip(glyphs) {
            if let Some(cell) = *cell {
                let value = board.glyphs.iter().position(|&g| g == glyph).expect("a character of the board");
                self.initial[cell] = value as Value;
            }
        }
        // A row of many values is cut, so that a block has no more than some thousand contents.
        let fits = |n: &usize| board.glyphs.len().saturating_pow(*n as u32) <= MOST_CONTENTS;
        let width = (1..=board.columns).take_while(fits).count().max(1);
        let rows = board.cells.chunks(board.columns).flat_map(|row| row.chunks(width));
        self.blocks = rows.map(|block| block.iter().copied().flatten().collect()).collect();
        self.blocks.retain(|block| !block.is_empty());
    }
}

/// Rows of one character each, as a game writes its board.
pub(crate) fn filled(rows: usize, columns: usize, glyph: impl Fn(usize, usize) -> char) -> String {
    let row = |row: usize| (0..columns).map(|column| glyph(row, column)).collect::<String>();
    (0..rows).map(row).collect::<Vec<_>>().join("/")
}

/// An empty board as a game writes it.
pub(crate) fn empty(rows: usize, columns: usize) -> String {
    filled(rows, columns, |_, _| '.')
}
