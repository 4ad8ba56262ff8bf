//! Checkers by plain search over the explicit semantics: reachable states, values and lengths of every
//! state by retrograde analysis, and the number of complete moves on the full board.

use rustc_hash::FxHashMap;
use winset_games::build;
use winset_model::{Explicit, Game, State};

fn game(size: &str) -> Game {
    build("checkers", Some(size), &Default::default()).unwrap()
}

/// Three bits a variable: enough for the seven values of a square.
fn pack(state: &State) -> u64 {
    state.0.iter().fold(0, |word, &value| word << 3 | u64::from(value))
}

fn unpack(variables: usize, word: u64) -> State {
    State((0..variables).rev().map(|i| (word >> (3 * i) & 7) as u16).collect())
}

/// The reachable states, breadth first, with the successors of each.
struct Graph {
    states: Vec<u64>,
    begins: Vec<usize>,
    successors: Vec<u32>,
}

fn explore(game: &Game) -> Graph {
    let mut explicit = Explicit::new(game);
    let variables = game.variables().len();
    let mut states = vec![pack(game.initial())];
    let mut ids: FxHashMap<u64, u32> = [(states[0], 0)].into_iter().collect();
    let (mut begins, mut successors) = (vec![0], vec![]);
    while begins.len() <= states.len() {
        let first = begins.len() - 1;
        let batch: Vec<u64> = states[first..].iter().copied().take(64).collect();
        explicit.load(batch.iter().map(|&word| unpack(variables, word)).collect());
        for lane in 0..batch.len() {
            let at = explicit.lane(lane);
            for m in at.moves() {
                let next = pack(&at.apply(m));
                let id = *ids.entry(next).or_insert_with(|| {
                    states.push(next);
                    states.len() as u32 - 1
                });
                successors.push(id);
            }
            begins.push(successors.len());
        }
    }
    Graph { states, begins, successors }
}

impl Graph {
    fn next(&self, id: usize) -> &[u32] {
        &self.successors[self.begins[id]..self.begins[id + 1]]
    }

    fn turn(&self, game: &Game, id: usize) -> u16 {
        unpack(game.variables().len(), self.states[id]).0[0]
    }

    /// The winner of each state, if any, and the greatest distance to the end in a win.
    fn solve(&self, game: &Game) -> (Vec<Option<u16>>, u32) {
        let count = self.states.len();
        let mut begins = vec![0usize; count + 2];
        for &to in &self.successors {
            begins[to as usize + 2] += 1;
        }
        for i in 2..begins.len() {
            begins[i] += begins[i - 1];
        }
        let mut predecessors = vec![0u32; self.successors.len()];
        for from in 0..count {
            for &to in self.next(from) {
                predecessors[begins[to as usize + 1]] = from as u32;
                begins[to as usize + 1] += 1;
            }
        }
        let mut open: Vec<u32> = (0..count).map(|id| self.next(id).len() as u32).collect();
        let turns: Vec<u16> = (0..count).map(|id| self.turn(game, id)).collect();
        let mut winner: Vec<Option<u16>> = vec![None; count];
        let mut front: Vec<u32> = (0..count as u32).filter(|&id| open[id as usize] == 0).collect();
        front.iter().for_each(|&id| winner[id as usize] = Some(1 - turns[id as usize]));
        let mut length = 0;
        loop {
            let mut next = vec![];
            for &id in &front {
                let won_by = winner[id as usize].unwrap();
                for &from in &predecessors[begins[id as usize]..begins[id as usize + 1]] {
                    let from = from as usize;
                    open[from] -= 1;
                    if winner[from].is_none() && (turns[from] == won_by || open[from] == 0) {
                        winner[from] = Some(won_by);
                        next.push(from as u32);
                    }
                }
            }
            if next.is_empty() {
                return (winner, length);
            }
            length += 1;
            front = next;
        }
    }
}

fn check(size: &str, reachable: usize, start: Option<u16>, wins: [usize; 2], longest: u32) {
    let game = game(size);
    let graph = explore(&game);
    assert_eq!(graph.states.len(), reachable, "{size}");
    let (winner, length) = graph.solve(&game);
    let count = |who| winner.iter().filter(|&&w| w == who).count();
    assert_eq!(
        [count(Some(0)), count(Some(1)), count(None)],
        [wins[0], wins[1], reachable - wins[0] - wins[1]]
    );
    assert_eq!((winner[0], length), (start, longest), "{size}");
}

#[test]
fn white_wins_on_3x3() {
    check("3", 10, Some(1), [0, 10], 4);
}

#[test]
fn nobody_wins_on_4x4() {
    check("4x4", 2_409, None, [502, 349], 12);
}

/// Millions of states: only with optimisation.
#[cfg(not(debug_assertions))]
#[test]
fn black_wins_on_5x5() {
    check("5x5", 9_254_363, Some(0), [3_911_987, 5_079_387], 54);
}

/// Sequences of complete moves: those after which the turn has changed.
fn perft(explicit: &mut Explicit, state: &State, moves: u32) -> u64 {
    if moves == 0 {
        return 1;
    }
    let mut total = 0;
    for (_, next) in explicit.successors(state) {
        let complete = next.0[0] != state.0[0];
        total += perft(explicit, &next, moves - u32::from(complete));
    }
    total
}

#[test]
fn complete_moves_on_the_full_board() {
    let game = game("8");
    let mut explicit = Explicit::new(&game);
    let published = [7, 49, 302, 1_469, 7_361, 36_768, 179_740];
    let depth = if cfg!(debug_assertions) { 5 } else { 7 };
    let counts: Vec<u64> = (1..=depth).map(|moves| perft(&mut explicit, game.initial(), moves)).collect();
    assert_eq!(counts, published[..depth as usize]);
}

#[test]
fn squares_and_moves_are_written_as_players_do() {
    let game = game("5");
    assert_eq!(
        game.draw(game.initial()),
        "  5  w _ w _ w\n  4  _ w _ w _\n  3  . _ . _ .\n  2  _ b _ b _\n  1  b _ b _ b\n     a b c d e   turn: black\n"
    );
    let mut explicit = Explicit::new(&game);
    let at = explicit.at(game.initial());
    let names: Vec<&str> = at.moves().map(|m| game.move_at(m).name.as_str()).collect();
    assert_eq!(names, ["b2-a3", "b2-c3", "d2-c3", "d2-e3"]);
}

#[test]
fn sizes_are_one_number() {
    let error = |size| build("checkers", Some(size), &Default::default()).unwrap_err().to_string();
    assert_eq!(error("2"), "checkers cannot have 2 rows: 3 to 8 are possible");
    assert_eq!(error("4x5"), "\"4x5\" is not a size: checkers takes N, for example 4");
}
