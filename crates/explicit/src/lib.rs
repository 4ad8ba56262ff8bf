//! The explicit engine: strongly solves a game state by state, for games whose positions do not look alike.
//!
//! A state is packed into one number. The rules are compiled to conjunctions over the bits of 256 states at a time, so that
//! all successors of a state cost about a tenth of a microsecond. Forward, states are found tier by tier along a progress
//! measure; backward, every state of a tier is settled once, also where play can go round for ever.
//!
//! ```
//! use winset_explicit::{Options, solve};
//! let game = winset_games::build("connect4", Some("4x4"), &Default::default()).unwrap();
//! let solution = solve::<u64>(&game, &Options::of(&game), &mut ()).unwrap();
//! assert_eq!(solution.positions(), 161_029);
//! assert_eq!(solution.value.unwrap().rewards, [50, 50]);
//! ```

mod backward;
mod compiled;
mod dense;
mod error;
mod expand;
mod forward;
mod look;
mod orbits;
mod order;
mod pack;
mod program;
mod run;
mod scratch;
mod set;
mod shelf;
mod solve;
mod tiers;
mod wide;
mod worker;

pub use compiled::Width;
pub use error::ExplicitError;
pub use expand::{Expander, Successor};
pub use pack::{Field, Key, Packing};
pub use program::LANES;
pub use solve::{Count, Found, Keep, Observer, Options, Past, Refusal, Solution, Solved, find, solve, width};
pub use tiers::Tiers;
pub use wide::Wide;
pub use winset_settle::{Distance, NEVER_ENDS, Values};

/// The most bits that a state may take.
pub const WIDEST: u32 = 512;
