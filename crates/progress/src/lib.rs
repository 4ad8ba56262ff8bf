//! Progress measures: weights on (variable, value) whose sum every move raises.
//!
//! A measure cuts the states of a game into layers or tiers: with an incremental one, every successor of a
//! state is in the next layer and no state is in two. It is found from the rules alone: the possible
//! changes of every variable under every move follow from guards and updates, and the weights solve a
//! system of linear equations over them, exactly.
//!
//! ```
//! let game = winset_games::build("othello", Some("4x4"), &Default::default()).unwrap();
//! let measure = winset_progress::find(&game).unwrap();
//! assert_eq!(measure.kind, winset_progress::Kind::Monotone);
//! let pass = game.moves().iter().position(|m| m.name == "pass").unwrap();
//! assert_eq!(measure.deltas[pass], winset_progress::Delta { least: 0, greatest: 0 });
//! ```

mod changes;
mod ends;
mod equations;
mod find;
mod inequalities;
mod kept;
mod parts;
mod unknowns;

pub use changes::{Change, Form, Steps, changes, steps};
pub use ends::every_play_ends;
pub use find::{Delta, Kind, Measure, find};
pub use kept::kept;
pub use parts::parts;
