//! Random games with rewards: layered and matrix solver against backward induction, both opponent models,
//! one player and two, several moves in a row.

use proptest::prelude::*;
use winset_model::{Game, GameBuilder, Player, Rewards, Update};
use winset_symbolic::*;

/// A token on numbered squares that only moves to higher numbers. Whose turn it is, where one can go and
/// what a square without moves is worth are all random.
#[derive(Clone, Debug)]
struct Recipe {
    players: usize,
    movers: Vec<usize>,
    edges: Vec<(usize, usize)>,
    rewards: Vec<[u8; 2]>,
}

const SQUARES: usize = 9;

fn recipe() -> impl Strategy<Value = Recipe> {
    let edge = (0..SQUARES - 1, 1..SQUARES).prop_filter("upwards", |(from, to)| from < to);
    (
        1..3usize,
        prop::collection::vec(0..2usize, SQUARES),
        prop::collection::btree_set(edge, 1..20),
        prop::collection::vec([0..3u8, 0..3u8].prop_map(|pair| pair.map(|r| r * 40)), SQUARES),
    )
        .prop_map(|(players, movers, edges, rewards)| Recipe {
            players,
            movers: movers.into_iter().map(|mover| mover % players).collect(),
            edges: edges.into_iter().collect(),
            rewards,
        })
}

impl Recipe {
    fn is_terminal(&self, square: usize) -> bool {
        !self.edges.iter().any(|&(from, _)| from == square)
    }

    fn game(&self) -> Game {
        let mut game = GameBuilder::new("squares", (0..self.players).map(|p| format!("p{p}")));
        let token = game.add_variable("token", (0..SQUARES).map(|i| format!("s{i}")));
        for player in 0..self.players {
            let mine = (0..SQUARES).filter(|&square| self.movers[square] == player);
            let mine: Vec<_> = mine.map(|square| game.exprs.is(token, square as u16)).collect();
            game.turn[player] = game.exprs.or(mine);
        }
        for &(from, to) in &self.edges {
            let here = game.exprs.is(token, from as u16);
            game.add_move(
                format!("s{from}s{to}"),
                Player::new(self.movers[from]),
                here,
                [Update::set(token, to as u16)],
            );
        }
        for square in (0..SQUARES).filter(|&square| self.is_terminal(square)) {
            let here = game.exprs.is(token, square as u16);
            game.terminal.push(here);
            for player in 0..self.players {
                game.rewards[player].push((self.rewards[square][player], here));
            }
        }
        game.initial = game.state([0]);
        game.build().unwrap()
    }

    fn value(&self, square: usize, opponent: Opponent) -> Rewards {
        if self.is_terminal(square) {
            return self.rewards[square][..self.players].iter().copied().collect();
        }
        let next = self.edges.iter().filter(|&&(from, _)| from == square);
        let values = next.map(|&(_, to)| self.value(to, opponent));
        values.max_by_key(|&rewards| opponent.liking(Player::new(self.movers[square]), rewards)).unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn solvers_agree_with_backward_induction(recipe in recipe()) {
        let game = recipe.game();
        let options = Options { memory: 48 << 20, ..Options::default() };
        for opponent in [Opponent::Difference, Opponent::Own] {
            for algorithm in [Algorithm::Auto, Algorithm::Layered, Algorithm::Matrix] {
                let how = SolveOptions { algorithm, opponent };
                let (solution, solved) = solve_with::<Bcdd>(&game, &options, how, &mut (), true).unwrap();
                prop_assert_eq!(solution.rewards, recipe.value(0, opponent));
                let mut reachable = 0;
                for square in 0..SQUARES {
                    if let Some(rewards) = solved.value(&[square as u16].into()) {
                        reachable += 1;
                        prop_assert_eq!(rewards, recipe.value(square, opponent));
                    }
                }
                prop_assert_eq!(solution.positions, reachable);
                if algorithm == Algorithm::Matrix {
                    prop_assert_eq!(solution.layer_positions, solution.positions);
                }
            }
        }
    }
}
