//! How a position looks: which squares there are, what stands on them, what a move does to them.
//!
//! Built-in games say where their squares are. For rules from a file the board is recognised by the shape of what can
//! hold: facts with two ordered arguments and a value, or with one and a value. Names mean nothing.

mod action;
mod facts;
mod style;

pub use action::Action;
use serde::Serialize;
use winset_model::{Board, Game, State, VarId, visible};

/// What the squares form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Rows and columns.
    Grid,
    /// Rows that are shifted against each other by half a square.
    Hex,
    /// One row.
    Line,
    /// No squares: what holds is listed.
    Cards,
}

/// How pieces are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Discs that fall.
    Discs,
    /// Stones with two sides.
    Stones,
    /// Men and kings on dark squares.
    Checkers,
    /// Pawns.
    Pawns,
    /// Crosses and noughts.
    Marks,
    /// A rhombus of hexagons, with sides of two colours.
    Hexagons,
    /// Sides between dots, which enclose boxes.
    Sides,
    /// Bridges between the points of two lattices.
    Bridges,
    /// Lines between the corners of a polygon.
    Chords,
    /// Men on points that lines join.
    Points,
    /// Men on a ring of points around a middle.
    Ring,
    /// Houses with seeds.
    Pits,
    /// Heaps of counters.
    Heaps,
    /// Chess pieces.
    Chess,
    /// Pieces of which every attribute is one of two.
    Attributes,
    /// Pieces that cover smaller ones.
    Cups,
    /// A bar of chocolate whose first piece is poisoned.
    Chocolate,
    /// Squares that are filled.
    Blocks,
    /// Pins in a row.
    Pins,
    /// A hunted animal and its hunters.
    Hunt,
    /// Two kinds that hop towards each other.
    Hoppers,
    /// Whatever the names suggest.
    Tokens,
}

/// A square.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Square {
    /// From the top.
    pub row: usize,
    /// From the left.
    pub column: usize,
    /// As it is called.
    pub name: String,
}

/// The squares of a game and how its positions are read.
#[derive(Clone, Debug)]
pub struct Layout {
    /// What the squares form.
    pub kind: Kind,
    /// How pieces are drawn.
    pub style: Style,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The squares.
    pub squares: Vec<Square>,
    /// The kinds of pieces.
    pub pieces: Vec<String>,
    /// Pairs of squares that a line joins, where pieces stand on points.
    pub lines: Vec<[usize; 2]>,
    /// What each value of each variable puts where: square and piece, none for an empty square or another fact.
    puts: Vec<Vec<Option<(usize, usize)>>>,
    /// For each variable the square that is all it speaks of.
    home: Vec<Option<usize>>,
    /// Variables whose values are not seen on the board, the turn left out.
    others: Vec<VarId>,
}

/// What stands on each square, by the number of the piece.
pub type Placed = Vec<Option<usize>>;

impl Layout {
    /// The layout of a game.
    pub fn of(game: &Game) -> Self {
        match game.board() {
            Some(board) => Self::of_board(game, board),
            None => facts::layout(game),
        }
    }

    fn of_board(game: &Game, board: &Board) -> Self {
        let mut squares = vec![];
        let (mut puts, mut home) = (empty(game), vec![None; game.variables().len()]);
        for (at, cell) in board.cells.iter().enumerate() {
            let Some(var) = cell else { continue };
            let (row, column) = (at / board.columns, at % board.columns);
            let name = Board::square_name(board.rows, board.origin, row, column);
            // Value 0 of a square is the empty square in every built-in game.
            for (value, put) in puts[var.index()].iter_mut().enumerate().skip(1) {
                *put = Some((squares.len(), value - 1));
            }
            home[var.index()] = Some(squares.len());
            squares.push(Square { row, column, name });
        }
        let off_board = |i: &usize| home[*i].is_none() && !is_turn(game, VarId(*i as u32));
        let others = (0..game.variables().len()).filter(off_board).map(|i| VarId(i as u32)).collect();
        let style = style::of_built_in(game.name());
        let pieces =
            board.glyphs.iter().skip(1).map(|glyph| visible(&glyph.to_string()).into_owned()).collect();
        Layout {
            kind: Kind::Grid,
            style,
            rows: board.rows,
            columns: board.columns,
            lines: style::lines(game, style, &squares, &home),
            squares,
            pieces,
            puts,
            home,
            others,
        }
    }

    /// What stands where.
    pub fn placed(&self, state: &State) -> Placed {
        let mut placed = vec![None; self.squares.len()];
        for (puts, &value) in self.puts.iter().zip(&state.0) {
            if let Some((square, piece)) = puts[value as usize] {
                placed[square] = Some(piece);
            }
        }
        placed
    }

    /// Rows of squares from the top: the name of the piece, an empty text for an empty square, none where there is no
    /// square; none at all if the game has no board.
    pub fn board(&self, placed: &Placed) -> Option<Vec<Vec<Option<&str>>>> {
        if self.kind == Kind::Cards {
            return None;
        }
        let mut rows = vec![vec![None; self.columns]; self.rows];
        for (square, piece) in self.squares.iter().zip(placed) {
            let piece = piece.map_or("", |piece| self.pieces[piece].as_str());
            rows[square.row][square.column] = Some(piece);
        }
        Some(rows)
    }

    /// What holds and is not seen on the board.
    pub fn cards(&self, game: &Game, state: &State) -> Vec<String> {
        let name = |&var: &VarId| {
            let variable = &game.variables()[var.index()];
            let value = &variable.values[state[var] as usize];
            match game.board() {
                Some(_) => format!("{}: {value}", variable.name),
                None => value.clone(),
            }
        };
        let all = self.others.iter().map(name).filter(|text| !text.is_empty());
        all.map(|text| visible(&text).into_owned()).collect()
    }

    /// The square that is all a variable speaks of.
    pub fn home(&self, var: VarId) -> Option<usize> {
        self.home[var.index()]
    }

    /// What a value of a variable puts on its square.
    pub fn piece(&self, var: VarId, value: usize) -> Option<usize> {
        self.puts[var.index()][value].map(|(_, piece)| piece)
    }
}

fn empty(game: &Game) -> Vec<Vec<Option<(usize, usize)>>> {
    game.variables().iter().map(|variable| vec![None; variable.size()]).collect()
}

/// A variable that says whose turn it is and nothing else.
pub fn is_turn(game: &Game, var: VarId) -> bool {
    let values = &game.variables()[var.index()].values;
    let player = |value: &String| {
        let last = value.trim_end_matches(')').rsplit([' ', '(']).next().unwrap_or(value);
        game.players().iter().any(|name| name == last)
    };
    game.players().len() > 1 && values.len() == game.players().len() && values.iter().all(player)
}
