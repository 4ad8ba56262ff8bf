//! From ground rules and proved groups to a game of the model.

pub mod compile;
pub mod game;
pub mod joint;
pub mod overlay;
pub mod simplify;
pub mod translate;
