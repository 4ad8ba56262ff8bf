//! Parity games: two players move a token along the edges of a graph for ever, and the highest priority that is seen
//! again and again decides. Player 0 (even) wins if it is even, player 1 (odd) if it is odd. Büchi games are those with
//! the priorities 1 and 2.
//!
//! [`read`] reads a game in the format of PGSolver, [`solve`] finds out who wins each vertex and how (Zielonka 1998),
//! and [`Solution::check`] proves it once more from the strategies alone.
//!
//! ```
//! let text = "parity 2;\n0 2 0 0,1 \"stay\";\n1 3 1 1;\n";
//! let game = winset_parity::read(text).unwrap();
//! let solution = winset_parity::solve(&game);
//! assert_eq!((solution.winner[0], solution.strategy[0]), (0, Some(0)));
//! assert_eq!(solution.winner[1], 1);
//! assert!(solution.check(&game).is_ok());
//! ```

mod check;
mod game;
mod read;
mod zielonka;

pub use check::Fault;
pub use game::{Game, Solution, Vertex};
pub use read::read;
pub use zielonka::solve;
