//! Games and their solutions.

/// A place where a player moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vertex {
    /// Its number in the file; the others are by position.
    pub number: u64,
    /// Who moves there: 0 or 1.
    pub owner: u8,
    /// The priority.
    pub priority: u64,
    /// Where the owner may move to, at least one.
    pub successors: Vec<usize>,
    /// The name, if it has one.
    pub name: Option<String>,
}

/// A parity game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// All vertices.
    pub vertices: Vec<Vertex>,
    /// The vertex where play starts, if the file says so.
    pub start: Option<usize>,
}

/// Who wins each vertex, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The winner from each vertex on.
    pub winner: Vec<u8>,
    /// Where the winner moves, at the winner's own vertices.
    pub strategy: Vec<Option<usize>>,
}

impl Solution {
    /// The solution in the format of PGSolver.
    pub fn write(&self, game: &Game) -> String {
        let most = game.vertices.iter().map(|vertex| vertex.number).max().unwrap_or(0);
        let mut text = format!("paritysol {most};\n");
        for (vertex, (winner, choice)) in game.vertices.iter().zip(self.winner.iter().zip(&self.strategy)) {
            text += &format!("{} {winner}", vertex.number);
            if let Some(to) = choice {
                text += &format!(" {}", game.vertices[*to].number);
            }
            text += ";\n";
        }
        text
    }
}
