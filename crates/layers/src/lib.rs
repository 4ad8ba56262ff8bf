//! The layer engine: strongly solves a game layer by layer, at memory speed.
//!
//! A state is cut into blocks, each block's contents is one digit. The reachable states of a layer are a
//! levelled diagram with one level per block, built from the layers before it without any intermediate
//! set. Frozen, it numbers the states in the order of their digits. The backward pass walks a layer in that
//! order and drags along a cursor in the diagram of a later layer for every way a move can still go, so
//! that values are read and written front to back, 64 at a time; no state is ever unranked or ranked.
//!
//! ```
//! let game = winset_games::build("connect4", Some("4x4"), &Default::default()).unwrap();
//! let solution = winset_layers::solve(&game, &Default::default(), &mut ()).unwrap();
//! assert_eq!(solution.positions(), 161_029);
//! assert_eq!(solution.value, Some([50, 50].into()));
//! ```
//!
//! Results come layer by layer to an [`Observer`], as [`winset_index::Index`] and
//! [`winset_index::Planes`]; a [`Solution`] keeps the counts only.

mod backward;
mod blocks;
mod crew;
mod error;
mod forward;
mod observer;
mod options;
mod rules;
mod sets;
pub mod shared;
mod shares;
mod solution;
mod solve;

pub use backward::stream::{Distance, NEVER_ENDS};
pub use blocks::layering::Layering;
pub use error::{Advice, LayersError};
pub use forward::resume::{Past, PastLayer};
pub use observer::{Observer, Plan, Reached, Refusal, Solved, Stage};
pub use options::{Form, Options};
pub use solution::{Kept, Movers, Solution, Summary};
pub use solve::{count, solve};
pub use winset_model::{Code, CodeTable, Opponent};
