//! The hybrid of symbolic and explicit search: layers forward as diagrams, then their values from the last to the first,
//! as diagrams while these fit, and from some layer on with a few bits a state, numbered by rank (the hybrid paper's
//! title). Layers can be kept as they are finished, and found again.

mod backward;
mod codes;
mod cursor;
mod drive;
mod explicit;
mod keep;
mod scan;

pub use drive::{Drive, DriveError, Driven, Why, drive};
pub use keep::{Cause, Keeper, KeptLayer, KeptPast, KeptPlan, KeptSet, KeptValues};

/// From which layer on, seen from the end, states are looked at one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    /// From none: diagrams that do not fit are an error.
    #[default]
    Never,
    /// From the one whose diagrams do not fit.
    WhenFull,
    /// From the one with this number, in the order of play; all of them, if there are fewer layers.
    At(usize),
}
