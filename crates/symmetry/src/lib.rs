//! Symmetries of a game, found from its rules and proved: reflections and rotations of a board, exchange of equal pieces,
//! heaps or places.
//!
//! A symmetry moves variables to other variables and their values to values there, so that moves become moves of the same
//! player, ends become ends with the same rewards, and the start becomes itself. So a state can arise exactly if its images
//! can, and all of them are worth the same, as far from the end.
//!
//! ```
//! let game = winset_games::build("tictactoe", None, &Default::default()).unwrap();
//! // Four rotations, each with its reflection.
//! assert_eq!(winset_symmetry::find(&game).len(), 8);
//! ```

mod colours;
mod prove;
mod search;
mod symmetry;

pub use prove::is_symmetry;
pub use search::{find, find_within};
pub use symmetry::Symmetry;
