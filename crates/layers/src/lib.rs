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
mod build;
mod by_slices;
mod choose;
mod compile;
mod condition;
mod conjunction;
mod copy;
mod count;
mod crew;
mod divide;
mod error;
mod forward;
mod frame;
mod image;
mod layer;
mod layering;
mod memo;
mod moves;
mod partition;
mod relation;
mod resume;
mod room;
mod rules;
mod set;
mod shares;
mod shelf;
mod solve;
mod stream;
mod successors;
mod table;

pub use error::{Advice, LayersError};
pub use layering::Layering;
pub use resume::{Past, PastLayer};
pub use solve::{
    Movers, Observer, Options, Plan, Reached, Refusal, Solution, Solved, Stage, Summary, count, solve,
};
pub use stream::{Distance, NEVER_ENDS};
pub use winset_model::{Code, CodeTable, Opponent};
