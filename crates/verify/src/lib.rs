//! An independent check of a stored solution against the rules.
//!
//! The checker shares no code with any solver. It re-derives every stored value from the rules and the
//! successors' values: the set contains the start and is closed under moves, terminal positions have the
//! rules' rewards, every other value is the best that the mover's moves offer. Where moves can stay in a
//! layer, values must follow from the game's end step by step; stored distances show that at once. A full check is a proof; a sample is an estimate
//! that says what it bounds.
//!
//! ```
//! # let directory = winset_reference::scratch();
//! # let game = winset_reference::build("tictactoe", "3x3");
//! # winset_reference::write(directory.path(), &winset_reference::solve(&game, winset_reference::Cut::Stones, false));
//! let store = winset_reference::open(directory.path()).unwrap();
//! let report = winset_verify::verify_full(&store, &|_, _| ()).unwrap();
//! assert!(report.holds() && report.is_proof());
//! ```

mod batch;
mod check;
mod cursor;
mod fault;
mod full;
mod layers;
mod offers;
mod plan;
mod sample;
mod settled;
mod waiting;
mod walk;

pub use fault::{Fault, Wrong};
pub use full::verify_full;
pub use sample::verify_sample;

use std::fmt;
use thiserror::Error;
use winset_model::grouped;
use winset_store::{StoreError, Verdict};

/// Hears of the progress: positions checked so far, and in all.
pub type Watch<'a> = dyn Fn(u64, u64) + Sync + 'a;

/// Why a check could not be made. A fault of the solution is no error but part of the [`Report`].
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The number of positions checked.
    pub checked: u64,
    /// The number of positions stored.
    pub of: u64,
    /// The seed of the sample; none if everything was to be checked.
    pub seed: Option<u64>,
    /// The number of faults.
    pub faults: u64,
    /// The first of them.
    pub examples: Vec<Fault>,
}

impl Report {
    /// No fault was found.
    pub fn holds(&self) -> bool {
        self.faults == 0
    }

    /// Every stored position was checked and no fault was found.
    pub fn is_proof(&self) -> bool {
        self.holds() && self.seed.is_none() && self.checked == self.of
    }

    /// For the manifest.
    pub fn verdict(&self) -> Verdict {
        let tool = concat!("winset ", env!("CARGO_PKG_VERSION")).to_owned();
        let (complete, proved) = (false, false);
        Verdict {
            tool,
            checked: self.checked,
            of: self.of,
            seed: self.seed,
            faults: self.faults,
            complete,
            proved,
        }
    }

    fn push(&mut self, fault: Fault) {
        self.faults += 1;
        if self.examples.len() < check::KEPT_FAULTS {
            self.examples.push(fault);
        }
    }
}

/// What the check means, in a sentence or two.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (checked, of) = (grouped(self.checked), grouped(self.of));
        match (self.faults, self.seed) {
            (0, None) if self.checked == self.of => {
                write!(f, "all {of} stored positions hold: the solution is proved")
            }
            (0, None) => write!(
                f,
                "all {checked} solved positions hold; {} more are stored and not solved yet",
                grouped(self.of - self.checked)
            ),
            (0, Some(seed)) => write!(
                f,
                "{checked} positions of {of}, drawn with seed {seed}, hold: with 95 % confidence at most {} \
                 are wrong",
                grouped(self.bound())
            ),
            (faults, _) => {
                write!(f, "{} faults in {checked} positions checked of {of}", grouped(faults))
            }
        }
    }
}

impl Report {
    /// With 95 % confidence no more than this many positions of a faultless sample's solution are wrong: the
    /// rule of three, `3 / n` of them, rounded up.
    pub fn bound(&self) -> u64 {
        let bound = (3 * u128::from(self.of)).div_ceil(u128::from(self.checked.max(1)));
        bound.min(u128::from(self.of)) as u64
    }
}
