//! Games once more, as plain code that shares nothing with the builders, and a plain solver for both.

pub mod boards;
pub mod chess;
pub mod graph;
pub mod moving;
pub mod placing;
pub mod sliding;
pub mod sowing;

use std::collections::HashMap;

/// A position: whose turn it is, and whatever else there is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pos {
    pub turn: u8,
    pub at: Vec<u8>,
}

impl Pos {
    pub fn new(turn: u8, at: impl Into<Vec<u8>>) -> Self {
        Pos { turn, at: at.into() }
    }

    /// After changing some places and handing over the turn.
    pub fn put(&self, changes: &[(usize, u8)]) -> Pos {
        let mut next = Pos { turn: 1 - self.turn, at: self.at.clone() };
        changes.iter().for_each(|&(place, value)| next.at[place] = value);
        next
    }

    /// The player's number from 1, as it stands on boards.
    pub fn me(&self) -> u8 {
        self.turn + 1
    }

    pub fn other(&self) -> u8 {
        2 - self.turn
    }
}

type Moves = Box<dyn Fn(&Pos) -> Vec<Pos>>;
type Result = Box<dyn Fn(&Pos) -> Option<i8>>;

/// A game: where it starts, what can follow, and what it is worth for the first player where it has ended.
pub struct Plain {
    pub start: Pos,
    pub moves: Moves,
    pub result: Result,
}

impl Plain {
    pub fn new(
        start: Pos,
        moves: impl Fn(&Pos) -> Vec<Pos> + 'static,
        result: impl Fn(&Pos) -> Option<i8> + 'static,
    ) -> Self {
        Plain { start, moves: Box::new(moves), result: Box::new(result) }
    }

    /// Who cannot move loses.
    pub fn last_mover_wins(start: Pos, moves: impl Fn(&Pos) -> Vec<Pos> + Clone + 'static) -> Self {
        let again = moves.clone();
        Self::new(start, moves, move |p| again(p).is_empty().then_some(if p.turn == 0 { -1 } else { 1 }))
    }

    /// The same with winner and loser exchanged.
    pub fn misere(self) -> Self {
        let result = self.result;
        Plain { result: Box::new(move |p| result(p).map(|r| -r)), ..self }
    }

    pub fn graph(&self) -> graph::Graph {
        let mut numbers: HashMap<Pos, u32> = HashMap::from([(self.start.clone(), 0)]);
        let (mut all, mut graph) = (vec![self.start.clone()], graph::Graph::default());
        while graph.next.len() < all.len() {
            let p = all[graph.next.len()].clone();
            let result = (self.result)(&p);
            let next = if result.is_none() { (self.moves)(&p) } else { vec![] };
            let next = next.into_iter().map(|q| {
                *numbers.entry(q.clone()).or_insert_with(|| {
                    all.push(q);
                    all.len() as u32 - 1
                })
            });
            graph.next.push(next.collect());
            graph.mover.push(p.turn);
            graph.result.push(result);
        }
        graph
    }
}

/// A result for who has won: +1 for the first player, -1 for the second.
pub fn win_of(player: u8) -> Option<i8> {
    Some(if player == 0 { 1 } else { -1 })
}

/// A rectangle of places, row by row from the top left.
#[derive(Clone, Copy)]
pub struct Grid {
    pub rows: usize,
    pub columns: usize,
}

impl Grid {
    pub fn new(rows: usize, columns: usize) -> Self {
        Grid { rows, columns }
    }

    pub fn len(self) -> usize {
        self.rows * self.columns
    }

    /// The place some steps away, if it is on the board.
    pub fn step(self, from: usize, down: i32, right: i32) -> Option<usize> {
        let (row, column) = ((from / self.columns) as i32 + down, (from % self.columns) as i32 + right);
        let inside = (0..self.rows as i32).contains(&row) && (0..self.columns as i32).contains(&column);
        inside.then(|| row as usize * self.columns + column as usize)
    }

    pub fn orthogonal(self, from: usize) -> impl Iterator<Item = usize> {
        [(0, 1), (1, 0), (0, -1), (-1, 0)].into_iter().filter_map(move |(d, r)| self.step(from, d, r))
    }

    /// The neighbours straight and aslant.
    pub fn around(self, from: usize) -> impl Iterator<Item = usize> {
        let steps = (-1..=1).flat_map(|d| (-1..=1).map(move |r| (d, r))).filter(|&step| step != (0, 0));
        steps.filter_map(move |(d, r)| self.step(from, d, r))
    }

    /// Somebody's value stands k times in a row.
    pub fn line(self, at: &[u8], k: usize, value: u8) -> bool {
        (0..self.len()).any(|from| {
            [(0, 1), (1, 0), (1, 1), (1, -1)].into_iter().any(|(d, r)| {
                (0..k as i32).all(|i| self.step(from, i * d, i * r).is_some_and(|to| at[to] == value))
            })
        })
    }
}
