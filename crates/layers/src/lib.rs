//! The layer engine.
mod backward;
mod choose;
mod compile;
mod condition;
mod conjunction;
mod copy;
mod count;
mod error;
mod forward;
mod frame;
mod image;
mod layer;
mod layering;
mod memo;
mod outcomes;
mod partition;
mod relation;
mod rules;
mod set;
mod solve;
mod stream;

pub use error::LayersError;
pub use layering::Layering;
pub use outcomes::{Code, ENDLESS, Opponent, Outcomes};
pub use solve::{Movers, Observer, Options, Reached, Refusal, Solution, Solved, Summary, count, solve};
