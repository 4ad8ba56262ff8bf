//! All positions of a game as numbers, and what they are worth, by retrograde analysis in its plainest form.

use std::collections::{BTreeMap, HashMap, VecDeque};
use winset_model::{Explicit, Game, Player};

/// Position 0 is the start.
#[derive(Default)]
pub struct Graph {
    pub next: Vec<Vec<u32>>,
    pub mover: Vec<u8>,
    /// For the first player: 1 has won, -1 has lost, 0 neither; none: the game goes on.
    pub result: Vec<Option<i8>>,
}

/// What is compared: everything that does not depend on how positions are numbered or written.
#[derive(Debug, PartialEq, Eq)]
pub struct Summary {
    pub positions: usize,
    pub moves: usize,
    pub ended: usize,
    /// Who wins from the start, and after how many plies; 0 if nobody can force it.
    pub start: (i8, u32),
    /// How many positions have which value and distance.
    pub histogram: BTreeMap<(i8, u32), usize>,
}

impl Graph {
    /// The same from the rules of a built game.
    pub fn of(game: &Game) -> Graph {
        let mut explicit = Explicit::new(game);
        let mut numbers = HashMap::from([(game.initial().clone(), 0u32)]);
        let (mut all, mut graph) = (vec![game.initial().clone()], Graph::default());
        while graph.next.len() < all.len() {
            let from = graph.next.len();
            let batch = all[from..all.len().min(from + 64)].to_vec();
            explicit.load(batch.clone());
            for lane in 0..batch.len() {
                let at = explicit.lane(lane);
                let result = at.rewards().map(|rewards| rewards[Player(0)].cmp(&rewards[Player(1)]) as i8);
                let mover = at.turn().expect("it is somebody's turn");
                let next = at.moves().map(|m| {
                    let state = at.apply(m);
                    *numbers.entry(state.clone()).or_insert_with(|| {
                        all.push(state);
                        all.len() as u32 - 1
                    })
                });
                graph.next.push(next.collect());
                graph.mover.push(mover.0);
                graph.result.push(result);
            }
        }
        graph
    }

    pub fn summary(&self) -> Summary {
        let n = self.next.len();
        let mut before: Vec<Vec<u32>> = vec![vec![]; n];
        // Different moves may lead to the same position: it counts once.
        let mut open: Vec<usize> = vec![0; n];
        let mut moves = 0;
        for (from, next) in self.next.iter().enumerate() {
            assert!(self.result[from].is_some() || !next.is_empty(), "nobody can move and nothing has ended");
            let mut next = next.clone();
            next.sort_unstable();
            next.dedup();
            (open[from], moves) = (next.len(), moves + next.len());
            next.iter().for_each(|&to| before[to as usize].push(from as u32));
        }
        let mut value: Vec<(i8, u32)> = vec![(0, 0); n];
        let decided = (0..n).filter(|&i| matches!(self.result[i], Some(1 | -1)));
        let mut queue: VecDeque<usize> = decided.collect();
        queue.iter().for_each(|&i| value[i] = (self.result[i].unwrap(), 0));
        while let Some(to) = queue.pop_front() {
            let (winner, plies) = value[to];
            for &from in &before[to] {
                let from = from as usize;
                open[from] -= 1;
                let mover_wins = winner == 1 - 2 * self.mover[from] as i8;
                if value[from].0 == 0 && (mover_wins || open[from] == 0) {
                    value[from] = (winner, plies + 1);
                    queue.push_back(from);
                }
            }
        }
        let mut histogram = BTreeMap::new();
        value.iter().for_each(|v| *histogram.entry(*v).or_default() += 1);
        let ended = self.result.iter().flatten().count();
        Summary { positions: n, moves, ended, start: value[0], histogram }
    }
}
