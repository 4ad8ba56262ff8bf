//! Games and transition systems as decision diagrams: encodings, variable orders, relations, image and
//! preimages, reachability, retrograde analysis and the layered and matrix solvers.
//!
//! ```
//! use winset_symbolic::{Bcdd, Options, Symbolic};
//! let game = winset_games::build("tictactoe", None, &Default::default()).unwrap();
//! let options = Options { memory: 64 << 20, ..Options::default() };
//! let symbolic = Symbolic::<Bcdd>::from_game(&game, &options).unwrap();
//! let second = symbolic.image(&symbolic.initial).unwrap();
//! assert_eq!(symbolic.space.count(&second), Ok(9));
//! ```

mod beside;
mod budget;
mod compile;
mod conjunctive;
mod count;
mod dddmp;
mod diagram;
pub mod encode;
mod error;
mod flat;
mod fused;
mod game;
pub mod hybrid;
mod layers;
mod levelled;
mod monolithic;
mod mxd;
mod narrow;
mod observe;
mod options;
mod order;
mod psi;
mod rank;
mod reach;
mod relation;
mod retrograde;
mod shift;
mod size;
mod solve;
mod space;
mod split;
mod symbolic;
mod tier;
mod two_bit;

/// Diagrams with complement edges.
pub type Bcdd = oxidd::bcdd::BCDDFunction;
/// Plain diagrams.
pub type Bdd = oxidd::bdd::BDDFunction;

pub use beside::Beside;
pub use compile::Compiler;
pub use conjunctive::Conjunction;
pub use count::{Group, Groups};
pub use diagram::{Diagram, Job, with_kind};
pub use error::SymbolicError;
pub use flat::{Flat, FlatNode};
pub use game::{Condition, SymbolicGame};
pub use layers::{Forward, Layer, layers};
pub use mxd::{Mxd, MxdId, MxdNode};
pub use observe::{Iteration, Observer, Phase};
pub use options::{Encoding, Kind, Options, Order, Partition, TurnPlace};
pub use order::{order, order_by_names};
pub use psi::by_measure;
pub use rank::Ranked;
pub use reach::reach;
pub use relation::Part;
pub use retrograde::{Outcomes, Retrograde, Variant, Winning, prepare, retrograde, retrograde_for};
pub use solve::{
    Algorithm, LayerCounts, Layering, Share, Solution, SolveOptions, Solved, Values, solve, solve_with,
};
pub use space::{Place, Space};
pub use split::{Split, solve_split};
pub use symbolic::{Symbolic, Which};
pub use two_bit::{GoalTest, Places, TwoBitLayer, TwoBits, two_bit};
pub use winset_model::Opponent;
