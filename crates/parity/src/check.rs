//! A solution checked from its strategies alone: with the winner's moves fixed, no cycle may have a highest priority of
//! the other kind.

use crate::game::{Game, Solution};

/// What is wrong with a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The winner has no move there, or one that does not exist.
    NoMove(usize),
    /// Play can leave what the player is said to win.
    Leaves(usize),
    /// Play can go round through this vertex in a way that the other player wins.
    Loses(usize),
}

impl Solution {
    /// Whether each player wins what it is said to win by following its strategy. As no vertex can be won by both, that
    /// proves the whole solution.
    pub fn check(&self, game: &Game) -> Result<(), Fault> {
        for player in [0, 1] {
            let mut edges: Vec<Vec<usize>> = vec![vec![]; game.vertices.len()];
            for (v, vertex) in game.vertices.iter().enumerate().filter(|(v, _)| self.winner[*v] == player) {
                edges[v] = match (vertex.owner == player, self.strategy[v]) {
                    (true, Some(to)) if vertex.successors.contains(&to) => vec![to],
                    (true, _) => return Err(Fault::NoMove(v)),
                    (false, _) => vertex.successors.clone(),
                };
                if edges[v].iter().any(|&to| self.winner[to] != player) {
                    return Err(Fault::Leaves(v));
                }
            }
            let mut bad: Vec<u64> = game.vertices.iter().map(|vertex| vertex.priority).collect();
            bad.retain(|priority| priority % 2 != u64::from(player));
            bad.sort_unstable();
            bad.dedup();
            for priority in bad {
                // Cycles through vertices of at most this priority, one of which has it.
                let low = |v: usize| self.winner[v] == player && game.vertices[v].priority <= priority;
                for component in components(&edges, &low) {
                    let goes_round = component.len() > 1 || edges[component[0]].contains(&component[0]);
                    let high = component.iter().find(|&&v| game.vertices[v].priority == priority);
                    if let (true, Some(&v)) = (goes_round, high) {
                        return Err(Fault::Loses(v));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The strongly connected components of some vertices (Tarjan 1972), without recursion.
fn components(edges: &[Vec<usize>], inside: &dyn Fn(usize) -> bool) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let (mut index, mut low) = (vec![NEW; edges.len()], vec![0; edges.len()]);
    let (mut stacked, mut stack, mut all, mut next) = (vec![false; edges.len()], vec![], vec![], 0);
    for root in (0..edges.len()).filter(|&v| inside(v)) {
        if index[root] != NEW {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((at, edge)) = calls.pop() {
            if edge == 0 {
                (index[at], low[at], stacked[at]) = (next, next, true);
                next += 1;
                stack.push(at);
            }
            let mut done = true;
            for (i, &to) in edges[at].iter().enumerate().skip(edge).filter(|(_, to)| inside(**to)) {
                if index[to] == NEW {
                    calls.push((at, i + 1));
                    calls.push((to, 0));
                    done = false;
                    break;
                }
                if stacked[to] {
                    low[at] = low[at].min(low[to]);
                }
            }
            if !done {
                continue;
            }
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[at]);
            }
            if low[at] == index[at] {
                let mut component = vec![];
                while let Some(v) = stack.pop() {
                    stacked[v] = false;
                    component.push(v);
                    if v == at {
                        break;
                    }
                }
                all.push(component);
            }
        }
    }
    all
}
