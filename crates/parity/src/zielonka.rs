//! Zielonka's recursive algorithm.

use crate::game::{Game, Solution};

/// Solves a game.
pub fn solve(game: &Game) -> Solution {
    let count = game.vertices.len();
    let mut before = vec![vec![]; count];
    for (from, vertex) in game.vertices.iter().enumerate() {
        vertex.successors.iter().for_each(|&to| before[to].push(from));
    }
    let solution = Solution { winner: vec![0; count], strategy: vec![None; count] };
    let mut solver = Solver { game, before, solution, degree: vec![0; count] };
    solver.solve((0..count).collect(), &mut vec![true; count]);
    // A strategy is of the winner alone.
    for (i, vertex) in game.vertices.iter().enumerate() {
        if vertex.owner != solver.solution.winner[i] {
            solver.solution.strategy[i] = None;
        }
    }
    solver.solution
}

struct Solver<'g> {
    game: &'g Game,
    before: Vec<Vec<usize>>,
    solution: Solution,
    /// Room for the attractor: edges of the loser that do not lead into it yet.
    degree: Vec<usize>,
}

impl Solver<'_> {
    /// Solves the game on some vertices, which `inside` marks; every one of them has a successor among them. The second
    /// recursive call of the textbook is a loop, so that each call has fewer priorities than the one around it.
    fn solve(&mut self, mut vertices: Vec<usize>, inside: &mut Vec<bool>) {
        while let Some(highest) = vertices.iter().map(|&v| self.game.vertices[v].priority).max() {
            let player = (highest % 2) as u8;
            let top: Vec<usize> =
                vertices.iter().copied().filter(|&v| self.game.vertices[v].priority == highest).collect();
            for &v in &top {
                let on = self.game.vertices[v].successors.iter().find(|&&to| inside[to]);
                (self.solution.winner[v], self.solution.strategy[v]) = (player, on.copied());
            }
            let near = self.attract(player, top, inside);
            near.iter().for_each(|&v| inside[v] = false);
            let rest: Vec<usize> = vertices.iter().copied().filter(|&v| inside[v]).collect();
            self.solve(rest.clone(), inside);
            rest.iter().for_each(|&v| inside[v] = true);
            near.iter().for_each(|&v| inside[v] = true);
            let lost: Vec<usize> = rest.into_iter().filter(|&v| self.solution.winner[v] != player).collect();
            if lost.is_empty() {
                // The player wins everywhere: who leaves the rest comes back to the highest priority.
                near.iter().for_each(|&v| self.solution.winner[v] = player);
                break;
            }
            let lost = self.attract(1 - player, lost, inside);
            for &v in &lost {
                (inside[v], self.solution.winner[v]) = (false, 1 - player);
            }
            vertices.retain(|&v| inside[v]);
        }
        vertices.iter().for_each(|&v| inside[v] = false);
    }

    /// The vertices from which a player can force play into a set, with the moves that do.
    fn attract(&mut self, player: u8, mut set: Vec<usize>, inside: &[bool]) -> Vec<usize> {
        const OPEN: usize = 0;
        let mut taken = vec![false; 0];
        taken.resize(self.game.vertices.len(), false);
        set.iter().for_each(|&v| taken[v] = true);
        let mut touched = vec![];
        let mut at = 0;
        while at < set.len() {
            let to = set[at];
            at += 1;
            for i in 0..self.before[to].len() {
                let from = self.before[to][i];
                if !inside[from] || taken[from] {
                    continue;
                }
                let vertex = &self.game.vertices[from];
                if vertex.owner == player {
                    self.solution.strategy[from] = Some(to);
                } else {
                    if self.degree[from] == OPEN {
                        self.degree[from] = vertex.successors.iter().filter(|&&to| inside[to]).count() + 1;
                        touched.push(from);
                    }
                    self.degree[from] -= 1;
                    if self.degree[from] > 1 {
                        continue;
                    }
                }
                taken[from] = true;
                set.push(from);
            }
        }
        touched.into_iter().for_each(|v| self.degree[v] = OPEN);
        set
    }
}
