//! How to work.

use crate::blocks::layering::Layering;
use std::path::PathBuf;
use winset_model::{Opponent, VarId};
use winset_work::Work;

/// How to work.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of threads.
    pub threads: usize,
    /// What the players want.
    pub opponent: Opponent,
    /// How states are cut into layers; none: by a measure if one is found, else all in one tier.
    pub layering: Option<Layering>,
    /// The blocks, topmost first; none: chosen from the game.
    pub blocks: Option<Vec<Vec<VarId>>>,
    /// About how many bytes may be used; none: as many as there are.
    pub memory: Option<u64>,
    /// Where layers may wait that do not fit.
    pub directory: Option<PathBuf>,
    /// How many bytes of values may be in memory at a time if there is a directory; none: as many as fit.
    pub values: Option<u64>,
    /// Also find the distance to the end under best play.
    pub distance: bool,
    /// Do without the processor's bit instructions.
    pub portable: bool,
    /// In which form values are kept.
    pub form: Form,
    /// Leave out positions that are mirror images of others, where that can be done and saves something.
    pub symmetry: bool,
    /// With several processes, how many bytes the diagrams of a layer may take of which every process finds all states;
    /// none: as many as is faster.
    pub small: Option<u64>,
    /// Counts the steps, and says whether to go on.
    pub work: Work,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: 1,
            opponent: Opponent::Difference,
            layering: None,
            blocks: None,
            memory: None,
            directory: None,
            values: None,
            distance: false,
            portable: false,
            form: Form::Best,
            symmetry: true,
            small: None,
            work: Work::default(),
        }
    }
}

/// In which form the values of a layer are kept while the layers before it are solved, and sets while the next layer is
/// found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As leaves where a game allows it and they are not too thin, else by rank.
    #[default]
    Best,
    /// A few bits for every state, one after the other, and sets as diagrams. Always possible.
    Ranks,
    /// As leaves where a game allows it, however thin they are; for comparison.
    Leaves,
}
